"""Search, embeddings, intent and chat as callers meet them: shapes, limits, equal answers."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import httpx
import pytest
from ai_service import CHAT, QUESTION, asked, asks
from mcp_messages import BOTH, call
from openapi_description import Description

SEARCH, EMBED, INTENT = "/api/search", "/api/embed", "/api/intent"
KINDS = {
    "thesis": "small systems that can be checked",
    "practice": "quantitative research on rates and index futures",
    "conviction": "reconcile before you optimise",
    "lookingFor": "an audit of a spreadsheet",
    "project": "a trade ledger with reconciliation",
    "domain": "climate risk",
    "faq": "what is Quillmere?",
    "glossary": "reconciliation",
}
PRICE = {"query": "what does an audit of a spreadsheet cost?", "limit": 3}
GOAL = {"goal": "read everything published on Tidebook", "limit": 3}
BRIEF = b'{"ok":false,"error":"validation_failed"}'

Body = dict[str, Any]


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a service of its own, with the settings that everybody begins with."""
    with (
        asked(tmp_path_factory.mktemp("asked")) as server,
        httpx.Client(base_url=server.address, timeout=60) as made,
    ):
        yield made


@pytest.fixture(scope="module")
def description(studio: httpx.Client) -> Description:
    """What the service says of itself."""
    return Description(studio.get("/openapi.json").json())


def posted(studio: httpx.Client, description: Description, path: str, body: Any) -> httpx.Response:
    """The answer to a body, which is as it is described."""
    answer = studio.post(path, json=body)
    assert description.faults(description.operation(path, "post"), answer) == []
    assert answer.headers["cache-control"] == "no-store"
    return answer


def served(studio: httpx.Client, description: Description, path: str, body: Body) -> Any:
    """What is answered to a body that is served."""
    answer = posted(studio, description, path, body)
    assert answer.status_code == 200, answer.text
    return answer.json()


# Answers ----------------------------------------------------------------------------------------


def test_a_search_finds_what_can_be_read_the_best_first(
    studio: httpx.Client, description: Description
) -> None:
    found = served(studio, description, SEARCH, {"query": "Tidebook, the trade ledger"})
    assert found["count"] == len(found["results"]) == 5
    assert all(a["score"] >= b["score"] for a, b in pairwise(found["results"]))
    for hit in found["results"]:
        assert 0.2 <= hit["score"] <= 1
        assert studio.get(hit["url"]).status_code == 200
    assert "tidebook" in str(found["results"][0]).casefold()
    assert len({(hit["kind"], hit["slug"]) for hit in found["results"]}) == 5


@pytest.mark.parametrize(("kind", "query"), KINDS.items(), ids=KINDS)
def test_a_search_of_one_kind_finds_that_kind_alone(
    kind: str, query: str, studio: httpx.Client, description: Description
) -> None:
    body = {"query": query, "limit": 20, "kind": kind}
    found = served(studio, description, SEARCH, body)
    assert found["kind"] == kind
    assert {hit["kind"] for hit in found["results"]} == {kind}


def test_what_has_nothing_to_do_with_the_studio_is_told_to_be_far(
    studio: httpx.Client, description: Description
) -> None:
    body = {"query": "pancake recipe with maple syrup", "limit": 20}
    found = served(studio, description, SEARCH, body)
    assert found["count"] == len(found["results"]) == 20
    assert found["retrieval"]["band"] != "answer"
    answer = served(studio, description, CHAT, {"query": body["query"]})
    assert answer["retrieval"]["band"] != "answer"
    assert answer["answered"] != "yes"


def test_an_answer_cites_what_can_be_read_and_passes_its_own_check(
    studio: httpx.Client, description: Description
) -> None:
    answer = served(studio, description, CHAT, QUESTION)
    assert answer["citationLint"]["ok"] is True
    assert [each["n"] for each in answer["citations"]] == [*range(1, len(answer["citations"]) + 1)]
    for citation in answer["citations"]:
        assert f"[{citation['n']}]" in answer["answer"]
        assert studio.get(citation["url"]).status_code == 200
    revision = studio.get("/readyz").json()["revision"]
    assert answer["retrieval"]["revision"] == revision


