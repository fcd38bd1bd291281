"""Whoever is slow, silent or too many is let go, and nobody else notices."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from contact_inbox import desk
from running_server import Running

from rest_bridge.http.body import MAX_CHUNKS

PATIENCE_SECONDS = 13
GET = b"GET /api/faq HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /api/contact HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
DRIPS = {
    "silent": (b"", b""),
    "a head without an end": (GET, b"X-A: b\r\n"),
    "a head letter by letter": (b"", b"G"),
    "blank lines": (b"", b"\r\n"),
    "a body without an end": (POST + b"Content-Length: 60000\r\n\r\n", b"a"),
    "chunks without an end": (POST + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
    "a second request that never ends": (GET + b"\r\n", b"X"),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service of its own, with room for few."""
    with desk(tmp_path_factory.mktemp("slow"), MAX_CONNECTIONS="200") as found:
        yield found


def drip(server: Running, first: bytes, then: bytes, ends: dict[str, float], name: str) -> None:
    """Send slowly until the server has closed; note after how many seconds it did."""
    began = time.monotonic()
    with socket.create_connection(server.place, timeout=0.5) as connection:
        connection.sendall(first)
        while time.monotonic() - began < PATIENCE_SECONDS * 2:
            try:
                if connection.recv(65536) == b"":
                    break
            except TimeoutError:
                pass
            except ConnectionError:
                break
            try:
                connection.sendall(then)
            except ConnectionError:
                break
    ends[name] = time.monotonic() - began


def test_a_request_that_does_not_come_is_cut_off_in_time(server: Running) -> None:
    ends: dict[str, float] = {}
    threads = [
        threading.Thread(target=drip, args=(server, first, then, ends, f"{name} {number}"))
        for name, (first, then) in DRIPS.items()
        for number in range(5)
    ]
    for thread in threads:
        thread.start()
    with httpx.Client(base_url=server.address, timeout=60) as client:
        while any(thread.is_alive() for thread in threads):
            assert client.get("/api/projects").status_code == 200
            threads[0].join(0.2)
            for thread in threads:
                thread.join(0.01)
    assert {name: took for name, took in ends.items() if took > PATIENCE_SECONDS} == {}
    assert len(ends) == len(threads)


def test_who_says_nothing_in_time_is_told_so(server: Running) -> None:
    with socket.create_connection(server.place, timeout=30) as connection:
        connection.sendall(GET)
        answer = connection.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b'"timeout"' in answer


def test_a_head_that_never_ends_is_refused_by_its_length(server: Running) -> None:
    with socket.create_connection(server.place, timeout=30) as connection:
        connection.sendall(GET + b"X-A: " + b"a" * 70_000)
        answer = connection.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 431 ")


def test_a_body_in_too_many_pieces_is_refused(server: Running) -> None:
    with socket.create_connection(server.place, timeout=30) as connection:
        connection.sendall(
            POST + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\na\r\n" * (MAX_CHUNKS + 1)
        )
        answer = connection.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_requests_in_a_row_and_a_slow_but_honest_one_are_answered(server: Running) -> None:
    with socket.create_connection(server.place, timeout=30) as connection:
        connection.sendall(GET + b"\r\n" + GET + b"\r\n" + GET[:20])
        connection.sendall(GET[20:] + b"Connection: close\r\n\r\n")
        answer = connection.makefile("rb").read()
    assert answer.count(b"HTTP/1.1 200 ") == 3


def test_one_connection_too_many_is_told_so_and_room_is_found_again(tmp_path: Path) -> None:
    with desk(tmp_path, MAX_CONNECTIONS="5") as small:
        with ExitStack() as held:
            for _ in range(5):
                held.enter_context(socket.create_connection(small.place, timeout=5))
            with socket.create_connection(small.place, timeout=5) as sixth:
                assert sixth.makefile("rb").read().startswith(b"HTTP/1.1 503 ")
        assert httpx.get(f"{small.address}/api/projects", timeout=60).status_code == 200
