"""uvicorn's HTTP/1.1 protocol with time limits, size limits and connection limits.

Bytes that are no valid request get a problem document and a log line. A request must arrive in
time from its first byte or from the connection on, and the peer must take what is sent.

Source: RFC 9112 section 3.2 (an absolute target outranks Host; CONNECT has no path).
"""

import asyncio
import sys
import time
from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network
from typing import ClassVar
from urllib.parse import urlsplit

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from rest_bridge.http.access_log import new_request_id
from rest_bridge.http.body import BODY_SECONDS, MAX_BODY, MAX_CHUNKS
from rest_bridge.http.client_address import address_of
from rest_bridge.http.endpoint import SAFE_METHODS
from rest_bridge.http.lingering import LingeringTransport
from rest_bridge.http.middleware import MAX_URI, RequestGuard, too_long
from rest_bridge.http.overdue import Deadline
from rest_bridge.http.ready_protocol import ReadyProtocol
from rest_bridge.http.response_cache import (
    MAX_REQUEST,
    Key,
    Lookup,
    with_body,
)
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
SEND_SECONDS = 10
MIN_SENT = 4 * 1024
"""How many bytes a peer must take in `SEND_SECONDS` while more are waiting for it."""
HOLD_SECONDS = 0.02
"""How long a head waits for its body, which many clients send apart, to be looked up with it."""


