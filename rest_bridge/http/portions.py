"""uvicorn's protocol, which takes requests and bodies in portions.

uvicorn parses all that it reads at once, in 256 KiB some 7,000 requests, and reads on before they
are answered. Here a few requests of a connection wait, and what follows stays unparsed and unread.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from rest_bridge.http.overdue import in_turn
from rest_bridge.http.response_cache import Key, key_of

PORTION = 16 * 1024
"""For so much of a body the application is woken, and for its end.

Every limit of a body is a multiple of it, so one byte too many wakes it too. Units: bytes.
"""

MAX_WAITING = 16
"""How many requests of one connection are parsed before they are answered."""
_HEAD_END = b"\r\n\r\n"


class _Flow(FlowControl):
    """Reads no more while data is unparsed, whoever asks for more."""

    def __init__(self, transport: asyncio.Transport, may_read: Callable[[], bool]) -> None:
        super().__init__(transport)
        self._may_read = may_read

    def resume_reading(self) -> None:
        if self._may_read():
            super().resume_reading()


class PortionedProtocol(HttpToolsProtocol):
    """Parses and hands on in portions, knows what is open, and drops what nobody reads any more."""

    _unparsed = b""
    """What was read, if a part of it is behind requests that are not answered yet."""
    _parsed_to = 0
    """How much of it is parsed. Cut anew for each portion, it would leave memory in pieces."""
    _body_bytes = 0
    _running: RequestResponseCycle | None = None
    """The request that the application has; `cycle` is the last one that came."""
    _previous: RequestResponseCycle | None = None
    """The request before the one that is being read, if it was not answered by then."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to read."""
        super().connection_made(transport)
        self.flow = _Flow(transport, lambda: not self._unparsed)

    def _receive(self, data: bytes) -> None:
        """Parse what may be parsed now, and keep the rest until the requests in it are answered."""
        self._unparsed, self._parsed_to = self._unparsed[self._parsed_to :] + data, 0
        self._parse_more()

    def _parse_more(self) -> None:
        while self._unparsed and self._may_parse() and not self.transport.is_closing():
            begin, end = self._parsed_to, _end_of_heads(self._unparsed, self._parsed_to)
            data, self._parsed_to = self._unparsed[begin:end], end
            if end == len(self._unparsed):
                self._unparsed, self._parsed_to = b"", 0
            self._parse(data)
        if self._unparsed:
            self.flow.pause_reading()

    def _may_parse(self) -> bool:
        """Whether no request waits for its answer."""
        return self.cycle is None or self.cycle.response_complete

    def _parse(self, data: bytes) -> None:
        super().data_received(data)

    def on_response_complete(self) -> None:
        """Go on with the next request."""
        super().on_response_complete()
        if self._unparsed:
            in_turn(self.loop, self._go_on)

    def _go_on(self) -> None:
        self._parse_more()
        if not (self._unparsed or self.pipeline or self.transport.is_closing()):
            self.flow.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """Drop the requests that wait behind another, and tell that one: nobody reads answers."""
        self._unparsed = b""
        self.pipeline.clear()
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()
        super().connection_lost(exc)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._running = cycle
        if cycle is self.cycle:
            super()._start_asgi_task(cycle, app)
        else:  # others are behind it: requests of a caller who waits for each answer come first
            in_turn(self.loop, partial(super()._start_asgi_task, cycle, app))

    def on_headers_complete(self) -> None:
        """Begin a request."""
        self._body_bytes = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Keep what came of a body, and wake the application when there is more of it."""
        before, self._body_bytes = self._body_bytes, self._body_bytes + len(body)
        if (before - 1) // PORTION != (self._body_bytes - 1) // PORTION:
            super().on_body(body)
        elif self.cycle is not None and not self.cycle.response_complete:
            self.cycle.body += body

    def _is_free(self) -> bool:
        """Whether an answer can be sent now: nothing is being sent, and the peer reads."""
        return not (
            self.flow.write_paused
            or self.transport.is_closing()
            or (self.cycle is not None and not self.cycle.response_complete)
        )

    def _key(self) -> Key | None:
        """Return the key of the request; None if no ready answer may be sent to it now."""
        parser = self.parser
        if (
            parser is None
            or parser.get_http_version() != "1.1"
            or not parser.should_keep_alive()
            or not self._is_free()
        ):
            return None
        return key_of(parser.get_method(), self.url, self.headers)

    def _waiting(self) -> RequestResponseCycle | None:
        """Return the last request that came whole and has no whole answer; None if there is none.

        What is incomplete behind it will not be answered.
        """
        if self.pipeline and self.pipeline[0][0].more_body:
            self.pipeline.popleft()
        for cycle in (self.cycle, self._previous):
            if cycle is not None and not cycle.more_body and not cycle.response_complete:
                return cycle
        return None

    def _is_response_open(self) -> bool:
        """Whether a response is being sent, so that no other may be written."""
        cycle = self.cycle
        return cycle is not None and bool(cycle.response_started) and not cycle.response_complete


def _end_of_heads(data: bytes, end: int) -> int:
    """Return where so many heads end as may wait, or the end of the data; bodies count as heads."""
    for _ in range(MAX_WAITING):
        if (found := data.find(_HEAD_END, end)) < 0:
            return len(data)
        end = found + len(_HEAD_END)
    return end
