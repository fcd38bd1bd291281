"""A connection to the service without a socket, which tells a ready answer from an ordinary one."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

import httpx
from uvicorn import Config
from uvicorn.server import ServerState

from rest_bridge.http.middleware import RequestGuard
from rest_bridge.server.protocol import TimedHttpProtocol

_CHANGING = re.compile(rb'^(date|x-request-id): .*\r\n|"request_id":"[0-9a-f]*"', re.MULTILINE)


class Transport(asyncio.Transport):
    """What is written to a connection."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 50_000), "sockname": ("127.0.0.1", 8000)})
        self.written = b""
        self.closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Keep what is written."""
        self.written += bytes(data)

    def is_closing(self) -> bool:
        """Whether it ends."""
        return self.closed

    def close(self) -> None:
        """End."""
        self.closed = True

    def can_write_eof(self) -> bool:
        """Whether it can end the sending half alone."""
        return False

    def get_write_buffer_size(self) -> int:
        """Return 0: everything is sent at once."""
        return 0

    def pause_reading(self) -> None:
        """Read on: nothing comes by itself."""

    def resume_reading(self) -> None:
        """Read on."""


class Wire:
    """One connection."""

    def __init__(self, service: RequestGuard, loop: asyncio.AbstractEventLoop) -> None:
        config = Config(service, log_config=None, server_header=False, proxy_headers=False)
        self.state, self.loop, self.transport = ServerState(), loop, Transport()
        self.service = service
        self.protocol = TimedHttpProtocol(config, self.state, {}, loop)
        self.protocol.connection_made(self.transport)

    def send(self, data: bytes) -> tuple[bytes, bool]:
        """Return what comes back, and whether it was there before the application could run."""
        self.transport.written = b""
        self.protocol.data_received(data)
        is_ready = bool(self.transport.written)
        while tasks := list(self.state.tasks):
            self.loop.run_until_complete(asyncio.gather(*tasks))
        self.turn()
        return self.transport.written, is_ready

    def turn(self) -> None:
        """Let the loop do what waits for its next turn."""
        self.loop.run_until_complete(asyncio.sleep(0))

    def get(self, target: str, *headers: str, method: str = "GET") -> tuple[bytes, bool]:
        """Return the answer to a request, and whether it was ready."""
        lines = (f"{method} {target} HTTP/1.1", "Host: localhost", *headers)
        return self.send("\r\n".join((*lines, "", "")).encode("latin-1"))

    def post(self, target: str, body: bytes, *headers: str) -> tuple[bytes, bool]:
        """Return the answer to a POST whose head and body come together."""
        return self.send(post_of(target, body, *headers))


def post_of(target: str, body: bytes, *headers: str) -> bytes:
    """Return a POST of JSON as bytes."""
    own = ("Host: localhost", "Content-Type: application/json", f"Content-Length: {len(body)}")
    lines = (f"POST {target} HTTP/1.1", *own, *headers)
    return "\r\n".join((*lines, "", "")).encode("latin-1") + body


@contextmanager
def wire(service: RequestGuard) -> Iterator[Wire]:
    """Open a connection to the service."""
    loop = asyncio.new_event_loop()
    made = Wire(service, loop)
    yield made
    made.protocol.connection_lost(None)
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()


@contextmanager
def wire_of(line: Wire) -> Iterator[Wire]:
    """Open another connection to the same service."""
    with wire(line.service) as made:
        yield made


class WireTransport(httpx.BaseTransport):
    """Sends requests on a connection of their own each, for a client."""

    def __init__(self, service: RequestGuard) -> None:
        self.service = service

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer to a request."""
        lines = [request.method.encode() + b" " + request.url.raw_path + b" HTTP/1.1"]
        lines += [b"%b: %b" % header for header in request.headers.raw]
        with wire(self.service) as line:
            answer, _ = line.send(b"\r\n".join((*lines, b"", b"")) + request.read())
        head, _, body = answer.partition(b"\r\n\r\n")
        headers = [tuple(own.split(b": ", 1)) for own in head.split(b"\r\n")[1:]]
        return httpx.Response(status_of(answer), headers=headers, content=body)  # type: ignore[arg-type]


def unchanging(answer: bytes) -> bytes:
    """Return an answer without its date and its request id."""
    head, end, body = answer.partition(b"\r\n\r\n")
    if status_of(answer) >= HTTPStatus.BAD_REQUEST:
        body = _CHANGING.sub(b"", body)
    return _CHANGING.sub(b"", head) + end + body


def status_of(answer: bytes) -> int:
    """Return the status of an answer; 0 for none."""
    return int(answer.split(b" ", 2)[1]) if answer else 0


def header_of(answer: bytes, name: str) -> str:
    """Return a header of an answer; empty if it has none."""
    head = answer.partition(b"\r\n\r\n")[0]
    found = re.search(rf"^{name}: (.*?)\r?$".encode(), head, re.MULTILINE | re.IGNORECASE)
    return found[1].decode() if found else ""


def twice(line: Wire, target: str, *headers: str, method: str = "GET") -> bytes:
    """Return the answer of the application, which the ready ones must equal, header by header."""
    odd = ("X: 1", "X: 2")  # a header that comes twice takes the ordinary way
    ordinary, was_ready = line.get(target, *headers, *odd, method=method)
    assert not was_ready
    line.get(target, *(h for h in headers if not h.startswith("If-None-Match")))
    for _ in range(2):
        again, is_ready = line.get(target, *headers, method=method)
        assert is_ready == (status_of(ordinary) in (200, 304))
        assert unchanging(again) == unchanging(ordinary)
    return ordinary
