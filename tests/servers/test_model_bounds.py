"""Calls of a language model are bounded in number, and one that nobody waits for is closed."""

import asyncio
from collections.abc import Iterator
from functools import partial

import pytest
from model_behaviours import (
    Habit,
    Halt,
    grounded,
    refuses,
    says,
    silent,
    then,
)
from model_calls import QUESTION, SOURCES, choice, heard, only_task, with_model
from model_server import ModelServer, model_server

from resolvers.chat.conversation import TextDelta
from resolvers.chat.language_model import LanguageModel
from resolvers.embeddings.errors import ModelError


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server that quotes the passages, until it is told otherwise."""
    with model_server() as made:
        yield made


@pytest.mark.parametrize("habit", [silent(), then("One", step=Halt.SILENCE)], ids=["0", "1"])
def test_a_call_that_nobody_waits_for_is_closed_at_once(server: ModelServer, habit: Habit) -> None:
    server.chat = habit

    async def work(model: LanguageModel) -> None:
        task = asyncio.create_task(heard(model))
        await asyncio.to_thread(server.until, lambda: server.open_calls == 1)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        await asyncio.to_thread(server.until, lambda: server.open_calls == 0)
        assert await only_task()

    with_model(choice(server.url, timeout_seconds=100, total_seconds=100), work)


def test_cancelled_calls_leave_nothing(server: ModelServer) -> None:
    async def work(model: LanguageModel) -> None:
        for number in range(40):
            server.chat = (silent(), then("a", "b", step=Halt.SILENCE), grounded())[number % 3]
            before = len(server.calls)
            task = asyncio.create_task(heard(model))
            if number % 4:  # and some are cancelled before they have begun
                await asyncio.to_thread(server.until, partial(more_calls, server, before))
            task.cancel()
            await asyncio.wait([task])
        await asyncio.to_thread(server.until, lambda: server.open_calls == 0)
        assert await only_task()
        server.chat = says("Still there.")
        assert await heard(model) == ("Still there.", "stop")

    with_model(choice(server.url, concurrency=2, queue=0), work)


def more_calls(server: ModelServer, than: int) -> bool:
    """Whether the server heard of more calls."""
    return len(server.calls) > than


def test_so_many_are_asked_at_once_and_so_many_wait(server: ModelServer) -> None:
    server.chat = silent()

    async def work(model: LanguageModel) -> None:
        tasks = [asyncio.create_task(heard(model)) for _ in range(5)]
        await asyncio.to_thread(server.until, lambda: server.open_calls == 2)
        with pytest.raises(ModelError, match=r"^busy"):
            await heard(model)
        assert len(server.calls) == 2
        server.chat = says("Next.")
        for task in tasks[:2]:
            task.cancel()
        assert await asyncio.gather(*tasks[2:]) == [("Next.", "stop")] * 3

    bounds = {"timeout_seconds": 100, "total_seconds": 100}
    with_model(choice(server.url, concurrency=2, queue=3, **bounds), work)


def test_who_waits_too_long_for_a_turn_is_told_so_and_the_provider_is_not_blamed(
    server: ModelServer,
) -> None:
    server.chat = then("One", step=Halt.SILENCE)

    async def work(model: LanguageModel) -> None:
        first = model.stream(QUESTION, SOURCES)
        assert await anext(first) == TextDelta("One")
        for _ in range(6):
            with pytest.raises(ModelError, match=r"^busy"):
                await heard(model)
        await first.aclose()
        server.chat = says("Next.")
        assert await heard(model) == ("Next.", "stop")

    bounds = {"timeout_seconds": 0.5, "total_seconds": 100}
    with_model(choice(server.url, concurrency=1, queue=1, **bounds), work)


class Clock:
    """A clock that a test sets."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


async def fails(model: LanguageModel, told: str) -> None:
    """Nothing, once a call failed so."""
    with pytest.raises(ModelError, match=told):
        await heard(model)


def test_after_failures_in_a_row_nobody_is_asked_for_a_while_then_one_is(
    server: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()

    async def work(model: LanguageModel) -> None:
        server.chat = refuses(500)
        for _ in range(5):
            await fails(model, "failed")
        await fails(model, "tried again in")
        clock.now += 14.9
        await fails(model, "tried again in")
        assert len(server.calls) == 5
        clock.now += 0.1
        await fails(model, "failed")
        await fails(model, "tried again in")
        assert len(server.calls) == 6
        clock.now += 15
        server.chat = says("Here.")
        assert await heard(model) == ("Here.", "stop")
        assert await heard(model) == ("Here.", "stop")

    with_model(choice(server.url), work, clock)
    told = [record for record in caplog.records if record.name == "studiograph.answers"]
    assert len(told) == 2


def test_one_success_forgets_the_failures(server: ModelServer) -> None:
    async def work(model: LanguageModel) -> None:
        for habit in [*[refuses(500)] * 4, says("a"), *[then("b", step=Halt.RESET)] * 4]:
            server.chat = habit
            if habit.__qualname__.startswith("refuses"):
                await fails(model, "failed")
            else:
                await heard(model)
        server.chat = says("Here.")
        assert await heard(model) == ("Here.", "stop")

    with_model(choice(server.url), work)


def test_while_one_tries_again_the_others_are_refused_and_leaving_is_no_failure(
    server: ModelServer,
) -> None:
    clock = Clock()

    async def work(model: LanguageModel) -> None:
        server.chat = refuses(500)
        for _ in range(5):
            await fails(model, "failed")
        clock.now += 15
        server.chat = silent()
        probe = asyncio.create_task(heard(model))
        await asyncio.to_thread(server.until, lambda: server.open_calls == 1)
        await fails(model, "tried again in")
        probe.cancel()
        await asyncio.wait([probe])
        server.chat = says("Here.")
        assert await heard(model) == ("Here.", "stop")

    with_model(choice(server.url), work, clock)
