"""Conventions of other people's tools that a caller meets on single paths."""

import json

import httpx
from local_service import Ask, stored_operations, until_it_answers

HASH = {"persistedQuery": {"version": 1, "sha256Hash": "a" * 64}}
NOT_SUPPORTED = {
    "errors": [
        {
            "message": "PersistedQueryNotSupported",
            "extensions": {"code": "PERSISTED_QUERY_NOT_SUPPORTED"},
        }
    ]
}


def test_a_query_named_by_its_hash_is_asked_for_in_full(ask: Ask) -> None:
    get = {"operationName": "Q", "variables": "{}", "extensions": json.dumps(HASH)}
    for answer in (
        ask("/api/graphql", params=get),
        ask("/api/graphql", "POST", json={"operationName": "Q", "extensions": HASH}),
    ):
        assert (answer.status_code, answer.json()) == (200, NOT_SUPPORTED)
        assert answer.headers["cache-control"] == "no-store"


def test_a_query_that_comes_with_its_hash_is_answered(ask: Ask) -> None:
    body = {"query": "{ thesis }", "extensions": HASH}
    assert "thesis" in ask("/api/graphql", "POST", json=body).json()["data"]
    refused = ask("/api/graphql", "POST", json={"extensions": HASH, "variables": 1})
    assert refused.status_code == 400


def test_graphql_without_a_query_is_documented_whatever_else_is_named(ask: Ask) -> None:
    documentation = ask("/api/graphql").content
    for query in ("operationName=Q", "operationName=Q&variables=%7B%7D"):
        assert ask(f"/api/graphql?{query}").content == documentation
    assert ask("/api/graphql?nonsense=Q").status_code == 400


def test_the_index_as_text_is_markdown_for_who_wants_only_that(ask: Ask) -> None:
    text = ask("/llms.txt")
    assert text.headers["content-type"] == "text/plain; charset=utf-8"
    for accept in ("text/markdown", "text/markdown, text/html, */*"):
        markdown = ask("/llms.txt", headers={"accept": accept})
        assert markdown.headers["content-type"] == "text/markdown; charset=utf-8"
        assert markdown.content == text.content
        assert markdown.headers["etag"] != text.headers["etag"]
    assert ask("/api/log/checkpoint", headers={"accept": "text/markdown"}).status_code == 406


def test_an_event_stream_has_at_most_one_connection_header(client: httpx.Client) -> None:
    until_it_answers(lambda path, method="GET", **more: client.request(method, path, **more))
    for sent in ({}, {"connection": "close"}):
        headers = {"accept": "text/event-stream", **sent}
        with client.stream("POST", "/api/chat", json={"query": "tides?"}, headers=headers) as found:
            assert found.headers["content-type"].startswith("text/event-stream")
            assert len(found.headers.get_list("connection")) == len(sent)


def test_reads_carry_the_signals_of_robots_txt(ask: Ask) -> None:
    robots = ask("/robots.txt").text.splitlines()
    (signal,) = (line for line in robots if line.startswith("Content-Signal: "))
    for operation in stored_operations():
        if operation.rest is not None and operation.is_read and not operation.path_variables:
            answer = ask(operation.rest.path)
            if answer.status_code == 200:
                assert f"Content-Signal: {answer.headers['content-signal']}" == signal
    assert "content-signal" not in ask("/nothing").headers
