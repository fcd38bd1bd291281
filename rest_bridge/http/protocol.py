"""uvicorn's HTTP/1.1 protocol with time limits, size limits and connection limits.

Bytes that are not a valid request get a problem document and a log line as requests do. uvicorn
itself limits only the pause between requests; here a request must also arrive in time, counted
from its first byte or from the connection.

Source: RFC 9112 section 3.2 (an absolute target outranks Host; CONNECT has no path).
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
    ApiError,
    FieldProblem,
    HeadersTooLargeError,
    InvalidInputError,
    MethodNotAllowedError,
    TimedOutError,
    TooLargeError,
    UnavailableError,
)

HEAD_SECONDS = 10
MAX_BODY_SECONDS = BODY_SECONDS + 1
"""The application refuses a body after `BODY_SECONDS`; the connection is cut a second later."""
MAX_HEAD_BYTES = 64 * 1024
MAX_PER_ADDRESS = 64

_address_hasher = AddressHasher()


class TimedHttpProtocol(HttpToolsProtocol):
    """uvicorn's protocol with timers and limits; its refusals are problem documents."""

    max_connections: ClassVar[int] = 1_000
    trusted: ClassVar[Sequence[IPv4Network | IPv6Network]] = ()

    transport: asyncio.Transport
    _timer: asyncio.TimerHandle | None = None
    _is_complete = True
    _is_in_body = False
    _head_bytes = 0
    _chunks = 0

    @classmethod
    def limit(cls, max_connections: int, trusted: Sequence[IPv4Network | IPv6Network]) -> None:
        """Set the connection limit of this process, and the proxies exempt from the peer limit."""
        cls.max_connections, cls.trusted = max_connections, trusted

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer for a request; refuse a connection over the limit."""
        super().connection_made(transport)
        if len(self.connections) > self.max_connections or self._has_too_many():
            self._refuse(UnavailableError("There are too many connections. Try again soon."))
        else:
            self._start_timer(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timer."""
        self._cancel_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse the data; keep a timer running while a request is incomplete."""
        self._is_complete = False
        if not self._is_in_body:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._is_complete:
            self._cancel_timer()
        elif not self._is_in_body and self._head_bytes > MAX_HEAD_BYTES:
            self._refuse(
                HeadersTooLargeError(
                    f"The head of a request may have at most {MAX_HEAD_BYTES} bytes."
                )
            )
        elif self._timer is None and not self.transport.is_closing():
            self._start_timer(HEAD_SECONDS)

    def on_message_begin(self) -> None:
        """Note that a request has begun, which may follow a complete one in the same data."""
        self._is_complete = False
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Normalise the target, and start the timer of the body."""
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
        """Count the chunks of a body."""
        self._chunks += 1
        if self._chunks == MAX_CHUNKS + 1:
            problem = FieldProblem("body", f"must come in at most {MAX_CHUNKS} chunks")
            self._refuse(TooLargeError("The body came in too many chunks.", [problem]))

    def on_message_complete(self) -> None:
        """Note that the request is complete."""
        self._is_complete, self._is_in_body = True, False
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Send a problem document instead of uvicorn's text, and close the connection."""
        del msg
        error: ApiError = InvalidInputError(
            "This is not a valid HTTP/1.1 request.", [FieldProblem("request", "cannot be parsed")]
        )
        is_unknown = isinstance(sys.exception(), httptools.HttpParserInvalidMethodError)
        if is_unknown or (self.parser is not None and self.parser.get_method() == b"CONNECT"):
            error = MethodNotAllowedError(
                "No path allows this method.", [FieldProblem("method", "is not known", READS)]
            )
        self._refuse(error)

    def _has_too_many(self) -> bool:
        """Whether the peer has too many connections; trusted proxies and this machine may."""
        if self.client is None or (address := address_of(self.client[0])) is None:
            return False
        if address.is_loopback or any(address in network for network in self.trusted):
            return False
        peers = (getattr(connection, "client", None) for connection in self.connections)
        count: int = sum(peer is not None and peer[0] == self.client[0] for peer in peers)
        return count > MAX_PER_ADDRESS

    def _start_timer(self, seconds: float) -> None:
        self._timer = self.loop.call_later(seconds, self._on_timeout)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_timeout(self) -> None:
        self._timer = None
        self._refuse(
            TimedOutError(f"The head and the body must each arrive within {HEAD_SECONDS} s.")
        )

    def _refuse(self, error: ApiError) -> None:
        """Send an error for an invalid or incomplete request, and close the connection."""
        if self.transport.is_closing():
            return
        if self._is_response_open():
            self.transport.close()
            return
        scope: Scope = {"type": "http", "method": "-", "headers": [], "client": self.client}
        recorder = ResponseRecorder(scope, self._no_send)
        response = problem(error, recorder.request_id)
        response.headers.update({"connection": "close", "x-content-type-options": "nosniff"})
        self.transport.write(_to_bytes(response))
        self.transport.close()
        recorder.status, recorder.bytes = response.status_code, len(response.body)
        recorder.log(_address_hasher)

    def _is_response_open(self) -> bool:
        """Whether a response is being sent, so that no other may be written."""
        cycle = self.cycle
        return cycle is not None and bool(cycle.response_started) and not cycle.response_complete

    async def _no_send(self, _: object) -> None:
        """Send nothing: the recorder is only used to log."""


def _to_bytes(response: Response) -> bytes:
    headers = b"".join(name + b": " + value + b"\r\n" for name, value in response.raw_headers)
    return STATUS_LINE[response.status_code] + headers + b"\r\n" + bytes(response.body)
