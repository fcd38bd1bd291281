"""Questions of signs, markup and blanks: each is answered, told back as it came, and not logged."""

from collections.abc import Iterator

import httpx
import pytest
from ai_service import CHAT, LIGHT, asked
from running_server import Running

ODD = {
    "heading": "# Tidebook",
    "tag": "<b>tides</b>",
    "open tag": "<!doctype tides",
    "fence": "```tides",
    "rule": "tides\n\n---\nmore",
    "underline": "=====",
    "no characters": "\ufffe\uffff",
    "separator": "tides\u2028 and \u2029 more",
    "emoji": "\U0001f389\U0001f30a",
    "stop words": "the of and",
    "no width": "\u200b\u2060\u200btides",
    "marks": "\u0301\u0301\u0301",
    "right to left": "\u202e\u0645\u0631\u062d\u0628\u0627",
    "long word": "a" * 500,
    "grows": "\ufdfa" * 500,
    "first year": "what has changed since 0001-01-01T00:00:00+01:00",
    "last year": "what has changed since 9999-12-31T23:59:59-01:00",
    "long path": f"DELETE /api/subscribe/{'a' * 450}",
    "long letters": f"DELETE /api/subscribe/{'%E9' * 42}",
}


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, Running]]:
    """A running studio without a limit on chat, and what it logs."""
    with (
        asked(tmp_path_factory.mktemp("odd"), **LIGHT, CHAT_LIMIT="0", EMBED_LIMIT="0") as server,
        httpx.Client(base_url=server.address, timeout=60) as client,
    ):
        yield client, server


@pytest.mark.parametrize("name", ODD)
def test_an_odd_question_is_answered_and_told_back_as_it_came(
    name: str, studio: tuple[httpx.Client, Running]
) -> None:
    client, server = studio
    found = client.post("/api/search", json={"query": ODD[name]})
    assert found.status_code == 200
    assert found.json()["query"] == ODD[name]
    goal = f"{ODD[name]} quokka"[-500:]
    routed = client.post("/api/intent", json={"goal": goal})
    assert routed.status_code == 200
    assert routed.json()["goal"] == goal
    asked_in_graphql = {
        "query": "query Q($q: String!) { search(input: {query: $q}) { query } }",
        "variables": {"q": ODD[name]},
    }
    told = client.post("/api/graphql", json=asked_in_graphql).json()
    assert told == {"data": {"search": {"query": ODD[name]}}}
    assert client.post(CHAT, json={"query": ODD[name]}).status_code == 200
    vectors = client.post("/api/embed", json={"input": [ODD[name], "tides"]})
    assert vectors.status_code == 200
    written = "".join([*server.output, *server.errors])
    assert "quokka" not in written
    assert "Traceback" not in written
