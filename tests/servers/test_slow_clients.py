"""Whoever is slow, silent or too many is let go, and nobody else notices."""

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from ai_service import LIGHT
from contact_inbox import desk
from running_server import Running, eventually

from rest_bridge.http.body import MAX_CHUNKS

DEADLINE_SECONDS = 60
"""When a test fails that waits for the server to close a connection."""
GET = b"GET /api/faq HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /api/contact HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
SILENT = "a head that stops"
DRIPS = {
    "silent": (b"", b""),
    SILENT: (GET, b""),
    "a head without an end": (GET, b"X-A: b\r\n"),
    "a head letter by letter": (b"", b"G"),
    "blank lines": (b"", b"\r\n"),
    "a body without an end": (POST + b"Content-Length: 60000\r\n\r\n", b"a"),
    "chunks without an end": (POST + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
    "a second request that never ends": (GET + b"\r\n", b"X"),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with room for few connections."""
    with desk(tmp_path_factory.mktemp("slow"), MAX_CONNECTIONS="200", **LIGHT) as running:
        yield running


LONG = b"GET /llms-full.txt HTTP/1.1\r\nHost: localhost\r\n"


def narrow(server: Running, asked: bytes) -> socket.socket:
    """A connection that takes little at once, on which so much was asked for."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.connect(server.place)
    made.sendall(asked)
    return made


@pytest.fixture(scope="module")
def unread(server: Running) -> Iterator[list[socket.socket]]:
    """Connections whose answers nobody reads."""
    asked = (LONG + b"\r\n") * 100 + LONG
    with ExitStack() as held:
        made = [
            held.enter_context(narrow(server, asked + ending + b"\r\n"))
            for ending in (b"", b"Connection: close\r\n") * 3
        ]
        assert connected(server, made) == 6
        yield made


def connected(server: Running, clients: list[socket.socket]) -> int:
    """How many of these clients the server is connected with, as the kernel has it."""
    ports = {f"{client.getsockname()[1]:04X}" for client in clients}
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    own = f"{server.place[1]:04X}"
    return sum(row[1][-4:] == own and row[2][-4:] in ports and row[3] == "01" for row in rows)


@pytest.fixture(scope="module")
def slowly(server: Running) -> Iterator["Future[bytes]"]:
    """What somebody gets who reads slowly, all in all for longer than a silence may last."""

    def read() -> bytes:
        asked = (LONG + b"\r\n") * 40 + LONG + b"Connection: close\r\n\r\n"
        pace, whole = threading.Event(), b""
        with narrow(server, asked) as slow:
            while data := slow.recv(2**16):
                whole += data
                pace.wait(0.005)
        return whole

    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(read)


def drip(server: Running, first: bytes, then: bytes) -> bytes:
    """Send slowly until the server closes the connection; return what it has answered."""
    answer, began = b"", time.monotonic()
    with socket.create_connection(server.place, timeout=0.5) as connection:
        connection.sendall(first)
        while time.monotonic() - began < DEADLINE_SECONDS:
            try:
                if not (data := connection.recv(65536)):
                    return answer
                answer += data
            except TimeoutError:
                pass
            except ConnectionError:
                return answer
            try:
                connection.sendall(then)
            except ConnectionError:
                return answer
    raise AssertionError("the connection was not closed")


@pytest.mark.usefixtures("unread", "slowly")  # they wait meanwhile
def test_a_request_that_does_not_come_is_cut_off_and_other_callers_do_not_notice(
    server: Running,
) -> None:
    with (
        ThreadPoolExecutor(3 * len(DRIPS)) as pool,
        httpx.Client(base_url=server.address, timeout=60) as client,
    ):
        slow = {
            (name, number): pool.submit(drip, server, first, then)
            for name, (first, then) in DRIPS.items()
            for number in range(3)
        }
        while wait(slow.values(), 0.2).not_done:
            assert client.get("/api/projects").status_code == 200
        answers = {name: done.result() for (name, _), done in slow.items()}
    assert answers[SILENT].startswith(b"HTTP/1.1 408 ")
    assert b'"timeout"' in answers[SILENT]


def test_answers_that_nobody_reads_are_given_up(
    server: Running, unread: list[socket.socket]
) -> None:
    eventually(lambda: connected(server, unread) == 0, DEADLINE_SECONDS)
    assert httpx.get(f"{server.address}/api/projects", timeout=60).status_code == 200


def test_an_answer_that_is_read_slowly_is_read_whole(slowly: "Future[bytes]") -> None:
    assert slowly.result().count(b"HTTP/1.1 200 ") == 41


def test_a_body_in_too_many_pieces_is_refused(server: Running) -> None:
    with socket.create_connection(server.place, timeout=30) as connection:
        connection.sendall(
            POST + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\na\r\n" * (MAX_CHUNKS + 1)
        )
        answer = connection.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_one_connection_too_many_is_told_so_and_room_is_found_again(tmp_path: Path) -> None:
    with desk(tmp_path, MAX_CONNECTIONS="5", **LIGHT) as small:
        with ExitStack() as held:
            for _ in range(5):
                held.enter_context(socket.create_connection(small.place, timeout=5))
            with socket.create_connection(small.place, timeout=5) as sixth:
                refused = sixth.makefile("rb").read()
                assert refused.startswith(b"HTTP/1.1 503 ")
                assert b"\r\nretry-after: 5\r\n" in refused
        assert httpx.get(f"{small.address}/api/projects", timeout=60).status_code == 200
