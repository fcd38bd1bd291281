"""Webhooks: `subscribers`, `webhook test`, and `jobs`: mails and deliveries not yet done."""

import asyncio
import json
import os
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from random import SystemRandom
from typing import Any, TypeVar
from urllib.parse import urlsplit

import click

from resolvers.db.database import Database
from resolvers.http_client.client import OutboundResponse
from resolvers.http_client.errors import (
    BlockedTargetError,
    InvalidResponseError,
    OutboundError,
    OutboundTimeoutError,
)
from resolvers.http_client.targets import TargetUrl
from resolvers.jobs.queue import JobQueue
from resolvers.jobs.store import UnfinishedJob, list_unfinished
from resolvers.webhooks.delivery_store import Attempt, DeliveryJob, DeliveryStore
from resolvers.webhooks.fanout import event_body
from resolvers.webhooks.retry_policy import DELIVERED, MAX_BYTES, SECONDS, RetryPolicy
from resolvers.webhooks.sender import JOB_NAME, job_type
from resolvers.webhooks.signing import delivery_headers, make_secret, message_id
from resolvers.webhooks.subscription_store import Subscription, SubscriptionStore
from resolvers.webhooks.verification import NO_ECHO, ChallengeRequest
from sdl.errors import InvalidInputError, VerificationFailedError
from sdl.tools.table import print_table, print_text
from sdl.types.scalar_types import format_instant
from studiograph.application import Application, make_application
from studiograph.cli import (
    CommandError,
    Invocation,
    format_time,
    json_option,
    note,
    pass_settings,
    present,
    quiet_option,
)
from studiograph.settings import Settings, database_of, jobs_url
from studiograph.wiring.proofs import system_clock
from studiograph.wiring.services import CHANGELOG_OPERATION, user_agent

BY_OPERATOR = "operator"
"""Why a subscription is disabled, if it was disabled here."""
NONE = "There are no subscriptions. They are made by POST /api/subscribe."
HEADINGS = ("ID", "HOST", "KINDS", "SINCE", "STATE", "FAILURES", "LAST SUCCESS")

T = TypeVar("T")
Change = Callable[[SubscriptionStore, str], Awaitable[str]]
"""Changes the subscription of an id, and returns a remark."""


@click.group()
def subscribers_command() -> None:
    """Webhook subscriptions to new changelog entries."""


@subscribers_command.command("list")
@json_option
@quiet_option
@pass_settings
def list_subscriptions(settings: Settings, *, as_json: bool, quiet: bool) -> int:
    """List every subscription with its state."""
    subscriptions = _with_database(settings, lambda base: SubscriptionStore(base, time.time).all())
    if as_json:
        print(json.dumps([_to_json(subscription) for subscription in subscriptions]))
    else:
        print_table([_cells(subscription) for subscription in subscriptions], HEADINGS)
    if not subscriptions and not quiet:
        note(NONE)
    return 0


def _changes(name: str) -> Callable[[Change], Change]:
    """Make a change of one subscription a command, whose remark it returns."""

    def decorate(change: Change) -> Change:
        example = f"Example: studiograph subscribers {name} sub_1f"

        @subscribers_command.command(
            name, help=change.__doc__, epilog=f"{example}, of `studiograph subscribers list`"
        )
        @click.argument("prefix", metavar="ID")
        @quiet_option
        @pass_settings
        def run(settings: Settings, *, prefix: str, quiet: bool) -> int:
            async def change_one(database: Database) -> str:
                store = SubscriptionStore(database, time.time)
                return await change(store, (await _find(prefix, store)).id)

            remark = _with_database(settings, change_one)
            if not quiet:
                note(remark)
            return 0

        return change

    return decorate


@_changes("enable")
async def _enable(store: SubscriptionStore, subscription: str) -> str:
    """Enable the disabled subscription ID for new entries and deliveries that still wait."""
    if await store.enable(subscription):
        return f"{subscription} is enabled; it gets new entries and deliveries that wait."
    return f"{subscription} is already enabled."