class TimedHttpProtocol(ReadyProtocol):
    """uvicorn's protocol with timers and limits; its refusals are problem documents."""

    max_connections: ClassVar[int] = 1_000
    trusted: ClassVar[Sequence[IPv4Network | IPv6Network]] = ()
    send_seconds: ClassVar[float] = SEND_SECONDS

    transport: LingeringTransport  # pyright: ignore[reportIncompatibleVariableOverride]
    url = b""
    _timer: Deadline | None = None
    _send_timer: asyncio.TimerHandle | None = None
    _is_complete = True
    _is_in_body = False
    _head_bytes = 0
    _chunks = 0
    _begins_chunk = False
    _is_alone = False
    """Whether a request that begins now is the first in the data, so that it may be looked up."""
    _unread: Key | None = None
    """The key of a POST whose body is still to come, and which the application does not know."""
    _hold: asyncio.TimerHandle | None = None
    _delayed = b""
    """What came of a POST while the turn of the event loop was spent; see `LoopTurn`."""

    @classmethod
    def limit(cls, max_connections: int, trusted: Sequence[IPv4Network | IPv6Network]) -> None:
        """Set the connection limit of this process, and the proxies exempt from the peer limit."""
        cls.max_connections, cls.trusted = max_connections, trusted

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer for a request; refuse a connection over the limit."""
        lingering = LingeringTransport(transport, self.loop, lambda: not self._is_complete)
        super().connection_made(lingering)
        self._reads = self.app.ready if isinstance(self.app, RequestGuard) else None
        if len(self.connections) > self.max_connections or self._has_too_many():
            self._refuse(UnavailableError("There are too many connections. Try again soon."))
        else:
            self._start_timer(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timers; a request whose body never came is logged by the application."""
        self._delayed = b""
        if self._unread is not None:
            self._pass_on()
        self.transport.lose()
        self._cancel_timer()
        self._cancel_send_timer()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Give the peer time to read."""
        super().pause_writing()
        self._start_send_timer()

    def resume_writing(self) -> None:
        """Go on writing; a connection that is closing still has its time limit."""
        super().resume_writing()
        if not self.transport.is_closing():
            self._cancel_send_timer()

    def eof_received(self) -> None:
        """Let the transport close the connection when all is sent, within the time limit."""
        self._receive_delayed()
        super().eof_received()
        self._start_send_timer()

    def on_response_complete(self) -> None:
        """Go on with the next request, or end the connection in time."""
        super().on_response_complete()
        self._end_in_time()

    def timeout_keep_alive_handler(self) -> None:
        """End a connection on which no further request has come."""
        if self._delayed:
            self.timeout_keep_alive_task = None
            self._receive_delayed()
            return
        super().timeout_keep_alive_handler()
        self._end_in_time()

    def shutdown(self) -> None:
        """End the connection after the request that has begun."""
        self._receive_delayed()
        if self._unread is not None:
            self._pass_on()
        super().shutdown()
        self._end_in_time()

    def data_received(self, data: bytes) -> None:
        """Take the data in this turn of the event loop or in one of the next."""
        if not self.transport.is_lingering and not self._delay(data):
            self._receive(data)

    def _may_parse(self) -> bool:
        """Whether the data is of a request that has begun, or no request waits for its answer."""
        return self._is_in_body or super()._may_parse()

    def _parse(self, data: bytes) -> None:
        """Parse the data; keep a timer running while a request is incomplete."""
        if self._is_complete and self._repeat(data):
            self._cancel_timer()
            return
        self._is_alone = begins = self._is_complete
        self._is_complete = False
        if not self._is_in_body:
            self._head_bytes += len(data)
        super()._parse(data)
        if self._is_complete:
            self._cancel_timer()
            if begins:
                self._remember(data)
        elif not self._is_in_body and self._head_bytes > MAX_HEAD_BYTES:
            text = f"The head of a request may have at most {MAX_HEAD_BYTES} bytes."
            self._refuse(self._too_long_url() or HeadersTooLargeError(text))
        elif self._timer is None and not self.transport.is_closing():
            self._start_timer(HEAD_SECONDS)
        if self._unread is not None and self._hold is None:
            self._hold = self.loop.call_later(HOLD_SECONDS, self._pass_on)

    def _delay(self, data: bytes) -> bool:
        """Keep what may ask for an answer that is made, if others take this turn of the loop."""
        is_waiting = bool(self._delayed)
        if not is_waiting:
            is_post = self._unread is not None or (self._is_complete and data.startswith(b"POST"))
            if not is_post or self._reads is None or not self._reads.turn.is_spent:
                return False
            self._reads.turn.delay(self._receive_delayed)
        self._delayed += data
        return True

    def _receive_delayed(self) -> None:
        """Take what was delayed, if it was not taken or dropped since."""
        data, self._delayed = self._delayed, b""
        if data:
            self._receive(data)

    def on_message_begin(self) -> None:
        """Note that a request has begun, which may follow a complete one in the same data."""
        self._is_complete, self._parsed, self._head = False, None, None
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Look up a ready answer, for a POST when its body is here; else pass the request on."""
        key = self._key() if self._is_alone else None
        if key is None or self._head_bytes > MAX_REQUEST + MAX_BODY:
            self._pass_on()
        elif key[0] == b"POST":
            self._unread = key
        else:
            self._look_up_or_pass_on(Lookup(key), self._head_bytes)

    def on_body(self, body: bytes) -> None:
        """Count the chunks; look up a ready answer by the body, or hand it to the application."""
        self._chunks += self._begins_chunk
        if self._begins_chunk and self._chunks == MAX_CHUNKS + 1:
            problem = FieldProblem("body", f"must come in at most {MAX_CHUNKS} chunks")
            self._refuse(TooLargeError("The body came in too many chunks.", [problem]))
        self._begins_chunk = False
        if self._unread is not None:
            asked = with_body(self._unread, body)
            self._look_up_or_pass_on(asked, self._head_bytes - len(body))
        if self._answer is None:
            super().on_body(body)

    def _look_up_or_pass_on(self, asked: Lookup | None, head_bytes: int) -> None:
        """Find or make the answer to a request; pass the request on if there is none."""
        if head_bytes <= MAX_REQUEST and self._look_up(asked, self._unread):
            self._end_hold()
            self._head_bytes = 0
        else:
            self._pass_on()

    def _end_hold(self) -> None:
        self._unread = None
        if self._hold is not None:
            self._hold.cancel()
            self._hold = None

    def _pass_on(self) -> None:
        """Normalise the target, start the timer of the body, and let the application answer."""
        self._end_hold()
        if self.url == b"*":
            self.url = b"/"
        elif not self.url.startswith(b"/") and b"://" in self.url:
            authority = urlsplit(self.url.decode("latin-1")).netloc.encode("latin-1")
            self.headers[:] = [header for header in self.headers if header[0] != b"host"]
            self.headers.append((b"host", authority))
        self._is_in_body, self._head_bytes, self._chunks = True, 0, 0
        self._cancel_timer()
        self._start_timer(MAX_BODY_SECONDS)
        self._previous = self.cycle
        self._unset_keepalive_if_required()  # of a ready answer to an earlier request in the data
        super().on_headers_complete()

    def on_chunk_header(self) -> None:
        """Note that a chunk begins; the last one has no data."""
        self._begins_chunk = True

    def on_message_complete(self) -> None:
        """Note that the request is complete, and send its ready answer if there is one."""
        if self._unread is not None:  # it has an empty body
            self._pass_on()
        self._is_complete, self._is_in_body, self._is_alone = True, False, False
        if self._answer is None:
            super().on_message_complete()
        else:
            answer, self._answer = self._answer, None
            self._send_ready(answer)

    def _unsupported_upgrade_warning(self) -> None:
        """Log nothing: the request is answered as one without `Upgrade`, and logged as such."""

    def send_400_response(self, msg: str) -> None:
        """Send a problem document instead of uvicorn's text, and close the connection."""
        del msg
        self._is_complete = False  # what follows cannot be read, and may still be arriving
        error: ApiError = self._too_long_url() or InvalidInputError(
            "This is not a valid HTTP/1.1 request.", [FieldProblem("request", "cannot be parsed")]
        )
        is_unknown = isinstance(sys.exception(), httptools.HttpParserInvalidMethodError)
        if is_unknown or (self.parser is not None and self.parser.get_method() == b"CONNECT"):
            unknown = FieldProblem("method", "is not known", SAFE_METHODS)
            error = MethodNotAllowedError("No path allows this method.", [unknown])
        self._refuse(error)

    def _too_long_url(self) -> ApiError | None:
        """Return the error of the address; the parser itself takes none of 64 KiB."""
        return too_long() if len(self.url) > MAX_URI else None

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
        self._timer = Deadline(self.loop, seconds, self._on_timeout)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_timeout(self) -> None:
        self._timer = None
        text = f"The head and the body must each arrive within {HEAD_SECONDS} s."
        self._refuse(TimedOutError(text))

    def _end_in_time(self) -> None:
        """Limit the time in which a connection that is closing sends what is left."""
        if self.transport.is_closing():
            self._start_send_timer()

    def _start_send_timer(self) -> None:
        if self._send_timer is None:
            unsent = self.transport.get_write_buffer_size()
            self._send_timer = self.loop.call_later(self.send_seconds, self._check_sent, unsent)

    def _cancel_send_timer(self) -> None:
        if self._send_timer is not None:
            self._send_timer.cancel()
            self._send_timer = None

    def _check_sent(self, unsent: int) -> None:
        """Cut the connection if the peer has hardly read since so many bytes were waiting."""
        self._send_timer = None
        left = self.transport.get_write_buffer_size()
        if left and left > unsent - MIN_SENT:
            self.transport.abort()
        elif left:
            self._start_send_timer()

    def _refuse(self, error: ApiError) -> None:
        """Send an error for an invalid or incomplete request, and close the connection."""
        if self.transport.is_closing():
            return
        if (waiting := self._waiting()) is not None:
            waiting.keep_alive = False  # its answer comes first, and then the connection is closed
            return
        if self._is_response_open():
            self.transport.close()
            self._end_in_time()
            return
        if self.cycle is not None:  # the application answers no request that is refused here
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        request_id, self._began = new_request_id(), time.perf_counter()
        response = problem(error, request_id)
        response.headers.update({"connection": "close", "x-content-type-options": "nosniff"})
        lines = (b"%s: %s\r\n" % header for header in response.raw_headers)
        start, body = STATUS_LINE[response.status_code], bytes(response.body)
        self.transport.write(b"".join((start, *lines, b"\r\n", body)))
        self.transport.close()
        self._end_in_time()
        self._log("-", response.status_code, len(body), request_id)
