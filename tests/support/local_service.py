"""The service in the test's own process, asked without a socket."""

from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from asgi_call import Ask, asking
from repository import SAMPLE
from running_server import eventually

from content.reading.reader import Reading
from content.reading.revision import Revision, read_revision
from resolvers.answers.fields import FactTable
from schema.site import Site
from sdl.running.runner import Operations, Snapshot
from sdl.types.scalar_types import Digest
from studiograph.application import build_snapshot, own_operations
from studiograph.settings import Settings
from studiograph.wiring.services import Services

__all__ = ["Ask", "asking", "bound", "facts_of", "stored_operations", "until_it_answers"]


@cache
def stored_operations() -> Operations:
    """The stored operations, compiled once for all tests of a process."""
    return own_operations()


def bound(
    operations: Operations, content: Path = SAMPLE, base_url: str = Settings().public_url
) -> Snapshot:
    """The stored operations asked of a folder's content, with keys that are made for it."""
    return _bound(operations, read_revision(content), base_url)


def facts_of(site: Site) -> FactTable:
    """The fields that answer questions about a studio, which need not be valid as content."""
    reading = Reading(site, (), Path(), {}, frozenset(), ())
    revised = datetime(2026, 11, 20, tzinfo=UTC)
    revision = Revision(site, Digest(f"sha256:{'0' * 64}"), revised, reading)
    return FactTable(_bound(stored_operations(), revision, Settings().public_url))


def _bound(operations: Operations, revision: Revision, base_url: str) -> Snapshot:
    with TemporaryDirectory() as data:
        settings = Settings(content=SAMPLE, data=Path(data), base_url=base_url)
        return build_snapshot(operations, revision, settings, Services(settings, revision.site))


def until_it_answers(ask: Ask, seconds: float = 120) -> None:
    """Wait until every question is answered, which a busy machine takes its time for."""
    ask("/api/search", "POST", json={"query": "tides"})  # has the models loaded at once
    eventually(lambda: ask("/readyz").json()["answers"] == "ready", seconds)
