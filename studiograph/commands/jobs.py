"""`studiograph jobs`: the work that is under way or was given up, seen from outside the service."""

import argparse
import asyncio
import json
import sys
import time
from dataclasses import dataclass
from typing import Any

from resolvers.jobs.store import Row, listed
from resolvers.letters.deliveries import Attempt, Deliveries, Parcel
from resolvers.letters.delivery import DELIVERY, kind_of
from resolvers.state.database import Database
from studiograph.commands.table import moment, print_table
from studiograph.settings import Settings
from studiograph.state import database_of
from studiograph.work import jobs_of, jobs_url_of

STATES = ("pending", "running", "delayed", "dead")
NONE = "There is none."
SEE_DEAD = "Fix: name one of `studiograph jobs dead`."
SEE_SUBSCRIBERS = "Fix: see `studiograph subscribers list`."
HEADS = ("ID", "KIND", "STATE", "ATTEMPT", "DUE", "LAST", "ABOUT")


@dataclass(frozen=True)
class Line:
    """A job as it is shown."""

    id: str
    kind: str
    status: str
    attempt: int
    about: str
    due_at: float | None = None
    last: str = ""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("jobs", help="work that is under way, or was given up")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    lists = actions.add_parser("list", help="what is not done: deliveries, mails")
    lists.add_argument("--status", choices=STATES, help="only what stands like that")
    retries = actions.add_parser("retry", help="try a dead delivery again, from the first attempt")
    retries.add_argument("id", metavar="ID", help="the delivery's id, msg_...")
    dead = actions.add_parser("dead", help="what was given up: the same as list --status dead")
    dead.set_defaults(status="dead")
    for each in (lists, dead):
        each.add_argument("--json", action="store_true", help="print JSON")
        each.set_defaults(run=_list)
    retries.set_defaults(run=_retry)
    for each in (lists, dead, retries):
        each.add_argument("--quiet", action="store_true", help="print no remarks")


def _list(arguments: argparse.Namespace, settings: Settings) -> int:
    """0 when it is listed. Raises: StateFault, Unavailable."""
    wanted = STATES if arguments.status is None else (arguments.status,)
    lines = [line for line in asyncio.run(_lines(settings)) if line.status in wanted]
    if arguments.json:
        print(json.dumps([_plain(line) for line in lines]))
    else:
        print_table(HEADS, [_row(line) for line in lines])
    if not lines and not arguments.quiet:
        print(NONE, file=sys.stderr)
    return 0


async def _lines(settings: Settings) -> list[Line]:
    """Everything that is not done; what is dead, from the books of deliveries where it is one."""
    rows = await asyncio.to_thread(listed, jobs_url_of(settings))
    database = database_of(settings)
    database.prepare()
    try:
        dead = await Deliveries(database, time.time).dead()
    finally:
        await database.close()
    others = [row for row in rows if (row.kind, row.status) != (DELIVERY, "dead")]
    return [*map(_line, others), *map(_dead, dead)]


def _line(row: Row) -> Line:
    if row.kind != DELIVERY:
        return Line(row.about, row.kind, row.status, row.attempt, "", row.due_at)
    parcel = Parcel.read(row.about)
    about = f"{parcel.entry} to {parcel.subscription}"
    return Line(parcel.delivery, row.kind, row.status, row.attempt, about, row.due_at)


def _dead(attempt: Attempt) -> Line:
    about = f"{attempt.entry} to {attempt.subscription}"
    last = attempt.error or str(attempt.status or "")
    return Line(attempt.delivery, DELIVERY, "dead", attempt.n, about, last=last)


def _row(line: Line) -> tuple[str, ...]:
    due = moment(line.due_at)
    return line.id, line.kind, line.status, str(line.attempt), due, line.last, line.about


def _plain(line: Line) -> dict[str, Any]:
    plain = {"id": line.id, "kind": line.kind, "status": line.status, "attempt": line.attempt}
    told = {"dueAt": moment(line.due_at), "last": line.last, "about": line.about}
    return {**plain, **{name: value for name, value in told.items() if value}}


def _retry(arguments: argparse.Namespace, settings: Settings) -> int:
    """0 when it waits in the queue, 1 when there is nothing to try again. Raises: Unavailable."""
    try:
        asyncio.run(_again(arguments.id, settings))
    except LookupError as fault:
        print(fault, file=sys.stderr)
        return 1
    if not arguments.quiet:
        print(f"{arguments.id} is tried again by the running service.", file=sys.stderr)
    return 0


async def _again(delivery: str, settings: Settings) -> None:
    """Nothing, once a new round is in the queue; another process makes it. Raises: LookupError."""
    database = database_of(settings)
    database.prepare()
    jobs = jobs_of(settings.model_copy(update={"jobs_role": "web"}), [kind_of(_elsewhere)])
    try:
        await jobs.enqueue(DELIVERY, (await _parcel(delivery, database)).about)
    finally:
        await jobs.close()
        await database.close()


async def _parcel(delivery: str, database: Database) -> Parcel:
    """The next round of a dead delivery. Raises: LookupError."""
    deliveries = Deliveries(database, time.time)
    parcel = await deliveries.again(delivery)
    if parcel is None:
        raise LookupError(f"no dead delivery has that id. {SEE_DEAD}")
    if await deliveries.errand(parcel) is None:
        raise LookupError(f"{delivery}: its subscription is gone or disabled. {SEE_SUBSCRIBERS}")
    return parcel


async def _elsewhere(_about: str, _attempt: int) -> None:
    """Nothing: this process does no job."""
