"""A language model is asked what was chosen, and each of its failures has a name of ours."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from model_behaviours import (
    Call,
    Habit,
    Halt,
    Step,
    answers,
    drips,
    event,
    refuses,
    resets,
    says,
    silent,
    streams,
    then,
)
from model_calls import QUESTION, SECRET, SOURCES, choice, heard, with_model
from model_server import ModelServer, closed_port, model_server
from repository import ROOT

from resolvers.chat.conversation import Finish, TextDelta
from resolvers.chat.language_model import MAX_BYTES, MAX_CHARACTERS_PER_TOKEN, LanguageModel
from resolvers.embeddings.errors import ModelError


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server that quotes the passages, until it is told otherwise."""
    with model_server() as made:
        yield made


def test_the_answer_comes_in_its_pieces_with_one_ending(server: ModelServer) -> None:
    server.chat = says("The ", "price ", "", "is fixed [1].")

    async def work(model: LanguageModel) -> list[TextDelta | Finish]:
        return [piece async for piece in model.stream(QUESTION, SOURCES)]

    pieces = [TextDelta("The "), TextDelta("price "), TextDelta("is fixed [1]."), Finish("stop")]
    assert with_model(choice(server.url), work) == pieces


def test_what_is_sent_is_what_was_chosen_and_nothing_of_this_machine(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{closed_port()}")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-this-machine")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Mine: mine")
    with_model(choice(server.url, max_tokens=77, temperature=0.5), heard)
    (call,) = server.calls
    body = dict(call.body)
    assert [message["role"] for message in body.pop("messages")] == ["system", "user"]
    assert body == {"model": "m", "max_tokens": 77, "temperature": 0.5, "stream": True}
    assert call.headers.pop("host") == f"127.0.0.1:{server.port}"
    assert int(call.headers.pop("content-length")) > 1000
    assert call.headers == {
        "accept": "application/json",
        "accept-encoding": "identity",
        "authorization": f"Bearer {SECRET}",
        "connection": "keep-alive",
        "content-type": "application/json",
        "user-agent": "studiograph",
    }


PASSED_OVER = (
    b"data: null\n\n",
    b"data:\n\n",
    b": a comment\n\n",
    event([1]),
    event({"choices": []}),
    event({"choices": None, "usage": {"total_tokens": 7}}),
    event({"choices": [{"delta": None}]}),
    event({"choices": [{"delta": {"content": 7}}]}),
    event({"choices": [{"delta": {"content": None, "reasoning_content": "hm"}}]}),
)


@pytest.mark.parametrize("step", PASSED_OVER)
def test_an_event_without_text_is_passed_over(server: ModelServer, step: bytes) -> None:
    server.chat = streams(step, event(CHUNK), step, event(END))
    assert with_model(choice(server.url), heard) == ("a", "stop")


