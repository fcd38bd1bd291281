"""DBOS with pinned settings: one store of jobs, and the engine that runs them.

It is imported at the first use only, because DBOS costs 0.7 s of CPU. DBOS is a singleton, so a
second `DbosBackend` can start only after the first was closed. Every method blocks, and must run in
a thread. Calls to the store go through DBOS's client: the client raises when the store is
unavailable, where DBOS itself waits without end.
"""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from dbos import DBOS, DBOSClient, DBOSConfig, DBOSPortableJSONSerializer, EnqueueOptions
from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from resolvers.files import try_lock
from resolvers.jobs.job_type import JobType, PermanentFailureError, RetryLaterError
from resolvers.jobs.store import has_tables, make_engine, raise_unavailable, unavailable_on_error

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


NAME = "studiograph"
VERSION = "1"
"""Pinned, because DBOS would derive it from the code and leave the rows of the last release."""
THREADS = 16
BATCH = 1000
RETENTION = timedelta(days=30)
PURGE_INTERVAL_SECONDS = 24 * 3600
DRAIN_SECONDS = 8
HEALTH_CHECK_SECONDS = 1
FINISHED = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]

log = logging.getLogger("studiograph.jobs")


class DbosBackend:
    """A store of jobs: enqueues them, and after `start` also runs them, under a worker slot."""

    def __init__(self, url: str, job_types: Sequence[JobType], poll_seconds: float) -> None:
        """Prepare the connections to the store; none is made yet."""
        _silence_dbos()
        self._url = url
        self._job_types = {job_type.name: job_type for job_type in job_types}
        self._poll_seconds = poll_seconds
        self._engine = make_engine(url)
        self._slots = make_slots(self._engine)
        self._slot = 0
        self._running: set[str] = set()
        self._stalled: set[str] = set()
        self._purged_at = -float(PURGE_INTERVAL_SECONDS)
        self._client = DBOSClient(
            system_database_engine=self._engine,
            serializer=DBOSPortableJSONSerializer(),
            application_name=NAME,
            lazy=True,
            retry_connection_errors=False,
        )

    def create_tables(self) -> None:
        """Create the tables if there are none; `start` does it by itself.

        Raises: UnavailableError.
        """
        with raise_unavailable():
            if not has_tables(self._engine):
                DBOS.migrate(self._url)

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Claim a slot and begin to run jobs on this event loop. Raises: UnavailableError."""
        self._loop = loop
        with raise_unavailable():
            with self._engine.connect():  # DBOS would report at each try that the store is away
                slot = claim_lowest(self._slots)
            self._launch(f"slot-{slot}")
        self._slot = slot

    def close(self, seconds: float) -> None:
        """Wait at most `seconds` for running jobs, then stop; the others run again elsewhere."""
        self._stop(seconds)
        self._slots.close()
        self._client.destroy()
        self._engine.dispose()

    def enqueue(self, name: str, keys: Sequence[str]) -> None:
        """Enqueue jobs of a type, except those already known. Raises: UnavailableError."""
        job_type = self._job_types[name]
        # In one transaction: each commit costs a wait for the disk.
        with raise_unavailable(), self._engine.begin() as connection:
            for key in keys:
                options = _enqueue_options(job_type, key, 1)
                self._client.enqueue_in_transaction(connection, options, key, 1)

    def maintain(self) -> None:
        """Check our slot, requeue jobs that nobody finishes and, once a day, purge old rows.

        Raises: UnavailableError.
        """
        self._keep_slot()
        with raise_unavailable():
            self._recover_orphans()
            self._resume_stalled()
            if time.monotonic() - self._purged_at > PURGE_INTERVAL_SECONDS:
                before = (datetime.now(UTC) - RETENTION).isoformat()
                while ids := self._ids(status=FINISHED, completed_before=before, limit=BATCH):
                    self._client.delete_workflows(ids)
                self._purged_at = time.monotonic()

    def _launch(self, executor: str) -> None:
        for job_type in self._job_types.values():
            DBOS.workflow(name=job_type.name)(self._workflow(job_type))
        config = DBOSConfig(
            name=NAME,
            system_database_engine=self._engine,
            application_version=VERSION,
            executor_id=executor,
            serializer=DBOSPortableJSONSerializer(),
            max_executor_threads=THREADS,
            use_listen_notify=False,  # it costs a connection and a hundred wake-ups a second
            log_level="WARNING",
        )
        DBOS(config=config)
        try:
            DBOS.listen_queues([*self._job_types])
            DBOS.launch()
            for job_type in self._job_types.values():
                self._client.register_queue(
                    job_type.name,
                    worker_concurrency=job_type.concurrency,
                    partition_concurrency=None if job_type.partition_key is None else 1,
                    polling_interval_sec=job_type.poll_seconds or self._poll_seconds,
                )
        except BaseException:
            self._stop(0)
            raise

    def _stop(self, seconds: float) -> None:
        DBOS.destroy(destroy_registry=True, workflow_completion_timeout_sec=round(seconds))

    def _keep_slot(self) -> None:
        """Check that the slot is still ours; otherwise start again under another one."""
        if self._slot and self._slots.is_held():
            return
        with raise_unavailable():
            if self._slot and self._slots.claim(self._slot):
                return
        log.warning("Another process has the slot of this one; taking a new slot")
        self._slot = 0
        self._stop(DRAIN_SECONDS)
        self._slots.close()
        self.start(self._loop)

    def _recover_orphans(self) -> None:
        rows = self._client.list_workflows(status="PENDING", load_input=False, load_output=False)
        for slot in {int(row.executor_id.removeprefix("slot-")) for row in rows if row.executor_id}:
            if self._slots.claim(slot):
                try:
                    self._resume(self._pending(slot), "of a dead process")
                finally:
                    self._slots.release(slot)

    def _resume_stalled(self) -> None:
        """Requeue our jobs that have ended, but whose end the store refused, as on a full disk.

        A job about to begin, or whose end is being stored, looks the same for a moment. So it must
        have looked so in the sweep before, too.
        """
        stalled = self._pending(self._slot) - self._running
        self._resume(stalled & self._stalled, "whose end was not stored")
        self._stalled = stalled

    def _pending(self, slot: int) -> set[str]:
        return {*self._ids(status="PENDING", executor_id=f"slot-{slot}")}

    def _resume(self, ids: set[str], which: str) -> None:
        for name in self._job_types:  # each goes back to its own queue
            again = [job_id for job_id in ids if job_id.startswith(f"{name}:")]
            if again:
                log.warning("%d jobs %s run again: %s", len(again), which, name)
                self._client.resume_workflows(again, queue_name=name)

    def _ids(self, **conditions: Any) -> list[str]:
        rows = self._client.list_workflows(**conditions, load_input=False, load_output=False)
        return [row.workflow_id for row in rows]

    def _workflow(self, job_type: JobType) -> Callable[[str, int], Coroutine[Any, Any, None]]:
        async def run_attempt(key: str, number: int) -> None:
            job_id = _job_id(job_type, key, number)
            self._running.add(job_id)
            try:
                await self._run_attempt(job_type, key, number)
            finally:
                self._running.discard(job_id)

        return run_attempt

    async def _run_attempt(self, job_type: JobType, key: str, number: int) -> None:
        failure: Exception | None = None
        try:  # DBOS has a loop of its own; the job runs on the loop of the clients it uses
            job = asyncio.run_coroutine_threadsafe(job_type.run(key, number), self._loop)
            await asyncio.wrap_future(job)
        except Exception as error:  # noqa: BLE001 - each is judged below
            failure = error
        # While the store is away, DBOS would write the result in a thread that cannot be stopped.
        # This wait ends with the loop.
        while not await asyncio.to_thread(self._is_available):  # noqa: ASYNC110 - nothing to wait on
            await asyncio.sleep(HEALTH_CHECK_SECONDS)
        if failure is not None:
            await _retry_or_raise(job_type, key, number, failure)

    def _is_available(self) -> bool:
        with suppress(SQLAlchemyError), self._engine.connect():
            return True
        return False


async def _retry_or_raise(job_type: JobType, key: str, number: int, failure: Exception) -> None:
    """Enqueue the next attempt, or raise PermanentFailureError if there is none."""
    if isinstance(failure, PermanentFailureError):
        log.error("%s %s is given up", job_type.name, key)
        raise failure
    if isinstance(failure, RetryLaterError):
        wait = failure.seconds
    elif number >= job_type.attempts:
        log.error("%s %s is given up after %d attempts", job_type.name, key, number)
        raise PermanentFailureError(f"It failed {number} times") from failure
    else:
        wait = job_type.wait_seconds(number)
        log.warning("%s %s failed, again in %g s", job_type.name, key, wait, exc_info=failure)
    # One row for each attempt: DBOS's own retries would hold memory and a place in the queue
    # while they wait.
    options = _enqueue_options(job_type, key, number + 1)
    options["delay_seconds"] = wait
    while True:
        try:
            await DBOS.enqueue_workflow_with_options_async(options, key, number + 1)
        except SQLAlchemyError as error:  # DBOS would take it for the end of the job
            unavailable_on_error(error)
            await asyncio.sleep(HEALTH_CHECK_SECONDS)
        else:
            return


def _job_id(job_type: JobType, key: str, attempt: int) -> str:
    return f"{job_type.name}:{key}:{attempt}"


def _enqueue_options(job_type: JobType, key: str, attempt: int) -> EnqueueOptions:
    options = EnqueueOptions(
        workflow_name=job_type.name,
        queue_name=job_type.name,
        workflow_id=_job_id(job_type, key, attempt),
        app_version=VERSION,
    )
    if job_type.partition_key is not None:
        options["queue_partition_key"] = job_type.partition_key(key)
    return options


def _silence_dbos() -> None:
    logger = logging.getLogger("dbos")
    logger.setLevel(logging.WARNING)
    logger.addFilter(_shorten_or_drop)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())  # or DBOS adds a handler of its own


def _shorten_or_drop(record: logging.LogRecord) -> bool:
    """Drop DBOS's report of a failed job, which `_retry_or_raise` has logged.

    It cannot be configured. What the store refuses is a state of the machine, and needs no stack.
    """
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, DBAPIError):
        record.msg, record.args, record.exc_info = f"{record.getMessage()} {error.orig}", None, None
    return not isinstance(error, PermanentFailureError)
