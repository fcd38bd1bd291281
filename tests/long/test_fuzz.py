"""Changed requests find no fault in a short run of `make fuzz`, and each fault that is planted."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from answer_faults import faults, mark_of
from fuzz import SECRET, WEIGHTS, Fuzz, started, telling_lines
from raw_client import Answer, Heard, ask

COUNT = 1200
GOOD = {"x-content-type-options": "nosniff", "content-type": "application/json"}
PROBLEM = {**GOOD, "content-type": "application/problem+json"}
FAULTY = {
    "the status is 500": Answer(500, GOOD, b"{}"),
    "no nosniff": Answer(200, {}, b"{}"),
    "an HTML page": Answer(404, {**GOOD, "content-type": "text/html"}, b""),
    "the header server": Answer(200, {**GOOD, "server": "x"}, b""),
    "it tells 'site-packages'": Answer(400, GOOD, b'"/opt/site-packages/a.py"'),
    f"it tells {SECRET!r}": Answer(200, GOOD, SECRET.encode()),
    "it holds what another request sent: [8]": Answer(200, GOOD, mark_of(8).encode()),
    "a refusal repeats what was sent": Answer(
        400, PROBLEM, json.dumps({"detail": mark_of(7), "fields": []}).encode()
    ),
}
ASKED = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def fuzz() -> Iterator[Fuzz]:
    """A server, with what is to be sent to it."""
    with started(seed=7) as made:
        yield made


def test_nothing_is_found_in_a_short_run(fuzz: Fuzz) -> None:
    fuzz.run(range(COUNT))
    found = [(failure.number, failure.found, failure.data[:999]) for failure in fuzz.failures]
    assert (found, telling_lines(fuzz.server)) == ([], [])
    assert fuzz.server.process.poll() is None
    kinds = {kind for kind, _ in fuzz.answers}
    statuses = {status for _, status in fuzz.answers}
    assert kinds == {*WEIGHTS}
    assert {"200", "400", "404", "405", "413", "415"} <= statuses


def test_a_case_is_the_same_each_time(fuzz: Fuzz) -> None:
    assert [fuzz.case(number) for number in range(50)] == [
        fuzz.case(number) for number in range(50)
    ]


@pytest.mark.parametrize("fault", FAULTY)
def test_a_faulty_answer_is_found(fault: str) -> None:
    assert list(faults(7, Heard([FAULTY[fault]]), [SECRET.encode()])) == [fault]


@contextmanager
def answering(*pieces: bytes) -> Iterator[tuple[str, int]]:
    """A port that answers one connection with these bytes, and then says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as port:
        done = threading.Event()

        def serve() -> None:
            with port.accept()[0] as connection:
                connection.recv(65536)
                for piece in pieces:
                    connection.sendall(piece)
                done.wait(30)

        thread = threading.Thread(target=serve)
        thread.start()
        yield port.getsockname()
        done.set()
        thread.join()


@pytest.mark.parametrize(
    "said",
    [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf", b"HTTP/1.1 200 OK\r\ncontent-len"],
)
def test_an_answer_that_does_not_end_is_late(said: bytes) -> None:
    with answering(said) as place:
        assert ask(place, ASKED, patience_seconds=0.3).is_late
