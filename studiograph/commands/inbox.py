"""`studiograph inbox`: what was written to the human and stays on this machine."""

import json
import sys
from datetime import datetime, timedelta

import click

from resolvers.contact.inbox import Inbox, InboxMessage, short_ids
from sdl.scalar_types import format_instant
from studiograph.cli import json_option, note, pass_settings, quiet_option
from studiograph.services import inbox_of
from studiograph.settings import Settings
from studiograph.wiring.proofs import system_clock

WAYS = "Messages come by POST /api/contact, the MCP tool send_contact and the agents' mailbox."
RELAYED = "New messages go to the mail server in STUDIOGRAPH_SMTP_URL and are not kept here."
NONE_WAITS = "Nothing waits for an answer. `studiograph inbox list --all` lists what is done, too."


class _ListByDefault(click.Group):
    """Without an action, it lists."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in (*self.commands, *ctx.help_option_names):
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_ListByDefault)
def command() -> None:
    """The messages to the human on this machine. Without a command, they are listed."""


@command.command("list")
@click.option("--all", "everything", is_flag=True, help="List what is done, too.")
@json_option
@quiet_option
@pass_settings
def list_messages(settings: Settings, *, everything: bool, as_json: bool, quiet: bool) -> int:
    """List what waits for an answer, the newest first, and how long it waits."""
    entries = Inbox(inbox_of(settings)).messages()
    shown = [entry for entry in entries if everything or not entry.is_answered]
    if as_json:
        print(json.dumps([_plain(entry) for entry in shown]))
    else:
        short, now = short_ids(entries), system_clock()
        _print_table([_row(entry, short[entry.id], now) for entry in shown])
    remarks = []
    if not entries:
        remarks.append(f"The inbox is empty. {WAYS}")
    elif not shown:
        remarks.append(NONE_WAITS)
    if settings.smtp_url.get_secret_value():
        remarks.append(RELAYED)
    for remark in () if quiet else remarks:
        note(remark)
    return 0


@command.command()
@click.argument("message", metavar="ID")
@json_option
@pass_settings
def show(settings: Settings, *, message: str, as_json: bool) -> int:
    """Print the message whose id is or begins with ID, and mark it as seen."""
    inbox = Inbox(inbox_of(settings))
    entry = inbox.mark_read(inbox.find(message))
    if as_json:
        print(json.dumps({**_plain(entry), "text": entry.text, "file": str(entry.file)}))
        return 0
    now = system_clock()
    _print(f"Id: {entry.id}")
    _print(f"Received: {format_instant(entry.received_at)}, {_age(entry, now)}, {_due(entry, now)}")
    _print(f"Answer to: {entry.email or '(nobody who can be answered)'}")
    _print(f"File: {entry.file}\n")
    _print(entry.text.rstrip())
    return 0


@command.command()
@click.argument("message", metavar="ID")
@quiet_option
@pass_settings
def done(settings: Settings, *, message: str, quiet: bool) -> int:
    """Mark the message whose id is or begins with ID as answered."""
    inbox = Inbox(inbox_of(settings))
    entry = inbox.mark_answered(inbox.find(message))
    if not quiet:
        note(f"{entry.id} is done; `studiograph inbox list --all` still lists it.")
    return 0


def _plain(entry: InboxMessage) -> dict[str, str | bool]:
    told = {
        "id": entry.id,
        "name": entry.name,
        "email": entry.email,
        "channel": entry.channel,
        "agent": entry.agent,
        "about": entry.about,
        "receivedAt": format_instant(entry.received_at),
        "dueAt": format_instant(entry.due_at),
    }
    known = {name: value for name, value in told.items() if value}
    return {**known, "seen": entry.is_read, "done": entry.is_answered}


def _row(entry: InboxMessage, short: str, now: datetime) -> tuple[str, ...]:
    """The cells of a message; a star marks what nobody has seen."""
    return (
        " " if entry.is_read else "*",
        short,
        _age(entry, now),
        _due(entry, now),
        entry.channel,
        _cut(entry.agent, 16),
        _cut(entry.name, 20),
        _cut(f"<{entry.email}>" if entry.email else "", 32),
        _cut(entry.about, 40),
    )


def _print_table(rows: list[tuple[str, ...]]) -> None:
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    for row in rows:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True) if width)
        _print("  ".join(padded).rstrip())


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _age(entry: InboxMessage, now: datetime) -> str:
    return f"{_span(now - entry.received_at)} old"


def _due(entry: InboxMessage, now: datetime) -> str:
    """How it stands against the time in which the human means to answer."""
    left = entry.due_at - now
    if entry.is_answered:
        return "done"
    return f"answer within {_span(left)}" if left > timedelta() else f"late by {_span(-left)}"


def _span(span: timedelta) -> str:
    minutes = max(int(span.total_seconds()) // 60, 0)
    if minutes < 60:  # noqa: PLR2004 - minutes of an hour
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60)} d"


def _print(text: str) -> None:
    """Print what a stranger wrote, in the letters that this terminal has."""
    coding = sys.stdout.encoding or "utf-8"
    print(text.encode(coding, "replace").decode(coding))
