"""A mail port in the test's own process, and clients that speak to it."""

import asyncio
import smtplib
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

import uvloop
from mail_samples import ALICE, MAILBOX

from resolvers.mailbox.mail_server import SmtpLimits, serve_mail
from resolvers.mailbox.rules import Envelope

T = TypeVar("T")
SMTP, LMTP = "smtp", "lmtp"
PATIENCE_SECONDS = 60


@dataclass
class Box:
    """What was accepted, in memory."""

    taken: list[tuple[bytes, Envelope]] = field(default_factory=list)
    fault: Exception | None = None

    async def accept(self, data: bytes, envelope: Envelope) -> None:
        """Take a mail, unless there is a fault."""
        if self.fault is not None:
            raise self.fault
        self.taken.append((data, envelope))

    @property
    def bodies(self) -> list[bytes]:
        """The bytes of each mail."""
        return [data for data, _ in self.taken]


class Line:
    """A raw connection of a mail server that has greeted already."""

    def __init__(self, port: int, kind: str = SMTP, *, greet: bool = True) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)
        self._file = self.socket.makefile("rb")
        self.banner = self.answer()
        if greet:
            self.offered = self.say("LHLO me" if kind == LMTP else "EHLO me")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.socket.sendall(data)

    def answer(self) -> str:
        """One answer, all its lines; empty once the connection has ended."""
        lines = []
        while True:
            line = self._file.readline().decode()
            lines.append(line)
            if line[3:4] != "-":
                return "".join(lines)

    def say(self, command: str) -> str:
        """The answer to a command."""
        self.send(command.encode() + b"\r\n")
        return self.answer()

    def offer(self, *recipients: str, sender: str = ALICE) -> list[str]:
        """The answers to an envelope, and to DATA."""
        commands = [f"MAIL FROM:<{sender}>", *(f"RCPT TO:<{one}>" for one in recipients), "DATA"]
        return [self.say(command) for command in commands]

    def mail(self, wire: bytes, *recipients: str) -> str:
        """The answer to a mail in the bytes in which it goes over the wire, its end among them."""
        assert self.offer(*(recipients or (MAILBOX,)))[-1].startswith("354")
        self.send(wire)
        return self.answer()


@asynccontextmanager
async def port(
    kind: str = SMTP, box: Box | None = None, limits: SmtpLimits | None = None
) -> AsyncIterator[tuple[int, Box]]:
    """A port that takes mails, and what it took."""
    taken = box or Box()
    async with serve_mail(f"{kind}://127.0.0.1:0", MAILBOX, taken.accept, limits) as found:
        yield await found, taken


def speaking(
    work: Callable[[int], T], kind: str = SMTP, box: Box | None = None, **limits: Any
) -> tuple[T, Box]:
    """What somebody got who spoke to a port, and what the port took."""

    async def spoken() -> tuple[T, Box]:
        async with port(kind, box, SmtpLimits(**limits)) as (number, taken):
            return await asyncio.to_thread(work, number), taken

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:  # as `serve` has it
        return runner.run(spoken())


def talk(work: Callable[[Line], T], kind: str = SMTP, **options: Any) -> tuple[T, Box]:
    """The same for a raw connection."""

    def once(number: int) -> T:
        with Line(number, kind) as line:
            return work(line)

    return speaking(once, kind, **options)


def hand_in(number: int, data: bytes, sender: str | None, kind: str = SMTP) -> str:
    """The last answer to a mail that smtplib hands in, whoever its sender is."""
    client_class = smtplib.LMTP if kind == LMTP else smtplib.SMTP
    with client_class("127.0.0.1", number, timeout=PATIENCE_SECONDS) as client:
        client.command_encoding = "utf-8"
        client.ehlo()
        answers = [client.docmd(f"MAIL FROM:<{'' if sender in {None, '<>'} else sender}>")]
        answers.append(client.docmd(f"RCPT TO:<{MAILBOX}>"))
        if all(code < 400 for code, _ in answers):
            answers.append(client.data(data))
        code, text = next((one for one in answers if one[0] >= 400), answers[-1])
        return f"{code} {text.decode()}"
