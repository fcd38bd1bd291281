"""Reloads by the hundred, half of them invalid, while everything is read and verified."""

import os
import re
import shutil
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from outside_reader import verifies
from repository import SAMPLE
from webhook_server import SCALE, Served, studio, until

from content.checking.errors import ContentError
from content.reading.reader import load

RELOADS = 10 * SCALE
"""Half of them are of invalid content."""
READERS = 3
MARKED = {
    "studio.toml": 'thesis = """\n',
    "projects.toml": 'summary = """\n',
    "glossary.toml": 'definition = """\n',
}
BROKEN = "Mark0"
MARK = re.compile(r"Mark[0-9]+")
WHOLE = {"/api/manifest": 3, "/api/manifest.md": 3, "/api/manifest.sig": 3, "/llms-full.txt": 3}
"""How many of the marked texts an answer holds."""
PARTS = (
    *("/api/snapshot.sig?section=projects", "/api/glossary", "/api/projects/tidebook"),
    *("/api/changelog.sig", "/", "/api/log", "/.well-known/jwks.json"),
)
Edit = Callable[[str], str]


def _first_key_twice(text: str) -> str:
    line = next(one for one in text.splitlines() if re.match(r"\w+ = \S", one))
    return text.replace(line, f"{line}\n{line}", 1)


EDITS: dict[str, Edit] = {
    "an unknown key": lambda text: f"colour = 1\n{text}",
    "a string that does not end": lambda text: f'{text}\nopen = "never closed\n',
    "a control character": lambda text: f"{text}\n\0",
    "a key twice": _first_key_twice,
    "a file that breaks off": lambda text: text[: len(text) // 2].rstrip() + "\n[[[",
}


def kinds() -> list[tuple[str, str]]:
    """Every way to break a file, with its name: a kind each."""
    return [(edit, file.name) for edit in EDITS for file in sorted(SAMPLE.glob("*.toml"))]


def write(folder: Path, texts: dict[str, str]) -> None:
    """Replace files, each at once."""
    for name, text in texts.items():
        beside = folder.parent / "new"
        beside.write_text(text, encoding="utf-8")
        beside.replace(folder / name)


def marked(mark: str) -> dict[str, str]:
    """The texts of three files, with a word at the head of one text in each."""
    texts = {name: (SAMPLE / name).read_text(encoding="utf-8") for name in MARKED}
    return {n: texts[n].replace(place, f"{place}{mark} ", 1) for n, place in MARKED.items()}


def broken(kind: tuple[str, str]) -> dict[str, str]:
    """Marked texts, and one file that is broken."""
    edit, name = kind
    texts = marked(BROKEN)
    before = texts.get(name, (SAMPLE / name).read_text(encoding="utf-8"))
    return {**texts, name: EDITS[edit](before)}


@dataclass
class Findings:
    """What was read, and what was wrong with it."""

    reads: int = 0
    verified: int = 0
    seen: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)


def read(served: Served, ending: threading.Event) -> Findings:
    """Read everything again and again, and check each answer."""
    found = Findings()
    with httpx.Client(base_url=served.address, timeout=60) as client:
        jwks = client.get("/.well-known/jwks.json").json()
        newest = 0
        while not ending.is_set():
            for path in (*WHOLE, *PARTS):
                answer = client.get(path)
                found.reads += 1
                marks = MARK.findall(answer.text)
                if answer.status_code != 200 or not answer.content:
                    found.faults.append(f"{path}: {answer.status_code}")
                if len({*marks}) > 1 or BROKEN in marks:
                    found.faults.append(f"{path}: {sorted({*marks})}")
                if path in WHOLE and len(marks) < WHOLE[path]:
                    found.faults.append(f"{path}: {len(marks)} marks")
                if marks and int(marks[0][4:]) < newest:
                    found.faults.append(f"{path}: older than what was read before")
                newest = max([newest, *(int(mark[4:]) for mark in marks)])
                found.seen |= {*marks}
                if ".sig" in path:
                    found.verified += 1
                    if not verifies(answer.json(), jwks):
                        found.faults.append(f"{path}: its signature does not hold")
    return found


def test_every_kind_is_invalid(tmp_path: Path) -> None:
    valid = []
    for number, kind in enumerate(kinds()):
        folder = tmp_path / str(number)
        shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
        write(folder, broken(kind))
        try:
            load(folder)
        except ContentError:
            continue
        valid.append(kind)
    assert (valid, len(kinds()) >= 60) == ([], True)


@pytest.mark.parametrize("workers", [1, 2])
def test_amid_reloads_each_answer_is_of_one_revision_and_its_signature_holds(
    workers: int, tmp_path: Path
) -> None:
    ending, tried = threading.Event(), kinds()
    with studio("sqlite", tmp_path) as made:
        content, log = tmp_path / "content", tmp_path / "log"
        write(content, marked("Mark1"))
        served = made.start(workers, stops=True)

        def reloaded(texts: dict[str, str], outcome: str) -> None:
            before = log.read_text().count(outcome)
            write(content, texts)
            os.kill(served.process.pid, signal.SIGHUP)
            until(lambda: log.read_text().count(outcome) >= before + workers)

        with ThreadPoolExecutor(READERS) as pool:
            readers = [pool.submit(read, served, ending) for _ in range(READERS)]
            try:
                for number in range(RELOADS // 2):
                    kind = tried[number * 7 % len(tried)]
                    reloaded(broken(kind), "the content was not reloaded")
                    left = {kind[1]: (SAMPLE / kind[1]).read_text(encoding="utf-8")}
                    reloaded({**left, **marked(f"Mark{number + 2}")}, "content reloaded: ")
            finally:
                ending.set()
            found = [reader.result() for reader in readers]
        assert served.stop() == 0
    print(  # noqa: T201 - the figures, for `pytest -s`
        f"{RELOADS} reloads of {workers} processes, half of them of {len(tried)} kinds of invalid"
        f" content: {sum(one.reads for one in found)} answers, each of one revision,"
        f" {sum(one.verified for one in found)} of them verified"
    )
    assert [fault for one in found for fault in one.faults][:20] == []
    assert len(set[str]().union(*(one.seen for one in found))) > RELOADS // 4
