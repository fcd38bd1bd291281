"""Reload with real processes: what changed is served whole, what is broken changes nothing."""

import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from ai_service import LIGHT
from outside_reader import studio_in
from repository import SAMPLE
from running_server import Raw, Running, eventually, running

from content.reading.revision import read_revision

TWO = ("--workers", "2")
WATCHING = ("--reload",)
RELOADED, KEPT = "content reloaded: ", "the content was not reloaded"
MARKED = {
    "studio.toml": 'thesis = """\n',
    "projects.toml": 'summary = """\n',
    "glossary.toml": 'definition = """\n',
}
PATHS = (
    "/api/manifest",
    "/api/manifest.md",
    "/api/about",
    "/api/projects/tidebook",
    "/api/glossary",
    "/api/agent-pulse",
    "/llms-full.txt",
)
BROKEN = {
    'slug = "break"\ncolour = "red"': (
        'content/glossary.toml:3: glossary[0] "break".colour: ',
        "the keys here are slug,",
    ),
    'slug = "Not a slug"': ("content/glossary.toml:2: glossary[0].slug: ", "Fix: "),
    'slug = "break': (
        "content/glossary.toml:2: a text is not closed on its line",
        "Fix: close it",
    ),
}
SWAPS = 6
READERS = 4
END_SECONDS = 30

Known = dict[str, set[tuple[bytes, str]]]


@dataclass
class Studio:
    """A running server and the content that it serves."""

    server: Running
    folder: Path
    words: tuple[str, ...]
    marks: int = 0

    @property
    def workers(self) -> int:
        """How many processes answer."""
        return 2 if self.words == TWO else 1

    def get(self, path: str) -> Raw:
        """An answer over a connection of its own."""
        return self.server.get(path)

    def manifest(self) -> dict[str, Any]:
        """Everything that is served now."""
        body: dict[str, Any] = self.get("/api/manifest").json()
        return body

    def change(self, files: dict[str, str], outcome: str = RELOADED, *, old: bool = False) -> None:
        """Nothing, once files are replaced and every process has said what came of it."""
        before = self.said(outcome)
        for name, text in files.items():
            new = self.folder.parent / "new"
            new.write_text(text, encoding="utf-8")
            if old:
                os.utime(new, (0, 0))
            new.replace(self.folder / name)
        self.hint()
        eventually(lambda: self.said(outcome) >= before + self.workers)
        if outcome == RELOADED and self.words == WATCHING:  # it may see one file after the other
            digest = read_revision(self.folder).digest
            eventually(lambda: self.manifest()["revision"] == digest)

    def hint(self) -> None:
        """Tell the server to look, unless it watches."""
        if self.words != WATCHING:
            self.server.process.send_signal(signal.SIGHUP)

    def renew(self) -> str:
        """The word at the head of three texts in three files, once it is served."""
        self.marks += 1
        mark = f"Mark{self.marks}"
        self.change(marked(mark))
        return mark

    def said(self, *words: str) -> int:
        """How many lines of the log hold these words."""
        return sum(all(word in line for word in words) for line in list(self.server.errors))


def marked(mark: str) -> dict[str, str]:
    """The texts of three files, with a word at the head of one text in each."""
    texts = {name: (SAMPLE / name).read_text(encoding="utf-8") for name in MARKED}
    return {n: texts[n].replace(place, f"{place}{mark} ", 1) for n, place in MARKED.items()}


def marks_in(manifest: dict[str, Any]) -> set[str]:
    """The words at the heads of the three texts."""
    texts = (
        manifest["studio"]["thesis"],
        manifest["projects"][0]["summary"],
        manifest["glossary"][0]["definition"],
    )
    return {text.split()[0] for text in texts}


@contextmanager
def studio(tmp: Path, words: tuple[str, ...]) -> Iterator[Studio]:
    """A studio of which every process answers."""
    content = studio_in(tmp, **LIGHT)
    with running(content, *words) as server:
        found = Studio(server, content, words)
        eventually(lambda: _processes(found) == found.workers)
        yield found


