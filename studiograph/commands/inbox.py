"""Messages to the human: `inbox` reads those on this machine, `mailbox` takes mails.

The exit codes of `mailbox deliver` are those of sysexits.h, which mail servers understand: 0
stored, 65 no mail on standard input, 67 no such mailbox, 69 the mail is too large, 75 try again
later.
"""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import click

from content.reading.reader import load
from resolvers.contact.inbox import Inbox, InboxMessage, short_ids
from resolvers.contact.mail_parser import MBOX_LINE, read_mail
from resolvers.mailbox.rules import Envelope, sender_digest
from resolvers.mailbox.service import MAX_BYTES
from resolvers.mailbox.store import WAITING, MailStore, StoredMail
from sdl.errors import StudiographError
from sdl.tools.table import print_table, print_text
from sdl.types.scalar_types import format_instant
from studiograph.application import Application, make_application
from studiograph.cli import (
    CommandError,
    Invocation,
    json_option,
    note,
    pass_settings,
    present,
    quiet_option,
    set_up_logs,
)
from studiograph.settings import Settings, database_of
from studiograph.wiring.background import MAIL, current_studio, mail_service, working
from studiograph.wiring.proofs import system_clock
from studiograph.wiring.services import check_no_loop, counting, inbox_folder, mailbox_address

SOURCES = "Messages come by POST /api/contact, the MCP tool send_contact and the agents' mailbox."
RELAYED = "New messages go to the mail server in STUDIOGRAPH_SMTP_URL and are not stored here."
ALL_ANSWERED = "All messages are answered. `studiograph inbox list --all` lists them, too."


class _ListByDefault(click.Group):
    """A group that runs `list` without a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in (*self.commands, *ctx.help_option_names):
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_ListByDefault)
def inbox_command() -> None:
    """Read the messages to the human on this machine. Without a command, list them."""


@inbox_command.command("list", epilog="Example: studiograph inbox list --all")
@click.option("--all", "everything", is_flag=True, help="List answered messages, too.")
@json_option
@quiet_option
@pass_settings
def list_messages(settings: Settings, *, everything: bool, as_json: bool, quiet: bool) -> int:
    """List the messages without an answer, the newest first, with their age."""
    messages = Inbox(inbox_folder(settings)).messages()
    selection = [message for message in messages if everything or not message.is_answered]
    if as_json:
        print(json.dumps([_to_json(message) for message in selection]))
    else:
        short, now = short_ids(messages), system_clock()
        print_table([_row(message, short[message.id], now) for message in selection])
    remarks = []
    if not messages:
        remarks.append(f"The inbox is empty. {SOURCES}")
    elif not selection:
        remarks.append(ALL_ANSWERED)
    if settings.smtp_url.get_secret_value():
        remarks.append(RELAYED)
    for remark in () if quiet else remarks:
        note(remark)
    return 0


@inbox_command.command(
    epilog="Example: studiograph inbox show 3f9a, with an ID of `studiograph inbox`"
)
@click.argument("prefix", metavar="ID")
@json_option
@pass_settings
def show(settings: Settings, *, prefix: str, as_json: bool) -> int:
    """Print the message whose id is or begins with ID, and mark it as seen."""
    inbox = Inbox(inbox_folder(settings))
    message = inbox.mark_read(inbox.find(prefix))
    if as_json:
        print(json.dumps({**_to_json(message), "text": message.text, "file": str(message.file)}))
        return 0
    now = system_clock()
    print_text(f"Id: {message.id}")
    received = format_instant(message.received_at)
    print_text(f"Received: {received}, {_age(message, now)}, {_due(message, now)}")
    print_text(f"Answer to: {message.email or '(no valid address)'}")
    print_text(f"File: {message.file}")
    print()
    for line in message.text.rstrip().splitlines():
        print_text(line.expandtabs())
    return 0


@inbox_command.command(
    epilog="Example: studiograph inbox done 3f9a, with an ID of `studiograph inbox`"
)
@click.argument("prefix", metavar="ID")
@quiet_option
@pass_settings
def done(settings: Settings, *, prefix: str, quiet: bool) -> int:
    """Mark the message whose id is or begins with ID as answered."""
    inbox = Inbox(inbox_folder(settings))
    message = inbox.mark_answered(inbox.find(prefix))
    if not quiet:
        note(f"{message.id} is marked as answered; `studiograph inbox list --all` still lists it.")
    return 0


def _to_json(message: InboxMessage) -> dict[str, Any]:
    fields = {
        "id": message.id,
        "name": message.name,
        "email": message.email,
        "channel": message.channel,
        "agent": message.agent,
        "signedBy": message.signed_by,
        "about": message.about,
        "receivedAt": format_instant(message.received_at),
        "dueAt": format_instant(message.due_at),
    }
    return {**present(fields), "seen": message.is_read, "done": message.is_answered}


def _row(message: InboxMessage, short: str, now: datetime) -> tuple[str, ...]:
    """Return the cells of a message; a star marks an unseen one."""
    return (
        " " if message.is_read else "*",
        short,
        _age(message, now),
        _due(message, now),
        message.channel,
        _truncate(message.agent, 16),
        _truncate(message.name, 20),
        _truncate(f"<{message.email}>" if message.email else "", 32),
        _truncate(message.about, 40),
    )


def _truncate(text: str, max_length: int) -> str:
    return text if len(text) <= max_length else f"{text[: max_length - 1]}…"


def _age(message: InboxMessage, now: datetime) -> str:
    return f"{_format_span(now - message.received_at)} old"


def _due(message: InboxMessage, now: datetime) -> str:
    """Return how much time is left for an answer, or how late it is."""
    left = message.due_at - now
    if message.is_answered:
        return "done"
    return (
        f"answer within {_format_span(left)}"
        if left > timedelta()
        else f"late by {_format_span(-left)}"
    )


def _format_span(span: timedelta) -> str:
    minutes = max(int(span.total_seconds()) // 60, 0)
    if minutes < 60:  # noqa: PLR2004 - minutes of an hour
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60)} d"


WAIT_SECONDS = 30
POLL_SECONDS = 0.1


@click.group()
def mailbox_command() -> None:
    """Run the agents' mailbox."""


@mailbox_command.command()
@quiet_option
@pass_settings
def serve(settings: Settings, *, quiet: bool) -> int:
    """Take mails at STUDIOGRAPH_MAIL_LISTEN, in a separate process."""
    set_up_logs()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # there is nothing to reload
    if not settings.mail_listen:
        raise CommandError(
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


@mailbox_command.command()
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
