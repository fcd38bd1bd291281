"""Processes of the agents' mailbox, and the mail server that they forward to."""

import asyncio
import shutil
import signal
import smtplib
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from aiosmtpd.smtp import SMTP, Envelope, Session
from child_process import PATIENCE_SECONDS, killed_if_late
from repository import SAMPLE
from running_server import share_models

HUMAN = "founder@human.example"
MAILBOX = "agents@studio.example"


@dataclass
class Taker:
    """A mail server of another library, and what it took."""

    port: int = 0
    taken: list[Envelope] = field(default_factory=list)

    async def handle_DATA(self, _: SMTP, __: Session, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd calls it so
        """Take a mail."""
        self.taken.append(envelope)
        return "250 taken"

    def sent_to(self, recipient: str) -> list[bytes]:
        """What a recipient was sent."""
        found = [one for one in list(self.taken) if one.rcpt_tos == [recipient]]
        return [one.original_content or b"" for one in found]


@contextmanager
def taker() -> Iterator[Taker]:
    """A mail server in a thread, which ends with the block."""
    made, loop = Taker(), asyncio.new_event_loop()

    async def listen() -> asyncio.Server:
        return await loop.create_server(lambda: SMTP(made, hostname="relay.example"), "127.0.0.1")

    server = loop.run_until_complete(listen())
    made.port = server.sockets[0].getsockname()[1]
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        loop.call_soon_threadsafe(server.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE_SECONDS)
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()


@dataclass
class Studio:
    """A studio's folder, its settings, and the processes that serve its mailbox."""

    folder: Path
    settings: dict[str, str]
    port: int
    processes: list["subprocess.Popen[str]"] = field(default_factory=list)
    output: list[str] = field(default_factory=list)
    threads: list[threading.Thread] = field(default_factory=list)

    def command(self, *words: str, data: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
        """What a command came to, given a mail."""
        self.settle()
        return subprocess.run(
            [sys.executable, "-m", "studiograph", *words],
            input=data,
            capture_output=True,
            check=False,
            cwd=self.folder,
            timeout=PATIENCE_SECONDS,
        )

    def begin(self) -> "subprocess.Popen[str]":
        """One more process that takes mails, or waits for the port."""
        self.settle()
        process = subprocess.Popen(
            [sys.executable, "-m", "studiograph", "mailbox", "serve"],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.processes.append(process)
        thread = threading.Thread(target=self._drain, args=(process.stdout,), daemon=True)
        self.threads.append(thread)
        thread.start()
        return process

    def end(self) -> None:
        """Stop every process in order."""
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process, thread in zip(self.processes, self.threads, strict=True):
            with killed_if_late(process):
                process.wait()
            thread.join(PATIENCE_SECONDS)
        sys.stdout.writelines(self.output)  # shown where a test fails

    def hand_in(self, sender: str, number: int = 0, **words: str) -> bool:
        """Whether a mail was accepted."""
        with suppress(OSError, smtplib.SMTPException):
            with smtplib.SMTP("127.0.0.1", self.port, timeout=PATIENCE_SECONDS) as client:
                client.sendmail(sender, [MAILBOX], mail(sender, number, **words))
            return True
        return False

    @property
    def letters(self) -> list[bytes]:
        """What is in the inbox of this machine."""
        return [file.read_bytes() for file in (self.folder / "var" / "inbox" / "new").glob("*")]

    def settle(self) -> None:
        """Write the settings where every process of this folder reads them."""
        lines = [f"STUDIOGRAPH_{name}={value}\n" for name, value in self.settings.items()]
        (self.folder / ".env").write_text("".join(lines))

    def _drain(self, pipe: IO[str] | None) -> None:
        assert pipe is not None
        with pipe:
            self.output.extend(pipe)


@contextmanager
def studio(folder: Path, **settings: str) -> Iterator[Studio]:
    """A studio that trusts its mail server; its processes end with the block."""
    shutil.copytree(SAMPLE, folder / "content", ignore=shutil.ignore_patterns("*.py", "__*"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    told = {
        "MAIL_LISTEN": f"smtp://127.0.0.1:{port}",
        "MAIL_FROM": MAILBOX,
        "MAIL_TO": HUMAN,
        "MAIL_AUTO_REPLY": "trusted",
        "BASE_URL": "https://studio.example",
    }
    made = Studio(folder, {**told, **settings}, port)
    share_models(folder / "var")
    with ExitStack() as ending:
        ending.callback(made.end)
        yield made


def mail(sender: str, number: int = 0, question: str = "What is your domain?") -> bytes:
    """A mail of a person."""
    lines = (
        *(f"From: {sender}", f"To: {MAILBOX}", f"Message-ID: <{number}.{sender}>"),
        *("Subject: A question", "", f"{question} ({number})"),
    )
    return "".join(f"{line}\r\n" for line in lines).encode()
