"""Whoever asks for an answer that must be made waits for a turn of the loop; reads go on."""

from collections.abc import Iterator
from functools import partial

import orjson
import pytest
from wire import Wire, post_of, status_of, unchanging

from rest_bridge.http.loop_turn import LEAST, SECONDS, LoopTurn

NO_CACHE = "Cache-Control: no-cache"
QUERY = orjson.dumps({"query": "{ projects { slug summary } }"})
POST = post_of("/api/graphql", QUERY, NO_CACHE)
READ = b"GET /api/status HTTP/1.1\r\nHost: localhost\r\n\r\n"
HEAD, BODY = POST[: -len(QUERY)], QUERY


@pytest.fixture
def spent(line: Wire) -> Iterator[Wire]:
    """A second connection while others have taken the turn of the loop."""
    for _ in range(4):  # the application answers first, and what it says is remembered
        line.send(POST)
        line.get("/api/status")
    made = Wire(line.service, line.loop)
    turn_of(made).spend(SECONDS, made.loop)
    yield made
    made.protocol.connection_lost(None)
    made.turn()


def turn_of(line: Wire) -> LoopTurn:
    assert line.service.ready is not None
    return line.service.ready.turn


def taken(line: Wire, data: bytes) -> bytes:
    """Return what is written in this turn of the loop."""
    line.transport.written = b""
    line.protocol.data_received(data)
    return line.transport.written


def test_a_post_waits_for_the_next_turn(spent: Wire, line: Wire) -> None:
    assert taken(spent, POST) == b""
    spent.turn()
    answer = spent.transport.written
    assert unchanging(answer) == unchanging(line.send(POST)[0])


def test_a_body_behind_its_head_waits_too(spent: Wire) -> None:
    spent.turn()
    assert taken(spent, HEAD) == b""
    turn_of(spent).spend(SECONDS, spent.loop)
    assert taken(spent, BODY) == b""
    spent.turn()
    assert status_of(spent.transport.written) == 200


def test_a_read_waits_for_nobody(spent: Wire) -> None:
    assert spent.get("/api/status")[1]


def test_what_comes_behind_a_waiting_post_is_answered_behind_it(spent: Wire) -> None:
    assert taken(spent, POST) + taken(spent, READ) == b""
    answers, _ = spent.send(b"")
    assert answers.count(b"HTTP/1.1 200") == 2
    assert answers.index(b'"projects"') < answers.index(b'"state"')


def test_those_who_wait_come_in_their_order_and_others_between_them(line: Wire) -> None:
    turn, order = LoopTurn(), list[int | str]()
    turn.spend(SECONDS, line.loop)

    def work(number: int) -> None:
        order.append(number)
        turn.spend(SECONDS * 0.6, line.loop)

    def read() -> None:
        order.append("read")
        if len(order) < 20:
            line.loop.call_soon(read)

    for number in range(6):
        turn.delay(partial(work, number))
    line.loop.call_soon(read)
    while len(order) < 20:
        line.turn()
    assert [entry for entry in order if entry != "read"] == [0, 1, 2, 3, 4, 5]
    assert order[:9] == [0, 1, "read", 2, 3, "read", 4, 5, "read"]
    assert not turn.is_spent


@pytest.mark.parametrize("ending", ["eof_received", "shutdown", "timeout_keep_alive_handler"])
def test_a_waiting_post_is_answered_before_its_connection_ends(spent: Wire, ending: str) -> None:
    assert taken(spent, POST) == b""
    getattr(spent.protocol, ending)()
    assert status_of(spent.transport.written) == 200
    spent.turn()
    assert spent.transport.written.count(b"HTTP/1.1") == 1


def test_nothing_is_made_for_a_connection_that_was_lost(line: Wire) -> None:
    turn_of(line).spend(SECONDS, line.loop)
    lost = Wire(line.service, line.loop)
    assert taken(lost, POST) == b""
    lost.protocol.connection_lost(None)
    line.turn()
    assert lost.transport.written == b""


def test_what_is_made_quickly_takes_no_turn(line: Wire) -> None:
    turn = LoopTurn()
    for _ in range(100):
        turn.spend(LEAST / 2, line.loop)
    assert not turn.is_spent
