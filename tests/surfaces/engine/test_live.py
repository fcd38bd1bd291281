"""Live data: each call has its own caller, its own context, and an answer that nobody keeps."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest
import strawberry
import task_schema as tasks
from local_service import Ask, asking
from mcp_messages import BOTH, message, post, result
from strawberry import relay

from mcp_bridge.protocol.jsonrpc import METHOD_NOT_FOUND
from mcp_bridge.protocol.protocol_versions import STATELESS
from surfaces import Bearer, Surfaces

FOLDER = Path(__file__).parent / "tasks"
ADA, BEN = ({"authorization": f"Bearer {name}-token"} for name in ("ada", "ben"))


def service(store: tasks.Store, **options: Any) -> Surfaces:
    """The tasks, served."""
    own: dict[str, Any] = {
        "get_context": tasks.context_of(store),
        "errors": {tasks.TaskGoneError: 410},
        "url": "http://localhost",
        "graphql": True,
    }
    schema = options.pop("schema", None) or tasks.schema()
    return Surfaces(schema, FOLDER, name="Tasks", **(own | options))


@pytest.fixture
def store() -> tasks.Store:
    """Two tasks of Ada and one of Ben."""
    owners = {1: "ada", 2: "ben", 3: "ada"}
    return tasks.Store(
        {n: tasks.Task(id=n, title=f"Task {n} of {o}", owner_name=o) for n, o in owners.items()}
    )


@pytest.fixture
def ask(store: tasks.Store) -> Ask:
    """Requests to the service."""
    return asking(service(store))


def called(ask: Ask, tool: str, headers: dict[str, str], **arguments: Any) -> dict[str, Any]:
    """The result of a tool for a caller."""
    sent = message("tools/call", name=tool, arguments=arguments)
    answer = ask("/mcp", "POST", json=sent, headers={"accept": "application/json", **headers})
    found: dict[str, Any] = answer.json()["result"]
    return found


def test_a_resource_of_one_caller_is_kept_by_nobody_else(ask: Ask) -> None:
    told = result(ask, "resources/read", STATELESS, uri="resource://me")
    assert (told["ttlMs"], told["cacheScope"]) == (0, "private")


def test_who_may_not_is_told_so_on_each_surface(ask: Ask) -> None:
    refused = ask("/tasks")
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    assert refused.json()["detail"] == "Sign in first."
    assert ask("/tasks", headers={"authorization": "Bearer wrong"}).status_code == 403
    assert ask("/costs/2", headers=BEN).status_code == 403
    assert ask("/costs/1", headers=ADA).json() == {"id": 1, "cost": 7}
    tool = called(ask, "get_cost", BEN, id=2)
    assert (tool["isError"], tool["content"][0]["text"]) == (True, "Only Ada may.")
    sent = {"query": "{ task(id: 2) { cost } }"}
    found = ask("/graphql", "POST", json=sent, headers=BEN).json()
    assert found["data"] == {"task": {"cost": None}}
    assert found["errors"][0]["extensions"]["code"] == "forbidden"


def test_a_part_is_served_where_the_operation_says_so(ask: Ask) -> None:
    partly = ask("/partly/2", headers=BEN)
    assert partly.status_code == 200
    told = [{"path": ["task", "cost"], "message": "Only Ada may."}]
    assert partly.json() == {"id": 2, "cost": None, "errors": told}
    assert ask("/partly/1", headers=ADA).json() == {"id": 1, "cost": 7, "errors": None}


@pytest.mark.parametrize(
    ("how", "status", "code", "detail"),
    [
        ("told", 400, "validation_failed", "The sea is rough."),
        ("code", 409, "conflict", "Taken."),
        ("else", 500, "internal", "The operation failed; the log has the error."),
    ],
)
def test_an_error_has_its_status_and_only_a_text_that_is_for_callers(
    ask: Ask, how: str, status: int, code: str, detail: str
) -> None:
    answer = ask(f"/failing?how={how}")
    assert answer.status_code == status
    assert (answer.json()["error"], answer.json()["detail"]) == (code, detail)
    assert "password" not in post(ask, "tools/call", name="fail", arguments={"how": how}).text


def test_a_status_of_a_resolver_holds(ask: Ask) -> None:
    assert ask("/failing?how=status").status_code == 418
    assert ask("/tasks/404", headers=ADA).status_code == 410
    assert ask("/tasks/2", headers=ADA).status_code == 404
    assert "seen=yes" in ask("/me").headers["set-cookie"]


def test_a_write_runs_for_its_caller_and_not_for_a_page_of_another_origin(ask: Ask) -> None:
    sent = {"title": "Paint the boat"}
    foreign = {**BEN, "origin": "https://evil.example"}
    assert ask("/tasks", "POST", json=sent, headers=foreign).status_code == 403
    own = ask("/tasks", "POST", json=sent, headers={**BEN, "origin": "http://localhost"})
    assert (own.status_code, own.json()) == (201, {"id": 4, "title": "Paint the boat"})
    assert [t["id"] for t in ask("/tasks", headers=BEN).json()] == [2, 4]
    assert ask("/tasks", "POST", json=sent).status_code == 401
    mutation = {"query": 'mutation { add(title: "x") { id } }'}
    assert ask("/graphql", "POST", json=mutation, headers=BEN).status_code == 400


def test_what_may_block_runs_in_a_thread(store: tasks.Store) -> None:
    assert "worker" in asking(service(store))("/thread").json()
    assert "worker" not in asking(service(store, threads=False))("/thread").json()


def test_tokens_are_verified_before_a_resolver_runs(store: tasks.Store) -> None:
    claims: dict[str, Mapping[str, Any]] = {
        "good": {"aud": "http://localhost"},
        "other": {"aud": ["https://x.example"]},
    }

    def verify(token: str) -> Mapping[str, Any] | None:
        return claims.get(token)

    auth = Bearer(verify=verify, authorization_servers=["https://id.example"], scopes=["tasks"])
    ask = asking(service(store, auth=auth))
    resource = ask("/.well-known/oauth-protected-resource").json()
    assert resource["resource"] == "http://localhost"
    assert resource["authorization_servers"] == ["https://id.example"]
    for token in ("other", "unknown"):
        refused = ask("/me", headers={"authorization": f"Bearer {token}"})
        assert refused.status_code == 401
        assert "resource_metadata=" in refused.headers["www-authenticate"]
    assert ask("/me", headers={"authorization": "Bearer good"}).status_code == 200
    assert ask("/me").status_code == 200
    needed = asking(service(store, auth=Bearer(verify=verify, required=True)))
    assert [needed(path).status_code for path in ("/me", "/mcp", "/llms.txt")] == [401, 401, 200]
    for sent in ("Basic YWRhOmFkYQ==", "Bearer ", "good"):
        assert needed("/me", headers={"authorization": sent}).status_code == 401
    described = ask("/openapi.json").json()
    assert described["security"] == [{"bearer": []}, {}]
    assert described["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"


def test_a_context_that_cannot_be_made_is_refused_with_a_fix(store: tasks.Store) -> None:
    class Depends:
        """As FastAPI's."""

    def depending(user: Any = Depends()) -> None:  # noqa: B008 - as FastAPI's users write it
        """Needs what only FastAPI knows."""

    with pytest.raises(TypeError, match="write a function of `request` and `response`"):
        service(store, get_context=depending)
    given: list[Callable[..., Any]] = [
        lambda: {"user": "ada", "store": store},
        lambda request, response: {"user": "ada", "store": store, "people": (request, response)},
        lambda anything: {"user": "ada", "store": store, "people": anything.headers},
    ]
    for get_context in given:
        assert asking(service(store, get_context=get_context))("/me").json() == "ada"


