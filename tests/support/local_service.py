"""The service in the test's own process, asked without a socket."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
from repository import SAMPLE
from running_server import eventually
from starlette.types import ASGIApp

from content.reading.revision import Revision, read_revision
from resolvers.answers.fields import FactTable
from schema.site import Site
from sdl.running.runner import Operations, Snapshot
from sdl.types.scalar_types import Digest
from studiograph.application import build_snapshot, own_operations
from studiograph.settings import Settings
from studiograph.wiring.services import Services

Ask = Callable[..., httpx.Response]
"""A request: `ask(path, method="GET", headers=...)`."""


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
    revision = Revision(site, Digest(f"sha256:{'0' * 64}"), datetime(2026, 11, 20, tzinfo=UTC))
    return FactTable(_bound(stored_operations(), revision, Settings().public_url))


def _bound(operations: Operations, revision: Revision, base_url: str) -> Snapshot:
    with TemporaryDirectory() as data:
        settings = Settings(content=SAMPLE, data=Path(data), base_url=base_url)
        return build_snapshot(operations, revision, settings, Services(settings, revision.site))


def asking(service: ASGIApp) -> Ask:
    """Requests to a service, answered in this process."""

    async def once(path: str, method: str, **options: object) -> httpx.Response:
        transport = httpx.ASGITransport(service, raise_app_exceptions=False)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://localhost", headers={"accept": "*/*"}
        ) as client:
            return await client.request(method, path, **options)  # type: ignore[arg-type]

    def request(path: str, method: str = "GET", **options: object) -> httpx.Response:
        return asyncio.run(once(path, method, **options))

    return request


def until_it_answers(ask: Ask, seconds: float = 120) -> None:
    """Wait until every question is answered, which a busy machine takes its time for."""
    ask("/api/search", "POST", json={"query": "tides"})  # has the models loaded at once
    eventually(lambda: ask("/readyz").json()["answers"] == "ready", seconds)
