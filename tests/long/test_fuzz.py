"""Changed requests find no fault in a short run of `make fuzz`, and each fault that is planted."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pytest
from answer_faults import faults, mark_of
from fuzz import SECRET, WEIGHTS, Fuzz, started, telling_lines
from raw_client import Answer, Heard, ask, owed
from request_mutations import Parts, mutated

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
    assert {"200", "400", "404", "405", "413", "415", "250"} <= statuses


def test_a_case_is_the_same_each_time(fuzz: Fuzz) -> None:
    assert [fuzz.case(number)[:2] for number in range(50)] == [
        fuzz.case(number)[:2] for number in range(50)
    ]


@pytest.mark.parametrize("fault", FAULTY)
def test_a_faulty_answer_is_found(fault: str) -> None:
    assert list(faults(7, Heard([FAULTY[fault]]), [SECRET.encode()])) == [fault]


def test_an_answer_may_hold_the_mark_of_its_own_request_and_a_path_too() -> None:
    own = Answer(200, GOOD, mark_of(7).encode())
    fields = [{"path": mark_of(7), "rule": "unknown"}]
    path = Answer(400, PROBLEM, json.dumps({"detail": "", "fields": fields}).encode())
    assert list(faults(7, Heard([own, path]), [])) == []


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


def test_an_event_stream_may_go_on_and_what_is_not_owed_is_not_waited_for() -> None:
    head = (
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    )
    with answering(head, b"3\r\na\n\n\r\n") as place:
        heard = ask(place, ASKED, patience_seconds=0.3)
    assert (heard.is_late, heard.answers[0].is_cut) == (False, True)
    with answering() as place:
        assert not ask(place, ASKED[:-2], patience_seconds=30).is_late


def test_requests_that_are_owed_an_answer_are_counted_as_the_service_reads_them() -> None:
    assert owed(ASKED * 3 + ASKED[:-1]) == ["GET"] * 3
    assert owed(b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc") == []
    assert owed(b"\x16\x03\x01\x02\x00") == ["-"]
    assert owed(ASKED.replace(b"\r\n\r\n", b"\r\nConnection: upgrade\r\nUpgrade: a\r\n\r\nx")) == [
        "GET"
    ]


def test_a_request_is_taken_apart_and_put_together_again() -> None:
    data = b"POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"
    parts = Parts.of(data)
    assert parts is not None
    assert parts.data() == data
    seeds = map(Random, range(200))  # no secrets are made of them
    changed = {mutated(random, data, mark_of(1)) for random in seeds}
    assert len(changed) > 150
