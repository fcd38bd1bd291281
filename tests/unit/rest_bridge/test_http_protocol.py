"""What arrives on the wire and is no ordinary request is answered in our own form."""

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import closing, suppress
from ipaddress import ip_network
from typing import Any, ClassVar
from urllib.parse import urlsplit

import pytest
import uvloop
from running_server import Running, eventually
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Router
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn import Config
from uvicorn.server import ServerState

from rest_bridge.http.endpoint import run_until_disconnect
from rest_bridge.server.protocol import (
    LINGER_SECONDS,
    MAX_PER_ADDRESS,
    MAX_WAITING,
    TimedHttpProtocol,
)

WEBSOCKET = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


class Trusting(TimedHttpProtocol):
    """The protocol with a proxy in front of it."""

    trusted: ClassVar = (ip_network("10.0.0.0/8"),)


class Connection(asyncio.Transport):
    """A connection from an address, and what is written to it."""

    def __init__(self, address: str) -> None:
        super().__init__({"peername": (address, 50_000), "sockname": ("::", 8000)})
        self.written = b""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Keep what is written."""
        self.written += bytes(data)

    def is_closing(self) -> bool:
        """Whether it ends."""
        return bool(self.written)

    def get_write_buffer_size(self) -> int:
        """Return 0: everything is sent at once."""
        return 0

    def close(self) -> None:
        """End."""


def exchange(server: str, data: bytes) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of the answer to raw bytes."""
    address = urlsplit(server)
    assert address.hostname
    assert address.port
    with socket.create_connection((address.hostname, address.port), timeout=5) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    head, _, body = answer.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return int(status.split()[1]), headers, body