def test_a_text_has_one_vector_alone_or_among_others(
    studio: httpx.Client, description: Description
) -> None:
    texts = ["tide tables", "Harborlight warns four ports.", "ørret \U0001f41f", "tide tables"]
    several = served(studio, description, EMBED, {"input": texts})
    assert [each["index"] for each in several["data"]] == [0, 1, 2, 3]
    rows = [each["embedding"] for each in several["data"]]
    for row in rows:
        assert len(row) == several["dimensions"] == 768
        assert sum(number * number for number in row) == pytest.approx(1, abs=1e-4)
    assert rows[0] == rows[3]
    assert rows[0] != rows[1]
    alone = served(studio, description, EMBED, {"input": texts[0]})
    assert alone["data"][0]["embedding"] == pytest.approx(rows[0], abs=1e-5)
    assert alone["model"] == several["model"]


def test_graphql_and_mcp_answer_what_http_answers(
    studio: httpx.Client, description: Description
) -> None:
    searched = served(studio, description, SEARCH, PRICE)
    routed = served(studio, description, INTENT, GOAL)
    answered = served(studio, description, CHAT, QUESTION)
    document = """query Both($price: SearchInput!, $goal: IntentInput!) {
        search(input: $price) {
            query count results { kind slug title url snippet score proof }
            model retrieval { mode embedder dimensions band } }
        intent(input: $goal) {
            goal count model recommendations {
                rank score confidence why operation title method path tool requires
                request { method path headers body } mcp { name arguments } } } }"""
    variables = {"price": PRICE, "goal": GOAL}
    body = {"query": document, "variables": variables}
    data = studio.post("/api/graphql", json=body).json()["data"]
    data["search"]["retrieval"]["band"] = data["search"]["retrieval"]["band"].lower()  # an enum
    assert data["search"] == searched
    for each in data["intent"]["recommendations"]:
        each["confidence"] = each["confidence"].lower()  # GraphQL has names for words
    assert without_nulls(data["intent"]) == routed
    for revision in BOTH:
        for tool, arguments, expected in (("search", PRICE, searched), ("ask", QUESTION, answered)):
            result = call(asks(studio), tool, revision, arguments)
            assert without_ids(result["structuredContent"], str(studio.base_url)) == expected
        advised = call(asks(studio), "route_intent", revision, GOAL)["structuredContent"]
        for said, each in zip(advised["recommendations"], routed["recommendations"], strict=True):
            assert said.items() <= each.items()  # what to do over HTTP is left out


def without_ids(value: Any, url: str) -> Any:
    """An answer over MCP as HTTP gives it: without ids for `fetch`, and with paths as addresses."""
    if isinstance(value, dict):
        return {name: without_ids(each, url) for name, each in value.items() if name != "id"}
    if isinstance(value, list):
        return [without_ids(each, url) for each in value]
    return value.removeprefix(url.rstrip("/")) if isinstance(value, str) else value


def without_nulls(value: Any) -> Any:
    """A value of GraphQL as JSON answers have it: what is not there is left out."""
    if isinstance(value, dict):
        return {name: without_nulls(each) for name, each in value.items() if each is not None}
    return [without_nulls(each) for each in value] if isinstance(value, list) else value


# Limits -----------------------------------------------------------------------------------------


def message(content: object, role: object = "user") -> Body:
    """A body with one message."""
    return {"messages": [{"role": role, "content": content}]}


REFUSED_CHAT: list[Body] = [
    *({"query": value} for value in ("  a  ", True, None, {"a": "b"}, "\u0000" * 5)),
    *({**QUESTION, "topK": value} for value in (True, "5", 5.5, None, -1)),
    {**QUESTION, "agent": 1},
    *(message("tides", role) for role in ("USER", "tool", None)),
    *({"messages": value} for value in ([], "tides", [1], [{"role": "user"}], None)),
    *({"messages": [{"role": role, "content": "tides"}]} for role in ("assistant", "system")),
    {**QUESTION, **message("tides")},
    {**QUESTION, "stream": True},
    {"topK": 3},
    {},
]


def test_chat_refuses_with_the_one_body_that_is_specified(
    studio: httpx.Client, description: Description
) -> None:
    for body in REFUSED_CHAT:
        answer = posted(studio, description, CHAT, body)
        assert (answer.status_code, answer.content) == (400, BRIEF), body
        assert answer.headers["content-type"] == "application/json"
