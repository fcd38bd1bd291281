"""DBOS as it is used here: one store, pinned settings, only plain JSON in its rows.

Imported by nobody at the start: DBOS and SQLAlchemy together cost more than a second of CPU.
DBOS is one for a process, so a second `Transact` can run only after the first has stopped.
Every method blocks and belongs in a thread. What is asked of the store goes through DBOS's
client, because the client says when the store is gone, where DBOS itself waits for it forever.
"""

import asyncio
import logging
import os
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from dbos import DBOS, DBOSClient, DBOSConfig, DBOSPortableJSONSerializer, EnqueueOptions
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError

import resolvers.db.engine  # noqa: F401 - loads the dialects before any engine is made
from resolvers.jobs.inspection import (
    ANSWER_SECONDS,
    CONNECT_TIMEOUT,
    conninfo,
    database_file,
    is_sqlite,
    unavailable_on_error,
)
from resolvers.jobs.job_type import JobType, PermanentFailureError, RetryLaterError
from resolvers.jobs.worker_slots import WorkerSlots

NAME = "studiograph"
VERSION = "1"
"""Pinned: a version made from the code would leave the rows of the last release lying."""
SCHEMA = "dbos"
CONNECTIONS = 8
THREADS = 16
BATCH = 1000
KEPT_DAYS = 30
ANALYZE_THRESHOLD = 100
"""So many new jobs change what PostgreSQL must know of the table."""
HEALTH_CHECK_SECONDS = 1
FINISHED = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
PRAGMAS = (
    "PRAGMA busy_timeout=30000",
    "PRAGMA journal_mode=WAL",
    "PRAGMA foreign_keys=ON",
)

log = logging.getLogger("studiograph.jobs")


class DbosBackend:
    """A store of jobs, and the engine that works on it."""

    def __init__(self, url: str, kinds: Sequence[JobType], poll_seconds: float) -> None:
        _quiet()
        self._kinds = {kind.name: kind for kind in kinds}
        self._poll_seconds = poll_seconds
        self._engine = _engine(url, "FULL")  # what was promised survives a power cut
        # What DBOS writes of its progress need not: the last of it may be undone, in turn, and
        # then a job is done again, as after any crash.
        self._progress = _engine(url, "NORMAL") if is_sqlite(url) else self._engine
        self._client = DBOSClient(
            system_database_engine=self._engine,
            dbos_system_schema=SCHEMA,
            serializer=DBOSPortableJSONSerializer(),
            application_name=NAME,
            lazy=True,
            retry_connection_errors=False,
        )

    def migrate(self) -> None:
        """Make the tables or bring them up to date. Raises: Unavailable."""
        with raise_unavailable(), self._engine.connect():
            # DBOS.migrate would make the tables for notifications, which are not used here.
            self._client._sys_db.run_migrations()  # noqa: SLF001 - no public way to the same tables

    def start(self, executor: str, loop: asyncio.AbstractEventLoop) -> None:
        """Work on the queues under this name, the jobs themselves on this loop."""
        for kind in self._kinds.values():
            self._client.register_queue(
                kind.name,
                worker_concurrency=kind.concurrency,
                partition_concurrency=1 if kind.partition_key is not None else None,
                polling_interval_sec=kind.poll_seconds or self._poll_seconds,
            )
            DBOS.workflow(name=kind.name)(self._workflow(kind, loop))
        DBOS(config=self._config(executor))
        try:
            DBOS.listen_queues([*self._kinds])
            DBOS.launch()
        except BaseException:
            self.stop(0)
            raise

    def stop(self, seconds: float) -> None:
        """Take no more jobs, wait this long for those that run, and let the others be."""
        DBOS.destroy(destroy_registry=True, workflow_completion_timeout_sec=round(seconds))

    def close(self) -> None:
        """Let go of the store."""
        self._client.destroy()
        self._engine.dispose()
        self._progress.dispose()

    def enqueue(self, kind: str, abouts: Sequence[str]) -> None:
        """Put jobs in their queue, but those that have been there. Raises: Unavailable."""
        known = self._kinds[kind]
        with raise_unavailable():
            for at in range(0, len(abouts), BATCH):
                with self._engine.begin() as books:  # one for many: each costs a wait for the disk
                    for about in abouts[at : at + BATCH]:
                        options = _options(known, about, 1)
                        self._client.enqueue_in_transaction(books, options, about, 1)
            if len(abouts) >= ANALYZE_THRESHOLD and self._engine.dialect.name == "postgresql":
                with self._engine.begin() as books:  # or it reads thousands of rows to find one
                    books.exec_driver_sql(f"ANALYZE {SCHEMA}.workflow_status")

    def cancel(self, kind: str, prefix: str) -> list[str]:
        """What the jobs were about that waited and never will run. Raises: Unavailable."""
        begin = f"{kind}:"
        with raise_unavailable():
            waiting = ["ENQUEUED", "DELAYED"]
            found = self._ids(status=waiting, workflow_id_prefix=f"{begin}{prefix}")
            if found:
                self._client.cancel_workflows(found)
        return [each.removeprefix(begin).rpartition(":")[0] for each in found]

    def recover_orphans(self, slots: WorkerSlots) -> None:
        """Put back into the queues what dead processes were working on. Raises: Unavailable."""
        with raise_unavailable():
            for number in self._working():
                if slots.claim(number):
                    try:
                        self._resume(number)
                    finally:
                        slots.release(number)

    def purge_finished(self) -> None:
        """Delete what was finished long ago. Raises: Unavailable."""
        before = (datetime.now(UTC) - timedelta(days=KEPT_DAYS)).isoformat()
        with raise_unavailable():
            while old := self._ids(status=FINISHED, completed_before=before, limit=BATCH):
                self._client.delete_workflows(old)

    def _working(self) -> set[int]:
        rows = self._client.list_workflows(status="PENDING", load_input=False, load_output=False)
        return {int(row.executor_id.removeprefix("slot-")) for row in rows if row.executor_id}

    def _resume(self, number: int) -> None:
        for kind in self._kinds.values():
            left = self._ids(status="PENDING", executor_id=f"slot-{number}", queue_name=kind.name)
            if left:
                log.warning("%d jobs of a dead process run again: %s", len(left), kind.name)
                self._client.resume_workflows(left, queue_name=kind.name)

    def _ids(self, **which: Any) -> list[str]:
        rows = self._client.list_workflows(**which, load_input=False, load_output=False)
        return [row.workflow_id for row in rows]

    def _workflow(
        self, kind: JobType, loop: asyncio.AbstractEventLoop
    ) -> Callable[[str, int], Coroutine[Any, Any, None]]:
        async def run(about: str, number: int) -> None:
            await kind.run(about, number)

        async def attempt(about: str, number: int) -> None:
            # DBOS keeps its books on a loop of its own; the job runs where its clients live.
            failure = await _failure(asyncio.run_coroutine_threadsafe(run(about, number), loop))
            # What follows is written, and DBOS waits for its store in a thread that nobody can
            # stop; this wait ends with the loop.
            while not await asyncio.to_thread(self._answers):  # noqa: ASYNC110 - nobody tells us
                await asyncio.sleep(HEALTH_CHECK_SECONDS)
            if failure is not None:
                await _next_attempt(kind, about, number, failure)

        return attempt

    def _answers(self) -> bool:
        with suppress(SQLAlchemyError), self._engine.connect():
            return True
        return False

    def _config(self, executor: str) -> DBOSConfig:
        return DBOSConfig(
            name=NAME,
            system_database_engine=self._progress,
            dbos_system_schema=SCHEMA,
            application_version=VERSION,
            executor_id=executor,
            serializer=DBOSPortableJSONSerializer(),
            max_executor_threads=THREADS,
            use_listen_notify=False,  # a connection and a hundred wake-ups a second for nothing
            log_level="WARNING",
        )