@pytest.mark.parametrize(
    ("data", "status", "code"),
    [
        (b"FOO / HTTP/1.1\r\nHost: localhost\r\n\r\n", 405, "method_not_allowed"),
        (b"get / HTTP/1.1\r\nHost: localhost\r\n\r\n", 405, "method_not_allowed"),
        (b"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n", 405, "method_not_allowed"),
        (b"TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n", 405, "method_not_allowed"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc", 405, "method_not_allowed"),
        (b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", 400, "validation_failed"),
        (b"GET / HTTP/1.1\r\nHost localhost\r\n\r\n", 400, "validation_failed"),
        (b"GET / HTTP/1.1\r\nA: b\r\n c\x00d\r\n\r\n", 400, "validation_failed"),
        (b"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 421, "misdirected"),
        (b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421, "misdirected"),
        (b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n" + WEBSOCKET, 400, "validation_failed"),
        (b"\r\n" * 40_000, 431, "headers_too_large"),
    ],
)
def test_it_is_refused_with_a_problem(server: str, data: bytes, status: int, code: str) -> None:
    got, headers, body = exchange(server, data)
    assert got == status
    assert headers["content-type"] == "application/problem+json"
    assert headers["x-content-type-options"] == "nosniff"
    problem = json.loads(body)
    assert (problem["error"], problem["status"]) == (code, status)
    assert len(problem["request_id"]) == 16
    if status == 405:
        assert headers["allow"] == "GET, HEAD, OPTIONS"


def test_an_upgrade_to_another_protocol_is_ignored_and_writes_no_warning(web: Running) -> None:
    for upgrade in (WEBSOCKET, b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n"):
        status, _, _ = exchange(
            web.address, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + upgrade
        )
        assert status == (400 if upgrade is WEBSOCKET else 200)
    assert not any("upgrade" in line.lower() or "websocket" in line.lower() for line in web.errors)


@pytest.mark.parametrize(
    ("method", "behind"),
    [
        (b"GET", b"Host: ::1\r\n\r\n"),
        (b"HEAD", b"\x16\x03\x01"),
        (b"GET", b"POST /api/search HTTP/1.1\r\nHost: localhost\r\n\r\n{}"),
        (b"HEAD", b"POST /api/search HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n"),
        (b"HEAD", b"GET /" + b"a" * 66_000),  # waited for as long as a head may take
    ],
)
def test_what_is_no_request_takes_no_answer_from_the_one_before_it(
    web: Running, method: bytes, behind: bytes
) -> None:
    before = b" /api/status?fields=asOf HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answer = web.send(method + before + behind)
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    body, _, refusal = answer.body.partition(b"HTTP/1.1 4")
    assert body.startswith(b'{"asOf":') is (method == b"GET")
    assert refusal.count(b"x-content-type-options") <= 1


def test_an_absolute_target_outranks_the_host_header(server: str) -> None:
    data = b"GET http://localhost/api/scheduling HTTP/1.1\r\nHost: evil.example\r\n"
    status, _, body = exchange(server, data + b"Connection: close\r\n\r\n")
    assert status == 200
    assert json.loads(body)["timezone"]


def test_options_may_ask_about_the_server_itself(server: str) -> None:
    data = b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    status, headers, _ = exchange(server, data)
    assert (status, headers["allow"]) == (204, "GET, HEAD, OPTIONS")


def test_a_caller_who_leaves_amid_the_body_is_no_fault_of_ours(server: str) -> None:
    address = urlsplit(server)
    head = b"POST /api/graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with socket.create_connection((str(address.hostname), address.port or 0)) as connection:
        connection.sendall(head + b"Content-Length: 50\r\n\r\n{")
    status, _, _ = exchange(server, b"HEAD /api/status HTTP/1.0\r\nHost: localhost\r\n\r\n")
    assert status == 200


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /" + b"a" * 70_000, b"414"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nA: " + b"a" * 70_000, b"431"),
        (b"GET / HTTP/1.1\r\nHost localhost\r\n", b"400"),
        (
            b"POST /api/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 9000000\r\n\r\n",
            b"413",
        ),
    ],
    ids=["address", "header", "syntax", "body"],
)
def test_a_peer_still_sending_what_is_refused_gets_the_answer(
    web: Running, head: bytes, status: bytes
) -> None:
    with socket.create_connection(web.place, timeout=10) as connection:
        connection.sendall(head)
        answer = connection.recv(1)  # the answer is here, and the peer goes on sending
        for _ in range(10):
            connection.sendall(b"a" * 100_000)
        while part := connection.recv(65536):
            answer += part
    assert answer.startswith(b"HTTP/1.1 " + status)
    assert answer.endswith(b"}")


def test_a_peer_who_never_ends_what_is_refused_is_let_go(web: Running) -> None:
    def is_cut() -> bool:
        try:
            connection.sendall(b"a" * 1_000)
        except ConnectionError:
            return True
        return False

    with socket.create_connection(web.place, timeout=10) as connection:
        connection.sendall(b"no request\r\n\r\n")
        eventually(is_cut, 5 * LINGER_SECONDS)


class Impatient(TimedHttpProtocol):
    """The protocol with little time for peers who do not read."""

    send_seconds: ClassVar = 0.05


class Patient(TimedHttpProtocol):
    """The protocol with less time than a slow peer takes in all, but enough to see it read."""

    send_seconds: ClassVar = 0.3


LONG = Response(b"x" * 20_000_000)
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n"


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
@pytest.mark.parametrize(
    ("request_end", "half_closes"),
    [(b"\r\n", False), (b"Connection: close\r\n\r\n", False), (b"\r\n", True)],
    ids=["kept alive", "closing", "half closed"],
)
def test_a_peer_who_does_not_read_is_let_go(
    new_loop: Callable[[], asyncio.AbstractEventLoop],
    request_end: bytes,
    *,
    half_closes: bool,
) -> None:
    config, state = Config(LONG, log_config=None), ServerState()

    async def run() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(
            lambda: Impatient(config, state, {}, loop), "127.0.0.1", 0
        )
        with socket.socket() as peer:
            peer.setblocking(False)
            await loop.sock_connect(peer, server.sockets[0].getsockname())
            await loop.sock_sendall(peer, REQUEST + request_end)
            if half_closes:
                peer.shutdown(socket.SHUT_WR)
            await asyncio.to_thread(
                eventually, lambda: state.total_requests and not state.connections, 20
            )
        server.close()

    with closing(new_loop()) as loop:
        loop.run_until_complete(run())


def served_with(
    application: ASGIApp,
    peer_of: Callable[[socket.socket], Coroutine[None, None, None]],
    protocol: type[TimedHttpProtocol] = TimedHttpProtocol,
) -> list[str]:
    """What the loop found wrong, after a peer has talked to an application over uvloop."""
    wrong: list[str] = []

    async def run() -> None:
        loop, state = asyncio.get_running_loop(), ServerState()
        loop.set_exception_handler(lambda _, context: wrong.append(str(context)))
        config = Config(application, log_config=None)
        server = await loop.create_server(lambda: protocol(config, state, {}, loop), "127.0.0.1", 0)
        with socket.socket() as peer:
            peer.setblocking(False)
            await loop.sock_connect(peer, server.sockets[0].getsockname())
            await peer_of(peer)
        while state.tasks:
            await asyncio.wait(state.tasks)
        server.close()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run())
    return wrong


def test_an_application_is_not_woken_for_each_byte_of_a_body() -> None:
    pieces: list[int] = []

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        more = True
        while more:
            message = await receive()
            pieces.append(len(message["body"]))
            more = message["more_body"]
        await Response(b"")(scope, receive, send)

    async def peer_of(peer: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        length = b"Content-Length: 40000\r\nConnection: close\r\n\r\n"
        await loop.sock_sendall(peer, b"POST / HTTP/1.1\r\nHost: localhost\r\n" + length)
        for size in (*[1] * 40, 39_960):
            await loop.sock_sendall(peer, b"a" * size)
            await asyncio.sleep(0.001)
        while await loop.sock_recv(peer, 1000):
            pass

    assert served_with(application, peer_of) == []
    assert (sum(pieces), len(pieces) < 10) == (40_000, True)


IN_A_ROW = b"".join(b"GET /%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % n for n in (1, 2, 3))
NO_GOODBYE = struct.pack("ii", 1, 0)
"""The linger that has a socket reset its connection when it is closed."""


@pytest.mark.parametrize("resets", [False, True], ids=["closes", "resets"])
def test_who_leaves_ends_the_work_for_a_request_and_those_behind_it_are_not_run(
    *, resets: bool
) -> None:
    ran: list[str] = []
    began = asyncio.Event()

    async def work() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ran.append("ended")
            raise

    async def application(scope: Scope, receive: Receive, _: Send) -> None:
        ran.append(scope["path"])
        request = Request(scope, receive)
        await request.body()
        with suppress(ClientDisconnect):
            await run_until_disconnect(request, work())

    async def peer_of(peer: socket.socket) -> None:
        await asyncio.get_running_loop().sock_sendall(peer, IN_A_ROW)
        await began.wait()
        if resets:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_GOODBYE)

    assert served_with(application, peer_of) == []
    assert ran == ["/1", "ended"]


def test_behind_an_answer_that_nobody_reads_no_request_is_run() -> None:
    ran: list[str] = []
    ended = asyncio.Event()

    async def parts() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield bytes(2**20)

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        ran.append(scope["path"])
        with suppress(ClientDisconnect):
            await StreamingResponse(parts())(scope, receive, send)
        ended.set()

    async def peer_of(peer: socket.socket) -> None:
        await asyncio.get_running_loop().sock_sendall(peer, IN_A_ROW)
        await ended.wait()

    assert served_with(application, peer_of, Impatient) == []
    assert ran == ["/1"]


def test_a_crowd_of_requests_on_one_connection_waits_unparsed_and_unread() -> None:
    crowd = b"".join(b"GET /%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % n for n in range(200_000))
    connections: list[TimedHttpProtocol] = []
    answered: list[str] = []
    waiting: list[tuple[int, bool]] = []

    class Watched(TimedHttpProtocol):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            connections.append(self)

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        waiting.append((len(connections[0].pipeline), connections[0].flow.read_paused))
        answered.append(scope["path"])
        await Response(b"")(scope, receive, send)

    async def peer_of(peer: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        sending = asyncio.ensure_future(loop.sock_sendall(peer, crowd))
        while len(answered) < 5_000:
            await loop.sock_recv(peer, 2**20)
        sending.cancel()

    assert served_with(application, peer_of, Watched) == []
    assert answered == [f"/{number}" for number in range(len(answered))]
    assert waiting[0] == (MAX_WAITING - 1, True)
    assert max(waiting)[0] <= MAX_WAITING


def test_a_peer_who_reads_slowly_gets_everything() -> None:
    config, state = Config(LONG, log_config=None), ServerState()

    async def run() -> int:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Patient(config, state, {}, loop), "127.0.0.1", 0)
        got = 0
        with socket.socket() as peer:
            peer.setblocking(False)
            await loop.sock_connect(peer, server.sockets[0].getsockname())
            await loop.sock_sendall(peer, REQUEST + b"Connection: close\r\n\r\n")
            while data := await loop.sock_recv(peer, 200_000):
                got += len(data)
                await asyncio.sleep(0.005)
        server.close()
        return got

    with closing(asyncio.new_event_loop()) as loop:
        assert loop.run_until_complete(run()) > len(LONG.body)


@pytest.mark.parametrize(
    ("address", "is_stranger"),
    [
        *((stranger, True) for stranger in ("203.0.113.9", "::ffff:203.0.113.9", "2001:db8::9")),
        *((friend, False) for friend in ("127.0.0.1", "::ffff:127.0.0.1", "::1")),
        *((proxy, False) for proxy in ("10.0.0.1", "::ffff:10.0.0.1")),
    ],
)
def test_a_stranger_alone_holds_only_so_many_connections(
    address: str, *, is_stranger: bool
) -> None:
    config, state = Config(Router(), log_config=None), ServerState()
    made = [Connection(address) for _ in range(MAX_PER_ADDRESS + 1)]
    with closing(asyncio.new_event_loop()) as loop:
        for connection in made:
            Trusting(config, state, {}, loop).connection_made(connection)
    assert [bool(each.written) for each in made] == [False] * MAX_PER_ADDRESS + [is_stranger]
