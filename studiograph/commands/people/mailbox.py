"""`studiograph mailbox`: take mails in a separate process, or one mail from a mail server's pipe.

The exit codes of `deliver` are those of sysexits.h, which mail servers understand: 0 stored, 65 no
mail on standard input, 67 no such mailbox, 69 the mail is too large, 75 try again later.
"""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import click

from content.reading.reader import load
from resolvers.contact.mail_parser import MBOX_LINE, read_mail
from resolvers.mailbox.rules import Envelope, sender_digest
from resolvers.mailbox.service import MAX_BYTES
from resolvers.mailbox.store import WAITING, MailStore, StoredMail
from sdl.errors import StudiographError
from studiograph.application import Application, make_application
from studiograph.cli import Invocation, failed, note, pass_settings, quiet_option, set_up_logs
from studiograph.services import check_no_loop, mailbox_address
from studiograph.settings import Settings, database_of
from studiograph.wiring.jobs import working
from studiograph.wiring.mail import MAIL, current_studio, mail_service
from studiograph.wiring.usage import counting

WAIT_SECONDS = 30
POLL_SECONDS = 0.1


@click.group()
def command() -> None:
    """Run the agents' mailbox."""


@command.command()
@quiet_option
@pass_settings
def serve(settings: Settings, *, quiet: bool) -> int:
    """Take mails at STUDIOGRAPH_MAIL_LISTEN, in a separate process."""
    set_up_logs()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # there is nothing to reload
    if not settings.mail_listen:
        return failed(
            "no address for mails is set. Fix: set STUDIOGRAPH_MAIL_LISTEN, for example to"
            " lmtp://127.0.0.1:8024."
        )
    asyncio.run(_serve(make_application(settings, preview=True), quiet=quiet))
    return 0


async def _serve(app: Application, *, quiet: bool) -> None:
    stopped = asyncio.Event()
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(signal_number, stopped.set)
    try:
        async with (
            counting(app.settings, app.services.usage),
            working(app) as background,
            mail_service(app, background.mailbox, background.queue) as port,
        ):
            if port is not None and not quiet:
                mailbox = mailbox_address(app.settings, current_studio(app))
                text = f"studiograph takes mails for {mailbox} at {app.settings.mail_listen}"
                port.add_done_callback(lambda _: print(text, flush=True))
            await stopped.wait()
    finally:
        await app.services.close()


@command.command()
@click.option("--sender", metavar="ADDRESS", help="The envelope sender.")
@click.option("--recipient", metavar="ADDRESS", help="The envelope recipient.")
@quiet_option
@click.pass_obj
def deliver(
    invocation: Invocation, *, sender: str | None, recipient: str | None, quiet: bool
) -> int:
    """Store one mail from standard input, for a mail server's pipe, and handle it."""
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        settings = invocation.settings
        if refusal := _refusal(data, recipient, settings):
            note(refusal[1])
            return refusal[0]
        store = MailStore(database_of(settings), b"", time.time)
        envelope = Envelope(_read_sender(data) if sender is None else sender, (recipient or "",))
        mail_id = store.insert(data, envelope)
    except Exception as error:  # noqa: BLE001 - after any error the mail server keeps the mail
        note(f"the mail is not stored: {_reason(error)}")
        return os.EX_TEMPFAIL
    try:
        status = _status(asyncio.run(_handle(settings, mail_id, lambda: store.find(mail_id))))
    except Exception as error:  # noqa: BLE001 - the mail is stored: another process will handle it
        note(f"the mail is stored and must wait: {_reason(error)}")
        status = "stored"
    if not quiet:
        print(f"mail {mail_id}: {status}")
    return 0


async def _handle(
    settings: Settings, mail_id: str, find: Callable[[], StoredMail | None]
) -> StoredMail | None:
    """Enqueue the mail, wait until it is handled or `WAIT_SECONDS` are over, and return it."""
    app = make_application(settings, preview=True)
    try:
        check_no_loop(settings, current_studio(app))
        async with counting(app.settings, app.services.usage), working(app) as background:
            with suppress(TimeoutError):
                async with asyncio.timeout(WAIT_SECONDS):
                    await background.queue.enqueue(MAIL, mail_id)
                    while (mail := await asyncio.to_thread(find)) and mail.state == WAITING:  # noqa: ASYNC110 - another process may handle it
                        await asyncio.sleep(POLL_SECONDS)
            return await asyncio.to_thread(find)
    finally:
        await app.services.close()


def _refusal(data: bytes, recipient: str | None, settings: Settings) -> tuple[int, str] | None:
    """Return the exit code and the reason if the mail is refused."""
    if not data.strip():
        return os.EX_DATAERR, "there is no mail on standard input"
    if len(data) > MAX_BYTES:
        return os.EX_UNAVAILABLE, "the mail is larger than the mailbox accepts"
    if recipient and sender_digest(recipient) != sender_digest(_mailbox(settings)):
        return os.EX_NOUSER, "there is no such mailbox here"
    return None


def _mailbox(settings: Settings) -> str:
    return (
        settings.mail_from or load(settings.content, **settings.reading).studio.contact.agents_email
    )


def _read_sender(data: bytes) -> str:
    """Return the envelope sender from the mbox line or Return-Path; "" without one."""
    line = MBOX_LINE.match(data)
    if line is None:
        return read_mail(data).first("return-path").strip("<> ")
    words = line[0].decode("latin-1").split()[1:2]
    return "" if words in ([], ["MAILER-DAEMON"]) else words[0]


def _reason(error: Exception) -> str:
    """Return the error's text if it is one of ours, else its type."""
    return str(error) if isinstance(error, StudiographError) else type(error).__name__


def _status(mail: StoredMail | None) -> str:
    """Return the state of a mail for people."""
    if mail is None or not mail.is_done:
        return "stored"
    forwarded = "yes" if mail.is_forwarded else "no"
    answered = "yes" if mail.is_answered else "no"
    return f"{mail.state}, forwarded: {forwarded}, answered: {answered}"
