"""uvicorn's HTTP/1.1 protocol with limits, and with the ready answers below the application.

Bytes that are no valid request get a problem document and a log line. A request must arrive in
time from its first byte or from the connection on, and the peer must take what is sent. uvicorn
parses all that it reads at once, in 256 KiB some 7,000 requests, and reads on before they are
answered; here a few requests of a connection wait, and what follows stays unparsed and unread.

Source: RFC 9112 section 3.2 (an absolute target outranks Host; CONNECT has no path).
"""

import asyncio
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from ipaddress import IPv4Network, IPv6Network
from typing import Any, ClassVar
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import httptools
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from rest_bridge.http.access_log import access_log, new_request_id
from rest_bridge.http.body import BODY_SECONDS, MAX_CHUNKS
from rest_bridge.http.client_address import address_of
from rest_bridge.http.endpoint import SAFE_METHODS
from rest_bridge.http.middleware import MAX_URI, RequestGuard, too_long
from rest_bridge.http.ready_answers import (
    LENGTH,
    MAX_BODY,
    MAX_HEAD,
    ORDINARY,
    ReadyAnswer,
    ReadyAnswers,
)
from rest_bridge.representations.responses import problem
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
HOLD_SECONDS = 1
"""How long a POST waits for its body before the application hears of it."""
MAX_HEAD_BYTES = 64 * 1024
MAX_PER_ADDRESS = 64
SEND_SECONDS = 10
MIN_SENT = 4 * 1024
"""How many bytes a peer must take in `SEND_SECONDS` while more are waiting for it."""
PORTION = 16 * 1024
"""For so much of a body the application is woken, and for its end.

Every limit of a body is a multiple of it, so one byte too many wakes it too. Units: bytes.
"""
MAX_WAITING = 16
"""How many requests of one connection are parsed before they are answered."""
MAX_JOINED = 32 * 1024
"""A longer body is not copied behind its head, but written after it."""
SOON_SECONDS = 0.01
TURNS = 4
"""How many have their turn at a time: each costs as much as a small request."""
LINGER_SECONDS = 1.5
"""With the ten seconds for a head or a body, a slow caller is gone within twelve."""
_HEAD_END = b"\r\n\r\n"
_READS = (b"GET", b"HEAD")
_CLOSE = b"connection: close\r\n"


class _CommonLines:
    """The headers of all answers as lines; uvicorn makes a new list of them each second."""

    def __init__(self) -> None:
        self._of: Sequence[tuple[bytes, bytes]] | None = None
        self._lines = b""

    def of(self, headers: Sequence[tuple[bytes, bytes]]) -> bytes:
        """Return the headers as lines, which are made anew only for another list."""
        if headers is not self._of:
            self._of, self._lines = headers, b"".join(b"%s: %s\r\n" % own for own in headers)
        return self._lines


_common_lines = _CommonLines()


class _Flow(FlowControl):
    """Reads no more while data is unparsed, whoever asks for more."""

    def __init__(self, transport: asyncio.Transport, may_read: Callable[[], bool]) -> None:
        super().__init__(transport)
        self._may_read = may_read

    def resume_reading(self) -> None:
        if self._may_read():
            super().resume_reading()


