"""The assembly: settings in, one ASGI application out. Nothing here computes anything."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import sdl
from content.revision import Revision, read_revision
from resolvers.executable import full_schema, public_schema
from resolvers.graph import Entries
from resolvers.proofs.signing import Sealing
from resolvers.services import Call, OperationCard
from rest_bridge.documents import document_routes
from rest_bridge.graphql import CARDS as GRAPHQL
from rest_bridge.graphql import graphql_routes
from rest_bridge.guard import Guard
from rest_bridge.health import health_routes
from rest_bridge.replies import links
from rest_bridge.routes import relations_of, router
from rest_bridge.wellknown import DOCUMENTS
from sdl.cards import catalogue, signed_cards
from sdl.compiler import compile_operations
from sdl.faults import OperationError, OperationFault
from sdl.runner import Operations, Reading
from studiograph.github import Mirror
from studiograph.proofs import Proofs
from studiograph.reload import Current, reloading
from studiograph.settings import Settings

REQUIRED = ("GetDirectory", "GetIndex")
OPERATIONS = Path(sdl.__file__).parent


def load_operations(folder: Path = OPERATIONS) -> Operations:
    """Every stored operation of a folder. Raises: OperationError."""
    schema = full_schema()._schema  # noqa: SLF001 - Strawberry has no public name for it
    return Operations(schema, compile_operations(schema, folder))


def _refuse_gaps(operations: Operations) -> None:
    """Nothing, where what everything else leads to is there. Raises: OperationError."""
    missing = [name for name in REQUIRED if name not in operations.by_name]
    if missing:
        told = "is missing: the documents about the service are made of it"
        raise OperationError([OperationFault(f"sdl/operations: {n}", 1, 1, told) for n in missing])


def bind(
    operations: Operations,
    revision: Revision,
    settings: Settings,
    facts: tuple[Proofs, Mirror],
    before: Reading | None = None,
) -> Reading:
    """The operations asked of one revision, and what is signed of it. Raises: ProofFault."""
    proofs, mirror = facts
    site, keys, signer = revision.site, proofs.standing, proofs.signer
    log = proofs.log(site, signer)
    key_set_path = operations.path("GetKeySet")
    identity = proofs.claims.identity(site, keys, key_set_path)
    call = Call(
        base_url=settings.public_url,
        graph=Entries(site),
        digest=revision.digest,
        log=log,
        key_set=keys.key_set,
        identity=identity,
        github=mirror.shown(site.github),
        catalogue=lambda: cards(reading),
        path=operations.path,
    )
    seal = Sealing(signer, proofs.journal, proofs.clock, revision.digest, log, key_set_path)
    changes = (keys.changed_at, proofs.claims.changed_at, mirror.changed_at)
    modified = max(revision.modified, *changes).timestamp()
    if before is not None:
        modified = max(modified, before.modified + 1)  # seconds are all that a header tells
    reading = Reading(operations, site, call, modified, seal)
    for operation in operations:
        if operation.sign is not None:
            reading.signed(operation)
    return reading


def cards(reading: Reading) -> list[OperationCard]:
    """Everything that answers, as an index lists it."""
    documents = [document.card for document in DOCUMENTS]
    return [*catalogue(reading), *GRAPHQL, *documents, *signed_cards(reading)]


def build(
    settings: Settings, *, watch: bool = False, operations: Operations | None = None
) -> Guard:
    """The service. Raises: OperationError, ContentError, ProofFault."""
    known = operations or load_operations()
    _refuse_gaps(known)
    revision = read_revision(settings.content)
    proofs, mirror = Proofs(settings, revision.site), Mirror(settings)
    current = Current(
        settings.content, revision, partial(bind, known, settings=settings, facts=(proofs, mirror))
    )

    def changed() -> bool:
        return any([proofs.refresh(), mirror.refresh()])

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        background = [proofs.claims.follow, mirror.follow]
        async with reloading(current, changed, background, mirror.hurry, watch=watch):
            yield

    public = public_schema()
    relations = relations_of(known, DOCUMENTS)
    endpoint = graphql_routes(public._schema, public.as_str(), current, relations)  # noqa: SLF001 - as above
    pages = document_routes(DOCUMENTS, current, relations, lambda: proofs.clock().date())
    health = health_routes(lambda: current.state)
    application = router(known, current, relations, [*endpoint, *pages, *health])
    application.lifespan_context = lifespan
    return Guard(application, settings.hosts, ", ".join(links(relations)))
