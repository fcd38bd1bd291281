"""Answers as events: their order, their form, and callers who do not stay to the end."""

import socket
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from ai_service import CHAT, EVENTS, LIGHT, QUESTION, asked, said, told
from model_behaviours import Call, Habit, Step, Wait, drips, passages, silent
from model_server import ModelServer, model_server
from openapi_description import Description
from running_server import Running, eventually

from resolvers.search.sentences import split_sentences

LEAVERS = 60
AT_ONCE = 25
REQUEST = (
    b"POST /api/chat HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
    b"Content-Type: application/json\r\nContent-Length: 29\r\n\r\n"
    b'{"query":"What is Tidebook?"}'
)
SOME = 12
"""Connections and threads that come and go by themselves."""
QUESTIONS: list[dict[str, Any]] = [
    QUESTION,
    {"query": "What does the studio refuse to do?", "topK": 1},
    {"query": "pancake recipe with maple syrup"},
    {"messages": [{"role": "user", "content": "Who is Maren Quill?"}], "topK": 10},
]


@dataclass
class Streaming:
    """A service, a client of it, and the model behind it."""

    server: Running
    client: httpx.Client
    model: ModelServer

    def open_files(self) -> int:
        """How many files and sockets the service holds."""
        return len(list(Path(f"/proc/{self.server.process.pid}/fd").iterdir()))

    def threads(self) -> int:
        """How many threads it has."""
        return len(list(Path(f"/proc/{self.server.process.pid}/task").iterdir()))

    def begin(self) -> socket.socket:
        """A connection on which an answer has been asked for."""
        connection = socket.create_connection(self.server.place, timeout=30)
        connection.sendall(REQUEST)
        return connection


@pytest.fixture(scope="module")
def streaming(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Streaming]:
    """A service whose answers a model writes."""
    with (
        model_server() as model,
        asked(
            tmp_path_factory.mktemp("streaming"),
            CHAT_LIMIT="0",
            AI_LLM="openai-like",
            AI_LLM_BASE_URL=model.url,
            AI_LLM_MODEL="m",
            **LIGHT,
        ) as server,
        httpx.Client(base_url=server.address, timeout=60) as client,
    ):
        assert client.post(CHAT, json=QUESTION).status_code == 200
        yield Streaming(server, client, model)


