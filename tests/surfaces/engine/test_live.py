"""Live data: each call has its own caller, its own context, and an answer that nobody keeps."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest
import strawberry
import task_schema as tasks
from asgi_call import Ask, asking
from mcp_messages import BOTH, post, result
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


def test_a_resource_of_one_caller_is_kept_by_nobody_else(ask: Ask) -> None:
    told = result(ask, "resources/read", STATELESS, uri="resource://me")
    assert (told["ttlMs"], told["cacheScope"]) == (0, "private")


def test_what_may_block_runs_in_a_thread(store: tasks.Store) -> None:
    assert "worker" in asking(service(store))("/thread").json()
    assert "worker" not in asking(service(store, threads=False))("/thread").json()


def test_tokens_are_verified_before_a_resolver_runs(
    store: tasks.Store, caplog: pytest.LogCaptureFixture
) -> None:
    claims: dict[str, Any] = {
        "good": {"aud": "http://localhost"},
        "of mcp": {"aud": ["http://localhost/mcp"]},
        "of nobody": {"aud": []},
        "odd": {"aud": 5},
        "other": {"aud": ["https://x.example"]},
        "longer": {"aud": "http://localhost.evil.example"},
        "text": "ada",
    }

    def verify(token: str) -> Any:
        return claims.get(token)

    auth = Bearer(verify=verify, authorization_servers=["https://id.example"], scopes=["tasks"])
    ask = asking(service(store, auth=auth))
    resource = ask("/.well-known/oauth-protected-resource").json()
    assert resource["resource"] == "http://localhost"
    assert resource["authorization_servers"] == ["https://id.example"]
    for token in ("other", "longer", "unknown", "of nobody", "odd"):
        refused = ask("/me", headers={"authorization": f"Bearer {token}"})
        assert refused.status_code == 401
        assert refused.json()["request_id"] == refused.headers["x-request-id"]
        metadata = "http://localhost/.well-known/oauth-protected-resource"
        others = 'scope="tasks", error="invalid_token"'
        told = f'Bearer resource_metadata="{metadata}", {others}'
        assert refused.headers["www-authenticate"] == told
        refused = ask("/mcp", "POST", json={}, headers={"authorization": f"Bearer {token}"})
        told = f'Bearer resource_metadata="{metadata}/mcp", {others}'
        assert refused.headers["www-authenticate"] == told
        assert ask("/llms.txt", headers={"authorization": f"Bearer {token}"}).status_code == 200
    for token in ("good", "of mcp"):
        assert ask("/me", headers={"authorization": f"Bearer {token}"}).status_code == 200
    assert ask("/me", headers={"authorization": "Bearer text"}).status_code == 500
    assert "return the claims as a mapping, or None, not a str" in caplog.text
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