def _processes(found: Studio) -> int:
    """How many processes have answered: each has pseudonyms of its own for one address."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(found.get, ["/api/thesis"] * 8))
    return len({json.loads(line)["address"] for line in list(found.server.output)})


@pytest.fixture(scope="module", params=[TWO, WATCHING], ids=["workers", "watching"])
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Studio]:
    with studio(tmp_path_factory.mktemp("reload"), request.param) as found:
        yield found


def test_what_changed_is_served_by_every_process(served: Studio) -> None:
    before = served.manifest()["revision"]
    mark = served.renew()
    digest = read_revision(served.folder).digest
    assert digest != before
    for _ in range(20):
        manifest = served.manifest()
        assert (manifest["revision"], marks_in(manifest)) == (digest, {mark})


def test_a_broken_file_changes_nothing_and_the_log_says_where_and_how_to_mend_it(
    served: Studio,
) -> None:
    mark = served.renew()
    before = {path: served.get(path) for path in PATHS}
    for broken, (place, fix) in BROKEN.items():
        files = marked("Broken")
        files["glossary.toml"] = files["glossary.toml"].replace('slug = "break"', broken, 1)
        served.change(files, KEPT)
        eventually(partial(served.said, place, fix))
        for path, response in before.items():
            again = served.get(path)
            assert again.body == response.body
            assert again.headers["etag"] == response.headers["etag"]
    assert marks_in(served.manifest()) == {mark}


@dataclass
class Findings:
    """What one reader found while reading."""

    reads: int = 0
    seen: set[bytes] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)


def read(address: str, coding: str, known: Known, stop: threading.Event) -> Findings:
    """What is found by reading every path again and again over one connection."""
    findings, newest = Findings(), datetime.min.replace(tzinfo=UTC)
    with httpx.Client(base_url=address, headers={"accept-encoding": coding}, timeout=60) as client:
        while not stop.is_set():
            for path in PATHS:
                response = client.get(path)
                findings.reads += 1
                findings.seen.add(response.content)
                tag = response.headers["etag"].replace(f'-{coding}"', '"')
                if (response.content, tag) not in known[path]:
                    findings.faults.append(f"{path}: neither of the two")
                changed = parsedate_to_datetime(response.headers["last-modified"])
                if changed < newest:
                    findings.faults.append(f"{path}: older than what was read before")
                newest = changed
    return findings


@pytest.mark.parametrize("served", [TWO], indirect=True, ids=["workers"])
def test_under_constant_reading_no_answer_mixes_two_versions(served: Studio) -> None:
    known: Known = {path: set() for path in PATHS}
    for mark in ("Alpha", "Beta"):
        served.change(marked(mark))
        assert marks_in(served.manifest()) == {mark}
        for path in PATHS:
            response = served.get(path)
            known[path].add((response.body, response.headers["etag"]))
    assert all(len(found) == 2 for found in known.values())
    stop, address = threading.Event(), served.server.address
    with ThreadPoolExecutor(READERS) as pool:
        readers = [
            pool.submit(read, address, ("identity", "gzip")[number % 2], known, stop)
            for number in range(READERS)
        ]
        try:
            for swap in range(SWAPS):
                served.change(marked(("Alpha", "Beta")[swap % 2]), old=bool(swap % 2))
        finally:
            stop.set()
        found = [reader.result() for reader in readers]
    assert [fault for findings in found for fault in findings.faults] == []
    assert sum(findings.reads for findings in found) > SWAPS * len(PATHS)
    seen = set().union(*(findings.seen for findings in found))
    assert all(body in seen for bodies in known.values() for body, _ in bodies)


def torn(address: str, stop: threading.Event) -> list[str]:
    """The answers that broke off, of those read until there is no server any more."""
    faults = []
    with httpx.Client(base_url=address, timeout=60) as client:
        while not stop.is_set():
            begun = False
            try:
                with client.stream("GET", "/llms-full.txt") as response:
                    begun = True
                    response.read()
            except httpx.TransportError as error:
                if begun:
                    faults.append(repr(error))
    return faults


def test_sigterm_ends_the_server_soon_and_well_while_it_is_read(tmp_path: Path) -> None:
    stop = threading.Event()
    with studio(tmp_path, TWO) as found, ThreadPoolExecutor(READERS) as pool:
        address, process = found.server.address, found.server.process
        idle = socket.create_connection(found.server.place)
        slow = socket.create_connection(found.server.place)
        slow.sendall(b"GET /llms-full.txt HTTP/1.1\r\nHost: localhost\r\n\r\n")
        begun = slow.recv(1)
        readers = [pool.submit(torn, address, stop) for _ in range(READERS)]
        lines = len(found.server.output)
        try:
            eventually(lambda: len(found.server.output) > lines + 4 * READERS)
            process.send_signal(signal.SIGTERM)
            assert process.wait(END_SECONDS) == 0
        finally:
            stop.set()
        assert [fault for reader in readers for fault in reader.result()] == []
        with idle, slow, slow.makefile("rb") as rest:
            answer = Raw.read(begun + rest.read())
        assert len(answer.body) == int(answer.headers["content-length"])
        assert not any("Traceback" in line for line in found.server.errors)
