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
from functools import lru_cache

from resolvers.db.database import DatabaseError
from resolvers.rate_limits.limiter import network_of
from resolvers.usage.store import (
    Asked,
    Counts,
    MissingPath,
    Question,
    RequestKind,
    UsageStore,
    count,
)
from sdl.caller import Caller

FAMILIES = (
    ("claude", ("claude", "anthropic")),
    ("openai", ("gptbot", "chatgpt", "oai-searchbot", "openai")),
    ("perplexity", ("perplexity",)),
    ("google", ("google", "gemini")),
    ("microsoft", ("bingbot", "copilot")),
    ("apple", ("applebot",)),
    ("amazon", ("amazonbot",)),
    ("meta", ("meta-external", "facebookexternal")),
    ("mistral", ("mistral",)),
    ("duckduckgo", ("duckassist", "duckduckbot")),
    ("common-crawl", ("ccbot",)),
    ("mcp-client", ("mcp",)),
    ("monitor", ("prometheus", "uptime", "kube-probe", "healthcheck")),
    ("script", ("curl", "wget", "python", "httpx", "node", "undici", "axios", "go-http", "okhttp")),
    ("browser", ("mozilla",)),
)
"""Each family with the words of which one is in its name; the first that fits counts."""
OTHER, UNDECLARED = "other", "none"


@lru_cache(maxsize=4096)
def family_of(agent: str) -> str:
    """Return the family that a name or a User-Agent header declares."""
    if not agent:
        return UNDECLARED
    words = agent.lower()
    return next(
        (family for family, marks in FAMILIES if any(mark in words for mark in marks)), OTHER
    )


MAX_CHARACTERS = 300
GAP = "…"
"""Stands for what was left out."""

_MAX_WORD = 24
_REVEALING = re.compile(r"\S*[\d@/\\_=+%#]\S*|\S*\w\.\w\S*|\S*:\S+")
"""A word with a digit or a sign that addresses, numbers, paths and keys have, but prose has not."""
_INTRODUCTION = re.compile(
    r"(?i:\b(?:my name is|my name's|name:|call me|i am|i'm|i\u2019m|this is|it's|here is|here's"
    r"|signed|regards|cheers|thanks|thank you|sincerely|greetings|yours|best)\b[,:]?)"
    r"((?:\s+[A-Z][\w'\u2019-]*)+)"
)
"""Words after which somebody is named."""
_NAMES = re.compile(r"(?<![.!?…]\s)(?<!^)\b[A-Z][\w'\u2019-]*(?:\s+[A-Z][\w'\u2019-]*)+")
"""Two names or more in a row, but at the beginning of a sentence."""


def redact(text: str) -> str:
    """Return a text in one line, without addresses, numbers, keys and what looks like names."""
    line = " ".join(text.split())[: 4 * MAX_CHARACTERS]
    line = "".join(letter for letter in line if letter.isprintable())
    line = _REVEALING.sub(GAP, line)
    line = _INTRODUCTION.sub(lambda match: match[0][: -len(match[1])] + f" {GAP}", line)
    line = _NAMES.sub(GAP, line)
    words = (word if len(word) <= _MAX_WORD else GAP for word in line.split())
    short = re.sub(rf"{GAP}(?:\s*{GAP})+", GAP, " ".join(words))
    return short[:MAX_CHARACTERS]


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
