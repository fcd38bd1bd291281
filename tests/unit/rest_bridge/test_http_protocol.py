"""What arrives on the wire and is no ordinary request is answered in our own form."""

import asyncio
import json
import socket
from contextlib import closing
from ipaddress import ip_network
from typing import ClassVar
from urllib.parse import urlsplit

import pytest
from starlette.routing import Router
from uvicorn import Config
from uvicorn.server import ServerState

from rest_bridge.http.protocol import MAX_PER_ADDRESS, TimedHttpProtocol


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
