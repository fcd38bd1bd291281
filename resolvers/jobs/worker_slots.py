"""Worker slots: numbers, each locked by one process and free again when that process ends.

The row of a running job has the slot of its process. A process that can claim this slot knows that
the other one is dead, and may run its jobs again.
"""

import os
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from resolvers.files import try_lock
from resolvers.jobs.inspection import CONNECT_OPTIONS, conninfo, database_file, is_sqlite

if TYPE_CHECKING:
    import psycopg

LOCK_NAMESPACE = 0x736C6F74
"""Keeps our advisory locks apart from others in the same database."""


class FileSlots:
    """Slots as locked files, for SQLite. The locks are not exclusive on a network disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[int, int] = {}

    def claim(self, slot: int) -> bool:
        """Claim a slot; return False if any process holds it, this one too. Raises: OSError."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = try_lock(self._folder / f"slot-{slot}.lock")
        if file is not None:
            self._held[slot] = file
        return file is not None

    def release(self, slot: int) -> None:
        """Release a slot. Its file stays: another process may be about to lock it."""
        os.close(self._held.pop(slot))

    def is_held(self) -> bool:
        """Return True: the kernel keeps the locks until the process ends."""
        return True

    def close(self) -> None:
        """Release all slots."""
        for slot in list(self._held):
            self.release(slot)


class SessionSlots:
    """Slots as advisory locks of one PostgreSQL session, which transaction pooling would lose."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._session: psycopg.Connection | None = None
        self._held: set[int] = set()

    def claim(self, slot: int) -> bool:
        """Claim a slot; return False if any process holds it, this one too.

        Raises: psycopg.Error.
        """
        if slot in self._held:  # PostgreSQL lets a session lock what it already holds
            return False
        is_claimed = self._call("SELECT pg_try_advisory_lock(%s, %s)", slot)
        if is_claimed:
            self._held.add(slot)
        return is_claimed

    def release(self, slot: int) -> None:
        """Release a slot. Raises: psycopg.Error."""
        self._held.discard(slot)
        self._call("SELECT pg_advisory_unlock(%s, %s)", slot)

    def is_held(self) -> bool:
        """Return whether the session is still open; its locks end with it."""
        import psycopg  # noqa: PLC0415 - 0.07 s, only with PostgreSQL

        try:
            return self._session is not None and bool(self._session.execute("SELECT 1"))
        except psycopg.Error:
            self.close()
            return False

    def close(self) -> None:
        """Release all slots."""
        session, self._session = self._session, None
        self._held.clear()
        if session is not None:
            session.close()

    def _call(self, function: str, slot: int) -> bool:
        import psycopg  # noqa: PLC0415 - 0.07 s, only with PostgreSQL

        if self._session is None:
            self._session = psycopg.connect(
                self._address,
                autocommit=True,  # a session idle in a transaction would be ended
                application_name="studiograph-slots",
                **CONNECT_OPTIONS,
            )
        row = self._session.execute(function.encode(), (LOCK_NAMESPACE, slot)).fetchone()
        return bool(row and row[0])


WorkerSlots = FileSlots | SessionSlots


def make_slots(url: str) -> WorkerSlots:
    """Return the slots that belong to a store of jobs."""
    if is_sqlite(url):
        return FileSlots(database_file(url).with_name(f"{database_file(url).name}.slots"))
    return SessionSlots(conninfo(url))


def claim_lowest(slots: WorkerSlots) -> int:
    """Claim the lowest free slot and return it."""
    return next(slot for slot in count(1) if slots.claim(slot))
