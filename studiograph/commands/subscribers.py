"""`studiograph subscribers`: who is sent new changelog entries, seen from outside the service."""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from resolvers.letters.subscriptions import Subscription, Subscriptions
from studiograph.commands.table import moment, print_table
from studiograph.settings import Settings
from studiograph.state import database_of

BY_OPERATOR = "operator"
"""Why a subscription is disabled that somebody disabled here."""
NONE = "Nobody has subscribed. Subscriptions are made by POST /api/subscribe."
HEADS = ("ID", "HOST", "KINDS", "SINCE", "STATE", "FAILURES", "LAST SUCCESS")

Action = Callable[[argparse.Namespace, Subscriptions], Awaitable[str]]


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("subscribers", help="who is sent new changelog entries")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    lists = actions.add_parser("list", help="every subscription and how it stands")
    lists.add_argument("--json", action="store_true", help="print JSON")
    enables = actions.add_parser("enable", help="send to a disabled one again, from now on")
    disables = actions.add_parser("disable", help="keep it, and send it nothing")
    removes = actions.add_parser("remove", help="forget it with its secret")
    made = ((lists, _list), (enables, _enable), (disables, _disable), (removes, _remove))
    for each, action in made:
        each.add_argument("--quiet", action="store_true", help="print no remarks")
        each.set_defaults(run=run, action=action)
    for each in (enables, disables, removes):
        each.add_argument("id", metavar="ID", help="the subscription's id, or how it begins")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """0 when it is done, 1 when there is no such subscription. Raises: StateFault, Unavailable."""
    try:
        remark = asyncio.run(_done(arguments, settings))
    except LookupError as fault:
        print(fault, file=sys.stderr)
        return 1
    if remark and not arguments.quiet:
        print(remark, file=sys.stderr)
    return 0


async def _done(arguments: argparse.Namespace, settings: Settings) -> str:
    database = database_of(settings)
    database.prepare()
    action: Action = arguments.action
    try:
        return await action(arguments, Subscriptions(database, time.time))
    finally:
        await database.close()


async def _list(arguments: argparse.Namespace, subscriptions: Subscriptions) -> str:
    every = sorted(await subscriptions.every(), key=lambda each: each.created_at)
    if arguments.json:
        print(json.dumps([_plain(each) for each in every]))
    else:
        print_table(HEADS, [_row(each) for each in every])
    return "" if every else NONE


async def _enable(arguments: argparse.Namespace, subscriptions: Subscriptions) -> str:
    found = await _find(arguments.id, subscriptions)
    if not await subscriptions.enable(found.id):
        return f"{found.id} is enabled already."
    return f"{found.id} is sent what is published from now on."


async def _disable(arguments: argparse.Namespace, subscriptions: Subscriptions) -> str:
    found = await _find(arguments.id, subscriptions)
    if not await subscriptions.disable(found.id, BY_OPERATOR):
        return f"{found.id} is disabled already."
    return f"{found.id} is sent nothing until `studiograph subscribers enable {found.id}`."


async def _remove(arguments: argparse.Namespace, subscriptions: Subscriptions) -> str:
    found = await _find(arguments.id, subscriptions)
    await subscriptions.remove(found.id)
    return f"{found.id} is forgotten; its owner may subscribe again."


async def _find(name: str, subscriptions: Subscriptions) -> Subscription:
    """The one whose id begins like that. Raises: LookupError."""
    every = await subscriptions.every()
    found = [each for each in every if each.id == name]
    found = found or [each for each in every if each.id.startswith(name)]
    if len(found) == 1:
        return found[0]
    raise LookupError(
        f"{len(found) or 'no'} subscriptions have an id that begins like that."
        " Fix: name one of `studiograph subscribers list`."
    )


def _state(subscription: Subscription) -> str:
    if subscription.disabled_at is None:
        return "active"
    return f"disabled {moment(subscription.disabled_at)}: {subscription.disabled_reason}"


def _row(each: Subscription) -> tuple[str, ...]:
    """The cells of one; of its URL the host alone, because a path can be a secret."""
    return (
        each.id,
        urlsplit(each.url).netloc,
        ",".join(each.kinds) or "all",
        moment(each.created_at),
        _state(each),
        str(each.consecutive_failures),
        moment(each.last_success_at) or "never",
    )


def _plain(each: Subscription) -> dict[str, Any]:
    told = {
        "id": each.id,
        "url": each.url,
        "kinds": list(each.kinds),
        "createdAt": moment(each.created_at),
        "disabledAt": moment(each.disabled_at),
        "disabledReason": each.disabled_reason,
        "firstFailureAt": moment(each.first_failure_at),
        "lastSuccessAt": moment(each.last_success_at),
    }
    known = {name: value for name, value in told.items() if value}
    return {**known, "active": each.is_active, "consecutiveFailures": each.consecutive_failures}
