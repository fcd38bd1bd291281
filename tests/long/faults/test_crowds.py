"""A crowd of slow, idle and unread connections is cut off, and reads are answered meanwhile."""

import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import reading_program
from ai_service import LIGHT
from child_process import PATIENCE_SECONDS, program, read_line
from contact_inbox import desk
from running_server import Running
from webhook_server import SCALE

DRIPPING, IDLE, UNREAD = 100 * SCALE, 100 * SCALE, 20 * SCALE
CUT_SECONDS = 12
BUSY_SECONDS = 48
"""What a busy machine may add: the deadline is tested with five times its room."""
DRIP_SECONDS = 0.5
HEAD = b"GET /api/faq HTTP/1.1\r\nHost: localhost\r\n"
BODY = (
    b"POST /api/contact HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 60000\r\n\r\n"
)
LONG = b"GET /llms-full.txt HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50
DRIPS = ((HEAD, b"X-A: b\r\n"), (BODY, b"a"))


@dataclass
class Slow:
    """A connection, what it sends now and then, and whether it reads."""

    connection: socket.socket
    since: float
    """When it was connected."""
    due: float
    """When it sends and reads the next time; they are no more in step than strangers are."""
    then: bytes = b""
    reads: bool = True


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    """A server with room for the crowd."""
    room = DRIPPING + IDLE + UNREAD + 50
    with desk(tmp_path, MAX_CONNECTIONS=str(room), **LIGHT) as running:
        yield running


def crowd(server: Running, held: ExitStack) -> Iterator[Slow]:
    """The connections of the crowd, which begin at once."""
    for number in range(DRIPPING + IDLE + UNREAD):
        one = held.enter_context(socket.socket())
        is_unread = number >= DRIPPING + IDLE
        if is_unread:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.connect(server.place)
        since = time.monotonic()
        first, then = DRIPS[number % 2] if number < DRIPPING else (b"", b"")
        one.sendall(LONG if is_unread else first)
        one.setblocking(False)
        yield Slow(one, since, since + DRIP_SECONDS, then, not is_unread)


def held_ports(server: Running) -> set[int]:
    """The other ends of the connections the server holds, as the kernel has them.

    The table can lack a row while others come and go, so one reading alone proves nothing.
    """
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    own = f"{server.place[1]:04X}"
    return {int(row[2][-4:], 16) for row in rows if row[1][-4:] == own and row[3] == "01"}


def drip(slow: Slow) -> None:
    """Send what a connection sends now and then, and read what came, if it reads."""
    slow.due += DRIP_SECONDS
    with suppress(BlockingIOError, ConnectionError):
        if slow.then:
            slow.connection.send(slow.then)
        if slow.reads:
            slow.connection.recv(65536)


@contextmanager
def reader(address: str) -> Iterator[list[float]]:
    """Read again and again while the block runs; afterwards the list has how long each read took.

    Units: seconds.
    """
    times: list[float] = []
    with program(sys.executable, reading_program.__file__, f"{address}/api/projects") as reading:
        read_line(reading)
        yield times
        times += json.loads(reading.communicate(timeout=PATIENCE_SECONDS)[0])


def test_a_crowd_is_cut_off_in_time_while_reads_are_answered(server: Running) -> None:
    most = 0
    pace = threading.Event()
    with ExitStack() as held, reader(server.address) as times:
        everyone = list(crowd(server, held))
        ports = {one.connection.getsockname()[1]: one for one in everyone}
        complete = time.monotonic()
        before, cut = {*ports}, 0.0
        while left := {*ports} & held_ports(server):
            most = max(most, len(left))
            now = time.monotonic()
            cut = max([cut, *(now - ports[port].since for port in before - left)])
            before = left
            for one in everyone:
                if one.due <= now:
                    drip(one)
            assert now - complete < CUT_SECONDS + BUSY_SECONDS, len(left)
            pace.wait(0.01)
        now = time.monotonic()
        cut = max([cut, *(now - ports[port].since for port in before)])
    assert most == len(ports)
    times.sort()
    print(  # noqa: T201 - the figures, for `pytest -s`
        f"{DRIPPING} dripping, {IDLE} idle, {UNREAD} unread: each cut within {cut:.1f} s"
        " of its connection,"
        f" {len(times)} reads p50 {1000 * times[len(times) // 2]:.1f} ms,"
        f" p99 {1000 * times[int(len(times) * 0.99)]:.1f} ms"
    )
    assert httpx.get(f"{server.address}/api/projects", timeout=60).status_code == 200
