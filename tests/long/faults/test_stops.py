"""Stopped under load, again and again: no answer is cut, and the end is soon and well."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from contact_inbox import LETTER, marks_delivered
from webhook_server import SCALE, Served, studio, until

STOPS = 2 * SCALE
READERS = 3
MOST_SECONDS = 10
"""How long answers that have begun may take to end."""
BUSY = 6
"""How many times as long a busy machine may take."""


@dataclass
class Found:
    """What was answered, and which answers broke off."""

    whole: int = 0
    cut: list[str] = field(default_factory=list)
    letters: list[str] = field(default_factory=list)


def read(served: Served, found: Found, ending: threading.Event) -> None:
    """Read until the service is gone; note the answers that began and did not end."""
    with httpx.Client(base_url=served.address, timeout=60) as client:
        while not ending.is_set():
            for path in ("/llms-full.txt", "/api/manifest", "/api/projects?limit=2"):
                begun = False
                try:
                    with client.stream("GET", path) as answer:
                        begun = True
                        answer.read()
                        found.whole += 1
                except httpx.TransportError as error:
                    if begun:
                        found.cut.append(f"{path}: {error!r}")


def write(served: Served, found: Found, ending: threading.Event, number: int) -> None:
    """Write to the human until the service is gone."""
    with httpx.Client(base_url=served.address, timeout=60) as client:
        for turn in range(10**6):
            if ending.is_set():
                return
            mark = f"stop-{number}-{turn}-end"
            body = {**LETTER, "message": f"{LETTER['message']} {mark}"}
            try:
                if client.post("/api/contact", json=body).is_success:
                    found.letters.append(mark)
            except httpx.TransportError:
                continue


def test_a_stop_under_load_cuts_no_answer_and_loses_nothing(tmp_path: Path) -> None:
    found, seconds, codes = Found(), [], []
    with studio("sqlite", tmp_path, CONTACT_LIMIT="0") as made:
        for number in range(STOPS):
            served, ending = made.start(stops=True), threading.Event()
            whole, letters = found.whole, len(found.letters)
            with ThreadPoolExecutor(READERS + 1) as pool:
                work = [pool.submit(read, served, found, ending) for _ in range(READERS)]
                work.append(pool.submit(write, served, found, ending, number))
                try:
                    until(lambda: found.whole >= whole + 20 and len(found.letters) > letters)  # noqa: B023 - within the turn
                    began = time.monotonic()
                    codes.append(served.stop())
                    seconds.append(time.monotonic() - began)
                finally:
                    ending.set()
            for each in work:
                each.result()
        there = marks_delivered(tmp_path)
        log = (tmp_path / "log").read_text()
    print(  # noqa: T201 - the figures, for `pytest -s`
        f"{STOPS} stops: {found.whole} answers whole, {len(found.cut)} cut,"
        f" {len(found.letters)} messages acknowledged; ended after {max(seconds):.1f} s at most"
    )
    assert (found.cut, {*codes}, "Traceback" in log) == ([], {0}, False)
    assert {*found.letters} - there == set()
    assert max(seconds) < MOST_SECONDS * BUSY