class Deadline:
    """A timer; when its time is over, its turn comes.

    Connections that came together are overdue together, and many may ask for more than one answer
    at a time. Done at once, that would hold up whoever else asks.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, seconds: float, end: Callable[[], None]
    ) -> None:
        """Call `end` after so many seconds, in the turn that it gets."""
        self._end, self._is_cancelled = end, False
        self._timer = loop.call_later(seconds, in_turn, loop, self._act)

    def cancel(self) -> None:
        """Call nothing."""
        self._is_cancelled = True
        self._timer.cancel()

    def _act(self) -> None:
        """End what is overdue, unless that was cancelled while others had their turn."""
        if not self._is_cancelled:
            self._end()


def in_turn(loop: asyncio.AbstractEventLoop, act: Callable[[], None]) -> None:
    """Call `act` in one of the next turns of the event loop."""
    waiting = _WAITING.setdefault(loop, deque())
    if not waiting:
        loop.call_soon(_act_on_some, loop)
    waiting.append(act)


_WAITING: WeakKeyDictionary[asyncio.AbstractEventLoop, deque[Callable[[], None]]] = (
    WeakKeyDictionary()
)
"""What waits for its turn, by event loop, in the order in which it came."""


def _act_on_some(loop: asyncio.AbstractEventLoop) -> None:
    waiting = _WAITING[loop]
    try:
        for _ in range(min(TURNS, len(waiting))):
            waiting.popleft()()
    finally:
        if waiting:
            loop.call_soon(_act_on_some, loop)


class LingeringTransport(asyncio.Transport):
    """The transport of a connection, which reads on for a moment before it closes.

    Closing a socket while its peer is still sending resets the connection, and the reset can reach
    the peer before the answer that said why: a proxy in front of the service then reports 502
    instead of 413. So the sending half is closed first, and what still comes is dropped.
    `is_receiving` says whether a request is still arriving. Source: RFC 9112 section 9.6.
    """

    def __init__(
        self,
        transport: asyncio.Transport,
        loop: asyncio.AbstractEventLoop,
        is_receiving: Callable[[], bool],
    ) -> None:
        super().__init__()
        self._transport, self._loop, self._is_receiving = transport, loop, is_receiving
        self.is_lingering = False
        self._is_lost = False

    def lose(self) -> None:
        """Drop what is still written: the connection is gone, which uvloop takes for a mistake."""
        self._is_lost = True

    def close(self) -> None:
        """Send what is written; close at once, or, while a request is arriving, in a moment."""
        if self.is_closing():
            return
        if not (self._is_receiving() and self._transport.can_write_eof()):
            self._transport.close()
            return
        try:
            self._transport.write_eof()
        except OSError:  # the peer has reset the connection
            self._transport.close()
            return
        self.is_lingering = True
        if not self._transport.is_reading():
            self._transport.resume_reading()
        self._loop.call_later(LINGER_SECONDS, self._transport.close)

    def is_closing(self) -> bool:
        """Whether nothing more can be written."""
        return self.is_lingering or self._transport.is_closing()

    def abort(self) -> None:
        """Close at once, without sending what is written."""
        self._transport.abort()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes."""
        if not self._is_lost:
            self._transport.write(data)

    def writelines(self, list_of_data: Iterable[bytes | bytearray | memoryview]) -> None:
        """Send bytes, one after the other."""
        if not self._is_lost:
            self._transport.writelines(list_of_data)

    def get_write_buffer_size(self) -> int:
        """Return how many bytes are not sent yet."""
        return self._transport.get_write_buffer_size()

    def pause_reading(self) -> None:
        """Take no more data from the peer."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Take data from the peer again."""
        self._transport.resume_reading()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return what is known of the connection, such as its addresses."""
        return self._transport.get_extra_info(name, default)


class TimedHttpProtocol(HttpToolsProtocol):
    """uvicorn's protocol with timers and limits; its refusals are problem documents."""

    max_connections: ClassVar[int] = 1_000
    trusted: ClassVar[Sequence[IPv4Network | IPv6Network]] = ()
    send_seconds: ClassVar[float] = SEND_SECONDS

    transport: LingeringTransport
    parser: httptools.HttpRequestParser
    url = b""
    _ready: ReadyAnswers | None = None
    _timer: Deadline | None = None
    _send_timer: asyncio.TimerHandle | None = None
    _is_complete = True
    _is_in_body = False
    _head_bytes = 0
    _body_bytes = 0
    _chunks = 0
    _begins_chunk = False
    _unparsed = b""
    """The data that was read, while some of it waits for answers to earlier requests."""
    _parsed_to = 0
    """How much of it is parsed. Cut anew for each portion, it would leave memory in pieces."""
    _running: RequestResponseCycle | None = None
    """The request that the application has; `cycle` is the last one that came."""
    _previous: RequestResponseCycle | None = None
    """The request before the one that is being read, if it was not answered by then."""
    _held: bytearray | None = None
    """The body so far of a POST that may have a ready answer; the application does not know it."""
    _answer: ReadyAnswer | None = None
    """The ready answer to the request that is being read."""
    _data_bytes = 0
    """The length of the data that is being parsed."""
    _began = 0.0
    _is_over = False
    """Whether the last answer was sent: nothing that follows is a request any more."""
    _answered = 0.0
    """When the last ready answer was sent, by the clock of the event loop."""

    @classmethod
    def limit(cls, max_connections: int, trusted: Sequence[IPv4Network | IPv6Network]) -> None:
        """Set the connection limit of this process, and the proxies exempt from the peer limit."""
        cls.max_connections, cls.trusted = max_connections, trusted

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer for a request; refuse a connection over the limit."""
        lingering = LingeringTransport(transport, self.loop, lambda: not self._is_complete)
        super().connection_made(lingering)
        self.flow = _Flow(lingering, lambda: not self._unparsed)
        self._ready = self.app.ready if isinstance(self.app, RequestGuard) else None
        if len(self.connections) > self.max_connections or self._has_too_many():
            self._refuse(UnavailableError("There are too many connections. Try again soon."))
        else:
            self._start_timer(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timers and drop what waits; the running request is told: nobody reads on."""
        if self._held is not None:
            self._pass_on()  # a request whose body never came is logged by the application
        self.transport.lose()
        self._cancel_timer()
        self._cancel_send_timer()
        self._unparsed = b""
        self.pipeline.clear()
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()
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
        super().eof_received()
        self._start_send_timer()

    def timeout_keep_alive_handler(self) -> None:
        """End a connection on which no further request has come since the last answer."""
        left = self._answered + self.timeout_keep_alive - self.loop.time()
        if left > SOON_SECONDS:
            later = self.loop.call_later(left, self.timeout_keep_alive_handler)
            self.timeout_keep_alive_task = later
            return
        super().timeout_keep_alive_handler()
        self._end_in_time()

    def shutdown(self) -> None:
        """End the connection after the request that has begun."""
        if self._held is not None:
            self._pass_on()
        super().shutdown()
        self._end_in_time()

    def data_received(self, data: bytes) -> None:
        """Parse what may be parsed now, and keep the rest until the requests in it are answered."""
        if self.transport.is_lingering or self._is_over:
            return
        self._unparsed, self._parsed_to = self._unparsed[self._parsed_to :] + data, 0
        self._parse_more()

    def _parse_more(self) -> None:
        """Parse a few requests; others may be answered before the next few."""
        if self._unparsed and self._may_parse():
            begin, end = self._parsed_to, _end_of_heads(self._unparsed, self._parsed_to)
            data, self._parsed_to = self._unparsed[begin:end], end
            if end == len(self._unparsed):
                self._unparsed, self._parsed_to = b"", 0
            self._parse(data)
        if self._unparsed:
            self.flow.pause_reading()
            if self._may_parse():
                in_turn(self.loop, self._go_on)

    def _may_parse(self) -> bool:
        """Whether the data is of a request that has begun, or no request waits for its answer."""
        is_free = self.cycle is None or self.cycle.response_complete
        return (self._is_in_body or is_free) and not self.transport.is_closing()

    def _parse(self, data: bytes) -> None:
        """Parse the data; keep a timer running while a request is incomplete."""
        self._data_bytes = len(data)
        if self._is_complete:
            self._is_complete, self._head_bytes = False, len(data)
        elif not self._is_in_body:
            self._head_bytes += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError:
            self.send_400_response("")
        except httptools.HttpParserUpgrade:
            pass  # it is answered as one without `Upgrade`
        if self._is_complete:
            self._cancel_timer()
            return
        self._unset_keepalive_if_required()
        if not self._is_in_body and self._head_bytes > MAX_HEAD_BYTES:
            text = f"Request line and headers may have at most {MAX_HEAD_BYTES} bytes together."
            self._refuse(self._too_long_url() or HeadersTooLargeError(text))
        elif self._timer is None and not self.transport.is_closing():
            self._start_timer(HEAD_SECONDS)

    def on_response_complete(self) -> None:
        """Go on with the next request, or end the connection in time."""
        super().on_response_complete()
        if self._unparsed:
            in_turn(self.loop, self._go_on)
        self._end_in_time()

    def _go_on(self) -> None:
        self._parse_more()
        if not (self._unparsed or self.pipeline or self.transport.is_closing()):
            self.flow.resume_reading()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._running = cycle
        if cycle is self.cycle:
            super()._start_asgi_task(cycle, app)
        else:  # others are behind it: requests of a caller who waits for each answer come first
            in_turn(self.loop, partial(super()._start_asgi_task, cycle, app))

    def on_message_begin(self) -> None:
        """Note that a request has begun, which may follow a complete one in the same data."""
        self._is_complete, self._answer = False, None
        self.url, self.headers = b"", []

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header."""
        self.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        """Find a ready answer, hold a POST that may have one, or pass the request on."""
        if self._is_over:
            return
        self._began = time.perf_counter()
        ready, method = self._ready, self.parser.get_method()
        if ready is not None and self._is_free():
            if method in _READS and self._head_bytes <= MAX_HEAD:
                self._answer = ready.table.read(self.url, self.headers)
            elif method == b"POST" and ready.table.has_posts(self.url) and self._may_hold():
                self._held = bytearray()
                self._cancel_timer()
                self._timer = Deadline(self.loop, HOLD_SECONDS, self._stop_holding)
                return
        if self._answer is None:
            self._pass_on()

    def _may_hold(self) -> bool:
        """Whether a POST may wait for its body before the application knows of it."""
        if sum(len(name) + len(value) + 4 for name, value in self.headers) > MAX_HEAD:
            return False
        named = dict(self.headers)
        length = named.get(LENGTH, b"") if ORDINARY.isdisjoint(named) else b""
        is_short = length.isdigit() and len(length) <= len(str(MAX_BODY))
        return is_short and int(length) <= MAX_BODY

    def on_body(self, body: bytes) -> None:
        """Count the chunks; keep what came, and wake the application when there is more of it."""
        if self._is_over:
            return
        self._chunks += self._begins_chunk
        if self._begins_chunk and self._chunks == MAX_CHUNKS + 1:
            rule = FieldProblem("body", f"must come in at most {MAX_CHUNKS} chunks")
            self._refuse(TooLargeError("The body came in too many chunks.", [rule]))
        self._begins_chunk = False
        if self._held is not None:
            self._held += body
            return
        before, self._body_bytes = self._body_bytes, self._body_bytes + len(body)
        if (before - 1) // PORTION != (self._body_bytes - 1) // PORTION:
            super().on_body(body)
        elif self.cycle is not None and not self.cycle.response_complete:
            self.cycle.body += body

    def on_chunk_header(self) -> None:
        """Note that a chunk begins; the last one has no data."""
        self._begins_chunk = True

    def on_message_complete(self) -> None:
        """Note that the request is complete, and send its ready answer if there is one."""
        if self._is_over:
            return
        if self._held is not None:
            self._end_hold()
        self._is_complete, self._is_in_body = True, False
        self._head_bytes = self._data_bytes  # what follows in the data is no longer than all of it
        if self._answer is None:
            super().on_message_complete()
        else:
            self._send_ready(self._answer)

    def _end_hold(self) -> None:
        """Find the ready answer to a POST by its body, or pass it on."""
        if self._ready is not None and self._held is not None and self._is_free():
            self._answer = self._ready.table.post(self.url, self.headers, bytes(self._held))
        if self._answer is None:
            self._pass_on()
        else:
            self._held = None

    def _stop_holding(self) -> None:
        """Let the application wait for a body that is slow."""
        self._timer = None
        if self._held is not None:
            self._pass_on()

    def _pass_on(self) -> None:
        """Normalise the target, start the timer of the body, and let the application answer."""
        url, headers = self.url, self.headers
        super().on_message_begin()  # it makes the scope, which a ready answer needs not
        self.url = url
        self.headers += headers
        self.expect_100_continue = dict(headers).get(b"expect", b"").lower() == b"100-continue"
        if self.url == b"*":
            self.url = b"/"
        elif not self.url.startswith(b"/") and b"://" in self.url:
            authority = urlsplit(self.url.decode("latin-1")).netloc.encode("latin-1")
            self.headers[:] = [header for header in self.headers if header[0] != b"host"]
            self.headers.append((b"host", authority))
        self._is_in_body, self._head_bytes, self._chunks, self._body_bytes = True, 0, 0, 0
        self._cancel_timer()
        self._start_timer(MAX_BODY_SECONDS)
        self._previous = self.cycle
        self._unset_keepalive_if_required()  # of a ready answer to an earlier request in the data
        super().on_headers_complete()
        held, self._held = self._held, None
        if held:
            self._body_bytes = len(held)
            super().on_body(bytes(held))

    def _is_free(self) -> bool:
        """Whether an answer can be sent now: nothing is being sent, and the peer reads."""
        return not (
            self.flow.write_paused
            or self.transport.is_closing()
            or (self.cycle is not None and not self.cycle.response_complete)
        )

    def _send_ready(self, answer: ReadyAnswer) -> None:
        """Send a ready answer as uvicorn sends those of the application, and log it."""
        parser, request_id = self.parser, new_request_id()
        body = b"" if parser.get_method() == b"HEAD" else answer.body
        stays = parser.should_keep_alive() and parser.get_http_version() != "1.0"
        lines = (
            STATUS_LINE[answer.status],
            _common_lines.of(self.server_state.default_headers),
            answer.before,
            request_id.encode(),
            answer.after if stays else answer.after + _CLOSE,
            b"\r\n",
        )
        if len(body) <= MAX_JOINED:
            self.transport.write(b"".join((*lines, body)))
        else:
            self.transport.writelines((b"".join(lines), body))
        self.server_state.total_requests += 1
        if stays:
            self._wait_for_next()
        else:
            self._is_over = True
            self.transport.close()
            self._end_in_time()
        self._log(answer.route, answer.status, len(body), request_id)

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
        self._held = None
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


def _end_of_heads(data: bytes, end: int) -> int:
    """Return where so many heads end as may wait, or the end of the data; bodies count as heads."""
    for _ in range(MAX_WAITING):
        if (found := data.find(_HEAD_END, end)) < 0:
            return len(data)
        end = found + len(_HEAD_END)
    return end