@_changes("disable")
async def _disable(store: SubscriptionStore, subscription: str) -> str:
    """Keep the subscription ID, but deliver nothing to it."""
    if await store.disable(subscription, BY_OPERATOR):
        enable = f"studiograph subscribers enable {subscription}"
        return f"{subscription} is disabled until `{enable}`."
    return f"{subscription} is already disabled."


@_changes("remove")
async def _remove(store: SubscriptionStore, subscription: str) -> str:
    """Delete the subscription ID and its secret."""
    await store.remove(subscription)
    return f"{subscription} is removed; its owner may subscribe again."


def _with_database(settings: Settings, action: Callable[[Database], Awaitable[T]]) -> T:
    """Return what an action on the state database returns.

    Raises: DatabaseError, UnavailableError, and what the action raises.
    """

    async def run() -> T:
        database = database_of(settings)
        database.ensure_schema()
        try:
            return await action(database)
        finally:
            await database.close()

    return asyncio.run(run())


async def _find(name: str, store: SubscriptionStore) -> Subscription:
    """Return the subscription with this id, or the only one whose id begins with it.

    Raises: CommandError.
    """
    subscriptions = await store.all()
    matches = [row for row in subscriptions if row.id == name]
    matches = matches or [row for row in subscriptions if row.id.startswith(name)]
    if len(matches) == 1:
        return matches[0]
    raise CommandError(
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
        **present(optional),
        "active": subscription.is_active,
        "consecutiveFailures": subscription.consecutive_failures,
    }


STATES = ("pending", "running", "delayed", "dead")
NO_JOBS = "There are no jobs."
SEE_DEAD = "Fix: use an id that `studiograph jobs list --status dead` lists."
SEE_SUBSCRIBERS = "Fix: see `studiograph subscribers list`."
JOB_HEADINGS = ("ID", "KIND", "STATE", "ATTEMPT", "DUE", "LAST", "ABOUT")


@click.group()
def jobs_command() -> None:
    """Mails and webhook deliveries that are unfinished or have failed."""


@jobs_command.command("list")
@click.option("--status", type=click.Choice(STATES), help="Only jobs in this state.")
@json_option
@quiet_option
@pass_settings
def list_jobs(settings: Settings, *, status: str | None, as_json: bool, quiet: bool) -> int:
    """List unfinished and failed mails and deliveries."""
    rows = [row for row in _rows(settings) if status in {None, row["status"]}]
    if as_json:
        known = [{key: value for key, value in row.items() if value != ""} for row in rows]
        print(json.dumps(known))
    else:
        print_table([tuple(map(str, row.values())) for row in rows], JOB_HEADINGS)
    if not rows and not quiet:
        note(NO_JOBS)
    return 0


@jobs_command.command(
    epilog="Example: studiograph jobs retry msg_3f9c, with an ID of `studiograph jobs list`"
)
@click.argument("delivery", metavar="ID")
@quiet_option
@pass_settings
def retry(settings: Settings, *, delivery: str, quiet: bool) -> int:
    """Send the failed delivery ID (msg_...) again, from the first attempt."""
    _with_database(settings, partial(_enqueue_next_round, settings, delivery))
    if not quiet:
        note(f"{delivery} is queued; the running service will send it again.")
    return 0


def _rows(settings: Settings) -> list[dict[str, str | int]]:
    """Return all jobs; failed deliveries come from their own store, which knows their attempts."""
    jobs = list_unfinished(jobs_url(settings))
    dead = _with_database(settings, lambda database: DeliveryStore(database, time.time).dead())
    others = [job for job in jobs if (job.kind, job.status) != (JOB_NAME, "dead")]
    return [*map(_job_row, others), *map(_dead_row, dead)]


def _job_row(job: UnfinishedJob) -> dict[str, str | int]:
    name, about = job.job_key, ""
    if job.kind == JOB_NAME:
        delivery = DeliveryJob.parse(job.job_key)
        name, about = delivery.delivery, f"{delivery.entry} to {delivery.subscription}"
    return _row(name, job.kind, job.status, job.attempt, about, due=format_time(job.due_at))