@pytest.fixture(scope="module")
def quoting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a service that answers in quotes."""
    with (
        asked(tmp_path_factory.mktemp("quoting"), **LIGHT) as server,
        httpx.Client(base_url=server.address, timeout=60) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def hesitant(streaming: Streaming) -> Iterator["Future[str]"]:
    """The events of an answer with a long silence in it."""
    streaming.model.chat = hesitates(16)
    before = len(streaming.model.calls)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(streaming.client.post, CHAT, json=QUESTION, headers=EVENTS)
        streaming.model.until(lambda: len(streaming.model.calls) > before)
        yield pool.submit(lambda: answer.result().text)


@pytest.mark.usefixtures("hesitant")  # which goes on meanwhile
@pytest.mark.parametrize("body", QUESTIONS, ids=["query", "one entry", "refusal", "messages"])
def test_events_tell_in_order_what_the_whole_answer_says(
    body: dict[str, Any], quoting: httpx.Client
) -> None:
    whole = quoting.post(CHAT, json=body).json()
    events = told(quoting, body)
    names = [event.event for event in events]
    assert names == ["meta", *["data"] * (len(names) - 2), "complete"]
    assert len(names) > 2
    meta, complete = events[0].json(), events[-1].json()
    assert said(events) == whole["answer"]
    assert meta == {name: whole[name] for name in ("model", "retrieval", "citations")}
    told_last = ["citationLint", "answered", "basis", "finishReason", "model"]
    assert complete == {name: whole[name] for name in told_last}
    assert complete["finishReason"] == "stop"


def test_a_stream_is_not_kept_by_anybody_and_says_what_is_left(quoting: httpx.Client) -> None:
    answer = quoting.post(CHAT, json=QUESTION, headers=EVENTS)
    assert answer.headers["content-type"].partition(";")[0] == "text/event-stream"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-accel-buffering"] == "no"
    assert answer.headers["ratelimit-policy"] == '"chat";q=30;w=3600'
    assert answer.headers["ratelimit"].startswith('"chat";r=')
    assert "\r" not in answer.text
    assert all(
        line == "" or line.startswith(("event: ", "data: {")) for line in answer.text.split("\n")
    )


def test_what_cannot_be_streamed_is_refused_as_plain_as_ever(quoting: httpx.Client) -> None:
    description = Description(quoting.get("/openapi.json").json())
    for body in ({}, {"query": "x"}, {**QUESTION, "topK": 11}):
        answer = quoting.post(CHAT, json=body, headers=EVENTS)
        assert answer.status_code == 400
        assert answer.content == b'{"ok":false,"error":"validation_failed"}'
        assert answer.headers["content-type"] == "application/json"
        assert description.faults(description.operation(CHAT, "post"), answer) == []


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("*/*", "application/json"),
        ("text/event-stream, application/json", "text/event-stream"),
        ("application/json, text/event-stream", "application/json"),
        ("application/json;q=0.5, text/event-stream", "text/event-stream"),
        ("text/event-stream;q=0.1, */*", "application/json"),
        ("text/*", "text/event-stream"),
        ("application/*;q=0.9, text/*;q=0.8", "application/json"),
        ("text/event-stream;q=0, */*;q=0.1", "application/json"),
    ],
)
def test_the_form_is_what_the_caller_likes_best(
    accept: str, form: str, quoting: httpx.Client
) -> None:
    body = {"query": "pancake recipe"}
    answer = quoting.post(CHAT, json=body, headers={"accept": accept})
    assert answer.status_code == 200
    assert answer.headers["content-type"].partition(";")[0] == form


def test_a_silence_is_bridged_by_comments(hesitant: "Future[str]") -> None:
    lines = hesitant.result().split("\n")
    assert [line for line in lines if line.startswith(":")]
    assert lines.count("event: meta") == lines.count("event: complete") == 1


def test_nobody_who_leaves_leaves_anything_behind(streaming: Streaming) -> None:
    streaming.model.chat = alternately(silent(), drips(["It is a ledger. "] * 200, 0.05))
    files, threads = streaming.open_files(), streaming.threads()

    def leave(number: int) -> None:
        asked_before = len(streaming.model.calls)
        with streaming.begin() as connection:
            if number % 4 == 1:  # amid the answer
                connection.settimeout(1)
                try:
                    connection.recv(200)
                except TimeoutError:
                    return
            elif number % 4 == 2:  # while the model has not begun
                streaming.model.until(lambda: len(streaming.model.calls) > asked_before)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(leave, range(LEAVERS)))
    assert len(streaming.model.calls) >= LEAVERS // 50  # most leave before one is made
    streaming.model.until(lambda: streaming.model.open_calls == 0)
    eventually(lambda: streaming.open_files() <= files + SOME)
    assert streaming.threads() <= threads + SOME
    streaming.model.chat = drips(["Tidebook is a ledger. [1]"], 0)
    assert told(streaming.client, QUESTION)[-1].event == "complete"
    assert not [line for line in streaming.server.errors if "Traceback" in line]


def hesitates(seconds: float) -> Habit:
    """The habit of a long pause amid an answer."""

    def habit(call: Call) -> Iterator[Step]:
        n, text = passages(call)[0]
        first = split_sentences(text.partition("\n")[2] or text)[0]
        for place, step in enumerate(drips([f"{first} [{n}] ", "It is."], 0)(call)):
            yield step
            yield Wait(seconds if place == 3 else 0)

    return habit


def alternately(*habits: Habit) -> Habit:
    """The habits in turn."""
    turns = count()

    def habit(call: Call) -> Iterable[Step]:
        return habits[next(turns) % len(habits)](call)

    return habit
