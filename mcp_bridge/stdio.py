"""MCP on standard input and output, one message per line. Source: MCP, stdio transport."""

import asyncio
import sys
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import BinaryIO

from mcp_bridge.jsonrpc import INVALID_REQUEST, JsonRpcError, error_message
from mcp_bridge.server import Server
from sdl.caller import Caller, Channel

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


async def serve_stdio(server: Server, read: ReadBytes, output: BinaryIO) -> None:
    """Answer every line until the input ends and all answers are written.

    Raises: OSError if the output cannot be written.
    """
    lines = LineReader(read, asyncio.get_running_loop())
    # A blocking read cannot be cancelled; a daemon thread lets the process exit all the same.
    threading.Thread(target=lines.run, daemon=True).start()
    free = asyncio.Semaphore(MAX_AT_ONCE)

    async def answer(line: bytes | None) -> None:
        try:
            if line is None:
                _write(output, _TOO_LONG)
                return
            response = await server.exchange(line, None, Caller("", Channel.MCP))
            if response.body is not None:
                _write(output, response.body)
        finally:
            free.release()

    try:
        async with asyncio.TaskGroup() as tasks:
            while True:
                await free.acquire()
                line = await lines.readline()
                if line == b"":
                    return
                tasks.create_task(answer(line))
    except ExceptionGroup as group:
        raise group.exceptions[0] from None  # the first error is the cause of the others


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
        """Read and queue lines until the input ends; skip empty ones."""
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
        except CancelledError:
            sys.exit()  # the server has stopped, so this thread ends
        except RuntimeError:
            putting.close()
            if not self._loop.is_closed():
                raise
            sys.exit()


def _write(output: BinaryIO, body: bytes) -> None:
    with suppress(BrokenPipeError):  # the client has gone; the input will end too
        output.write(body + b"\n")
        output.flush()
