"""`studiograph inbox`: what was written to the human and stays on this machine."""

import argparse
import json
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from resolvers.letters.inbox import Entry, Inbox, InboxFault, short_ids
from schema.words import instant_text
from studiograph.proofs import system_clock
from studiograph.services import inbox_of
from studiograph.settings import Settings

WAYS = "Messages come by POST /api/contact, the MCP tool send_contact and the agents' mailbox."
RELAYED = "New messages go to the mail server in STUDIOGRAPH_SMTP_URL and are not kept here."
NONE_WAITS = "Nothing waits for an answer. `studiograph inbox list --all` lists what is done, too."
_FLAG: dict[str, Any] = {"action": "store_true", "default": argparse.SUPPRESS}

Action = Callable[[argparse.Namespace, Inbox], list[str]]


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("inbox", help="the messages to the human on this machine")
    parser.set_defaults(run=run, action=_list, json=False, all=False, quiet=False)
    actions = parser.add_subparsers(metavar="ACTION")
    lists = actions.add_parser("list", help="what waits for an answer, the newest first")
    shows = actions.add_parser("show", help="one message, which is then marked as seen")
    finishes = actions.add_parser("done", help="mark one message as answered")
    for made, action in ((lists, _list), (shows, _show), (finishes, _finish)):
        made.set_defaults(action=action)
    for made in (parser, lists):
        made.add_argument("--all", **_FLAG, help="list what is done, too")
    for made in (parser, lists, shows):
        made.add_argument("--json", **_FLAG, help="print JSON")
    for made in (parser, lists, finishes):
        made.add_argument("--quiet", **_FLAG, help="print no remarks")
    for made in (shows, finishes):
        made.add_argument("id", metavar="ID", help="the message's id, or how it begins")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """0 when it is done, 1 when there is no such message or the inbox cannot be used."""
    action: Action = arguments.action
    try:
        remarks = action(arguments, Inbox(inbox_of(settings)))
    except InboxFault as fault:
        print(fault, file=sys.stderr)
        return 1
    if settings.smtp_url.get_secret_value() and action is _list:
        remarks.append(RELAYED)
    if not arguments.quiet:
        print(*remarks, sep="\n", end="\n" * bool(remarks), file=sys.stderr)
    return 0


def _list(arguments: argparse.Namespace, inbox: Inbox) -> list[str]:
    entries = inbox.entries()
    shown = [entry for entry in entries if arguments.all or not entry.done]
    if arguments.json:
        print(json.dumps([_plain(entry) for entry in shown]))
    else:
        short, now = short_ids(entries), system_clock()
        _print_table([_row(entry, short[entry.id], now) for entry in shown])
    if not entries:
        return [f"The inbox is empty. {WAYS}"]
    return [] if shown else [NONE_WAITS]


def _show(arguments: argparse.Namespace, inbox: Inbox) -> list[str]:
    entry = inbox.see(inbox.find(arguments.id))
    if arguments.json:
        print(json.dumps({**_plain(entry), "text": entry.text, "file": str(entry.file)}))
        return []
    now = system_clock()
    _print(f"Id: {entry.id}")
    _print(f"Received: {instant_text(entry.received_at)}, {_age(entry, now)}, {_due(entry, now)}")
    _print(f"Answer to: {entry.email or '(nobody who can be answered)'}")
    _print(f"File: {entry.file}\n")
    _print(entry.text.rstrip())
    return []


def _finish(arguments: argparse.Namespace, inbox: Inbox) -> list[str]:
    entry = inbox.finish(inbox.find(arguments.id))
    return [f"{entry.id} is done; `studiograph inbox list --all` still lists it."]


def _plain(entry: Entry) -> dict[str, str | bool]:
    told = {
        "id": entry.id,
        "name": entry.name,
        "email": entry.email,
        "channel": entry.channel,
        "agent": entry.agent,
        "about": entry.about,
        "receivedAt": instant_text(entry.received_at),
        "dueAt": instant_text(entry.due_at),
    }
    known = {name: value for name, value in told.items() if value}
    return {**known, "seen": entry.seen, "done": entry.done}


def _row(entry: Entry, short: str, now: datetime) -> tuple[str, ...]:
    """The cells of a message; a star marks what nobody has seen."""
    return (
        " " if entry.seen else "*",
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


def _age(entry: Entry, now: datetime) -> str:
    return f"{_span(now - entry.received_at)} old"


def _due(entry: Entry, now: datetime) -> str:
    """How it stands against the time in which the human means to answer."""
    left = entry.due_at - now
    if entry.done:
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