CHUNK = {"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": None}]}
END = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
BEFORE: dict[str, tuple[Habit, str]] = {
    "401": (refuses(401), "rejects the key (401); check STUDIOGRAPH_AI_LLM_API_KEY."),
    "404": (refuses(404), "does not know the URL or the model (404)"),
    "429": (refuses(429, "Retry-After: 30"), "accepts no more calls at the moment (429)"),
    "500": (refuses(500), "failed (500)"),
    "reset": (resets(), "closed the connection"),
    "no stream": (answers(b'{"choices": []}'), "without any text"),
    "garbage": (streams(b"data: {nope\n\n"), "invalid response"),
    "deep": (streams(b"data: " + b"[" * 100_000 + b"\n\n"), "invalid response"),
    "an error": (streams(event({"error": {"message": SECRET}})), "invalid response"),
    "empty answer": (says(), "without any text"),
    "thoughts alone": (
        streams(event({"choices": [{"delta": {"reasoning_content": "hm"}}]})),
        "without any text",
    ),
    "coded": (
        lambda _: [b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\nx"],
        "invalid response",
    ),
    "too much": (streams(b"data: " + b" " * MAX_BYTES), "sent more than the limit"),
    "silence": (silent(), "did not begin to answer"),
}


@pytest.mark.parametrize(("habit", "told"), BEFORE.values(), ids=BEFORE)
def test_a_failure_before_the_first_word_is_a_fault_of_ours(
    server: ModelServer, habit: Habit, told: str
) -> None:
    server.chat = habit

    async def work(model: LanguageModel) -> None:
        with pytest.raises(ModelError, match=re.escape(told)) as caught:
            await heard(model)
        assert SECRET not in str(caught.value)
        await asyncio.to_thread(server.until, lambda: server.open_calls == 0)

    seconds = 0.5 if "did not begin" in told else 15  # a busy machine may be slow to tell the rest
    with_model(choice(server.url, timeout_seconds=seconds), work)
    assert len(server.calls) == 1  # nothing is tried twice


@pytest.mark.parametrize("place", ["http://127.0.0.1:{port}/v1", "nonsense", "http://["])
def test_a_server_that_is_not_there_is_a_fault(place: str) -> None:
    async def work(model: LanguageModel) -> None:
        with pytest.raises(ModelError, match="BASE_URL, and that the server runs"):
            await heard(model)

    with_model(choice(place.format(port=closed_port())), work)


AFTER: dict[str, tuple[Habit, str]] = {
    "length": (says("One", finish="length"), "length"),
    "no finish": (says("One", finish=None), "truncated"),
    "no end": (says("One", done=False), "stop"),
    "filtered": (says("One", finish="content_filter"), "truncated"),
    "error of the model": (says("One", finish="error"), "error"),
    "reset": (then("One", step=Halt.RESET), "error"),
    "garbage": (then("One", step=b"data: {nope\n\n"), "error"),
    "an error": (then("One", step=event({"error": {"message": SECRET}})), "error"),
    "silence": (then("One", step=Halt.SILENCE), "truncated"),
    "too much": (then("One", step=b":" + b" " * MAX_BYTES + b"\n"), "error"),
}


@pytest.mark.parametrize(("habit", "reason"), AFTER.values(), ids=AFTER)
def test_a_failure_after_the_first_word_is_an_ending(
    server: ModelServer, habit: Habit, reason: str
) -> None:
    server.chat = habit

    async def work(model: LanguageModel) -> None:
        assert await heard(model) == ("One", reason)
        await asyncio.to_thread(server.until, lambda: server.open_calls == 0)

    with_model(choice(server.url, total_seconds=1), work)


def test_a_model_that_drips_is_left_when_its_time_is_over(server: ModelServer) -> None:
    server.chat = drips(["a"] * 1000, 0.05)

    async def work(model: LanguageModel) -> None:
        text, reason = await heard(model)
        assert (set(text), reason) == ({"a"}, "truncated")
        assert len(text) < 100
        await asyncio.to_thread(server.until, lambda: server.open_calls == 0)

    with_model(choice(server.url, total_seconds=0.5), work)


@pytest.mark.parametrize("piece", ["a" * 100_000, "ab"], ids=["one", "many"])
def test_a_model_that_does_not_count_is_cut(server: ModelServer, piece: str) -> None:
    def endless(_: Call) -> Iterator[Step]:
        yield from islice(then(step=b"")(_), 2)
        while True:
            yield event({"choices": [{"index": 0, "delta": {"content": piece}}]})

    server.chat = endless

    async def work(model: LanguageModel) -> None:
        text, reason = await heard(model)
        assert (len(text), reason) == (20 * MAX_CHARACTERS_PER_TOKEN, "length")
        await asyncio.to_thread(server.until, lambda: server.open_calls == 0)

    with_model(choice(server.url, max_tokens=20), work)


# In a process of its own: where coverage traces threads, CPython 3.11 may refuse to start some in a
# process with an audit hook.
PROGRAM = """
import sys
import connection_log
from model_calls import choice, heard, with_model

with_model(choice(sys.argv[1], model="gpt-4o"), heard)
"""


def test_nothing_but_the_set_address_is_connected_to(server: ModelServer, tmp_path: Path) -> None:
    noted = tmp_path / "noted.txt"
    path = os.pathsep.join((str(ROOT), str(ROOT / "tests" / "support")))
    subprocess.run(
        [sys.executable, "-c", PROGRAM, server.url],
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": path, "NOTED_CONNECTS": str(noted)},
    )
    connects = {f"socket.connect ('127.0.0.1', {server.port})"}
    looked_up = {"socket.getaddrinfo '127.0.0.1'"}
    _, *events = noted.read_text().splitlines()
    assert connects <= set(events) <= connects | looked_up
