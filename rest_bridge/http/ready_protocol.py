"""uvicorn's protocol, which answers what is known without the application."""

import time
from collections.abc import Sequence
from typing import cast

from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from rest_bridge.http.access_log import access_log, new_request_id
from rest_bridge.http.portions import PortionedProtocol
from rest_bridge.http.response_cache import (
    KEY,
    Key,
    Lookup,
    ParsedRequest,
    ReadyAnswer,
    ReadyReads,
)

MAX_JOINED = 32 * 1024
"""A longer body is not copied behind its head, but written after it."""
SOON_SECONDS = 0.01


class _CommonLines:
    """The headers of all answers as lines; uvicorn makes a new list of them each second."""

    def __init__(self) -> None:
        self._of: Sequence[tuple[bytes, bytes]] | None = None
        self._lines = b""

    def of(self, headers: Sequence[tuple[bytes, bytes]]) -> bytes:
        """Return the lines of a list that nobody changes."""
        if headers is not self._of:
            self._of, self._lines = headers, b"".join(b"%s: %s\r\n" % own for own in headers)
        return self._lines


_common_lines = _CommonLines()


class ReadyProtocol(PortionedProtocol):
    """Finds, makes, sends and logs the answers that are given below the application."""

    _reads: ReadyReads | None = None
    _parsed: ParsedRequest | None = None
    """The request in the data that is being read, if it has a ready answer and is the only one."""
    _head: ParsedRequest | None = None
    """Its head, if it is a POST and the only request in the data; its key is to be completed."""
    _answer: ReadyAnswer | None = None
    """The ready answer to the request that is being read."""
    _id = b""
    """The id of the message that it answers."""
    _began = 0.0
    _answered = 0.0
    """When the last ready answer was sent, by the clock of the event loop."""

    def timeout_keep_alive_handler(self) -> None:
        """End a connection on which no further request has come since the last answer."""
        left = self._answered + self.timeout_keep_alive - self.loop.time()
        if left <= SOON_SECONDS:
            super().timeout_keep_alive_handler()
        else:
            later = self.loop.call_later(left, self.timeout_keep_alive_handler)
            self.timeout_keep_alive_task = later

    def _look_up(self, asked: Lookup | None, head: Key | None) -> bool:
        """Find the ready answer to a request, or make it; return whether there is one.

        `head` is the key of a POST without its body.
        """
        self._began = time.perf_counter()
        if asked is None or self._reads is None:
            return False
        table = self._reads.table
        self._answer, self._id = table.get(asked), asked.id
        cast("Scope", self.scope)[KEY] = asked
        if self._answer is None:
            self._answer = table.run(asked)
        elif not asked.id:
            self._parsed = ParsedRequest(asked, self.headers)
        if self._answer is None:
            return False
        if head is not None:
            self._head = ParsedRequest(Lookup(head), self.headers)
            self._reads.turn.spend(time.perf_counter() - self._began, self.loop)
        return True

    def _remember(self, data: bytes) -> None:
        """Remember what the parser made of data that is one request."""
        if self._reads is not None and self._parsed is not None:
            self._reads.remember(data, self._parsed)
        if self._reads is not None and self._head is not None:
            self._reads.remember_head(data, self._head)

    def _repeat(self, data: bytes) -> bool:
        """Send the answer to one request whose bytes or whose head are known; whether it is sent.

        The parser stands between two requests, where it reads the same bytes as the same request.
        """
        if self._reads is None or not self._is_free():
            return False
        self._began = time.perf_counter()
        if (found := self._reads.answer(data)) is None:
            return False
        answer, known = found
        self.headers, self._id = known.headers, known.asked.id
        self._send_ready(answer)
        if known.asked.key[0] == b"POST":
            self._reads.turn.spend(time.perf_counter() - self._began, self.loop)
        return True

    def _send_ready(self, answer: ReadyAnswer) -> None:
        """Send a ready answer as uvicorn sends those of the application, and log it."""
        request_id = new_request_id()
        opening, own_id, body = answer.opening, self._id, answer.body
        common = _common_lines.of(self.server_state.default_headers)
        named = (answer.before, request_id.encode(), answer.after, opening, own_id)
        start = b"".join((STATUS_LINE[answer.status], common, *named))
        if len(body) <= MAX_JOINED:
            self.transport.write(start + body)
        else:
            self.transport.writelines((start, body))
        self.server_state.total_requests += 1
        self._wait_for_next()
        size = len(opening) + len(own_id) + len(body)
        self._log(answer.route, answer.status, size, request_id)

    def _wait_for_next(self) -> None:
        """End the connection if no further request comes in time; one timer serves many."""
        self._answered = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def _log(self, route: str, status: int, size: int, request_id: str) -> None:
        access_log.write(
            route=route,
            status=status,
            began=self._began,
            size=size,
            request_id=request_id,
            peer=self.client[0] if self.client else "",
            headers=self.headers or [],
        )
