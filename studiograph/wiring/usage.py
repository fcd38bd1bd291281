"""Counts what callers ask for, as the settings say."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from resolvers.db.database import Database
from resolvers.signing.keys import KeyRing, derived_secret
from resolvers.usage.recorder import UsageRecorder
from resolvers.usage.store import QUESTIONS, UsageStore
from rest_bridge.http.observers import request_observers
from studiograph.settings import Settings
from studiograph.wiring.proofs import system_clock

NOTICE = (
    f"Questions to chat, search and intent are kept for {QUESTIONS.days} days without addresses,"
    " numbers and what looks like a name, and the studio sees words that three callers used."
)
_LABEL = b"studiograph: callers who asked"  # changing it would count them twice


def make_recorder(settings: Settings, database: Database, key_ring: KeyRing) -> UsageRecorder:
    """Return what counts requests and, if the owner wants it, questions."""
    return UsageRecorder(
        UsageStore(database),
        derived_secret(key_ring, _LABEL),
        system_clock,
        questions=settings.mirror == "questions",
    )


def notices_of(settings: Settings) -> Sequence[str]:
    """Return what callers are told of what is kept about them."""
    return (NOTICE,) if settings.mirror == "questions" else ()


@asynccontextmanager
async def counting(settings: Settings, usage: UsageRecorder) -> AsyncIterator[None]:
    """Count until the block ends, unless that is switched off."""
    if settings.mirror == "off":
        yield
        return
    request_observers.append(usage.note_request)
    try:
        async with usage.recording():
            yield
    finally:
        request_observers.remove(usage.note_request)
