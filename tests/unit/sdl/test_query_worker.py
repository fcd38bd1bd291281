"""Work in the thread of queries: bounded, dropped with its caller, and never in a read's way."""

import asyncio
import threading
from collections.abc import Coroutine
from contextvars import ContextVar
from typing import Any

import pytest

from sdl.errors import UnavailableError
from sdl.running.public_query import QueryWorker

NAME: ContextVar[str] = ContextVar("NAME")


class Gate:
    """Work that lasts until it is let go."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        self.began = threading.Event()
        self.runs = 0

    def work(self) -> str:
        """Wait for the gate."""
        self.began.set()
        self.opened.wait(20)
        self.runs += 1
        return "done"


def run(test: Coroutine[Any, Any, None]) -> None:
    """Run a test in an event loop of its own."""
    asyncio.run(test)


def test_the_event_loop_goes_on_while_work_runs() -> None:
    async def check() -> None:
        gate, worker = Gate(), QueryWorker()
        running = asyncio.create_task(worker.run(gate.work))
        for _ in range(100):
            await asyncio.sleep(0)
        assert not running.done()
        gate.opened.set()
        assert await running == "done"

    run(check())


def test_a_full_queue_refuses_and_says_when_to_come_again() -> None:
    async def check() -> None:
        gate, worker = Gate(), QueryWorker(max_waiting=2)
        waiting = [asyncio.create_task(worker.run(gate.work)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(UnavailableError) as caught:
            await worker.run(gate.work)
        assert caught.value.retry_seconds == 1
        gate.opened.set()
        await asyncio.gather(*waiting)
        assert await worker.run(gate.work) == "done"
        assert gate.runs == 3

    run(check())


def test_work_whose_caller_has_gone_is_never_begun() -> None:
    async def check() -> None:
        first, second, worker = Gate(), Gate(), QueryWorker(max_waiting=2)
        running = asyncio.create_task(worker.run(first.work))
        gone = asyncio.create_task(worker.run(second.work))
        await asyncio.to_thread(first.began.wait, 20)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        last = asyncio.create_task(worker.run(lambda: "there was room"))
        first.opened.set()
        assert await running == "done"
        assert await last == "there was room"
        assert second.runs == 0

    run(check())


def test_work_sees_the_context_of_its_caller_and_raises_to_it() -> None:
    async def check() -> None:
        worker = QueryWorker()
        NAME.set("caller")
        assert await worker.run(NAME.get) == "caller"
        with pytest.raises(ZeroDivisionError):
            await worker.run(lambda: 1 // 0)

    run(check())
