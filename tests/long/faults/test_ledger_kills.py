"""However often a service is killed while it takes writes: what it acknowledged is there."""

import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from contact_inbox import LETTER, delivered
from webhook_server import SCALE, Served, Studio, studio, until
from webhook_sinks import Sink, sink

KILLS = 2 * SCALE
WRITERS = 3
PORTS = 8
WRITES = 10
"""How many messages are acknowledged, at least, before a kill."""


@dataclass
class Ledger:
    """What callers outside the service were told that it has."""

    letters: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    """The subscriptions."""
    asked: int = 0
    """How many subscriptions were answered, with whatever."""
    wrong: list[int] = field(default_factory=list)
    numbers: "itertools.count[int]" = field(default_factory=itertools.count)


def write(served: Served, ledger: Ledger, ending: threading.Event) -> None:
    """Write to the human until the service is gone."""
    with httpx.Client(base_url=served.address, timeout=60) as client:
        while not ending.is_set():
            mark = f"ledger-{next(ledger.numbers)}-end"
            body = {**LETTER, "message": f"{LETTER['message']} {mark}"}
            try:
                answer = client.post("/api/contact", json=body)
            except httpx.TransportError:
                continue
            if answer.is_success:
                ledger.letters.append(mark)
            else:
                ledger.wrong.append(answer.status_code)


def subscribe(served: Served, sink: Sink, ledger: Ledger, ending: threading.Event) -> None:
    """Subscribe until the service is gone."""
    while not ending.is_set():
        number = next(ledger.numbers)
        try:
            answer = served.subscribe(sink.url(f"h{number}", ledger.asked % PORTS))
        except httpx.TransportError:
            continue
        ledger.asked += 1
        if answer.status_code == httpx.codes.CREATED:
            ledger.held.append(answer.json()["id"])
        elif answer.status_code != httpx.codes.TOO_MANY_REQUESTS:  # ten of a host in an hour
            ledger.wrong.append(answer.status_code)


def killed_amid_writes(made: Studio, sink: Sink, ledger: Ledger, number: int) -> float:
    """Start, have it written to, kill it; return after how many seconds it answered."""
    began = time.monotonic()
    served = made.start()
    seconds = time.monotonic() - began
    ending, letters, asked = threading.Event(), len(ledger.letters), ledger.asked
    with ThreadPoolExecutor(WRITERS + 1) as pool:
        work = [pool.submit(write, served, ledger, ending) for _ in range(WRITERS)]
        work.append(pool.submit(subscribe, served, sink, ledger, ending))
        try:
            until(lambda: len(ledger.letters) >= letters + WRITES + number % 7)
            until(lambda: ledger.asked > asked)
        finally:
            made.kill()
            ending.set()
    for each in work:
        each.result()
    return seconds


def test_what_was_acknowledged_is_there_after_every_kill(tmp_path: Path) -> None:
    ledger = Ledger()
    with sink(PORTS) as receivers, studio("sqlite", tmp_path, CONTACT_LIMIT="0") as made:
        times = [killed_amid_writes(made, receivers, ledger, number) for number in range(KILLS)]
        made.start()
        said = b"\n".join(delivered(tmp_path)).replace(b"=\n", b"").replace(b"=\r\n", b"")
        lost = [mark for mark in ledger.letters if mark.encode() not in said]
        kept = {row[0] for row in made.rows("SELECT id FROM subscription")}
    print(  # noqa: T201 - the figures, for `pytest -s`
        f"{KILLS} kills, {len(ledger.letters)} messages and {len(ledger.held)} subscriptions"
        f" acknowledged; serving after {max(times):.1f} s at most"
    )
    assert (lost, set(ledger.held) - kept, ledger.wrong) == ([], set(), [])
    assert len(ledger.letters) >= KILLS * WRITES
    assert ledger.held
