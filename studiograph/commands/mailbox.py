"""`studiograph mailbox`: take mails in a process of its own, or one from a mail server's pipe.

Exit codes of `deliver` are those that mail servers know: 0 stored, 65 there is no mail, 67 there is
no such mailbox, 69 the mail is too large, 75 try again later.
"""

import argparse
import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from content.faults import ContentError
from content.reader import load
from resolvers.letters.ledger import WAITING, Entry, Ledger
from resolvers.letters.mail import MBOX_LINE, read_mail
from resolvers.letters.post import LARGEST_BYTES
from resolvers.letters.verdict import Envelope, sender_key
from resolvers.proofs.faults import ProofFault
from resolvers.state.database import StateFault
from schema.errors import StudioError
from sdl.faults import OperationError
from studiograph.app import Assembly, assemble
from studiograph.logs import set_up_logs
from studiograph.mailbox import MAIL, mailroom, refuse_circle, studio_of
from studiograph.services import mailbox_of
from studiograph.settings import Settings, SettingsError
from studiograph.state import database_of
from studiograph.work import working

WAIT_SECONDS = 30
LOOK_SECONDS = 0.1
_OURS = (ContentError, OperationError, ProofFault, SettingsError, StateFault, StudioError)


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("mailbox", help="the agents' mailbox")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    serves = actions.add_parser("serve", help="take mails at STUDIOGRAPH_MAIL_LISTEN")
    serves.add_argument("--quiet", action="store_true", help="print no line at the start")
    serves.set_defaults(run=_serve)
    delivers = actions.add_parser("deliver", help="take one mail from standard input")
    delivers.add_argument("--sender", metavar="ADDRESS", help="the sender of the envelope")
    delivers.add_argument("--recipient", metavar="ADDRESS", help="the recipient of the envelope")
    delivers.add_argument("--quiet", action="store_true", help="do not print what became of it")
    delivers.set_defaults(run=_deliver, failed=os.EX_TEMPFAIL)


def _serve(arguments: argparse.Namespace, settings: Settings) -> int:
    """Take mails until told to stop."""
    set_up_logs()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # there is nothing to reload
    if not settings.mail_listen:
        print(
            "there is nowhere to take mails. Fix: set STUDIOGRAPH_MAIL_LISTEN, for example to"
            " lmtp://127.0.0.1:8024.",
            file=sys.stderr,
        )
        return 1
    asyncio.run(_take_in(assemble(settings), quiet=arguments.quiet))
    return 0


async def _take_in(whole: Assembly, *, quiet: bool) -> None:
    stopped = asyncio.Event()
    for stop in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(stop, stopped.set)
    try:
        async with working(whole) as work, mailroom(whole, work) as port:
            if port is not None and not quiet:
                mailbox = mailbox_of(whole.settings, studio_of(whole))
                told = f"studiograph takes mails for {mailbox} at {whole.settings.mail_listen}"
                port.add_done_callback(lambda _: print(told, flush=True))
            await stopped.wait()
    finally:
        await whole.services.close()


def _deliver(arguments: argparse.Namespace, settings: Settings) -> int:
    """Take one mail: what is stored will be worked on, whatever else goes wrong now."""
    data = sys.stdin.buffer.read(LARGEST_BYTES + 1)
    try:
        if refusal := _refusal(data, arguments.recipient, settings):
            print(refusal[1], file=sys.stderr)
            return refusal[0]
        ledger = Ledger(database_of(settings), b"", time.time)
        sender = _sender(data) if arguments.sender is None else arguments.sender
        mail = ledger.take(data, Envelope(sender, (arguments.recipient or "",)))
    except Exception as error:  # noqa: BLE001 - whatever it is, the mail server keeps the mail
        print(f"the mail is not stored: {_named(error)}", file=sys.stderr)
        return os.EX_TEMPFAIL
    try:
        entry = asyncio.run(_worked_on(settings, mail, lambda: ledger.find(mail)))
        told = _told(entry)
    except Exception as error:  # noqa: BLE001 - the mail is stored: another process works on it
        print(f"the mail is stored and must wait: {_named(error)}", file=sys.stderr)
        told = "stored"
    if not arguments.quiet:
        print(f"mail {mail}: {told}")
    return 0


async def _worked_on(
    settings: Settings, mail: str, find: Callable[[], Entry | None]
) -> Entry | None:
    """The mail, once it is done with, here or elsewhere, or half a minute is over."""
    whole = assemble(settings)
    try:
        refuse_circle(settings, studio_of(whole))
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
    if len(data) > LARGEST_BYTES:
        return os.EX_UNAVAILABLE, "the mail is larger than the mailbox takes"
    if recipient and sender_key(recipient) != sender_key(_mailbox(settings)):
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
    return str(error) if isinstance(error, _OURS) else type(error).__name__


def _told(entry: Entry | None) -> str:
    """How far a mail has come."""
    if entry is None or not entry.is_done:
        return "stored"
    forwarded, answered = (
        "yes" if is_so else "no" for is_so in (entry.is_forwarded, entry.is_answered)
    )
    return f"{entry.state}, forwarded: {forwarded}, answered: {answered}"
