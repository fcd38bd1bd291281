"""The mirror of a GitHub account, fetched in the background so that no request waits.

The last result is kept in a file: a new process shows it at once, and of several processes one
fetches while the others read what it has written.
"""

import asyncio
import logging
import os
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict

from resolvers.files import atomic_write, try_lock
from resolvers.github.convert import MAX_WAIT, AccountName, GithubError, ResultPage, snapshot_of
from schema.github import Github, GithubSnapshot

POLL_INTERVAL = timedelta(minutes=15)
"""How long a result is shown before GitHub is asked again."""
RETRY_INTERVAL = timedelta(minutes=1)
"""The same after a failure; it doubles with each further one."""
STALE_AFTER = timedelta(hours=1)
"""The age from which a result is marked as stale."""
CHECK_INTERVAL = timedelta(seconds=1)

_NEVER = datetime.min.replace(tzinfo=UTC)

Clock = Callable[[], datetime]
Fetch = Callable[
    [AccountName, Mapping[str, ResultPage], Clock], Coroutine[Any, Any, dict[str, ResultPage]]
]

log = logging.getLogger("studiograph.github")


class SnapshotFile(BaseModel):
    """The content of the file: the last result for an account, and when to ask again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    account: tuple[str, str, str]
    pages: dict[str, ResultPage] = {}
    as_of: AwareDatetime | None = None
    failures: int = 0
    """How often fetching has failed since the last success."""
    due_at: AwareDatetime = _NEVER
    """When to ask again."""
    not_before: AwareDatetime = _NEVER
    """When GitHub accepts requests again."""

    @cached_property
    def snapshot(self) -> GithubSnapshot | None:
        """The account's snapshot, if it was ever fetched."""
        parts = [page.part for page in self.pages.values()]
        return snapshot_of(parts, self.as_of) if self.as_of else None


class GithubMirror:
    """The last known state of an account; an account without a user is never fetched."""

    def __init__(self, account: AccountName, file: Path, clock: Clock) -> None:
        self._account = account
        self._clock = clock
        self._file = file
        self._file_version: object = None
        self._state = SnapshotFile(account=(account.api_url, account.user, account.topic))
        self._is_due_now = False
        if account.user:
            self._load()
        self._shown_freshness = self._freshness
        self.changed_at = self._state.as_of or _NEVER

    def shows(self, default: GithubSnapshot | None) -> bool:
        """Whether there is an account to show, in the settings or in the content folder."""
        return bool(self._account.user) or default is not None

    def snapshot(self, default: GithubSnapshot | None) -> Github | None:
        """Return the last result, or else the default, which is that of the content folder."""
        snapshot = self._state.snapshot or default
        if snapshot is None:
            return None
        return Github.model_construct(**dict(snapshot), stale=self._freshness[1])

    def refresh(self) -> bool:
        """Return whether the result or its staleness has changed since the last call."""
        freshness = self._freshness
        if freshness == self._shown_freshness:
            return False
        self._shown_freshness, self.changed_at = freshness, self._clock()
        return True

    def refresh_now(self) -> None:
        """Make the next check fetch the account, unless GitHub has told us to wait."""
        self._is_due_now = True

    async def run(self) -> None:
        """Fetch the account for ever; return at once if none is configured."""
        while self._account.user:
            interval = CHECK_INTERVAL
            try:
                await self.run_once()
            except OSError as error:
                log.error("%s cannot be written: %s", self._file, error.strerror)  # noqa: TRY400 - the reason says it all
                interval = RETRY_INTERVAL
            await asyncio.sleep(interval.total_seconds())

    async def run_once(self) -> None:
        """Load another process's result; fetch if that is due and no other process is fetching.

        Raises: OSError.
        """
        with self._try_lock() as is_locked:
            await asyncio.to_thread(self._load)
            if is_locked and self._is_due:
                await self._fetch()
            elif not is_locked:
                self._is_due_now = False  # the process that fetches got the same signal

    @property
    def _freshness(self) -> tuple[datetime | None, bool]:
        """When the result was fetched, and whether it is stale."""
        as_of = self._state.as_of
        is_fresh = as_of is not None and timedelta() <= self._clock() - as_of <= STALE_AFTER
        return as_of, not is_fresh or self._state.failures > 0

    @property
    def _is_due(self) -> bool:
        """Whether to fetch now; also if the due time is so far off that the clock was set back."""
        due_at = self._state.not_before if self._is_due_now else self._state.due_at
        return not timedelta() < due_at - self._clock() <= MAX_WAIT

    async def _fetch(self) -> None:
        self._is_due_now = False
        started_at, before = self._clock(), self._state
        try:
            fetch = await asyncio.to_thread(_import_fetch)
            pages = await fetch(self._account, before.pages, self._clock)
        except GithubError as error:
            log.warning("GitHub was not read; the last result is shown: %s", error)
            failures = before.failures + 1
            wait = min(RETRY_INTERVAL * 2 ** min(failures - 1, 9), POLL_INTERVAL)
            until = error.until or started_at
            after = before.model_copy(
                update={
                    "failures": failures,
                    "due_at": max(self._clock() + wait, until),
                    "not_before": until,
                }
            )
        else:
            if before.failures or before.as_of is None:
                log.info("GitHub was read")
            due_at = self._clock() + POLL_INTERVAL
            after = SnapshotFile(
                account=before.account, pages=pages, as_of=started_at, due_at=due_at
            )
        self._state = after
        await asyncio.to_thread(self._save)

    def _load(self) -> None:
        """Load the file if it was written since the last time."""
        try:
            status = self._file.stat()
            version = (status.st_mtime_ns, status.st_ino)
            if version == self._file_version:
                return
            self._file_version = version
            state = SnapshotFile.model_validate_json(self._file.read_bytes())
        except FileNotFoundError:
            return
        except (OSError, ValueError):
            log.warning("%s cannot be read and will be replaced", self._file)
            return
        if state.account == self._state.account:
            self._state = state

    def _save(self) -> None:
        atomic_write(self._file, self._state.model_dump_json().encode())

    @contextmanager
    def _try_lock(self) -> Iterator[bool]:
        """Hold the lock of the process that fetches; yield whether it was free."""
        descriptor = try_lock(self._file.with_suffix(".lock"))
        try:
            yield descriptor is not None
        finally:
            if descriptor is not None:
                os.close(descriptor)


def _import_fetch() -> Fetch:
    """Import httpx, which takes long, and return the function that fetches an account."""
    from resolvers.github.client import fetch  # noqa: PLC0415 - brings httpx

    return fetch