def _dead_row(failed: Attempt) -> dict[str, str | int]:
    about, last = f"{failed.entry} to {failed.subscription}", failed.error or failed.status or ""
    return _row(failed.delivery, JOB_NAME, "dead", failed.n, about, last=str(last))


def _row(  # noqa: PLR0913, PLR0917 - what a list shows of a job
    name: str, kind: str, status: str, attempt: int, about: str, due: str = "", last: str = ""
) -> dict[str, str | int]:
    """Return a job in the order of the headings; `last` is a status code or an error."""
    row: dict[str, str | int] = {"id": name, "kind": kind, "status": status, "attempt": attempt}
    return row | {"dueAt": due, "last": last, "about": about}


async def _enqueue_next_round(settings: Settings, delivery: str, database: Database) -> None:
    """Queue a new round of a failed delivery; the service sends it. Raises: CommandError."""
    deliveries = DeliveryStore(database, time.time)
    job = await deliveries.next_round(delivery)
    if job is None:
        raise CommandError(f"no failed delivery has this id. {SEE_DEAD}")
    if await deliveries.load(job) is None:
        raise CommandError(f"{delivery}: its subscription is gone or disabled. {SEE_SUBSCRIBERS}")
    jobs = JobQueue(jobs_url(settings), [job_type(_run_nothing)], runs=False)
    try:
        await jobs.enqueue(JOB_NAME, job.job_key)
    finally:
        await jobs.close()


async def _run_nothing(_key: str, _attempt: int) -> None:
    """Never called: this process runs no jobs."""


HINT_ECHO = (
    "answer the POST with the value of `challenge` and nothing else (as text, as JSON or as a"
    " form), or the GET that follows with the value of `hub.challenge`"
)
HINT_REACHABLE = (
    "make sure that the host answers within 5 s, over TLS, with a certificate of a public authority"
)
HINT_PUBLIC = "let the name resolve to public addresses only; others are not connected to"
HINT_DNS = "make sure that the public DNS resolves the name"
HINT_TIMEOUT = f"answer within {SECONDS} s, and process the delivery afterwards"
HINT_PLAIN = "answer in HTTP/1.1 without a Content-Encoding"
HINT_STATUS = "answer 2xx; redirects are not followed, and 410 ends a subscription"


@dataclass(frozen=True)
class Step:
    """The result of one step, with a fix if it failed."""

    name: str
    ok: bool
    detail: str
    fix: str = ""
    values: dict[str, str] = field(default_factory=dict)
    """Values with which the receiver can check the step."""


@click.group()
def webhook_command() -> None:
    """Receivers of new changelog entries."""


@webhook_command.command(epilog="Example: studiograph webhook test https://receiver.example/hook")
@click.argument("url")
@json_option
@click.option("--quiet", is_flag=True, help="Print failures only.")
@click.pass_obj
def test(invocation: Invocation, *, url: str, as_json: bool, quiet: bool) -> int:
    """Send a challenge and a signed sample to URL, and print which step fails."""
    steps = asyncio.run(_run_steps(invocation, url, show=not as_json, quiet=quiet))
    if as_json:
        print(json.dumps({"ok": steps[-1].ok, "steps": [_step_json(step) for step in steps]}))
    return 0 if steps[-1].ok else 1


async def _run_steps(invocation: Invocation, url: str, *, show: bool, quiet: bool) -> list[Step]:
    app = make_application(invocation.settings, preview=True, destinations=invocation.destinations)
    steps = []
    try:
        async with aclosing(_steps(app, url)) as results:
            async for step in results:
                steps.append(step)
                if show:
                    _print(step, quiet=quiet)
    finally:
        await app.services.close()
    return steps


