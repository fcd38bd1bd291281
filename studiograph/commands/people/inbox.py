"""`studiograph inbox`: the messages to the human that are stored on this machine."""

import json
import sys
from datetime import datetime, timedelta

import click

from resolvers.contact.inbox import Inbox, InboxMessage, short_ids
from sdl.types.scalar_types import format_instant
from studiograph.cli import json_option, note, pass_settings, quiet_option
from studiograph.services import inbox_folder
from studiograph.settings import Settings
from studiograph.wiring.proofs import system_clock

SOURCES = "Messages come by POST /api/contact, the MCP tool send_contact and the agents' mailbox."
RELAYED = "New messages go to the mail server in STUDIOGRAPH_SMTP_URL and are not stored here."
ALL_ANSWERED = "All messages are answered. `studiograph inbox list --all` lists them, too."


PAGE = 20
"""How many messages a list shows to a person; a program gets all."""


class _ListByDefault(click.Group):
    """A group that runs `list` without a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in (*self.commands, *ctx.help_option_names):
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_ListByDefault)
def command() -> None:
    """Read the messages to the human on this machine. Without a command, list them."""


@command.command("list", epilog="Example: studiograph inbox list --all --offset 20")
@click.option("--all", "everything", is_flag=True, help="List answered messages, too.")
@click.option("--offset", type=click.IntRange(0), default=0, help="Leave out so many newer ones.")
@json_option
@quiet_option
@pass_settings
def list_messages(
    settings: Settings,
    *,
    everything: bool,
    offset: int,
    as_json: bool,
    quiet: bool,
) -> int:
    """List the messages without an answer, the newest first, with their age."""
    messages = Inbox(inbox_folder(settings)).messages()
    selection = [message for message in messages if everything or not message.is_answered]
    end = len(selection) if as_json else offset + PAGE
    page = selection[offset:end]
    if as_json:
        print(json.dumps([_to_json(message) for message in page]))
    else:
        short, now = short_ids(messages), system_clock()
        _print_table([_row(message, short[message.id], now) for message in page])
    remarks = []
    if not messages:
        remarks.append(f"The inbox is empty. {SOURCES}")
    elif not selection:
        remarks.append(ALL_ANSWERED)
    if end < len(selection):
        remarks.append(f"{len(selection) - end} older ones: add --offset {end} to list them.")
    if settings.smtp_url.get_secret_value():
        remarks.append(RELAYED)
    for remark in () if quiet else remarks:
        note(remark)
    return 0


@command.command(epilog="Example: studiograph inbox show 3f9a, with an ID of `studiograph inbox`")
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
    _print(f"Id: {message.id}")
    received = format_instant(message.received_at)
    _print(f"Received: {received}, {_age(message, now)}, {_due(message, now)}")
    _print(f"Answer to: {message.email or '(no valid address)'}")
    _print(f"File: {message.file}\n")
    _print(message.text.rstrip())
    return 0


@command.command(epilog="Example: studiograph inbox done 3f9a, with an ID of `studiograph inbox`")
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


def _to_json(message: InboxMessage) -> dict[str, str | bool]:
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
    present = {name: value for name, value in fields.items() if value}
    return {**present, "seen": message.is_read, "done": message.is_answered}


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


def _print_table(rows: list[tuple[str, ...]]) -> None:
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    for row in rows:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True) if width)
        _print("  ".join(padded).rstrip())


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


def _print(text: str) -> None:
    """Print a text, with `?` for characters that the terminal cannot show."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding))
