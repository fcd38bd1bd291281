"""The assembly: settings in, one ASGI application out. Nothing here computes anything."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import sdl
from content.revision import Revision, read_revision
from mcp_bridge.http import mcp_routes
from resolvers.answers.models import Content
from resolvers.executable import full_schema, public_schema
from resolvers.graph import Entries
from resolvers.letters.destinations import Destinations
from resolvers.proofs.signing import Sealing
from resolvers.services import Call, OperationCard
from rest_bridge.caller import caller_of
from rest_bridge.documents import document_routes
from rest_bridge.graphql import CARDS as GRAPHQL
from rest_bridge.graphql import graphql_routes
from rest_bridge.guard import Guard
from rest_bridge.health import health_routes
from rest_bridge.replies import links
from rest_bridge.routes import action_routes, relations_of, router
from rest_bridge.wellknown import DOCUMENTS
from sdl.cards import catalogue, signed_cards
from sdl.compiler import compile_operations
from sdl.faults import OperationError, OperationFault
from sdl.runner import Operations, Reading
from studiograph.answers import places
from studiograph.goalposts import goalposts
from studiograph.mailbox import mailroom, refuse_circle
from studiograph.mcp import CARDS as MCP
from studiograph.mcp import DOCUMENTS as MCP_DOCUMENTS
from studiograph.mcp import Lent, mcp_server
from studiograph.reload import Current, reloading
from studiograph.services import Services
from studiograph.settings import Settings
from studiograph.webhooks import BEGINNING, CHANGELOG, ENDING
from studiograph.work import delivering, working

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
    services: Services,
    before: Reading | None = None,
) -> Reading:
    """The operations asked of one revision, and what is signed of it. Raises: ProofFault."""
    proofs, mirror = services.proofs, services.mirror
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
        identity=services.webhooks.claimed(identity, operations.path(BEGINNING)),
        github=mirror.shown(site.github),
        catalogue=lambda: cards(reading),
        path=operations.path,
        desk=services.desk(site.studio),
        subscriptions=services.webhooks.desk(
            site, operations.path(CHANGELOG), operations.path(ENDING)
        ),
        answers=services.answers(),
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
    services.wing.want(
        Content(revision.digest, site, places(operations), lambda: goalposts(reading))
    )
    return reading


def cards(reading: Reading) -> list[OperationCard]:
    """Everything that answers, as an index lists it."""
    documents = [document.card for document in (*DOCUMENTS, *MCP_DOCUMENTS)]
    return [*catalogue(reading), *GRAPHQL, *MCP, *documents, *signed_cards(reading)]


@dataclass(frozen=True)
class Assembly:
    """Everything that answers, before it is given a door."""

    settings: Settings
    operations: Operations
    services: Services
    current: Current
    watch: bool

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """While inside, content and facts are followed."""
        proofs, mirror = self.services.proofs, self.services.mirror
        background = [proofs.claims.follow, mirror.follow, self.services.wing.follow]
        refresh, hurry = self.services.refresh, mirror.hurry
        try:
            async with reloading(self.current, refresh, background, hurry, watch=self.watch):
                yield
        finally:
            await self.services.close()


def assemble(
    settings: Settings,
    *,
    watch: bool = False,
    operations: Operations | None = None,
    destinations: Destinations | None = None,
) -> Assembly:
    """The service without a door; it sends to public hosts, or to what is handed in.

    Raises: OperationError, ContentError, ProofFault, StateFault, SettingsError.
    """
    known = operations or load_operations()
    _refuse_gaps(known)
    revision = read_revision(settings.content)
    if settings.mail_listen:
        refuse_circle(settings, revision.site.studio)
    services = Services(settings, revision.site, destinations)
    binding = partial(bind, known, settings=settings, services=services)
    return Assembly(settings, known, services, Current(settings.content, revision, binding), watch)


@asynccontextmanager
async def _open(whole: Assembly) -> AsyncIterator[None]:
    """While inside, the service lives: what it follows, and what it works on."""
    async with (
        whole.running(),
        working(whole) as work,
        mailroom(whole, work),
        delivering(whole, work),
    ):
        yield


def build(
    settings: Settings,
    *,
    watch: bool = False,
    operations: Operations | None = None,
    destinations: Destinations | None = None,
) -> Guard:
    """The service over HTTP. Raises: what `assemble` raises."""
    whole = assemble(settings, watch=watch, operations=operations, destinations=destinations)
    known, current, services = whole.operations, whole.current, whole.services
    relations = relations_of(known, DOCUMENTS)
    public = public_schema()
    schema = public._schema  # noqa: SLF001 - as above
    callers = partial(caller_of, trusted=settings.trusted_proxies)
    server = mcp_server(known, current, relations)
    documents = (*DOCUMENTS, *MCP_DOCUMENTS)
    application = router(
        known,
        current,
        relations,
        [
            *action_routes(
                known, current, callers, services.quotas, relations, facts=services.facts
            ),
            *graphql_routes(schema, public.as_str(), current, relations),
            *mcp_routes(server, Lent(relations, callers), settings.public_url),
            *document_routes(documents, current, relations, lambda: services.proofs.clock().date()),
            *health_routes(lambda: {**current.state, "answers": services.wing.state}),
        ],
    )
    application.lifespan_context = lambda _: _open(whole)
    return Guard(application, settings.hosts, ", ".join(links(relations)))
