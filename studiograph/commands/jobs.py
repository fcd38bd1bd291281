"""`studiograph jobs`: the work that is under way or was given up, seen from outside the service."""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from resolvers.db.database import Database
from resolvers.jobs.inspection import UnfinishedJob, list_unfinished
from resolvers.jobs.queue import JobQueue
from resolvers.webhooks.delivery_store import Attempt, DeliveryJob, DeliveryStore
from resolvers.webhooks.sender import JOB_NAME, job_type
from studiograph.cli import failed, json_option, note, pass_settings, quiet_option
from studiograph.commands.table import format_time, print_table
from studiograph.settings import Settings, database_of
from studiograph.wiring.jobs import jobs_url

STATES = ("pending", "running", "delayed", "dead")
NONE = "There is none."
SEE_DEAD = "Fix: name one of `studiograph jobs dead`."
SEE_SUBSCRIBERS = "Fix: see `studiograph subscribers list`."
HEADS = ("ID", "KIND", "STATE", "ATTEMPT", "DUE", "LAST", "ABOUT")


@dataclass(frozen=True)
class Row:
    """A job as it is shown."""

    id: str
    kind: str
    status: str
    attempt: int
    about: str
    due_at: float | None = None
    last: str = ""


@click.group()
def command() -> None:
    """Mails and deliveries that are under way, or were given up."""


@command.command("list")
@click.option("--status", type=click.Choice(STATES), help="Only jobs in this state.")
@json_option
@quiet_option
@pass_settings
def list_jobs(settings: Settings, *, status: str | None, as_json: bool, quiet: bool) -> int:
    """List the mails and deliveries that are not done."""
    return _list(settings, STATES if status is None else (status,), as_json=as_json, quiet=quiet)


@command.command()
@json_option
@quiet_option
@pass_settings
def dead(settings: Settings, *, as_json: bool, quiet: bool) -> int:
    """List what was given up: the same as `list --status dead`."""
    return _list(settings, ("dead",), as_json=as_json, quiet=quiet)


@command.command()
@click.argument("delivery", metavar="ID")
@quiet_option
@pass_settings
def retry(settings: Settings, *, delivery: str, quiet: bool) -> int:
    """Send the dead delivery ID (msg_...) once more, from the first attempt."""
    try:
        asyncio.run(_again(delivery, settings))
    except LookupError as fault:
        return failed(str(fault))
    if not quiet:
        note(f"{delivery} is tried again by the running service.")
    return 0


def _list(settings: Settings, wanted: Sequence[str], *, as_json: bool, quiet: bool) -> int:
    lines = [line for line in asyncio.run(_lines(settings)) if line.status in wanted]
    if as_json:
        print(json.dumps([_plain(line) for line in lines]))
    else:
        print_table(HEADS, [_row(line) for line in lines])
    if not lines and not quiet:
        note(NONE)
    return 0


async def _lines(settings: Settings) -> list[Row]:
    """Everything that is not done; what is dead, from the books of deliveries where it is one."""
    rows = await asyncio.to_thread(list_unfinished, jobs_url(settings))
    database = database_of(settings)
    database.ensure_schema()
    try:
        dead = await DeliveryStore(database, time.time).dead()
    finally:
        await database.close()
    others = [row for row in rows if (row.kind, row.status) != (JOB_NAME, "dead")]
    return [*map(_line, others), *map(_dead, dead)]


def _line(row: UnfinishedJob) -> Row:
    if row.kind != JOB_NAME:
        return Row(row.job_key, row.kind, row.status, row.attempt, "", row.due_at)
    parcel = DeliveryJob.parse(row.job_key)
    about = f"{parcel.entry} to {parcel.subscription}"
    return Row(parcel.delivery, row.kind, row.status, row.attempt, about, row.due_at)


def _dead(attempt: Attempt) -> Row:
    about = f"{attempt.entry} to {attempt.subscription}"
    last = attempt.error or str(attempt.status or "")
    return Row(attempt.delivery, JOB_NAME, "dead", attempt.n, about, last=last)


def _row(line: Row) -> tuple[str, ...]:
    due = format_time(line.due_at)
    return line.id, line.kind, line.status, str(line.attempt), due, line.last, line.about


def _plain(line: Row) -> dict[str, Any]:
    plain = {"id": line.id, "kind": line.kind, "status": line.status, "attempt": line.attempt}
    told = {"dueAt": format_time(line.due_at), "last": line.last, "about": line.about}
    return {**plain, **{name: value for name, value in told.items() if value}}


async def _again(delivery: str, settings: Settings) -> None:
    """Nothing, once a new round is in the queue; another process makes it. Raises: LookupError."""
    database = database_of(settings)
    database.ensure_schema()
    jobs = JobQueue(jobs_url(settings), [job_type(_elsewhere)], "web")
    try:
        await jobs.enqueue(JOB_NAME, (await _parcel(delivery, database)).job_key)
    finally:
        await jobs.close()
        await database.close()


async def _parcel(delivery: str, database: Database) -> DeliveryJob:
    """The next round of a dead delivery. Raises: LookupError."""
    deliveries = DeliveryStore(database, time.time)
    parcel = await deliveries.next_round(delivery)
    if parcel is None:
        raise LookupError(f"no dead delivery has that id. {SEE_DEAD}")
    if await deliveries.load(parcel) is None:
        raise LookupError(f"{delivery}: its subscription is gone or disabled. {SEE_SUBSCRIBERS}")
    return parcel


async def _elsewhere(_about: str, _attempt: int) -> None:
    """Nothing: this process does no job."""
