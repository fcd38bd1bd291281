"""The assembly: settings in, one ASGI application out. Nothing here computes anything."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import sdl
from content.revision import Revision
from resolvers.executable import full_schema, public_schema
from resolvers.graph import Entries
from resolvers.proofs.log import tree_head
from resolvers.services import Call
from rest_bridge.graphql import CARD as GRAPHQL
from rest_bridge.graphql import graphql_routes
from rest_bridge.guard import Guard
from rest_bridge.routes import relations_of, router
from sdl.cards import catalogue
from sdl.compiler import compile_operations
from sdl.runner import Operations, Reading
from studiograph.reload import Current, reloading
from studiograph.settings import Settings

OPERATIONS = Path(sdl.__file__).parent


def load_operations(folder: Path = OPERATIONS) -> Operations:
    """Every stored operation of a folder. Raises: OperationError."""
    schema = full_schema()._schema  # noqa: SLF001 - Strawberry has no public name for it
    return Operations(schema, compile_operations(schema, folder))


def bind(operations: Operations, revision: Revision, settings: Settings) -> Reading:
    """The operations asked of one revision."""
    call = Call(
        base_url=settings.public_url,
        graph=Entries(revision.site),
        digest=revision.digest,
        rollup_hash=tree_head(revision.site.changelog),
        catalogue=lambda: (*catalogue(reading), GRAPHQL),
        path=operations.path,
    )
    reading = Reading(operations, revision.site, call, revision.modified.timestamp())
    return reading


def build(
    settings: Settings, *, watch: bool = False, operations: Operations | None = None
) -> Guard:
    """The service. Raises: OperationError, ContentError."""
    known = operations or load_operations()
    current = Current(settings.content, lambda revision: bind(known, revision, settings))

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        async with reloading(current, watch=watch):
            yield

    public = public_schema()
    relations = relations_of(known)
    endpoint = graphql_routes(public._schema, public.as_str(), current, relations)  # noqa: SLF001 - as above
    application = router(known, current, endpoint)
    application.lifespan_context = lifespan
    return Guard(application, settings.hosts)
