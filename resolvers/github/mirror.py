"""The mirror of a GitHub account: asked in the background, never while somebody waits.

What was last seen is kept in the data folder: a new process shows it at once, and of several
processes one asks while the others read what it has written.
"""

import asyncio
import logging
import os
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict

from resolvers.files import atomic_write, try_lock
from resolvers.github.convert import MAX_WAIT, AccountName, GithubError, ResultPage, snapshot_of
from schema.github import Github, GithubSnapshot
from studiograph.settings import Settings
from studiograph.wiring.proofs import system_clock

POLL_INTERVAL = timedelta(minutes=15)
"""How long what was seen is shown before GitHub is asked again."""
RETRY_INTERVAL = timedelta(minutes=1)
"""The same after a failure; it doubles with each further one."""
STALE_AFTER = timedelta(hours=1)
"""How old what was seen may be without being called stale."""
CHECK_INTERVAL = timedelta(seconds=1)

_NEVER = datetime.min.replace(tzinfo=UTC)

Clock = Callable[[], datetime]
Fetch = Callable[
    [AccountName, Mapping[str, ResultPage], Clock], Coroutine[Any, Any, dict[str, ResultPage]]
]

log = logging.getLogger("studiograph.github")


class SnapshotFile(BaseModel):
    """What was last seen of an account, and when to ask again: the file's content."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    account: tuple[str, str, str]
    pages: dict[str, ResultPage] = {}
    as_of: AwareDatetime | None = None
    failures: int = 0
    """How often asking has failed since."""
    due_at: AwareDatetime = _NEVER
    """When to ask again."""
    not_before: AwareDatetime = _NEVER
    """When GitHub takes questions again."""

    @cached_property
    def snapshot(self) -> GithubSnapshot | None:
        """What was seen, if anything was."""
        parts = [page.part for page in self.pages.values()]
        return snapshot_of(parts, self.as_of) if self.as_of else None


class GithubMirror:
    """What is known of the configured account, if one is."""

    def __init__(self, settings: Settings, clock: Clock = system_clock) -> None:
        self._account = account = account_of(settings)
        self._clock = clock
        self._file = settings.data / "github.json"
        self._mark: object = None
        self._memory = SnapshotFile(account=(account.api_url, account.user, account.topic))
        self._hurried = False
        if account.user:
            self._recall()
        self._shown = self._standing
        self.changed_at = self._memory.as_of or _NEVER

    def snapshot(self, given: GithubSnapshot | None) -> Github | None:
        """What was last seen, or else what is given: the snapshot of the content folder."""
        snapshot = self._memory.snapshot or given
        if snapshot is None:
            return None
        return Github.model_construct(**dict(snapshot), stale=self._standing[1])

    def refresh(self) -> bool:
        """Whether something else is shown than when this was last asked."""
        standing = self._standing
        if standing == self._shown:
            return False
        self._shown, self.changed_at = standing, self._clock()
        return True

    def refresh_now(self) -> None:
        """Ask at once, if GitHub takes questions at all."""
        self._hurried = True

    async def run(self) -> None:
        """Ask again and again; returns at once where no account is configured."""
        while self._account.user:
            pace = CHECK_INTERVAL
            try:
                await self.run_once()
            except OSError as error:
                log.error("what GitHub says cannot be kept in %s: %s", self._file, error.strerror)  # noqa: TRY400 - the reason says it all
                pace = RETRY_INTERVAL
            await asyncio.sleep(pace.total_seconds())

    async def run_once(self) -> None:
        """Take in what another process has seen; ask if it is time to and nobody else does.

        Raises: OSError.
        """
        with self._alone() as alone:
            await asyncio.to_thread(self._recall)
            if alone and self._is_due:
                await self._look()
            elif not alone:
                self._hurried = False  # whoever asks was hurried too

    @property
    def _standing(self) -> tuple[datetime | None, bool]:
        """As of when something is shown, and whether it is stale."""
        as_of = self._memory.as_of
        fresh = as_of is not None and timedelta() <= self._clock() - as_of <= STALE_AFTER
        return as_of, not fresh or self._memory.failures > 0

    @property
    def _is_due(self) -> bool:
        """Whether to ask now; an instant too far off says that a clock was set back."""
        due_at = self._memory.not_before if self._hurried else self._memory.due_at
        return not timedelta() < due_at - self._clock() <= MAX_WAIT

    async def _look(self) -> None:
        self._hurried = False
        begun, before = self._clock(), self._memory
        try:
            look = await asyncio.to_thread(make_client)
            pages = await look(self._account, before.pages, self._clock)
        except GithubError as fault:
            log.warning("GitHub was not read; what was seen last is shown: %s", fault)
            failures = before.failures + 1
            wait = min(RETRY_INTERVAL * 2 ** min(failures - 1, 9), POLL_INTERVAL)
            until = fault.until or begun
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
            after = SnapshotFile(account=before.account, pages=pages, as_of=begun, due_at=due_at)
        self._memory = after
        await asyncio.to_thread(self._remember)

    def _recall(self) -> None:
        """Take in what the file holds, if it was written since."""
        try:
            status = self._file.stat()
            mark = (status.st_mtime_ns, status.st_ino)
            if mark == self._mark:
                return
            self._mark = mark
            memory = SnapshotFile.model_validate_json(self._file.read_bytes())
        except FileNotFoundError:
            return
        except (OSError, ValueError):
            log.warning("%s cannot be read and is written anew", self._file)
            return
        if memory.account == self._memory.account:
            self._memory = memory

    def _remember(self) -> None:
        atomic_write(self._file, self._memory.model_dump_json().encode())

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        """Whether no other process asks while inside."""
        descriptor = try_lock(self._file.with_suffix(".lock"))
        try:
            yield descriptor is not None
        finally:
            if descriptor is not None:
                os.close(descriptor)


def account_of(settings: Settings) -> AccountName:
    """The configured account; its `user` is empty where none is."""
    return AccountName(
        api_url=settings.github_api_url.rstrip("/"),
        user=settings.github_user,
        topic=settings.github_reading_topic,
        token=settings.github_token.get_secret_value(),
    )


def make_client() -> Fetch:
    """What asks GitHub."""
    from resolvers.github.client import fetch  # noqa: PLC0415 - brings httpx

    return fetch
