"""A server on the loopback that speaks OpenAI's HTTP.

It uses real sockets, event streams and vectors in both encodings. `model_behaviours` says how it
answers. It records every call, and when each connection closes.
"""

import asyncio
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from model_behaviours import Call, Habit, Halt, Step, Wait, as_json, embeds, grounded, refuses


@dataclass
class ModelServer:
    """The server: its habits, which can be changed at any time, and what it noted."""

    chat: Habit = field(default_factory=grounded)
    embeddings: Habit = field(default_factory=embeds)
    calls: list[Call] = field(default_factory=list)
    open_calls: int = 0
    port: int = 0
    _noted: threading.Condition = field(default_factory=threading.Condition)

    @property
    def url(self) -> str:
        """The base address, as it is set."""
        return f"http://127.0.0.1:{self.port}/v1"

    def until(self, true: Callable[[], object], seconds: float = 20) -> None:
        """Nothing, once it is true; a failure if it is not in time. Blocks."""
        with self._noted:
            assert self._noted.wait_for(true, seconds), "it did not become true in time"

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                call = await _read(reader)
                self._note(call, 1)
                try:
                    await self._answer(call, reader, writer)
                finally:
                    self._note(None, -1)
            with suppress(ConnectionError):
                writer.close()
                await writer.wait_closed()
        finally:
            writer.transport.abort()  # or it outlives a server that ends amid a call

    def _note(self, call: Call | None, change: int) -> None:
        with self._noted:
            self.calls += [call] if call else []
            self.open_calls += change
            self._noted.notify_all()

    async def _answer(
        self, call: Call, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        left = asyncio.ensure_future(reader.read())  # ends when the caller leaves
        try:
            for step in self._steps(call):
                if left.done():
                    return
                await _take(step, left, writer)
        finally:
            left.cancel()
            with suppress(asyncio.CancelledError, ConnectionError):
                await left

    def _steps(self, call: Call) -> Iterable[Step]:
        if call.path == "/v1/models":
            return [as_json({"object": "list", "data": [{"id": "m", "object": "model"}]})]
        if call.path == "/v1/chat/completions":
            return self.chat(call)
        if call.path == "/v1/embeddings":
            return self.embeddings(call)
        return refuses(404)(call)


@contextmanager
def model_server(
    chat: Habit | None = None, embeddings: Habit | None = None
) -> Iterator[ModelServer]:
    """A server in a thread of its own."""
    made = ModelServer(chat or grounded(), embeddings or embeds())
    loop = asyncio.new_event_loop()
    ended = asyncio.Event()
    ready = threading.Event()

    async def serve() -> None:
        server = await asyncio.start_server(made.talk, "127.0.0.1", 0, backlog=512)
        made.port = server.sockets[0].getsockname()[1]
        ready.set()
        await ended.wait()
        server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # in which the transports close their sockets

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    assert ready.wait(20)
    try:
        yield made
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(20)
        loop.close()


def closed_port() -> int:
    """A port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


async def _take(step: Step, left: "asyncio.Future[bytes]", writer: asyncio.StreamWriter) -> None:
    if isinstance(step, Wait):
        await asyncio.wait([left], timeout=step.seconds)
    elif step is Halt.SILENCE:
        await asyncio.wait([left])
    elif step is Halt.RESET:
        linger = struct.pack("ii", 1, 0)  # a close without linger is a reset
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()
    elif isinstance(step, bytes):
        writer.write(step)
        await writer.drain()


async def _read(reader: asyncio.StreamReader) -> Call:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = lines[0].split(" ")
    pairs = (line.partition(": ") for line in lines[1:] if line)
    headers = {name.lower(): value for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Call(method, path, headers, json.loads(body) if body else None)
