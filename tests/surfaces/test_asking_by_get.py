"""What a POST answers, asked by GET, and as markdown."""

import pytest
from local_service import Ask, stored_operations

from rest_bridge.representations.rendering import JSON, MARKDOWN
from sdl.operations.operation import INPUT, Operation

BY_GET = [
    operation
    for forms in stored_operations().write_operations.values()
    for operation in [next(iter(forms.values()))]
    if operation.rest is not None and operation.rest.get_parameters
]
QUERY = "what does a project cost?"


def test_search_chat_and_intent_are_asked_by_get() -> None:
    paths = {operation.rest.path for operation in BY_GET if operation.rest}
    assert paths == {"/api/search", "/api/chat", "/api/intent"}


@pytest.mark.parametrize("form", [JSON, MARKDOWN])
@pytest.mark.parametrize("operation", BY_GET, ids=lambda o: o.name)
def test_a_get_answers_what_the_post_of_each_example_answers(
    ask: Ask, operation: Operation, form: str
) -> None:
    assert operation.rest is not None
    path, asked = operation.rest.path, 0
    for example in operation.examples:
        body, headers = example.variables[INPUT], {"accept": form}
        if {*body} <= {*operation.rest.get_parameters}:
            post = ask(path, "POST", json=body, headers=headers)
            get = ask(path, params=body, headers=headers)
            assert get.status_code == post.status_code == example.status
            if example.status == 200:
                assert get.content == post.content
            asked += 1
    assert asked >= 2


def test_an_answer_by_get_may_be_kept_unless_it_was_counted(ask: Ask) -> None:
    for path, query in (
        ("/api/search", {"query": QUERY}),
        ("/api/intent", {"goal": "write to the human"}),
    ):
        first = ask(path, params=query)
        again = ask(path, params=query, headers={"if-none-match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert first.headers["cache-control"].startswith("public")
        assert "last-modified" not in first.headers
    counted = ask("/api/chat", params={"query": QUERY})
    assert counted.headers["cache-control"] == "no-store"
    assert "etag" not in counted.headers


def test_the_stream_is_asked_by_get_too(ask: Ask) -> None:
    streamed = ask("/api/chat", params={"query": QUERY}, headers={"accept": "text/event-stream"})
    assert streamed.text.startswith("event: meta\n")
    assert "event: complete\n" in streamed.text


def test_all_faults_of_a_question_by_get_are_named(ask: Ask) -> None:
    refused = ask("/api/search?query=a&limit=21&kind=news&kinds=faq,news")
    assert refused.status_code == 400
    assert [fault["path"] for fault in refused.json()["fields"]] == [
        *("query", "limit", "kind", "kinds.1")
    ]
    twice = ask("/api/search?query=ledger&query=tides").json()["fields"]
    assert {"path": "query", "rule": "must be given once"} in twice
    missing = ask("/api/search?limit=3").json()["fields"]
    (fault,) = missing
    assert fault["path"] == "query"
    assert fault["rule"].startswith("is required: a text of 2 to 500 characters")


def test_an_unknown_parameter_is_answered_with_what_to_send(ask: Ask) -> None:
    refused = ask("/api/search?q=ledger").json()
    assert 'send POST /api/search with {"query": ...}' in refused["detail"]
    assert "GET /api/search?query=..." in refused["detail"]
    assert refused["fields"][0]["allowed"] == ["query", "kind", "kinds", "limit", "text"]
    needed = '{"name": ..., "email": ..., "message": ...}'
    for method in ("GET", "POST"):
        detail = ask("/api/contact?name=Ines", method, json={}).json()["detail"]
        assert detail == f"Send POST /api/contact with {needed}."


def test_each_snippet_stands_once_in_markdown(ask: Ask) -> None:
    body = {"query": QUERY, "limit": 20}
    hits = ask("/api/search", "POST", json=body).json()["results"]
    text = ask("/api/search", "POST", json=body, headers={"accept": MARKDOWN}).text
    assert len(hits) > 3
    for hit in hits:
        assert text.count(hit["snippet"]) == 1
        assert f"### {hit['title']}\n" in text


@pytest.mark.parametrize("accept", ["text/markdown, text/html, */*", "text/markdown"])
def test_writes_and_questions_answer_in_markdown(ask: Ask, accept: str) -> None:
    message = {
        "name": "Ines Ferreira",
        "email": "ines@harbour.example",
        "message": "Could you review our forecasts?",
        "dryRun": True,
    }
    for path, body in (
        ("/api/chat", {"query": QUERY}),
        ("/api/intent", {"goal": "write to the human"}),
        ("/api/contact", message),
    ):
        answer = ask(path, "POST", json=body, headers={"accept": accept})
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
        assert int(answer.headers["x-markdown-tokens"]) == len(answer.text) // 4
        assert answer.text.startswith("> The index")
    assert "\n# Chat\n" in ask(f"/api/chat?query={QUERY}", headers={"accept": accept}).text
