"""`studiograph jobs`: list unfinished and failed jobs, and retry failed deliveries."""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from resolvers.db.database import Database
from resolvers.jobs.queue import JobQueue
from resolvers.jobs.store import UnfinishedJob, list_unfinished
from resolvers.webhooks.delivery_store import Attempt, DeliveryJob, DeliveryStore
from resolvers.webhooks.sender import JOB_NAME, job_type
from studiograph.cli import failed, json_option, note, pass_settings, quiet_option
from studiograph.commands.table import format_time, print_table
from studiograph.settings import Settings, database_of
from studiograph.wiring.jobs import jobs_url

STATES = ("pending", "running", "delayed", "dead")
NONE = "There are no jobs."
SEE_DEAD = "Fix: use an id that `studiograph jobs dead` lists."
SEE_SUBSCRIBERS = "Fix: see `studiograph subscribers list`."
HEADINGS = ("ID", "KIND", "STATE", "ATTEMPT", "DUE", "LAST", "ABOUT")


@dataclass(frozen=True)
class Row:
    """A job in the list."""

    id: str
    kind: str
    status: str
    attempt: int
    about: str
    due_at: float | None = None
    last: str = ""
    """The result of the last attempt: a status code or an error."""


@click.group()
def command() -> None:
    """Mails and webhook deliveries that are unfinished or have failed."""


@command.command("list")
@click.option("--status", type=click.Choice(STATES), help="Only jobs in this state.")
@json_option
@quiet_option
@pass_settings
def list_jobs(settings: Settings, *, status: str | None, as_json: bool, quiet: bool) -> int:
    """List unfinished and failed mails and deliveries."""
    return _list(settings, STATES if status is None else (status,), as_json=as_json, quiet=quiet)


@command.command()
@json_option
@quiet_option
@pass_settings
def dead(settings: Settings, *, as_json: bool, quiet: bool) -> int:
    """List failed mails and deliveries, the same as `list --status dead`."""
    return _list(settings, ("dead",), as_json=as_json, quiet=quiet)


@command.command(
    epilog="Example: studiograph jobs retry 01JD3K, with an ID of `studiograph jobs dead`"
)
@click.argument("delivery", metavar="ID")
@quiet_option
@pass_settings
def retry(settings: Settings, *, delivery: str, quiet: bool) -> int:
    """Send the failed delivery ID (msg_...) again, from the first attempt."""
    try:
        asyncio.run(_enqueue_next_round(delivery, settings))
    except LookupError as error:
        return failed(str(error))
    if not quiet:
        note(f"{delivery} is queued; the running service will send it again.")
    return 0


def _list(settings: Settings, states: Sequence[str], *, as_json: bool, quiet: bool) -> int:
    rows = [row for row in asyncio.run(_load_rows(settings)) if row.status in states]
    if as_json:
        print(json.dumps([_to_json(row) for row in rows]))
    else:
        print_table(HEADINGS, [_cells(row) for row in rows])
    if not rows and not quiet:
        note(NONE)
    return 0


async def _load_rows(settings: Settings) -> list[Row]:
    """Return all jobs; failed deliveries come from their own store, which knows their attempts."""
    jobs = await asyncio.to_thread(list_unfinished, jobs_url(settings))
    database = database_of(settings)
    database.ensure_schema()
    try:
        attempts = await DeliveryStore(database, time.time).dead()
    finally:
        await database.close()
    others = [job for job in jobs if (job.kind, job.status) != (JOB_NAME, "dead")]
    return [*map(_job_row, others), *map(_dead_row, attempts)]


def _job_row(job: UnfinishedJob) -> Row:
    if job.kind != JOB_NAME:
        return Row(job.job_key, job.kind, job.status, job.attempt, "", job.due_at)
    delivery = DeliveryJob.parse(job.job_key)
    about = f"{delivery.entry} to {delivery.subscription}"
    return Row(delivery.delivery, job.kind, job.status, job.attempt, about, job.due_at)


def _dead_row(attempt: Attempt) -> Row:
    about = f"{attempt.entry} to {attempt.subscription}"
    last = attempt.error or str(attempt.status or "")
    return Row(attempt.delivery, JOB_NAME, "dead", attempt.n, about, last=last)


def _cells(row: Row) -> tuple[str, ...]:
    due = format_time(row.due_at)
    return row.id, row.kind, row.status, str(row.attempt), due, row.last, row.about


def _to_json(row: Row) -> dict[str, Any]:
    required = {"id": row.id, "kind": row.kind, "status": row.status, "attempt": row.attempt}
    optional = {"dueAt": format_time(row.due_at), "last": row.last, "about": row.about}
    return {**required, **{name: value for name, value in optional.items() if value}}


async def _enqueue_next_round(delivery: str, settings: Settings) -> None:
    """Queue a new round of a failed delivery; the service sends it. Raises: LookupError."""
    database = database_of(settings)
    database.ensure_schema()
    jobs = JobQueue(jobs_url(settings), [job_type(_run_nothing)], runs=False)
    try:
        await jobs.enqueue(JOB_NAME, (await _next_round(delivery, database)).job_key)
    finally:
        await jobs.close()
        await database.close()


async def _next_round(delivery: str, database: Database) -> DeliveryJob:
    """Return the next round of a failed delivery. Raises: LookupError."""
    deliveries = DeliveryStore(database, time.time)
    job = await deliveries.next_round(delivery)
    if job is None:
        raise LookupError(f"no failed delivery has this id. {SEE_DEAD}")
    if await deliveries.load(job) is None:
        raise LookupError(f"{delivery}: its subscription is gone or disabled. {SEE_SUBSCRIBERS}")
    return job


async def _run_nothing(_key: str, _attempt: int) -> None:
    """Never called: this process runs no jobs."""
