"""Worker slots: numbers, each locked by one process and free again when that process ends.

Without its paid Conductor, DBOS gives a dead process's jobs to nobody but a process with the same
id. So the id is a slot: whoever can claim another's knows that it is dead, and runs its jobs again.
"""

import os
from itertools import count
from pathlib import Path

from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.exc import SQLAlchemyError

from resolvers.files import try_lock

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

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._session: Connection | None = None
        self._held: set[int] = set()

    def claim(self, slot: int) -> bool:
        """Claim a slot; return False if any process holds it, this one too.

        Raises: SQLAlchemyError.
        """
        if slot in self._held:  # PostgreSQL lets a session lock what it already holds
            return False
        if self._session is None:
            # Autocommit: a session that is idle in a transaction would be ended.
            session = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            session.detach()  # the pool must not give it to anybody else
            session.exec_driver_sql("SET application_name = 'studiograph-slots'")
            self._session = session
        lock = func.pg_try_advisory_lock(LOCK_NAMESPACE, slot)
        if not self._session.scalar(select(lock)):
            return False
        self._held.add(slot)
        return True

    def release(self, slot: int) -> None:
        """Release a slot. Raises: SQLAlchemyError."""
        self._held.discard(slot)
        if self._session is not None:
            self._session.execute(select(func.pg_advisory_unlock(LOCK_NAMESPACE, slot)))

    def is_held(self) -> bool:
        """Return whether the session is still open; its locks end with it."""
        try:
            return self._session is not None and bool(self._session.exec_driver_sql("SELECT 1"))
        except SQLAlchemyError:
            self.close()
            return False

    def close(self) -> None:
        """Release all slots."""
        session, self._session = self._session, None
        self._held.clear()
        if session is not None:
            session.close()


WorkerSlots = FileSlots | SessionSlots


def make_slots(engine: Engine) -> WorkerSlots:
    """Return the slots that belong to a store of jobs."""
    if engine.dialect.name == "sqlite":
        return FileSlots(Path(f"{engine.url.database}.slots"))
    return SessionSlots(engine)


def claim_lowest(slots: WorkerSlots) -> int:
    """Claim the lowest free slot and return it."""
    return next(slot for slot in count(1) if slots.claim(slot))
