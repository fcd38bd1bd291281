"""Processes that take mails, are killed at a named moment, or race each other.

Run as a program, `mail_program.py URL FOLDER` is their parent: it reads orders line by line and
answers each with a line. Its children are real processes, killed by signal 9.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from child_process import program, read_line
from sqlalchemy import Connection

from resolvers.contact.transport import Maildir
from resolvers.db.database import Database
from resolvers.mailbox.rules import Envelope, Policy
from resolvers.mailbox.service import Mailbox
from resolvers.mailbox.store import MailStore

MAILBOX, HUMAN = "agents@studio.example", "founder@studio.example"
POLICY = Policy(MAILBOX, frozenset(), "trusted", "")
WORDS = {"subject": "Hello", "text": "Hello."}
STEPS = ("take", "find", "forwarded", "claim", "finish")
"""What is written to the database, or read from it, for one mail."""
MOMENTS = (
    *(f"{when} {step}" for step in STEPS for when in ("before", "inside", "after")),
    *("before forward", "after forward", "before answer", "after answer"),
)

Dies = Callable[[str], None]


async def reply_text(questions: str, _: str) -> Mapping[str, str]:
    """The same words for every mail."""
    del questions
    return WORDS


class Deadly(Database):
    """A database whose every transaction can be the last thing that the process does."""

    def __init__(self, url: str, dies: Dies) -> None:
        super().__init__(url)
        self._dies = dies
        self._steps = iter(STEPS)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Statements, with three moments to die at."""
        step = next(self._steps, "")
        self._dies(f"before {step}")
        with super().transaction() as books:
            yield books
            self._dies(f"inside {step}")
        self._dies(f"after {step}")


@dataclass
class Chute:
    """A target round another one, or one that writes down in a file who was sent something."""

    name: str
    dies: Dies
    inner: Maildir | None = None
    file: Path = field(default_factory=Path)
    to: str = HUMAN

    def describe(self) -> str:
        """A word for it."""
        return self.name

    async def deliver(
        self, message: bytes, key: str, *, sender: str | None = None, recipient: str | None = None
    ) -> None:
        """Hand it on, with a moment to die at before and after."""
        self.dies(f"before {self.name}")
        if self.inner is None:
            _append(self.file, recipient or "")
        else:
            await self.inner.deliver(message, key, sender=sender, recipient=recipient)
        self.dies(f"after {self.name}")


def post_of(url: str, folder: Path, dies: Dies) -> tuple[Mailbox, MailStore]:
    """A post whose letters and answers stay in a folder."""
    ledger = MailStore(Deadly(url, dies), b"secret", time.time)
    forward = Chute("forward", dies, Maildir(folder / "inbox", HUMAN))
    answer = Chute("answer", dies, file=folder / "answers")
    made = Mailbox(
        *(ledger, POLICY, forward),
        answer_transport=answer,
        reply_text=reply_text,
        clock=time.time,
    )
    return made, ledger


def take(url: str, folder: Path, data: bytes, sender: str, moment: str) -> None:
    """Take a mail, say so, and work on it, unless the moment comes."""

    def dies(now: str) -> None:
        if now == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    async def work() -> None:
        post, _ = post_of(url, folder, dies)
        mail = await post.accept(data, Envelope(sender, (MAILBOX,)))
        _append(folder / "accepted", sender)
        await post.handle(mail)

    asyncio.run(work())


def heal(url: str, folder: Path) -> None:
    """Work on all that waits, as after a restart."""

    async def work() -> None:
        post, ledger = post_of(url, folder, lambda _: None)
        for mail in ledger.waiting():
            await post.handle(mail)

    asyncio.run(work())


def race(url: str, folder: Path, sender: str, count: int, at: float) -> list[int]:
    """Take as many mails of one sender, each in a process, all at one moment."""

    def racer(number: int) -> None:
        time.sleep(max(0.0, at - time.time()))
        take(url, folder, mail(sender, number), sender, "")

    return [_waited(child) for child in [_forked(racer, number) for number in range(count)]]


def mail(sender: str, number: int = 0) -> bytes:
    """A mail that is answered."""
    lines = (f"From: {sender}", f"To: {MAILBOX}", f"Message-ID: <{number}.{sender}>", "", "Hello.")
    return "".join(f"{line}\r\n" for line in lines).encode()


@dataclass
class Mother:
    """The program, and the folder in which its children leave what they did."""

    folder: Path
    process: "subprocess.Popen[str]"

    def tell(self, *words: Any) -> Any:
        """What came of an order."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()
        return json.loads(read_line(self.process))

    def said(self, name: str, sender: str) -> int:
        """How often a sender stands in a file."""
        file = self.folder / name
        return file.read_text().splitlines().count(sender) if file.exists() else 0

    def letters(self, sender: str) -> int:
        """How many letters of a sender the human has."""
        files = (self.folder / "inbox" / "new").glob("*")
        return sum(f"From: {sender}".encode() in file.read_bytes() for file in files)


@contextmanager
def mother(url: str, folder: Path) -> Iterator[Mother]:
    """The program, which ends with the block."""
    with program(sys.executable, __file__, url, str(folder)) as process:
        yield Mother(folder, process)


def _append(file: Path, line: str) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(descriptor, f"{line}\n".encode())
    os.close(descriptor)


def _forked(work: Callable[..., object], *given: object) -> int:
    child = os.fork()
    if child:
        return child
    try:
        work(*given)
    except BaseException:  # noqa: BLE001 - a child never goes on as its mother
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _waited(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main() -> None:
    """Do what is told, in children."""
    url, folder = sys.argv[1], Path(sys.argv[2])
    Database(url).ensure_schema()
    for line in sys.stdin:
        order, *given = json.loads(line)
        if order == "race":
            found: object = race(url, folder, *given)
        elif order == "heal":
            found = _waited(_forked(heal, url, folder))
        else:
            sender, moment = given
            found = _waited(_forked(take, url, folder, mail(sender), sender, moment))
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
