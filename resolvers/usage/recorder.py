"""Counts what callers ask for in memory, and writes it to the database every minute.

A process that is killed loses what it counted in its last minute.
"""

import asyncio
import hmac
import logging
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from resolvers.db.database import DatabaseError
from resolvers.rate_limits.limiter import network_of
from resolvers.usage.agents import family_of
from resolvers.usage.counts import Asked, Counts, MissingPath, Question, RequestKind, count
from resolvers.usage.redaction import redact
from resolvers.usage.store import UsageStore
from sdl.caller import Caller

WRITE_SECONDS = 60
NOT_FOUND = 404
_PATH = re.compile(r"[A-Za-z/._-]{1,100}")
"""The paths that are kept: those that somebody may have guessed, without numbers and addresses."""

log = logging.getLogger("studiograph.faults")


class UsageRecorder:
    """What this process counts; it keeps questions only if it is told to."""

    def __init__(
        self, store: UsageStore, key: bytes, clock: Callable[[], datetime], *, questions: bool
    ) -> None:
        """Write to the store; `key` hashes callers."""
        self._store, self._key, self._clock = store, key, clock
        self._keeps_questions = questions
        self._is_recording = False
        self._counts = Counts()
        self._day = clock().date().isoformat()
        """The date of the last write, so that no request has to ask for it."""

    def note_request(  # noqa: PLR0913 - what is known of a request
        self,
        *,
        route: str,
        status: int,
        seconds: float,
        agent: str,
        path: str,
        is_verified: bool = False,
    ) -> None:
        """Count a request, and the path that it did not find."""
        del seconds, is_verified
        count(self._counts.requests, RequestKind(self._day, route, family_of(agent), status))
        if status == NOT_FOUND and _PATH.fullmatch(path):
            count(self._counts.paths, MissingPath(self._day, path))

    def note_question(self, kind: Asked, text: str, caller: Caller, *, answered: bool) -> None:
        """Keep a question, redacted, if the owner wants that and this process is serving."""
        if self._keeps_questions and self._is_recording:
            digest = hmac.digest(self._key, _identity(caller).encode(), "sha256")
            who, channel = int.from_bytes(digest[:2]), caller.channel.value
            key = Question(self._day, redact(text), kind, channel, answered, who)
            count(self._counts.questions, key)

    @asynccontextmanager
    async def recording(self) -> AsyncIterator[None]:
        """Keep questions within the block; write what was counted every minute and at the end."""
        self._is_recording = True
        task = asyncio.create_task(self._write_often())
        try:
            yield
        finally:
            self._is_recording = False
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await self.write()

    async def _write_often(self) -> None:
        while True:
            await asyncio.sleep(WRITE_SECONDS)
            await self.write()

    async def write(self) -> None:
        """Write what was counted; it waits for the next time if the database is away."""
        counts, self._counts = self._counts, Counts()
        today = self._clock().date()
        self._day = today.isoformat()
        if counts:
            try:
                await self._store.add(counts, today)
            except (DatabaseError, asyncio.CancelledError) as error:
                counts.update(self._counts)
                self._counts = counts
                if isinstance(error, asyncio.CancelledError):
                    raise
                log.warning("requests are counted, but not written yet: %s", error)


def _identity(caller: Caller) -> str:
    return caller.identity or network_of(caller.address)
