"""MCP on standard input and output, one message per line. Source: MCP, stdio transport."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from functools import partial
from queue import SimpleQueue
from typing import Any, BinaryIO

from starlette.requests import ClientDisconnect

from mcp_bridge.protocol.jsonrpc import INVALID_REQUEST, Id, JsonRpcError, Work, error_message
from mcp_bridge.protocol.server import Server, Subscription
from sdl.caller import Caller, Channel
from sdl.errors import StudiographError

MAX_LINE = 128 * 1024
MAX_AT_ONCE = 32
"""How many messages are answered at the same time; more of them wait unread."""

ReadBytes = Callable[[int], bytes]
"""Waits for bytes and returns at most the given number; empty at the end of the input.

It must not hold a lock while it waits, since the process may exit meanwhile.
"""

_READ_BYTES = 64 * 1024

_TOO_LONG = error_message(
    None, JsonRpcError(INVALID_REQUEST, f"A message may have at most {MAX_LINE} bytes.")
)

_TOO_MANY = JsonRpcError(
    INVALID_REQUEST, f"This stream is open already, or {MAX_AT_ONCE} others are; cancel one first."
)


async def serve_process(server: Server, output: BinaryIO) -> None:
    """Serve on this process's standard input until it ends, or a signal to stop comes.

    Raises: OSError if the output cannot be written.
    """
    read = partial(os.read, sys.stdin.fileno())
    serving = asyncio.ensure_future(serve_stdio(server, read, output))
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, serving.cancel)
    with suppress(asyncio.CancelledError):
        await serving


@contextmanager
def reserved_stdout() -> Iterator[BinaryIO]:
    """Yield standard output, for messages alone; all other output goes to standard error.

    Raises: StudiographError if standard input or output is closed, or output cannot be written.
    """
    if sys.stdin is None or sys.stdout is None:
        raise StudiographError(
            "MCP needs standard input and output, and one of them is closed. Fix: let a"
            " client start this command, or use /mcp of the service over HTTP."
        )
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.set_blocking(output.fileno(), True)  # a client may hand over a pipe that is not
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        yield output
    except OSError:
        raise StudiographError(
            "Standard output cannot be written. Fix: check where it is redirected."
        ) from None


async def serve_stdio(server: Server, read: ReadBytes, output: BinaryIO) -> None:
    """Answer every line until the input ends and all answers are written.

    Raises: OSError if the output cannot be written.
    """
    lines = LineReader(read, asyncio.get_running_loop())
    # A blocking read cannot be cancelled; a daemon thread lets the process exit all the same.
    threading.Thread(target=lines.run, daemon=True).start()
    writer = LineWriter(output)
    threading.Thread(target=writer.run, daemon=True).start()
    free = asyncio.Semaphore(MAX_AT_ONCE)
    streams = _Streams(writer)

    async def answer(line: bytes | None, tasks: asyncio.TaskGroup) -> None:
        try:
            if line is None:
                await writer.write(_TOO_LONG)
                return
            caller = Caller("", Channel.MCP)
            try:
                response = await server.exchange(line, None, caller, streams.watch)
            except ClientDisconnect:
                return  # a request that is cancelled gets no response
            streams.cancel(response.cancels)
            if response.subscription is not None:
                await streams.start(response.subscription, tasks)
            elif response.body is not None:
                await writer.write(response.body)
        finally:
            free.release()

    try:
        async with asyncio.TaskGroup() as tasks:
            while True:
                await free.acquire()
                line = await lines.readline()
                if line == b"":
                    streams.end()
                    return
                tasks.create_task(answer(line, tasks))
    except ExceptionGroup as group:
        raise group.exceptions[0] from None  # the first error is the cause of the others
    finally:
        writer.end()


class _Streams:
    """What a client can cancel: open subscriptions and watched work, each in a task of its own."""

    def __init__(self, output: "LineWriter") -> None:
        self._output = output
        self._ended = asyncio.Event()
        self._tasks: dict[Id, asyncio.Task[None]] = {}
        self._watched: dict[Id, asyncio.Task[Any]] = {}

    async def start(self, subscription: Subscription, tasks: asyncio.TaskGroup) -> None:
        """Write the messages of a subscription from now on, unless too many are open."""
        if len(self._tasks) >= MAX_AT_ONCE or subscription.id in self._tasks:
            await self._output.write(error_message(subscription.id, _TOO_MANY))
            return
        task = tasks.create_task(self._run(subscription))
        self._tasks[subscription.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(subscription.id, None))

    async def _run(self, subscription: Subscription) -> None:
        async for message in subscription.messages(self._ended.is_set):
            await self._output.write(message)

    async def watch(self, request_id: Id, work: Work) -> Any:
        """Return the result of the work. Raises: ClientDisconnect if it is cancelled."""
        task = self._watched[request_id] = asyncio.create_task(work)
        try:
            await asyncio.wait([task])
        finally:
            self._watched.pop(request_id, None)
            task.cancel()
        if task.cancelled():
            raise ClientDisconnect
        return task.result()

    def cancel(self, request_id: Id) -> None:
        """End a subscription or watched work without a response."""
        for tasks in (self._tasks, self._watched):
            if request_id in tasks:
                tasks[request_id].cancel()

    def end(self) -> None:
        """Let every subscription end with its response."""
        self._ended.set()


class LineReader:
    """Reads the lines of a stream in a thread and queues a few of them."""

    def __init__(self, read: ReadBytes, loop: asyncio.AbstractEventLoop) -> None:
        self._read = read
        self._loop = loop
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue(MAX_AT_ONCE)

    async def readline(self) -> bytes | None:
        """Return the next line; None for one that is too long; empty at the end."""
        return await self._lines.get()

    def run(self) -> None:
        """Read and queue lines until the input ends or the server has stopped; skip empty ones."""
        try:
            self._queue_lines()
        except (CancelledError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and not self._loop.is_closed():
                raise

    def _queue_lines(self) -> None:
        rest, is_too_long = b"", False
        while data := self._read(_READ_BYTES):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self._put_line(line, is_too_long=is_too_long)
                is_too_long = False
            if len(rest) > MAX_LINE + 1:  # the last byte may be a carriage return
                rest, is_too_long = b"", True
        self._put_line(rest, is_too_long=is_too_long)
        self._put(b"")

    def _put_line(self, line: bytes, *, is_too_long: bool) -> None:
        line = line.removesuffix(b"\r")
        if is_too_long or len(line) > MAX_LINE:
            self._put(None)
        elif line.strip():
            self._put(line)

    def _put(self, line: bytes | None) -> None:
        putting = self._lines.put(line)
        try:
            asyncio.run_coroutine_threadsafe(putting, self._loop).result()
        except RuntimeError:
            putting.close()
            raise


class LineWriter:
    """Writes lines in a thread, so that a client that does not read holds up nothing but them."""

    def __init__(self, output: BinaryIO) -> None:
        """Take an unbuffered output: the lock of a buffer could keep the process alive."""
        self._output = output
        self._lines: SimpleQueue[tuple[bytes, Future[None]] | None] = SimpleQueue()

    async def write(self, line: bytes) -> None:
        """Return when the line is written, after all earlier ones. Raises: OSError."""
        written: Future[None] = Future()
        self._lines.put((line, written))
        await asyncio.wrap_future(written)

    def end(self) -> None:
        """Let the thread end."""
        self._lines.put(None)

    def run(self) -> None:
        """Write what is queued until the end."""
        while (entry := self._lines.get()) is not None:
            line, written = entry
            if written.set_running_or_notify_cancel():
                try:
                    self._write(memoryview(line + b"\n"))
                except OSError as error:
                    written.set_exception(error)
                else:
                    written.set_result(None)

    def _write(self, rest: memoryview) -> None:
        with suppress(BrokenPipeError):  # the client has gone; the input will end too
            while rest:
                rest = rest[self._output.write(rest) :]  # a pipe may take a part
