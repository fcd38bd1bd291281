"""HTTP/1.1 as it arrives: how long it may take, how much of it there may be, what is no request.

What never becomes a request is answered and logged as all else is. uvicorn times nothing but the
pause between requests; here a request has so long to come, from its first byte or the connection.

Source: RFC 9112 section 3.2 (an absolute target outranks Host; CONNECT names no path).
"""

import asyncio
import sys
from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network
from typing import ClassVar
from urllib.parse import urlsplit

import httptools
from starlette.responses import Response
from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from rest_bridge.http.body import BODY_SECONDS, MAX_CHUNKS
from rest_bridge.http.client_address import address_of
from rest_bridge.http.endpoint import READS
from rest_bridge.http.middleware import AddressHasher, ResponseRecorder
from rest_bridge.http.responses import problem
from sdl.errors import (
    FieldProblem,
    HeadersTooLargeError,
    InvalidInputError,
    MethodNotAllowedError,
    StudioError,
    TimedOutError,
    TooLargeError,
    UnavailableError,
)

HEAD_SECONDS = 10
MAX_BODY_SECONDS = BODY_SECONDS + 1
"""The application refuses a body that takes longer; what it cannot end is cut off after it."""
MAX_HEAD_BYTES = 64 * 1024
MAX_PER_ADDRESS = 64

_pseudonyms = AddressHasher()


class TimedHttpProtocol(HttpToolsProtocol):
    """uvicorn's protocol with timers and caps, and answers of our own form to what it refuses."""

    max_connections: ClassVar[int] = 1_000
    trusted: ClassVar[Sequence[IPv4Network | IPv6Network]] = ()

    transport: asyncio.Transport
    _waiting: asyncio.TimerHandle | None = None
    _is_whole = True
    _is_in_body = False
    _head_bytes = 0
    _chunks = 0

    @classmethod
    def limit(cls, most_connections: int, trusted: Sequence[IPv4Network | IPv6Network]) -> None:
        """Set, for this process, how many connections there may be, and who may have many."""
        cls.max_connections, cls.trusted = most_connections, trusted

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, where there is room for one more."""
        super().connection_made(transport)
        if len(self.connections) > self.max_connections or self._has_too_many():
            self._refuse(UnavailableError("There are too many connections; try again soon."))
        else:
            self._start_timer(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._cancel_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came, and wait for the rest, if it is not whole."""
        self._is_whole = False
        if not self._is_in_body:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._is_whole:
            self._cancel_timer()
        elif not self._is_in_body and self._head_bytes > MAX_HEAD_BYTES:
            self._refuse(HeadersTooLargeError("The head of a request is shorter than this."))
        elif self._waiting is None and not self.transport.is_closing():
            self._start_timer(HEAD_SECONDS)

    def on_message_begin(self) -> None:
        """A further request has begun, perhaps behind a whole one."""
        self._is_whole = False
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Settle the target before the request begins, and give the body its own time."""
        if self.url == b"*":
            self.url = b"/"
        elif not self.url.startswith(b"/") and b"://" in self.url:
            authority = urlsplit(self.url.decode("latin-1")).netloc.encode("latin-1")
            self.headers[:] = [header for header in self.headers if header[0] != b"host"]
            self.headers.append((b"host", authority))
        self._is_in_body, self._head_bytes, self._chunks = True, 0, 0
        self._cancel_timer()
        self._start_timer(MAX_BODY_SECONDS)
        super().on_headers_complete()

    def on_chunk_header(self) -> None:
        """Count the pieces in which a body comes."""
        self._chunks += 1
        if self._chunks == MAX_CHUNKS + 1:
            fault = FieldProblem("body", f"must come in at most {MAX_CHUNKS} chunks")
            self._refuse(TooLargeError("The body came in too many pieces.", [fault]))

    def on_message_complete(self) -> None:
        """The request is whole."""
        self._is_whole, self._is_in_body = True, False
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """A problem document in place of the text, and the connection's end."""
        del msg
        error: StudioError = InvalidInputError(
            "This is not a request of HTTP/1.1.", [FieldProblem("request", "cannot be parsed")]
        )
        unknown = isinstance(sys.exception(), httptools.HttpParserInvalidMethodError)
        if unknown or (self.parser is not None and self.parser.get_method() == b"CONNECT"):
            error = MethodNotAllowedError(
                "No path takes this method.", [FieldProblem("method", "is not known", READS)]
            )
        self._refuse(error)

    def _has_too_many(self) -> bool:
        """Whether a stranger holds many connections; proxies and this machine may."""
        if self.client is None or (address := address_of(self.client[0])) is None:
            return False
        if address.is_loopback or any(address in network for network in self.trusted):
            return False
        peers = (getattr(each, "client", None) for each in self.connections)
        held: int = sum(peer is not None and peer[0] == self.client[0] for peer in peers)
        return held > MAX_PER_ADDRESS

    def _start_timer(self, seconds: float) -> None:
        self._waiting = self.loop.call_later(seconds, self._on_timeout)

    def _cancel_timer(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _on_timeout(self) -> None:
        self._waiting = None
        self._refuse(
            TimedOutError(f"A request has {HEAD_SECONDS} s to come, and its body as many.")
        )

    def _refuse(self, error: StudioError) -> None:
        """Answer what is no request, or not yet, and end the connection."""
        if self.transport.is_closing():
            return
        if self._is_answered_otherwise():
            self.transport.close()
            return
        scope: Scope = {"type": "http", "method": "-", "headers": [], "client": self.client}
        exchange = ResponseRecorder(scope, self._nowhere)
        response = problem(error, exchange.request_id)
        response.headers.update({"connection": "close", "x-content-type-options": "nosniff"})
        self.transport.write(_written(response))
        self.transport.close()
        exchange.status, exchange.bytes = response.status_code, len(response.body)
        exchange.log(_pseudonyms)

    def _is_answered_otherwise(self) -> bool:
        """Whether an answer is being sent, into which no other may be mixed."""
        cycle = self.cycle
        return cycle is not None and bool(cycle.response_started) and not cycle.response_complete

    async def _nowhere(self, _: object) -> None:
        """There is no application behind what is no request."""


def _written(response: Response) -> bytes:
    headers = b"".join(name + b": " + value + b"\r\n" for name, value in response.raw_headers)
    return STATUS_LINE[response.status_code] + headers + b"\r\n" + bytes(response.body)
