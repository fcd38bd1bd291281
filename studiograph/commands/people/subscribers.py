"""`studiograph subscribers`: list, enable, disable and remove webhook subscriptions."""

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
"""Why a subscription is disabled, if it was disabled here."""
NONE = "There are no subscriptions. They are made by POST /api/subscribe."
HEADINGS = ("ID", "HOST", "KINDS", "SINCE", "STATE", "FAILURES", "LAST SUCCESS")

T = TypeVar("T")


@click.group()
def command() -> None:
    """Webhook subscriptions to new changelog entries."""


@command.command("list")
@json_option
@quiet_option
@pass_settings
def list_subscriptions(settings: Settings, *, as_json: bool, quiet: bool) -> int:
    """List every subscription with its state."""
    subscriptions = _with_store(settings, lambda store: store.all())
    if as_json:
        print(json.dumps([_to_json(subscription) for subscription in subscriptions]))
    else:
        print_table(HEADINGS, [_cells(subscription) for subscription in subscriptions])
    if not subscriptions and not quiet:
        note(NONE)
    return 0


@command.command(
    epilog="Example: studiograph subscribers enable sub_1f, of `studiograph subscribers list`"
)
@click.argument("name", metavar="ID")
@quiet_option
@pass_settings
def enable(settings: Settings, *, name: str, quiet: bool) -> int:
    """Enable the disabled subscription ID for entries from now on."""

    async def change(store: SubscriptionStore) -> str:
        subscription = await _find(name, store)
        if not await store.enable(subscription.id):
            return f"{subscription.id} is already enabled."
        return f"{subscription.id} is enabled, and receives entries published from now on."

    return _change(settings, change, quiet=quiet)


@command.command(
    epilog="Example: studiograph subscribers disable sub_1f, of `studiograph subscribers list`"
)
@click.argument("name", metavar="ID")
@quiet_option
@pass_settings
def disable(settings: Settings, *, name: str, quiet: bool) -> int:
    """Keep the subscription ID, but deliver nothing to it."""

    async def change(store: SubscriptionStore) -> str:
        subscription = await _find(name, store)
        if not await store.disable(subscription.id, BY_OPERATOR):
            return f"{subscription.id} is already disabled."
        return (
            f"{subscription.id} is disabled until"
            f" `studiograph subscribers enable {subscription.id}`."
        )

    return _change(settings, change, quiet=quiet)


@command.command(
    epilog="Example: studiograph subscribers remove sub_1f, of `studiograph subscribers list`"
)
@click.argument("name", metavar="ID")
@quiet_option
@pass_settings
def remove(settings: Settings, *, name: str, quiet: bool) -> int:
    """Delete the subscription ID and its secret."""

    async def change(store: SubscriptionStore) -> str:
        subscription = await _find(name, store)
        await store.remove(subscription.id)
        return f"{subscription.id} is removed; its owner may subscribe again."

    return _change(settings, change, quiet=quiet)


def _change(
    settings: Settings, change: Callable[[SubscriptionStore], Awaitable[str]], *, quiet: bool
) -> int:
    """Make a change and print its result; return 1 if there is no such subscription, else 0."""
    try:
        remark = _with_store(settings, change)
    except LookupError as error:
        return failed(str(error))
    if not quiet:
        note(remark)
    return 0


def _with_store(settings: Settings, action: Callable[[SubscriptionStore], Awaitable[T]]) -> T:
    """Run an action on the store. Raises: DatabaseError, UnavailableError."""

    async def run() -> T:
        database = database_of(settings)
        database.ensure_schema()
        try:
            return await action(SubscriptionStore(database, time.time))
        finally:
            await database.close()

    return asyncio.run(run())


async def _find(name: str, store: SubscriptionStore) -> Subscription:
    """Return the subscription with this id, or the only one whose id begins with it.

    Raises: LookupError.
    """
    subscriptions = await store.all()
    matches = [row for row in subscriptions if row.id == name]
    matches = matches or [row for row in subscriptions if row.id.startswith(name)]
    if len(matches) == 1:
        return matches[0]
    raise LookupError(
        f"{len(matches) or 'no'} subscriptions have an id that begins with {name!r}."
        " Fix: use an id that `studiograph subscribers list` shows."
    )


def _state(subscription: Subscription) -> str:
    if subscription.disabled_at is None:
        return "active"
    return f"disabled {format_time(subscription.disabled_at)}: {subscription.disabled_reason}"


def _cells(subscription: Subscription) -> tuple[str, ...]:
    """Return the cells of a row, with only the host of the URL: its path may be secret."""
    return (
        subscription.id,
        urlsplit(subscription.url).netloc,
        ",".join(subscription.kinds) or "all",
        format_time(subscription.created_at),
        _state(subscription),
        str(subscription.consecutive_failures),
        format_time(subscription.last_success_at) or "never",
    )


def _to_json(subscription: Subscription) -> dict[str, Any]:
    optional = {
        "id": subscription.id,
        "url": subscription.url,
        "kinds": list(subscription.kinds),
        "createdAt": format_time(subscription.created_at),
        "disabledAt": format_time(subscription.disabled_at),
        "disabledReason": subscription.disabled_reason,
        "firstFailureAt": format_time(subscription.first_failure_at),
        "lastSuccessAt": format_time(subscription.last_success_at),
    }
    return {
        **{name: value for name, value in optional.items() if value},
        "active": subscription.is_active,
        "consecutiveFailures": subscription.consecutive_failures,
    }
