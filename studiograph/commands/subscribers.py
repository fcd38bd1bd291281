"""`studiograph subscribers`: who is sent new changelog entries, seen from outside the service."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

import click

from resolvers.webhooks.subscription_store import Subscription, SubscriptionStore
from studiograph.cli import failed, json_option, note, pass_settings, quiet_option
from studiograph.commands.table import format_time, print_table
from studiograph.settings import Settings, database_of

BY_OPERATOR = "operator"
"""Why a subscription is disabled that somebody disabled here."""
NONE = "Nobody has subscribed. Subscriptions are made by POST /api/subscribe."
Found = TypeVar("Found")

HEADS = ("ID", "HOST", "KINDS", "SINCE", "STATE", "FAILURES", "LAST SUCCESS")


@click.group()
def command() -> None:
    """Who is sent new changelog entries."""


@command.command("list")
@json_option
@quiet_option
@pass_settings
def list_subscriptions(settings: Settings, *, as_json: bool, quiet: bool) -> int:
    """List every subscription and how it fares."""
    every = _with_store(settings, lambda store: store.all())
    every.sort(key=lambda each: each.created_at)
    if as_json:
        print(json.dumps([_plain(each) for each in every]))
    else:
        print_table(HEADS, [_row(each) for each in every])
    if not every and not quiet:
        note(NONE)
    return 0


@command.command()
@click.argument("name", metavar="ID")
@quiet_option
@pass_settings
def enable(settings: Settings, *, name: str, quiet: bool) -> int:
    """Deliver again to the disabled subscription ID, from now on."""

    async def change(store: SubscriptionStore) -> str:
        found = await _find(name, store)
        if not await store.enable(found.id):
            return f"{found.id} is enabled already."
        return f"{found.id} is sent what is published from now on."

    return _changed(settings, change, quiet=quiet)


@command.command()
@click.argument("name", metavar="ID")
@quiet_option
@pass_settings
def disable(settings: Settings, *, name: str, quiet: bool) -> int:
    """Keep the subscription ID, and deliver nothing to it."""

    async def change(store: SubscriptionStore) -> str:
        found = await _find(name, store)
        if not await store.disable(found.id, BY_OPERATOR):
            return f"{found.id} is disabled already."
        return f"{found.id} is sent nothing until `studiograph subscribers enable {found.id}`."

    return _changed(settings, change, quiet=quiet)


@command.command()
@click.argument("name", metavar="ID")
@quiet_option
@pass_settings
def remove(settings: Settings, *, name: str, quiet: bool) -> int:
    """Forget the subscription ID with its secret."""

    async def change(store: SubscriptionStore) -> str:
        found = await _find(name, store)
        await store.remove(found.id)
        return f"{found.id} is forgotten; its owner may subscribe again."

    return _changed(settings, change, quiet=quiet)


def _changed(
    settings: Settings, change: Callable[[SubscriptionStore], Awaitable[str]], *, quiet: bool
) -> int:
    """0 once the change is made and said, 1 where there is no such subscription."""
    try:
        remark = _with_store(settings, change)
    except LookupError as fault:
        return failed(str(fault))
    if not quiet:
        note(remark)
    return 0


def _with_store(settings: Settings, ask: Callable[[SubscriptionStore], Awaitable[Found]]) -> Found:
    """What the store of subscriptions answers. Raises: StateFault, Unavailable."""

    async def asked() -> Found:
        database = database_of(settings)
        database.ensure_schema()
        try:
            return await ask(SubscriptionStore(database, time.time))
        finally:
            await database.close()

    return asyncio.run(asked())


async def _find(name: str, subscriptions: SubscriptionStore) -> Subscription:
    """The one whose id begins like that. Raises: LookupError."""
    every = await subscriptions.all()
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
    return f"disabled {format_time(subscription.disabled_at)}: {subscription.disabled_reason}"


def _row(each: Subscription) -> tuple[str, ...]:
    """The cells of one; of its URL the host alone, because a path can be a secret."""
    return (
        each.id,
        urlsplit(each.url).netloc,
        ",".join(each.kinds) or "all",
        format_time(each.created_at),
        _state(each),
        str(each.consecutive_failures),
        format_time(each.last_success_at) or "never",
    )


def _plain(each: Subscription) -> dict[str, Any]:
    told = {
        "id": each.id,
        "url": each.url,
        "kinds": list(each.kinds),
        "createdAt": format_time(each.created_at),
        "disabledAt": format_time(each.disabled_at),
        "disabledReason": each.disabled_reason,
        "firstFailureAt": format_time(each.first_failure_at),
        "lastSuccessAt": format_time(each.last_success_at),
    }
    known = {name: value for name, value in told.items() if value}
    return {**known, "active": each.is_active, "consecutiveFailures": each.consecutive_failures}
