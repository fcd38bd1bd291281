"""However often a service is killed while it takes writes: what it acknowledged is there."""

import itertools
import os
import smtplib
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from contact_inbox import LETTER, marks_delivered
from mail_samples import ALICE, mail
from webhook_server import SCALE, Served, Studio, free_port, studio, until
from webhook_sinks import Sink, sink

KILLS = 2 * SCALE
STORES = ("sqlite", "postgresql") if SCALE > 1 else ("sqlite",)
WRITERS = 3
PORTS = 8 + KILLS // 8
WRITES = 10
"""How many messages are acknowledged, at least, before a kill."""
MAILBOX = "agents@studio.example"
START_SECONDS = 2
"""How soon after its start a process answers."""
BUSY = 2
"""What a second of a processor may be worth less where others use its caches; only the time that
the process itself has used is judged, for the clock on the wall counts the others too."""
TICK = os.sysconf("SC_CLK_TCK")
MAILS_A_SECOND = 4
"""How fast what waits is surely forwarded: half of the eight that the queue starts each second."""


@dataclass
class Ledger:
    """What callers outside the service were told that it has."""

    letters: list[str] = field(default_factory=list)
    mails: list[str] = field(default_factory=list)
    """Those the mail port has answered with 250."""
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


def send_mails(port: int, ledger: Ledger, ending: threading.Event) -> None:
    """Hand in mails until the service is gone."""
    while not ending.is_set():
        mark = f"ledger-{next(ledger.numbers)}-end"
        try:
            with smtplib.SMTP("127.0.0.1", port, timeout=60) as client:
                client.sendmail(ALICE, [MAILBOX], mail(f"=Message-ID: <{mark}@sender.example>"))
        except smtplib.SMTPResponseException as refusal:
            ledger.wrong.append(refusal.smtp_code)
        except (OSError, smtplib.SMTPServerDisconnected):
            ending.wait(0.01)
        else:
            ledger.mails.append(mark)


def seconds_used(process: int) -> float:
    """How many seconds of a processor a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def killed_amid_writes(
    made: Studio, sink: Sink, ledger: Ledger, number: int, port: int
) -> tuple[float, float]:
    """Start, have it written to, kill it; return after how many seconds it answered.

    The first figure is by the clock, the second what the process itself had used by then.
    """
    began = time.monotonic()
    served = made.start()
    seconds = time.monotonic() - began, seconds_used(served.process.pid)
    ending, letters, asked = threading.Event(), len(ledger.letters), ledger.asked
    mails = len(ledger.mails)
    with ThreadPoolExecutor(WRITERS + 2) as pool:
        work = [pool.submit(write, served, ledger, ending) for _ in range(WRITERS)]
        work.append(pool.submit(subscribe, served, sink, ledger, ending))
        work.append(pool.submit(send_mails, port, ledger, ending))
        try:
            until(lambda: len(ledger.letters) >= letters + WRITES + number % 7)
            until(lambda: ledger.asked > asked and len(ledger.mails) > mails + number % 3)
        finally:
            made.kill()
            ending.set()
    for each in work:
        each.result()
    return seconds


@pytest.mark.parametrize("store", STORES)
def test_what_was_acknowledged_is_there_after_every_kill(store: str, tmp_path: Path) -> None:
    ledger = Ledger()
    port = free_port()
    settings = {
        "CONTACT_LIMIT": "0",
        "MAIL_LISTEN": f"smtp://127.0.0.1:{port}",
        "MAIL_FROM": MAILBOX,
        "MAIL_AUTO_REPLY": "off",
    }
    with sink(PORTS) as receivers, studio(store, tmp_path, **settings) as made:
        times = [
            killed_amid_writes(made, receivers, ledger, number, port) for number in range(KILLS)
        ]
        made.start()
        patience = 60 + len(ledger.mails) / MAILS_A_SECOND
        until(lambda: not made.rows("SELECT id FROM mail WHERE state = 'waiting'"), patience)
        lost = {*ledger.letters, *ledger.mails} - marks_delivered(tmp_path)
        kept = {row[0] for row in made.rows("SELECT id FROM subscription")}
    print(  # noqa: T201 - the figures, for `pytest -s`
        f"{KILLS} kills; acknowledged and there: {len(ledger.letters)} messages,"
        f" {len(ledger.mails)} mails, {len(ledger.held)} subscriptions; serving after"
        f" {max(seconds for seconds, _ in times):.1f} s at most by the clock,"
        f" {max(used for _, used in times):.2f} s of its own"
    )
    assert (lost, set(ledger.held) - kept, ledger.wrong) == (set(), set(), [])
    assert len(ledger.letters) >= KILLS * WRITES
    assert len(ledger.mails) >= KILLS
    assert ledger.held
    assert max(used for _, used in times) < START_SECONDS * BUSY
