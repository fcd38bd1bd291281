"""One process's share of the work: its store, its slot, its care for the dead. All of it blocks.

Imported at the first use only, because it brings DBOS.
"""

import asyncio
import logging
import time
from collections.abc import Sequence

from resolvers.jobs.dbos_backend import DbosBackend, raise_unavailable
from resolvers.jobs.job_type import JobType
from resolvers.jobs.worker_slots import claim_lowest, make_slots

CLEANING_SECONDS = 24 * 3600
DRAIN_SECONDS = 8

log = logging.getLogger("studiograph.jobs")


class Worker:
    """Puts jobs in; does them too, under a slot, once it was started."""

    def __init__(self, url: str, kinds: Sequence[JobType], poll_seconds: float) -> None:
        self._transact = DbosBackend(url, kinds, poll_seconds)
        self._slots = make_slots(url)
        self._number = 0
        self._cleaned = -float(CLEANING_SECONDS)

    def open(self) -> None:
        """See that the store is there, with its tables. Raises: Unavailable."""
        self._transact.migrate()

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to work, the jobs themselves on this loop. Raises: Unavailable."""
        self._loop = loop
        with raise_unavailable():
            number = claim_lowest(self._slots)
            self._transact.start(f"slot-{number}", loop)
        self._number = number

    def enqueue(self, kind: str, abouts: Sequence[str]) -> None:
        """Put jobs in. Raises: Unavailable."""
        self._transact.enqueue(kind, abouts)

    def cancel(self, kind: str, prefix: str) -> list[str]:
        """What the jobs were about that waited and never will run. Raises: Unavailable."""
        return self._transact.cancel(kind, prefix)

    def sweep(self) -> None:
        """See to the own slot, to what the dead left and, once a day, to what is old.

        Raises: Unavailable.
        """
        self._keep_slot()
        self._transact.recover_orphans(self._slots)
        if time.monotonic() - self._cleaned > CLEANING_SECONDS:
            self._transact.purge_finished()
            self._cleaned = time.monotonic()

    def close(self, seconds: float) -> None:
        """Stop; what still runs after these seconds runs again elsewhere."""
        self._transact.stop(seconds)
        self._slots.close()
        self._transact.close()

    def _keep_slot(self) -> None:
        if self._number and self._slots.is_held():
            return
        with raise_unavailable():
            if self._number and self._slots.claim(self._number):
                return
        log.warning("Another process has the slot of this one; taking a new slot")
        self._number = 0
        self._transact.stop(DRAIN_SECONDS)
        self._slots.close()
        self.start(self._loop)
