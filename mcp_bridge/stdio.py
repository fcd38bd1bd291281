"""MCP on standard input and output: one message a line. Writes nothing else there.

Source: MCP, stdio transport.
"""

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
"""How many messages are answered at a time; more wait unread."""

ReadBytes = Callable[[int], bytes]
"""From a number of bytes to at most so many, as soon as there are any; nothing at the end.

It holds no lock while it waits: the process may end meanwhile.
"""

_PIECE = 64 * 1024

_TOO_LONG = error_message(
    None, JsonRpcError(INVALID_REQUEST, f"A message has at most {MAX_LINE} bytes.")
)


async def serve_stdio(server: Server, reads: ReadBytes, writes: BinaryIO) -> None:
    """Answer every line until there are no more; then wait for what is being answered.

    Raises: OSError when nothing can be written.
    """
    lines = LineReader(reads, asyncio.get_running_loop())
    threading.Thread(target=lines.read, daemon=True).start()  # a read cannot be given up
    free = asyncio.Semaphore(MAX_AT_ONCE)

    async def answer(line: bytes | None) -> None:
        try:
            if line is None:
                _write(writes, _TOO_LONG)
                return
            found = await server.exchange(line, None, Caller("", Channel.MCP))
            if found.body is not None:
                _write(writes, found.body)
        finally:
            free.release()

    try:
        async with asyncio.TaskGroup() as answering:
            while True:
                await free.acquire()
                line = await lines.readline()
                if line == b"":
                    return
                answering.create_task(answer(line))
    except ExceptionGroup as group:  # the first one ends the serving, whatever the others say
        raise group.exceptions[0] from None


class LineReader:
    """The lines of a stream, read in a thread of their own, a few ahead."""

    def __init__(self, reads: ReadBytes, loop: asyncio.AbstractEventLoop) -> None:
        self._reads = reads
        self._loop = loop
        self._found: asyncio.Queue[bytes | None] = asyncio.Queue(MAX_AT_ONCE)

    async def readline(self) -> bytes | None:
        """The next line; None for one that is too long; nothing at the end."""
        return await self._found.get()

    def read(self) -> None:
        """Read to the end, empty lines passed over."""
        held, is_lost = b"", False
        while piece := self._reads(_PIECE):
            *lines, held = (held + piece).split(b"\n")
            for line in lines:
                self._take(line, is_lost=is_lost)
                is_lost = False
            if len(held) > MAX_LINE + 1:  # its end may be a carriage return
                held, is_lost = b"", True
        self._take(held, is_lost=is_lost)
        self._put(b"")

    def _take(self, line: bytes, *, is_lost: bool) -> None:
        line = line.removesuffix(b"\r")
        if is_lost or len(line) > MAX_LINE:
            self._put(None)
        elif line.strip():
            self._put(line)

    def _put(self, line: bytes | None) -> None:
        putting = self._found.put(line)
        try:
            asyncio.run_coroutine_threadsafe(putting, self._loop).result()
        except CancelledError:
            sys.exit()  # the serving is over, and with it this thread
        except RuntimeError:
            putting.close()
            if not self._loop.is_closed():
                raise
            sys.exit()


def _write(writes: BinaryIO, body: bytes) -> None:
    with suppress(BrokenPipeError):  # who asked has gone; the end of what is read comes next
        writes.write(body + b"\n")
        writes.flush()
