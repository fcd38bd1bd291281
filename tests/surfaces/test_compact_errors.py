"""The closed errors of chat: a code in the body, the reason in headers."""

import json

from local_service import Ask

HELP = '</api/chat>; rel="help"'


def test_a_closed_error_says_why_in_its_headers(ask: Ask) -> None:
    refused = ask("/api/chat", "POST", json={"topK": 11, "query": "a"})
    assert refused.json() == {"ok": False, "error": "validation_failed"}
    assert refused.headers["link"].startswith(HELP)
    assert 'rel="service-doc"' in refused.headers["link"]
    assert refused.headers["detail"] == (
        "query: must be a text of 2 to 2000 characters, without U+0000; this one has 1;"
        " topK: must be a whole number from 1 to 10"
    )


def test_the_header_names_what_is_allowed(ask: Ask) -> None:
    headers = {"accept": "application/xml"}
    refused = ask("/api/chat", "POST", json={"query": "tides?"}, headers=headers)
    assert refused.json() == {"ok": False, "error": "not_acceptable"}
    assert refused.headers["detail"].startswith(
        "Accept: allows no media type of this path (allowed"
    )
    assert "text/event-stream" in refused.headers["detail"]


def test_a_header_has_no_character_that_a_caller_chose_freely(ask: Ask) -> None:
    body = json.dumps({"a\r\nset-cookie: \u00fc": 1, **{f"{n:0200}": 1 for n in range(5)}})
    headers = {"content-type": "application/json"}
    refused = ask("/api/chat", "POST", content=body, headers=headers)
    assert refused.status_code == 400
    assert refused.headers["detail"].startswith("a\\r\\nset-cookie: \\xfc: unknown member")
    assert "set-cookie" not in refused.headers
    assert len(refused.headers["detail"]) <= 500


def test_who_names_problem_documents_gets_one(ask: Ask) -> None:
    for accept in ("application/problem+json", "application/json, application/problem+json"):
        refused = ask("/api/chat", "POST", json={"topK": 3}, headers={"accept": accept})
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.json()["fields"] == [
            {"path": "body", "rule": "must have one of query and messages"}
        ]
