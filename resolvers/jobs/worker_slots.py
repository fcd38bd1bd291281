"""Slots: numbers that one living process holds alone. What dies lets go. No job here.

A row that is being worked on carries the number of its process. Who can take a number knows
that its last holder is dead, and may start that one's rows again.
"""

import os
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from resolvers.files import try_lock
from resolvers.jobs.inspection import CONNECT_TIMEOUT, conninfo, database_file, is_sqlite

if TYPE_CHECKING:
    import psycopg

LOCK_NAMESPACE = 0x736C6F74
"""Keeps our advisory locks apart from others in the same database."""


class WorkerSlots(Protocol):
    """The numbers that this process holds."""

    def claim(self, number: int) -> bool:
        """Whether this process took the number; no if anybody holds it, this process too."""
        ...

    def release(self, number: int) -> None:
        """Let go of a number."""
        ...

    def is_held(self) -> bool:
        """Whether what was taken is still held."""
        ...

    def close(self) -> None:
        """Let go of all."""
        ...


class FileSlots:
    """Locks on files. The kernel lets them go; on a network disk they would not be exclusive."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[int, int] = {}

    def claim(self, number: int) -> bool:
        """Whether this process took the number. Raises: OSError."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = try_lock(self._folder / f"slot-{number}.lock")
        if file is None:
            return False
        self._held[number] = file
        return True

    def release(self, number: int) -> None:
        """Let go of a number; the file stays, or a waiting process would lock a removed one."""
        os.close(self._held.pop(number))

    def is_held(self) -> bool:
        """Yes: the kernel keeps a lock as long as the process."""
        return True

    def close(self) -> None:
        """Let go of all."""
        for number in list(self._held):
            self.release(number)


class SessionSlots:
    """Advisory locks of one PostgreSQL session, which a transaction-pooling proxy would lose."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._session: psycopg.Connection | None = None
        self._held: set[int] = set()

    def claim(self, number: int) -> bool:
        """Whether this process took the number. Raises: psycopg.Error."""
        if number in self._held:  # a session may lock what it holds once more
            return False
        took = self._ask("SELECT pg_try_advisory_lock(%s, %s)", number)
        if took:
            self._held.add(number)
        return took

    def release(self, number: int) -> None:
        """Let go of a number. Raises: psycopg.Error."""
        self._held.discard(number)
        self._ask("SELECT pg_advisory_unlock(%s, %s)", number)

    def is_held(self) -> bool:
        """Whether the session still stands; with it went every lock."""
        import psycopg  # noqa: PLC0415 - only where there is a PostgreSQL

        try:
            return self._session is not None and bool(self._session.execute("SELECT 1"))
        except psycopg.Error:
            self.close()
            return False

    def close(self) -> None:
        """Let go of all."""
        session, self._session = self._session, None
        self._held.clear()
        if session is not None:
            session.close()

    def _ask(self, question: str, number: int) -> bool:
        if self._session is None:
            self._session = _session(self._place)
        row = self._session.execute(question.encode(), (LOCK_NAMESPACE, number)).fetchone()
        return bool(row and row[0])


def _session(place: str) -> "psycopg.Connection":
    import psycopg  # noqa: PLC0415 - only where there is a PostgreSQL

    return psycopg.connect(
        place,
        autocommit=True,  # an idle session in a transaction would be ended
        application_name="studiograph-slots",
        **CONNECT_TIMEOUT,
    )


def make_slots(url: str) -> WorkerSlots:
    """The slots that belong to a store."""
    if is_sqlite(url):
        return FileSlots(database_file(url).with_name(f"{database_file(url).name}.slots"))
    return SessionSlots(conninfo(url))


def claim_lowest(slots: WorkerSlots) -> int:
    """The lowest number that nobody held; it is ours now."""
    return next(number for number in count(1) if slots.claim(number))