async def _steps(app: Application, url: str) -> AsyncGenerator[Step, None]:
    """Yield the result of each step, up to the first that fails."""
    try:
        target = app.services.webhooks.outbound.destinations.parse(url)
    except InvalidInputError as error:
        rules = "; ".join(f"{problem.path} {problem.rule}" for problem in error.problems)
        yield Step("url", ok=False, detail=error.detail, fix=f"the {rules}")
        return
    yield Step("url", ok=True, detail=f"host {target.host}, port {target.port}")
    for run in (_resolve, _challenge, _deliver):
        step = await run(app, target)
        yield step
        if not step.ok:
            return


async def _resolve(app: Application, target: TargetUrl) -> Step:
    try:
        addresses = await app.services.webhooks.outbound.destinations.addresses(target)
    except OutboundError as error:
        fix = HINT_PUBLIC if isinstance(error, BlockedTargetError) else HINT_DNS
        return Step("addresses", ok=False, detail=str(error), fix=fix)
    return Step("addresses", ok=True, detail=", ".join(map(str, addresses)))


async def _challenge(app: Application, target: TargetUrl) -> Step:
    timestamp = format_instant(system_clock().replace(microsecond=0))
    challenge = ChallengeRequest(_changelog_url(app), timestamp, {})
    try:
        await app.services.webhooks.verifier.verify(target, challenge)
    except VerificationFailedError as error:
        fix = HINT_ECHO if error.reason == NO_ECHO else HINT_REACHABLE
        return Step("challenge", ok=False, detail=error.detail, fix=fix)
    return Step("challenge", ok=True, detail="the receiver sends the challenge back")


async def _deliver(app: Application, target: TargetUrl) -> Step:
    """Deliver the newest entry, signed with a new secret that is not stored."""
    webhooks, snapshot = app.services.webhooks, app.current()
    secret, subscription = make_secret(os.urandom), f"test-{secrets.token_hex(8)}"
    entry = snapshot.data.changelog[0].id
    body = event_body(snapshot.read, entry, _changelog_url(app))
    message = message_id(subscription, entry)
    timestamp = int(system_clock().timestamp())
    headers = delivery_headers(secret, webhooks.key, message, timestamp, body)
    values = {"webhook-id": message, "secret": secret, "publicKey": webhooks.key.public_text}
    outcome: OutboundResponse | OutboundError
    try:
        outcome = await webhooks.outbound.post(
            target,
            body,
            {**headers, "user-agent": user_agent(app.settings)},
            seconds=SECONDS,
            max_bytes=MAX_BYTES,
        )
    except OutboundError as error:
        outcome = error
    schedule = app.settings.webhook_schedule
    decision = RetryPolicy(SystemRandom().uniform, schedule).decide(outcome, 0, system_clock())
    ok = decision.verdict == DELIVERED
    detail = str(outcome) if isinstance(outcome, OutboundError) else f"answered {outcome.status}"
    return Step("delivery", ok=ok, detail=detail, fix="" if ok else _fix(outcome), values=values)


def _changelog_url(app: Application) -> str:
    return f"{app.settings.public_url}{app.operations.path(CHANGELOG_OPERATION)}"


def _fix(outcome: OutboundResponse | OutboundError) -> str:
    fixes = {
        OutboundTimeoutError: HINT_TIMEOUT,
        InvalidResponseError: HINT_PLAIN,
        BlockedTargetError: HINT_PUBLIC,
        OutboundResponse: HINT_STATUS,
    }
    return fixes.get(type(outcome), HINT_REACHABLE)


def _print(step: Step, *, quiet: bool) -> None:
    if step.ok and quiet:
        return
    print_text(f"{'ok    ' if step.ok else 'FAILED'} {step.name}: {step.detail}")
    for name, value in step.values.items():
        print_text(f"         {name}: {value}")
    if step.fix:
        note(f"       Fix: {step.fix}.")


def _step_json(step: Step) -> dict[str, object]:
    required = {"name": step.name, "ok": step.ok, "detail": step.detail}
    optional = {"fix": step.fix, "told": step.values}
    return {**required, **present(optional)}
