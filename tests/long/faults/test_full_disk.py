"""A disk without space, at every stage: what is read is read, what is written is refused or kept.

The disk is a small one in memory, which only root may mount; elsewhere the tests are skipped.
"""

import smtplib
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from contact_inbox import LETTER, marks_delivered
from mail_samples import ALICE, mail
from small_disk import Disk, small_disk
from webhook_server import SCALE, Served, Studio, free_port, studio, until
from webhook_sinks import Sink, sink

MAILBOX = "agents@studio.example"
READS = (
    *("/", "/api/projects", "/api/manifest", "/api/manifest.sig", "/llms-full.txt", "/readyz"),
    *("/api/graphql?query={projects{slug}}", "/api/faq?limit=2", "/api/nothing-was-asked-before"),
)
HEAL_SECONDS = 5
BUSY = 6
"""How many times as long a busy machine may take."""
ROOMS = range(0, 240, 12 if SCALE > 1 else 80)
"""How many pages a service finds that starts: from none to what all its first files need."""


@dataclass
class Kept:
    """What a studio on a small disk has acknowledged, and how else it has answered."""

    disk: Disk
    made: Studio
    receivers: Sink
    port: int
    letters: list[str] = field(default_factory=list)
    mails: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: iter(range(10**6)))

    @property
    def served(self) -> Served:
        """The service."""
        return self.made.served[-1]

    def contact(self) -> int:
        """Write to the human; return the answer's code."""
        mark = f"letter-{next(self.numbers)}-end"
        body = {**LETTER, "message": f"{LETTER['message']} {mark}"}
        answer = httpx.post(f"{self.served.address}/api/contact", json=body, timeout=60)
        if answer.is_success:
            self.letters.append(mark)
        return answer.status_code

    def subscribe(self) -> int:
        """Subscribe; return the answer's code."""
        number = next(self.numbers)
        answer = self.served.subscribe(self.receivers.url(f"h{number}", number % 16))
        if answer.is_success:
            self.held.append(answer.json()["id"])
        return answer.status_code

    def mail(self) -> int:
        """Hand in a mail; return the code."""
        mark = f"mail-{next(self.numbers)}-end"
        try:
            with smtplib.SMTP("127.0.0.1", self.port, timeout=60) as client:
                client.sendmail(ALICE, [MAILBOX], mail(f"=Message-ID: <{mark}@sender.example>"))
        except smtplib.SMTPResponseException as refusal:
            return refusal.smtp_code
        self.mails.append(mark)
        return 250

    def chat(self) -> int:
        """Ask; return the code."""
        body = {"query": "What is Tidebook?"}
        answer = httpx.post(f"{self.served.address}/api/chat", json=body, timeout=60)
        return answer.status_code

    def writes(self) -> dict[str, int]:
        """The code of each kind of write."""
        kinds = (self.contact, self.subscribe, self.mail, self.chat)
        return {kind.__name__: kind() for kind in kinds}

    def reads(self) -> dict[str, int]:
        """The code of each read."""
        with httpx.Client(base_url=self.served.address, timeout=60) as client:
            return {path: client.get(path).status_code for path in READS}

    def revision(self) -> str:
        """The revision that is served."""
        told = httpx.get(f"{self.served.address}/api/manifest", timeout=60).json()["revision"]
        return str(told)

    def lost(self) -> list[str]:
        """What was acknowledged and is not there, once all mails are handed on."""
        until(lambda: not self.made.rows("SELECT id FROM mail WHERE state = 'waiting'"))
        there = marks_delivered(self.made.folder)
        marks = [mark for mark in (*self.letters, *self.mails) if mark not in there]
        kept = {row[0] for row in self.made.rows("SELECT id FROM subscription")}
        return [*marks, *(name for name in self.held if name not in kept)]


ALL_WELL = {"contact": 200, "subscribe": 201, "mail": 250, "chat": 200}
REFUSED = {"contact": 503, "subscribe": 503, "mail": 451, "chat": 503}
ALL_READ = {path: 404 if "nothing" in path else 200 for path in READS}


@contextmanager
def kept_on(disk: Disk, folder: Path) -> Iterator[Kept]:
    """A studio whose data folder is on the disk, and whose content is not."""
    folder.mkdir()
    (folder / "var").symlink_to(disk.folder / "var")
    (disk.folder / "var").mkdir(mode=0o700)
    port = free_port()
    settings = {
        **dict.fromkeys(("CONTACT_LIMIT", "CHAT_LIMIT"), "100000/hour"),
        "AI_LLM": "extractive",
        "MAIL_LISTEN": f"smtp://127.0.0.1:{port}",
        "MAIL_FROM": MAILBOX,
        "MAIL_AUTO_REPLY": "off",
    }
    with sink(16) as receivers, studio("sqlite", folder, **settings) as made:
        yield Kept(disk, made, receivers, port)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """A disk of 16 MiB."""
    with small_disk(tmp_path / "disk") as made:
        yield made


def healed(kept: Kept) -> float:
    """After how many seconds every write is taken again."""
    began = time.monotonic()
    until(lambda: kept.writes() == ALL_WELL)
    return time.monotonic() - began


def test_a_service_without_space_reads_refuses_and_heals(disk: Disk, tmp_path: Path) -> None:
    took = []
    with kept_on(disk, tmp_path / "studio") as kept:
        kept.made.start(stops=True)
        until(lambda: kept.writes() == ALL_WELL)
        before = kept.revision()
        for pages in (0, 1, 4) * SCALE:
            disk.fill(pages)
            if pages == 0:
                assert kept.writes() == REFUSED
            for _ in range(5):  # what little space there is may do for some
                codes = kept.writes()
                assert all(codes[kind] in {ALL_WELL[kind], REFUSED[kind]} for kind in codes), codes
            assert kept.reads() == ALL_READ
            disk.empty()
            took.append(healed(kept))
            assert kept.lost() == []
        disk.fill()
        kept.made.publish()
        until(lambda: "was not reloaded" in (kept.made.folder / "log").read_text())
        assert (kept.reads(), kept.revision()) == (ALL_READ, before)
        disk.empty()
        began = time.monotonic()
        until(lambda: kept.revision() != before)
        took.append(time.monotonic() - began)
        assert kept.lost() == []
        assert kept.served.stop() == 0
    print(  # noqa: T201 - the figures, for `pytest -s`
        f"{len(took)} times full: {len(kept.letters)} messages, {len(kept.mails)} mails and"
        f" {len(kept.held)} subscriptions acknowledged and there; healed after"
        f" {max(took):.1f} s at most"
    )
    assert max(took) < HEAL_SECONDS * BUSY
    assert "Traceback" not in (kept.made.folder / "log").read_text()


@pytest.mark.parametrize("pages", ROOMS)
def test_a_start_that_finds_no_space_says_so_or_serves_and_the_next_one_serves(
    pages: int, disk: Disk, tmp_path: Path
) -> None:
    with kept_on(disk, tmp_path / "studio") as kept:
        disk.fill(pages)
        log = kept.made.folder / "log"
        with suppress(AssertionError):  # it has ended before it listened
            kept.made.start()
        said = log.read_text()
        if kept.made.served:
            assert kept.reads() == ALL_READ
        else:
            assert "Fix: " in said
        assert "Traceback" not in said
        kept.made.kill()
        disk.empty()
        kept.made.start()
        assert kept.reads() == ALL_READ
        until(lambda: kept.writes() == ALL_WELL)
        assert kept.lost() == []