@strawberry.type
class Ship(relay.Node):
    """A node that is found asynchronously."""

    code: relay.NodeID[int]
    asked: ClassVar[list[str]] = []

    @classmethod
    async def resolve_nodes(cls, *, node_ids: Iterable[str], **_: object) -> list[Self]:
        cls.asked += node_ids
        return [cls(code=int(own)) for own in node_ids]


@strawberry.type
class Fleet:
    """What the schema of ships is asked."""

    node: relay.Node = relay.node()


def test_nodes_that_are_found_asynchronously_are_asked_for_once(tmp_path: Path) -> None:
    query = 'query Node($id: ID!) @rest(path: "/nodes/{id}") { node(id: $id) { id } }'
    (tmp_path / "node.graphql").write_text(query)
    schema = strawberry.Schema(Fleet, types=[Ship])
    ask = asking(Surfaces(schema, tmp_path, name="Fleet", url="http://localhost"))
    assert ask("/nodes/U2hpcDo3").json() == {"id": "U2hpcDo3"}
    assert Ship.asked == ["7"]


@pytest.mark.parametrize("method", ["prompts/list", "resources/list", "completion/complete"])
@pytest.mark.parametrize("revision", BOTH)
def test_a_method_whose_capability_is_not_declared_is_none(
    tmp_path: Path, method: str, revision: str
) -> None:
    (tmp_path / "me.graphql").write_text("query Me @mcp { me }")
    ask = asking(Surfaces(tasks.schema(), tmp_path, name="Me", url="http://localhost"))
    assert post(ask, method, revision).json()["error"]["code"] == METHOD_NOT_FOUND
    assert result(ask, "tools/list", revision)["tools"]
