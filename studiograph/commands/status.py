"""`status`: how the studio is, on one screen. `mirror`: who came, and what had no answer."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import timedelta
from itertools import islice
from typing import Any

import click

from content.checking.errors import ContentError
from content.importing.toml_writer import toml_value
from content.reading.revision import read_revision
from resolvers.contact.inbox import Inbox
from resolvers.db.database import Database
from resolvers.jobs.store import count_unfinished
from resolvers.signing.keys import key_ring_at
from resolvers.usage.report import SHOWN_FROM, totals, unanswered
from resolvers.usage.store import REQUESTS, Asked, MissingPath, Question, RequestKind, UsageStore
from resolvers.webhooks.delivery_store import DeliveryStore
from resolvers.webhooks.subscription_store import SubscriptionStore
from sdl.tools.table import print_table, print_text
from sdl.types.scalar_types import format_instant
from studiograph.cli import CommandError, json_option, note, pass_settings, quiet_option
from studiograph.settings import Settings, database_of, jobs_url
from studiograph.wiring.metrics import surface_of
from studiograph.wiring.proofs import key_store, proof_store, system_clock
from studiograph.wiring.services import inbox_folder

AGENTS = 5
"""How many families of agents are named."""


@click.command(epilog="Example: studiograph status --json")
@json_option
@pass_settings
def status_command(settings: Settings, *, as_json: bool) -> int:
    """Print what is published, what waits for the owner, and who came today.

    It reads the stores of this machine and asks no service; `studiograph doctor` does.
    Requests are counted there once a minute, so those of the last minute are missing.
    """
    state = _state(settings)
    if as_json:
        print(json.dumps(state))
    else:
        for name, text in _lines(state):
            print_text(f"{name:<12}{text}")
    return 0


def _state(settings: Settings) -> dict[str, Any]:
    """Shape: `{content, published, messages, deliveries, jobs, today, key}`; null without any."""
    database, now = database_of(settings), system_clock()
    has_tables = database.is_initialised()
    messages = Inbox(inbox_folder(settings)).messages()
    waiting = [message.received_at for message in messages if not message.is_answered]
    keys = key_store(settings).read()
    key = key_ring_at(keys, now).active if keys else None
    requests = UsageStore(database).requests(now.date()) if has_tables else Counter[RequestKind]()
    return {
        "content": _content(settings),
        "published": proof_store(settings).last_publication() if has_tables else None,
        "messages": {
            "waiting": len(waiting),
            "oldestAt": format_instant(min(waiting)) if waiting else None,
            "areMailed": bool(settings.smtp_url.get_secret_value()),
        },
        "deliveries": asyncio.run(_deliveries(database)) if has_tables else None,
        "jobs": count_unfinished(jobs_url(settings)),
        "today": dict(totals(requests, lambda kind: kind.agent).most_common()),
        "key": {"kid": key.kid, "activeFrom": format_instant(key.active_from)} if key else None,
    }


def _content(settings: Settings) -> dict[str, Any]:
    try:
        return {
            "revision": read_revision(settings.content, **settings.reading).digest,
            "faults": 0,
        }
    except ContentError as error:
        return {"revision": None, "faults": len(error.problems)}


async def _deliveries(database: Database) -> dict[str, int]:
    try:
        subscriptions = await SubscriptionStore(database, time.time).all()
        given_up = await DeliveryStore(database, time.time).count_dead()
    finally:
        await database.close()
    return {"subscribers": len(subscriptions), "givenUp": given_up}


def _lines(state: dict[str, Any]) -> Iterator[tuple[str, str]]:
    content, published, messages = state["content"], state["published"], state["messages"]
    if content["faults"]:
        yield "content", f"{content['faults']} faults: `studiograph check` names them"
    elif published is None:
        yield "content", "nothing is published yet: `studiograph serve` publishes it"
    elif content["revision"] == published["revision"]:
        yield "content", "as published"
    else:
        yield "content", "changed since it was published: `studiograph diff` says what"
    if published is not None:
        yield "published", f"{published['publishedAt']}, {published['statements']} statements"
    oldest = f", the oldest since {messages['oldestAt']}" if messages["waiting"] else ""
    mailed = "; new ones go to the mail server" if messages["areMailed"] else ""
    yield "messages", f"{messages['waiting']} without an answer{oldest}{mailed}"
    if (deliveries := state["deliveries"]) is not None:
        text = f"{deliveries['subscribers']} subscribers, {deliveries['givenUp']} given up"
        yield "deliveries", f"{text}, {sum(state['jobs'].values())} mails and deliveries under way"
    agents = [f"{name} {number}" for name, number in state["today"].items()]
    more = f" and {len(agents) - AGENTS} more" if len(agents) > AGENTS else ""
    total = sum(state["today"].values())
    who = f": {', '.join(agents[:AGENTS])}{more}" if agents else ""
    yield "today", f"{total} requests until a minute ago{who}"
    if (key := state["key"]) is not None:
        yield "key", f"{key['kid']} signs since {key['activeFrom']}"


DAYS = 30
LONGEST = 10
"""How many lines a list has for a person; a program gets all."""
KINDS: dict[str, Callable[[RequestKind], str]] = {
    "agent": lambda kind: kind.agent,
    "surface": lambda kind: surface_of(kind.operation),
    "status": lambda kind: str(kind.status),
    "operation": lambda kind: kind.operation,
    "day": lambda kind: kind.day,
}
"""What requests are counted by, and how it is read off them."""
OFF = (
    "Questions are not kept. Set STUDIOGRAPH_MIRROR=questions to keep them without what could name"
    " their sender; agent.json and /agents.md then say so."
)


@click.group(
    invoke_without_command=True,
    epilog="Example: studiograph mirror --days 7\nExample: studiograph mirror draft 1",
)
@click.option("--days", type=click.IntRange(1, REQUESTS.days), default=DAYS, help="How far back.")
@json_option
@quiet_option
@pass_settings
def mirror_command(settings: Settings, *, days: int, as_json: bool, quiet: bool) -> int:
    """Show who came, what was not found, and what the content did not answer.

    A running service writes it once a minute, so what came in the last minute is missing.
    """
    if click.get_current_context().invoked_subcommand is not None:
        return 0
    mirror = _read(settings, days)
    if as_json:
        print(json.dumps(mirror))
        return 0
    number = sum(mirror["requests"]["agent"].values())
    print(f"{number} requests in {days} days, until a minute ago")
    for name, numbers in mirror["requests"].items():
        _print_list(f"by {name}", numbers)
    _print_list("asked for, and not there", mirror["missingPaths"])
    _print_questions("Asked, and not answered", mirror["questions"])
    _print_questions("Goals that no operation served", mirror["goals"])
    for remark in () if quiet else _remarks(settings, mirror):
        note(remark)
    return 0


@mirror_command.command(epilog="Example: studiograph mirror draft 1 >> content/faq.toml")
@click.argument("number", type=click.IntRange(1))
@pass_settings
def draft(settings: Settings, *, number: int) -> int:
    """Print an entry of faq.toml for question NUMBER of the mirror with these days, as a draft."""
    parent = click.get_current_context().parent
    questions = _read(settings, parent.params["days"] if parent else DAYS)["questions"]
    if number > len(questions):
        raise CommandError(
            f"There are {len(questions)} questions; `studiograph mirror` numbers them."
        )
    text = toml_value(questions[number - 1]["text"])
    print(f"\n[[faq]]\ndraft = true  # kept out until this line is gone\nq = {text}")
    print('a = "Write the answer here."\ntags = []')
    return 0


def _read(settings: Settings, days: int) -> dict[str, Any]:
    """Return what was counted in the last days. Raises: DatabaseError.

    Shape: `{requests: {agent, surface, ...}, missingPaths, questions, goals, asked, hidden}`.
    """
    database, today = database_of(settings), system_clock().date()
    store, first = UsageStore(database), today - timedelta(days - 1)
    requests, paths = Counter[RequestKind](), Counter[MissingPath]()
    asked = Counter[Question]()
    if database.is_initialised():  # looking makes no tables
        requests, paths, asked = store.requests(first), store.paths(first), store.questions(first)
    missing = totals(paths, lambda path: path.path).most_common()
    questions, hidden = unanswered(asked, Asked.QUESTION, Asked.SEARCH)
    goals, hidden_goals = unanswered(asked, Asked.GOAL)
    return {
        "requests": {n: dict(totals(requests, key).most_common()) for n, key in KINDS.items()},
        "missingPaths": {path: number for path, number in missing if number >= SHOWN_FROM},
        "questions": [asdict(question) for question in questions],
        "goals": [asdict(goal) for goal in goals],
        "asked": asked.total(),
        "hidden": hidden + hidden_goals,
    }


def _print_list(title: str, numbers: dict[str, int]) -> None:
    if numbers:
        print(f"\n{title}")
        for name, number in islice(numbers.items(), LONGEST):
            print_text(f"{number:>8}  {name}")


def _print_questions(title: str, questions: list[dict[str, Any]]) -> None:
    if questions:
        print(f"\n{title}")
        rows = [
            (
                f"{place:>3}",
                asked["text"],
                f"{asked['callers']} callers",
                f"{asked['times']} times",
                ", ".join(asked["channels"]),
            )
            for place, asked in enumerate(questions, 1)
        ]
        print_table(rows, ("", "QUESTION", "CALLERS", "TIMES", "BY"))


def _remarks(settings: Settings, mirror: dict[str, Any]) -> Iterator[str]:
    if settings.mirror == "off":
        yield "Nothing is counted: STUDIOGRAPH_MIRROR is off."
    if mirror["questions"]:
        yield "`studiograph mirror draft N` prints an entry of faq.toml for question N."
    if mirror["hidden"]:
        yield (
            f"{mirror['hidden']} more that the content did not answer are shown once {SHOWN_FROM}"
            " callers have asked in the same words."
        )
    if settings.mirror == "counts" and not mirror["asked"]:
        yield OFF
