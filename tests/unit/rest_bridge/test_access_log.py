"""What the guard writes down: a line a request, never what was sent; our faults in full."""

import asyncio
import json
import logging
import re
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from ipaddress import ip_network

import pytest
from asgi_call import HOSTS, Headers, ask, keeping, raising, well
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import ASGIApp, Receive, Scope, Send

from rest_bridge.http.access_log import (
    DAY_SECONDS,
    FLUSH_SECONDS,
    MAX_ADDRESSES,
    MAX_AGENT,
    MAX_WAITING,
    AccessLog,
    AddressHasher,
)
from rest_bridge.http.middleware import MAX_URI, RequestGuard
from sdl.errors import InternalError, NotFoundError, UnavailableError

CANARY = "c4n4ry-7f3a"
KEYS = ["time", "route", "status", "ms", "bytes", "request_id", "address", "agent"]


class PlantedError(Exception):
    """Our own fault."""


async def torn(scope: Scope, _receive: Receive, send: Send) -> None:
    """An application that fails amid its answer."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    raise NotFoundError(scope["path"])


@pytest.fixture
def access() -> Iterator[list[str]]:
    with keeping("studiograph.access") as lines:
        yield lines


@pytest.fixture
def faults() -> Iterator[list[str]]:
    with keeping("studiograph.faults") as lines:
        yield lines


def with_agent(agent: str) -> Headers:
    return [(b"host", b"localhost"), (b"user-agent", agent.encode("latin-1"))]


APPS = [
    pytest.param(well, 200, "/things/{name}", id="success"),
    pytest.param(raising(NotFoundError("Nothing.")), 404, "-", id="a caller's mistake"),
    pytest.param(raising(PlantedError()), 500, "-", id="our fault"),
]


@pytest.mark.parametrize(("app", "status", "route"), APPS)
def test_a_request_is_one_json_line_with_exactly_these_keys(
    app: ASGIApp, status: int, route: str, access: list[str]
) -> None:
    answer = ask(RequestGuard(app, HOSTS), with_agent("Reader/1.0"))
    assert len(access) == 1
    line = json.loads(access[0])
    assert list(line) == KEYS
    assert line["status"] == answer.status == status
    assert line["route"] == route
    assert line["bytes"] == len(answer.body)
    assert line["request_id"] == answer.headers["x-request-id"]
    assert line["agent"] == "Reader/1.0"
    assert 0 <= line["ms"] < 5000
    assert datetime.fromisoformat(line["time"]).utcoffset() == timedelta(0)


@pytest.mark.parametrize(("app", "status", "route"), APPS)
@pytest.mark.parametrize(
    "headers",
    [
        [(b"host", b"localhost")],
        [(b"host", b"localhost:" + CANARY.encode())],
        [(b"host", CANARY.encode())],
        [],
    ],
)
def test_nothing_that_was_sent_is_written_down_but_the_agent(
    app: ASGIApp, status: int, route: str, headers: Headers, access: list[str]
) -> None:
    planted = CANARY.encode()
    names = [b"authorization", b"cookie", b"referer", b"x-forwarded-for", b"accept", planted]
    ask(
        RequestGuard(app, HOSTS),
        headers + [(name, planted) for name in names],
        method=CANARY.upper(),
        path=f"/{CANARY}",
        raw_path=f"/{CANARY}".encode(),
        query_string=b"q=" + planted,
        client=(CANARY, 1),
    )
    assert len(access) == 1
    assert CANARY not in access[0].lower()
    line = json.loads(access[0])
    refused = headers[:1] != [(b"host", b"localhost")]
    assert (line["status"], line["route"]) == ((421, "-") if refused else (status, route))


def test_a_refused_address_is_not_written_down(access: list[str]) -> None:
    ask(RequestGuard(well, HOSTS), path=f"/{CANARY}", query_string=CANARY.encode() * MAX_URI)
    assert json.loads(access[0])["status"] == 414
    assert CANARY not in access[0]


@pytest.mark.parametrize(
    ("agent", "written"),
    [
        ("a\r\nfake: line", "a\\r\\nfake: line"),
        ("\x00\x1b[31m\x7f\x9b", "\\x00\\x1b[31m\\x7f\\x9b"),
        ("caf\xe9", "caf\\xe9"),
        ("back\\slash", "back\\\\slash"),
        ('"}{"', '"}{"'),
        ("a" * 500, "a" * MAX_AGENT),
        ("\n" * 500, "\\n" * (MAX_AGENT // 2)),
    ],
)
def test_the_agent_is_escaped_and_short(agent: str, written: str, access: list[str]) -> None:
    ask(RequestGuard(well, HOSTS), with_agent(agent))
    assert json.loads(access[0])["agent"] == written
    assert "\n" not in access[0]


@given(st.text(st.characters(max_codepoint=255), max_size=300))
def test_any_agent_is_at_most_120_printable_characters(agent: str) -> None:
    with keeping("studiograph.access") as lines:
        ask(RequestGuard(well, HOSTS), with_agent(agent))
    written = json.loads(lines[0])["agent"]
    assert len(written) <= MAX_AGENT
    assert re.fullmatch("[ -~]*", written)


def address_of(guard: RequestGuard, client: object) -> str:
    with keeping("studiograph.access") as lines:
        ask(guard, client=client)
    written: str = json.loads(lines[0])["address"]
    return written


def test_an_address_is_a_pseudonym_that_lasts_and_differs_from_others() -> None:
    guard = RequestGuard(well, HOSTS)
    clients = [("192.0.2.1", 1), ("192.0.2.2", 1), ("2001:db8::1", 1), None]
    first = [address_of(guard, client) for client in clients]
    assert len(set(first)) == len(clients)
    assert all(re.fullmatch("[0-9a-f]{16}", found) for found in first)
    assert [address_of(guard, client) for client in clients] == first
    assert address_of(guard, ("192.0.2.1", 60_000)) == first[0]


def write(log: AccessLog, *headers: tuple[bytes, bytes], peer: str = "192.0.2.1") -> None:
    log.write(route="/", status=200, began=0.0, size=0, request_id="0", peer=peer, headers=headers)


def test_the_address_is_that_which_a_trusted_proxy_names() -> None:
    log = AccessLog(logging.getLogger("studiograph.access"))
    log.trusted = [ip_network("10.0.0.0/8")]
    forwarded = (b"x-forwarded-for", b"8.8.8.8, 192.0.2.1")
    with keeping("studiograph.access") as lines:
        write(log)
        write(log, forwarded, peer="10.0.0.1")
        write(log, peer="10.0.0.1")
        write(log, forwarded, peer="192.0.2.9")
        log.flush()
    direct, behind, proxy, stranger = (
        json.loads(line)["address"] for text in lines for line in text.split("\n")
    )
    assert direct == behind
    assert len({direct, proxy, stranger}) == 3


def test_lines_are_written_together_while_the_loop_runs() -> None:
    log = AccessLog(logging.getLogger("studiograph.access"))

    async def three() -> None:
        for _ in range(3):
            write(log)
        assert lines == []
        await asyncio.sleep(2 * FLUSH_SECONDS)

    with keeping("studiograph.access") as lines:
        asyncio.run(three())
    assert len(lines) == 1
    assert [json.loads(line)["route"] for line in lines[0].split("\n")] == ["/"] * 3


def test_no_more_than_so_many_lines_wait() -> None:
    log = AccessLog(logging.getLogger("studiograph.access"))

    async def many() -> None:
        for _ in range(MAX_WAITING + 1):
            write(log)

    with keeping("studiograph.access") as lines:
        asyncio.run(many())
        assert len(lines) == 1
        assert lines[0].count("\n") == MAX_WAITING - 1
        log.flush()
    assert len(lines) == 2


def test_a_line_is_not_left_behind_by_a_loop_that_has_ended() -> None:
    log = AccessLog(logging.getLogger("studiograph.access"))

    async def one() -> None:
        write(log)

    with keeping("studiograph.access") as lines:
        asyncio.run(one())
        write(log)  # no loop runs
        assert len(lines) == 1
        assert lines[0].count("\n") == 1


def test_a_remembered_pseudonym_is_the_same_and_few_are_remembered() -> None:
    hasher = AddressHasher()
    first = hasher.hash("192.0.2.1")
    assert hasher.hash("192.0.2.1") == first
    for number in range(2 * MAX_ADDRESSES):
        hasher.hash(str(number))
    assert hasher.hash("192.0.2.1") == first


def test_a_pseudonym_is_another_one_the_next_day(monkeypatch: pytest.MonkeyPatch) -> None:
    hasher, now = AddressHasher(), time.time()
    first = hasher.hash("192.0.2.1")
    monkeypatch.setattr("time.time", lambda: now + DAY_SECONDS)
    assert hasher.hash("192.0.2.1") != first


def test_no_other_process_can_tell_whose_pseudonym_it_is() -> None:
    assert AddressHasher().hash("192.0.2.1") != AddressHasher().hash("192.0.2.1")


def test_our_fault_is_a_500_without_its_text_and_a_traceback_in_the_log(faults: list[str]) -> None:
    answer = ask(RequestGuard(raising(PlantedError(CANARY)), HOSTS))
    assert answer.json() == {
        "ok": False,
        "error": "internal",
        "title": InternalError.title,
        "status": 500,
        "detail": "Internal error; report the request id to have it looked up.",
        "request_id": answer.headers["x-request-id"],
    }
    assert CANARY not in answer.body.decode()
    assert len(faults) == 1
    assert answer.headers["x-request-id"] in faults[0]
    assert "Traceback (most recent call last)" in faults[0]
    assert f"PlantedError: {CANARY}" in faults[0]


def test_a_named_failure_of_ours_keeps_its_name_and_names_its_cause_on_a_line(
    faults: list[str],
) -> None:
    unavailable = UnavailableError("The relay does not answer.")
    unavailable.__cause__ = PlantedError(CANARY)
    answer = ask(RequestGuard(raising(unavailable), HOSTS))
    assert (answer.status, answer.json()["error"]) == (503, "unavailable")
    assert CANARY not in answer.body.decode()
    assert len(faults) == 1
    assert "PlantedError" in faults[0]
    assert "\n" not in faults[0].strip()


def test_a_callers_mistake_is_no_fault_of_ours(faults: list[str]) -> None:
    ask(RequestGuard(raising(NotFoundError("Nothing.")), HOSTS))
    ask(RequestGuard(well, HOSTS), [])
    assert faults == []


def test_a_failure_amid_an_answer_starts_no_second_one(
    access: list[str], faults: list[str]
) -> None:
    with pytest.raises(NotFoundError):
        ask(RequestGuard(torn, HOSTS))
    assert len(faults) == 1
    assert len(access) == 1
    assert json.loads(access[0])["status"] == 200