@contextmanager
def raise_unavailable() -> Iterator[None]:
    """Nothing; what goes wrong with the store in here is told. Raises: Unavailable."""
    try:
        yield
    except (SQLAlchemyError, psycopg.Error, OSError) as error:
        raise unavailable_on_error(error) from error


async def _failure(job: Future[None]) -> BaseException | None:
    waiting = asyncio.wrap_future(job)
    try:
        await asyncio.wait([waiting])
    finally:
        waiting.cancel()  # no effect unless we ourselves are stopped
    return waiting.exception()


async def _next_attempt(kind: JobType, about: str, number: int, failure: BaseException) -> None:
    if isinstance(failure, PermanentFailureError):
        log.error("%s %s is given up", kind.name, about)
        raise failure
    if isinstance(failure, RetryLaterError):
        wait = failure.seconds
    elif number >= kind.attempts:
        log.error("%s %s is given up after %d attempts", kind.name, about, number)
        raise PermanentFailureError(f"It failed {number} times") from failure
    else:
        wait = kind.wait_seconds(number)
        log.warning("%s %s failed, again in %g s", kind.name, about, wait, exc_info=failure)
    # A row for each attempt: its wait costs no memory and outlives this process.
    options = _options(kind, about, number + 1)
    options["delay_seconds"] = wait
    await DBOS.enqueue_workflow_with_options_async(options, about, number + 1)


def _options(kind: JobType, about: str, attempt: int) -> EnqueueOptions:
    options = EnqueueOptions(
        workflow_name=kind.name,
        queue_name=kind.name,
        workflow_id=f"{kind.name}:{about}:{attempt}",
        app_version=VERSION,
    )
    if kind.partition_key is not None:
        options["queue_partition_key"] = kind.partition_key(about)
    return options


def _quiet() -> None:
    logger = logging.getLogger("dbos")
    logger.setLevel(logging.WARNING)
    logger.addFilter(_is_news)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())  # or it brings a handler of its own


def _is_news(record: logging.LogRecord) -> bool:
    """Whether it says more than that a job was given up, of which we have told already."""
    return record.exc_info is None or not isinstance(record.exc_info[1], PermanentFailureError)


def _engine(url: str, synchronous: str) -> Engine:
    return _file_engine(url, synchronous) if is_sqlite(url) else _server_engine(url)


def _file_engine(url: str, synchronous: str) -> Engine:
    file = database_file(url)
    with raise_unavailable():
        file.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    engine = create_engine(url, pool_size=CONNECTIONS, max_overflow=0)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        connection.isolation_level = "IMMEDIATE"  # two that read before they write would lock up
        for pragma in (*PRAGMAS, f"PRAGMA synchronous={synchronous}"):
            connection.execute(pragma)

    return engine


def _server_engine(url: str) -> Engine:
    return create_engine(
        conninfo(url).replace("://", "+psycopg://", 1),
        pool_size=CONNECTIONS,
        max_overflow=0,
        pool_pre_ping=True,
        pool_timeout=ANSWER_SECONDS,
        connect_args={
            **CONNECT_TIMEOUT,
            "application_name": f"{NAME}-jobs",
            # Whoever freezes inside a transaction must not keep its locks.
            "options": "-c idle_in_transaction_session_timeout=60000",
        },
    )
