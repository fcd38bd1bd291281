"""The counts of all processes in the state database, a row for each day and each kind.

What does not fit into a day any more is left out, so that nobody can fill the database.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, text

from resolvers.db.database import Database

MAX_WAITING = 500
"""How many different kinds of requests, paths and questions wait to be written."""

Key = TypeVar("Key", "RequestKind", "MissingPath", "Question")


class RequestKind(NamedTuple):
    """What requests are counted by."""

    day: str
    """The date in UTC; in the minute after midnight it may be the day before."""
    operation: str
    """The path of the endpoint; over MCP `/mcp#` and the tool."""
    agent: str
    """The family of the agent, as it declares itself."""
    status: int


class MissingPath(NamedTuple):
    """A path that was asked for and that there is not."""

    day: str
    path: str


class Asked(StrEnum):
    """What a caller asked."""

    QUESTION = "question"
    SEARCH = "search"
    GOAL = "goal"


class Question(NamedTuple):
    """A redacted question of one caller."""

    day: str
    text: str
    kind: Asked
    channel: str
    """`http`, `mcp` or `mail`."""
    answered: bool
    caller: int
    """Two bytes of a keyed hash: enough to tell a few callers apart, too little to find one."""


@dataclass
class Counts:
    """How often each was asked for since the last write."""

    requests: Counter[RequestKind] = field(default_factory=Counter)
    paths: Counter[MissingPath] = field(default_factory=Counter)
    questions: Counter[Question] = field(default_factory=Counter)

    def __bool__(self) -> bool:
        """Whether anything waits."""
        return bool(self.requests or self.paths or self.questions)

    def update(self, other: "Counts") -> None:
        """Add the counts of another."""
        self.requests.update(other.requests)
        self.paths.update(other.paths)
        self.questions.update(other.questions)


def count(counter: Counter[Key], key: Key) -> None:
    """Add one, unless the key is new and too many wait."""
    if key in counter or len(counter) < MAX_WAITING:
        counter[key] += 1


class _Table(NamedTuple):
    name: str
    key: type[RequestKind | MissingPath | Question]
    days: int
    """How long its rows are kept."""
    rows: int
    """From so many rows of a day on, no new ones are added to it."""


REQUESTS = _Table("request_count", RequestKind, days=90, rows=2_000)
PATHS = _Table("missing_path", MissingPath, days=30, rows=500)
QUESTIONS = _Table("asked_question", Question, days=30, rows=500)


class UsageStore:
    """Counts of requests, missing paths and questions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, counts: Counts, today: date) -> None:
        """Write counts, and delete those that are too old. Raises: DatabaseError."""
        await self._database.run(partial(self._add, counts, today))

    def requests(self, since: date) -> "Counter[RequestKind]":
        """Return the requests since a day. Raises: DatabaseError."""
        with self._database.snapshot() as connection:
            rows = _select(connection, REQUESTS, since)
            return Counter({RequestKind(*key): number for *key, number in rows})

    def paths(self, since: date) -> "Counter[MissingPath]":
        """Return the paths that were missing since a day. Raises: DatabaseError."""
        with self._database.snapshot() as connection:
            rows = _select(connection, PATHS, since)
            return Counter({MissingPath(*key): number for *key, number in rows})

    def questions(self, since: date) -> "Counter[Question]":
        """Return the questions since a day. Raises: DatabaseError."""
        with self._database.snapshot() as connection:
            return Counter(dict(_questions(connection, since)))

    def _add(self, counts: Counts, today: date) -> None:
        with self._database.shared_transaction() as connection:
            for table, counter in _parts(counts):
                too_old = (today - timedelta(table.days)).isoformat()
                connection.execute(
                    text(f"DELETE FROM {table.name} WHERE day <= :day"),  # noqa: S608 - constants
                    {"day": too_old},
                )
                if not counter:
                    continue
                size = text(f"SELECT count(*) FROM {table.name} WHERE day = :day")  # noqa: S608 - constants
                used = connection.scalar(size, {"day": today.isoformat()})
                statement = _upsert(table) if used < table.rows else _update(table)
                connection.execute(text(statement), [_row(*item) for item in counter.items()])


def _row(key: RequestKind | MissingPath | Question, number: int) -> dict[str, str | int]:
    values = {name: int(v) if isinstance(v, int) else str(v) for name, v in key._asdict().items()}
    return {**values, "number": number}


def _parts(counts: Counts) -> Iterator[tuple[_Table, "Counter[Any]"]]:
    yield REQUESTS, counts.requests
    yield PATHS, counts.paths
    yield QUESTIONS, counts.questions


def _questions(connection: Connection, since: date) -> Iterator[tuple[Question, int]]:
    rows = _select(connection, QUESTIONS, since)
    for day, words, kind, channel, answered, caller, number in rows:
        yield Question(day, words, Asked(kind), channel, bool(answered), caller), number


def _select(connection: Connection, table: _Table, since: date) -> Sequence[Any]:
    columns = ", ".join((*table.key._fields, "number"))
    query = text(f"SELECT {columns} FROM {table.name} WHERE day >= :since")  # noqa: S608 - constants
    return connection.execute(query, {"since": since.isoformat()}).all()


def _upsert(table: _Table) -> str:
    names = table.key._fields
    values = ", ".join(f":{name}" for name in (*names, "number"))
    return (
        f"INSERT INTO {table.name} ({', '.join(names)}, number) VALUES ({values})"  # noqa: S608 - constants
        f" ON CONFLICT ({', '.join(names)})"
        f" DO UPDATE SET number = {table.name}.number + excluded.number"
    )


def _update(table: _Table) -> str:
    same = " AND ".join(f"{name} = :{name}" for name in table.key._fields)
    return f"UPDATE {table.name} SET number = number + :number WHERE {same}"  # noqa: S608 - constants
