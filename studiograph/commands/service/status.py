"""`studiograph status`: how the studio is, on one screen."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import click

from content.checking.errors import ContentError
from content.reading.revision import read_revision
from resolvers.contact.inbox import Inbox
from resolvers.db.database import Database
from resolvers.jobs.store import count_unfinished
from resolvers.signing.keys import key_ring_at
from resolvers.usage.counts import RequestKind
from resolvers.usage.report import totals
from resolvers.usage.store import UsageStore
from resolvers.webhooks.delivery_store import DeliveryStore
from resolvers.webhooks.subscription_store import SubscriptionStore
from sdl.types.scalar_types import format_instant
from studiograph.cli import json_option, pass_settings
from studiograph.commands.table import print_text
from studiograph.services import inbox_folder
from studiograph.settings import Settings, database_of
from studiograph.wiring.jobs import jobs_url
from studiograph.wiring.proofs import key_store, proof_store, system_clock

AGENTS = 5
"""How many families of agents are named."""


@click.command(epilog="Example: studiograph status --json")
@json_option
@pass_settings
def command(settings: Settings, *, as_json: bool) -> int:
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
