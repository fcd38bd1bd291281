"""The rate limits of questions and embeddings, on a running server."""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from ai_service import CHAT, EVENTS, LIGHT, QUESTION, asked, asks
from contact_inbox import desk
from mcp_messages import call
from running_server import Running
from stoppable_stores import locked_file

LIMITED = b'{"ok":false,"error":"rate_limited","limit":30,"window":"1h"}'
AWAY = b'{"ok":false,"error":"ai_unavailable"}'
FEW = 7
HEADERS = ("X-Forwarded-For", "X-Real-IP", "CF-Connecting-IP", "User-Agent", "X-Client-Id")

Way = Callable[[httpx.Client, int], int]
"""Asks a question, as the agent of a number, and answers the status it has over HTTP."""


def plainly(client: httpx.Client, number: int) -> int:
    """The status of an answer as JSON."""
    return client.post(CHAT, json={**QUESTION, "agent": f"agent-{number}"}).status_code


def as_events(client: httpx.Client, number: int) -> int:
    """The status of an answer as events."""
    body = {**QUESTION, "agent": f"agent-{number}"}
    return client.post(CHAT, json=body, headers=EVENTS).status_code


def as_tool(client: httpx.Client, number: int) -> int:
    """The status that a tool's answer would have."""
    result = call(asks(client), "ask", arguments={**QUESTION, "agent": f"agent-{number}"})
    return int(result["_meta"]["studiograph/problem"]["status"]) if result["isError"] else 200


WAYS: tuple[Way, ...] = (plainly, as_events, as_tool)


@pytest.fixture(scope="module")
def spent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client that has asked 30 questions by all ways, and invalid ones, which do not count."""
    with (
        asked(tmp_path_factory.mktemp("spent"), EMBED_LIMIT="2/minute", **LIGHT) as server,
        httpx.Client(base_url=server.address, timeout=60) as client,
    ):
        for body in ({}, {"query": "x"}, {**QUESTION, "topK": True}, {**QUESTION, "a": 1}):
            assert client.post(CHAT, json=body).status_code == 400
        for number in range(30):
            assert WAYS[number % 3](client, number) == 200
        yield client


def test_the_thirty_first_question_of_an_hour_is_refused_as_specified(
    spent: httpx.Client,
) -> None:
    for headers in ({}, EVENTS):
        answer = spent.post(CHAT, json=QUESTION, headers=headers)
        assert (answer.status_code, answer.content) == (429, LIMITED)
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["ratelimit-policy"] == '"chat";q=30;w=3600'
        left = re.fullmatch(r'"chat";r=0;t=([0-9]+)', answer.headers["ratelimit"])
        assert left is not None
        assert 0 < int(left[1]) <= 3600
        assert 0 < int(answer.headers["retry-after"]) <= 3600
    refused = call(asks(spent), "ask", arguments=QUESTION)
    assert refused["isError"] is True
    assert refused["_meta"]["studiograph/problem"]["error"] == "rate_limited"


def test_what_is_wrong_is_told_before_the_limit_and_nothing_makes_another_caller(
    spent: httpx.Client,
) -> None:
    assert spent.post(CHAT, json={"query": "x"}).status_code == 400
    for name in HEADERS:
        answer = spent.post(CHAT, json={**QUESTION, "agent": name}, headers={name: "203.0.113.9"})
        assert answer.status_code == 429


def test_embeddings_have_a_limit_of_their_own(spent: httpx.Client) -> None:
    answers = [spent.post("/api/embed", json={"input": value}) for value in ("", "a", "b", "c")]
    assert [answer.status_code for answer in answers] == [400, 200, 200, 429]
    last = answers[-1]
    assert last.headers["content-type"] == "application/problem+json"
    assert last.json()["error"] == "rate_limited"
    assert last.headers["ratelimit-policy"] == '"embed";q=2;w=60'
    assert 0 < int(last.headers["retry-after"]) <= 60


def test_exactly_so_many_pass_of_two_processes_by_all_ways_at_once(tmp_path: Path) -> None:
    given = {"CHAT_LIMIT": f"{FEW}/hour", "AI_LLM": "none", **LIGHT}

    def one(server: Running, number: int) -> Any:
        with httpx.Client(base_url=server.address, timeout=60) as client:
            return WAYS[number % 3](client, number)

    with desk(tmp_path, "--workers", "2", **given) as server, ThreadPoolExecutor(12) as pool:
        codes = list(pool.map(lambda number: one(server, number), range(18)))
    assert sorted(codes) == [429] * (18 - FEW) + [503] * FEW  # counted, though nothing writes


def test_without_the_store_questions_are_refused_and_nothing_else(tmp_path: Path) -> None:
    with (
        locked_file(tmp_path) as trouble,
        asked(tmp_path, DATABASE_URL=trouble.place.database, **LIGHT) as server,
        httpx.Client(base_url=server.address, timeout=60) as client,
    ):
        assert client.post(CHAT, json=QUESTION).status_code == 200
        trouble.stop()
        with ThreadPoolExecutor(3) as pool:  # each waits four seconds for the store
            chats = [
                pool.submit(client.post, CHAT, json=QUESTION, headers=headers)
                for headers in ({}, EVENTS)
            ]
            embedding = pool.submit(client.post, "/api/embed", json={"input": "tides"})
        for answer in (chat.result() for chat in chats):
            assert (answer.status_code, answer.content) == (503, AWAY)
            assert answer.headers["content-type"] == "application/json"
            assert answer.headers["retry-after"] == "5"
        assert embedding.result().status_code == 503
        assert client.get("/api/faq").status_code == 200
        assert client.post("/api/search", json={"query": "tides"}).status_code == 200
        trouble.start()
        assert client.post(CHAT, json=QUESTION).status_code == 200
