"""`studiograph mailbox`: take mails in a process of its own, or one from a mail server's pipe.

Exit codes of `deliver` are those that mail servers know: 0 stored, 65 there is no mail, 67 there is
no such mailbox, 69 the mail is too large, 75 try again later.
"""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import click

from content.reader import load
from resolvers.contact.mail_parser import MBOX_LINE, read_mail
from resolvers.mailbox.rules import Envelope, sender_digest
from resolvers.mailbox.service import MAX_BYTES
from resolvers.mailbox.store import WAITING, MailStore, StoredMail
from sdl.errors import StudiographError
from studiograph.app import Application, make_application
from studiograph.cli import Invocation, failed, note, pass_settings, quiet_option, set_up_logs
from studiograph.services import mailbox_of
from studiograph.settings import Settings, database_of
from studiograph.wiring.jobs import working
from studiograph.wiring.mail import MAIL, check_no_loop, current_studio, mail_service

WAIT_SECONDS = 30
LOOK_SECONDS = 0.1


@click.group()
def command() -> None:
    """The agents' mailbox."""


@command.command()
@quiet_option
@pass_settings
def serve(settings: Settings, *, quiet: bool) -> int:
    """Take mails at STUDIOGRAPH_MAIL_LISTEN, in a process of its own."""
    set_up_logs()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # there is nothing to reload
    if not settings.mail_listen:
        return failed(
            "there is nowhere to take mails. Fix: set STUDIOGRAPH_MAIL_LISTEN, for example to"
            " lmtp://127.0.0.1:8024."
        )
    asyncio.run(_take_in(make_application(settings), quiet=quiet))
    return 0


async def _take_in(whole: Application, *, quiet: bool) -> None:
    stopped = asyncio.Event()
    for stop in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(stop, stopped.set)
    try:
        async with working(whole) as work, mail_service(whole, work) as port:
            if port is not None and not quiet:
                mailbox = mailbox_of(whole.settings, current_studio(whole))
                told = f"studiograph takes mails for {mailbox} at {whole.settings.mail_listen}"
                port.add_done_callback(lambda _: print(told, flush=True))
            await stopped.wait()
    finally:
        await whole.services.close()


@command.command()
@click.option("--sender", metavar="ADDRESS", help="The sender of the envelope.")
@click.option("--recipient", metavar="ADDRESS", help="The recipient of the envelope.")
@quiet_option
@click.pass_obj
def deliver(
    invocation: Invocation, *, sender: str | None, recipient: str | None, quiet: bool
) -> int:
    """Take one mail from standard input, as from a mail server's pipe."""
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        settings = invocation.settings
        if refusal := _refusal(data, recipient, settings):
            note(refusal[1])
            return refusal[0]
        ledger = MailStore(database_of(settings), b"", time.time)
        envelope = Envelope(_sender(data) if sender is None else sender, (recipient or "",))
        mail = ledger.insert(data, envelope)
    except Exception as error:  # noqa: BLE001 - whatever it is, the mail server keeps the mail
        note(f"the mail is not stored: {_named(error)}")
        return os.EX_TEMPFAIL
    try:
        entry = asyncio.run(_worked_on(settings, mail, lambda: ledger.find(mail)))
        told = _told(entry)
    except Exception as error:  # noqa: BLE001 - the mail is stored: another process works on it
        note(f"the mail is stored and must wait: {_named(error)}")
        told = "stored"
    if not quiet:
        print(f"mail {mail}: {told}")
    return 0


async def _worked_on(
    settings: Settings, mail: str, find: Callable[[], StoredMail | None]
) -> StoredMail | None:
    """The mail, once it is done with, here or elsewhere, or half a minute is over."""
    whole = make_application(settings)
    try:
        check_no_loop(settings, current_studio(whole))
        async with working(whole) as work:
            with suppress(TimeoutError):
                async with asyncio.timeout(WAIT_SECONDS):
                    await work.jobs.enqueue(MAIL, mail)
                    while (entry := await asyncio.to_thread(find)) and entry.state == WAITING:  # noqa: ASYNC110 - another process may do it
                        await asyncio.sleep(LOOK_SECONDS)
            return await asyncio.to_thread(find)
    finally:
        await whole.services.close()


def _refusal(data: bytes, recipient: str | None, settings: Settings) -> tuple[int, str] | None:
    """Why the mail is not taken, as an exit code and in words."""
    if not data.strip():
        return os.EX_DATAERR, "there is no mail on standard input"
    if len(data) > MAX_BYTES:
        return os.EX_UNAVAILABLE, "the mail is larger than the mailbox takes"
    if recipient and sender_digest(recipient) != sender_digest(_mailbox(settings)):
        return os.EX_NOUSER, "there is no such mailbox here"
    return None


def _mailbox(settings: Settings) -> str:
    return settings.mail_from or load(settings.content).studio.contact.programmatic_email


def _sender(data: bytes) -> str:
    """The sender of the envelope as mail servers write it above a mail; empty, if they did not."""
    line = MBOX_LINE.match(data)
    if line is None:
        return read_mail(data).first("return-path").strip("<> ")
    words = line[0].decode("latin-1").split()[1:2]
    return "" if words in ([], ["MAILER-DAEMON"]) else words[0]


def _named(error: Exception) -> str:
    """What went wrong, in words of ours alone."""
    return str(error) if isinstance(error, StudiographError) else type(error).__name__


def _told(entry: StoredMail | None) -> str:
    """How far a mail has come."""
    if entry is None or not entry.is_done:
        return "stored"
    forwarded, answered = (
        "yes" if is_so else "no" for is_so in (entry.is_forwarded, entry.is_answered)
    )
    return f"{entry.state}, forwarded: {forwarded}, answered: {answered}"
