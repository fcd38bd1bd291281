"""The assembly: settings in, one ASGI application out. Nothing here computes anything."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import sdl
from content.revision import Revision, read_revision
from mcp_bridge.http import McpHttp, mcp_routes
from mcp_bridge.server import Server
from resolvers.ai.loader import Corpus
from resolvers.context import OperationLink, RequestContext
from resolvers.entries import EntryIndex
from resolvers.executable_schema import full_schema, public_schema
from resolvers.http_client.targets import TargetPolicy
from resolvers.intent.operations import routable_operations
from resolvers.signing.envelopes import EnvelopeSigner
from rest_bridge.discovery.documents import document_routes
from rest_bridge.discovery.listing import DOCUMENTS
from rest_bridge.endpoints.graphql import INDEX_ENTRIES as GRAPHQL
from rest_bridge.endpoints.graphql import graphql_routes
from rest_bridge.endpoints.health import health_routes
from rest_bridge.http.client_address import caller_of
from rest_bridge.http.middleware import RequestGuard
from rest_bridge.http.responses import index_path, links
from rest_bridge.routes import relations_of, router, write_routes
from sdl.catalog import catalog_of, signed_entries
from sdl.compiler import compile_operations
from sdl.problems import OperationError, OperationProblem
from sdl.runner import Operations, Snapshot
from studiograph.reload import LiveContent, reloading
from studiograph.services import Services
from studiograph.settings import Settings
from studiograph.wiring.ai import citation_urls
from studiograph.wiring.jobs import delivering, working
from studiograph.wiring.mail import check_no_loop, mail_service
from studiograph.wiring.mcp import DOCUMENTS as MCP_DOCUMENTS
from studiograph.wiring.mcp import INDEX_ENTRIES as MCP
from studiograph.wiring.webhooks import BEGINNING, CHANGELOG, ENDING

EXAMPLE_QUERY = "{ projects { slug name domains { name } } }"
"""What the documentation of GraphQL shows."""
OPERATIONS = Path(sdl.__file__).parent


def load_operations(folder: Path = OPERATIONS) -> Operations:
    """Every stored operation of a folder. Raises: OperationError."""
    schema = full_schema()._schema  # noqa: SLF001 - Strawberry has no public name for it
    return Operations(schema, compile_operations(schema, folder))


def _require_directory(operations: Operations) -> None:
    """Raise `OperationError` if an operation is missing that documents about the service need."""
    missing = []
    try:
        operations.directory  # noqa: B018 - it raises
    except LookupError:
        missing.append("an operation that asks for the directory is missing: documents need it")
    if not any(o.rest is not None and o.rest.path == "/" for o in operations):
        missing.append("an operation that answers at `/` is missing: documents link to it")
    if missing:
        raise OperationError([OperationProblem("sdl/operations", 1, 1, text) for text in missing])


def build_snapshot(
    operations: Operations,
    revision: Revision,
    settings: Settings,
    services: Services,
    before: Snapshot | None = None,
) -> Snapshot:
    """The operations asked of one revision, and what is signed of it. Raises: ProofFault."""
    proofs, mirror = services.proofs, services.mirror
    site, keys, signer = revision.site, proofs.standing, proofs.signer
    log = proofs.log(site, signer)
    key_set_path = operations.path("GetKeySet")
    identity = proofs.claims.identity(site, keys, key_set_path)
    call = RequestContext(
        base_url=settings.public_url,
        entries=EntryIndex(site),
        revision=revision.digest,
        log=log,
        key_set=keys.key_set,
        identity=services.webhooks.claimed(identity, operations.path(BEGINNING)),
        github=mirror.snapshot(site.github),
        catalog=lambda: index_entries(reading),
        path=operations.path,
        contact=services.desk(site.studio),
        subscriptions=services.webhooks.desk(
            site, operations.path(CHANGELOG), operations.path(ENDING)
        ),
        answers=services.answers(),
    )
    seal = EnvelopeSigner(signer, proofs.journal, proofs.clock, revision.digest, log, key_set_path)
    changes = (keys.changed_at, proofs.claims.changed_at, mirror.changed_at)
    modified = max(revision.modified, *changes).timestamp()
    if before is not None and before.modified is not None:
        modified = max(modified, before.modified + 1)  # seconds are all that a header tells
    reading = Snapshot(operations, site, call, modified, seal)
    for operation in operations:
        if operation.sign is not None:
            reading.signed(operation)
    services.wing.set_content(
        Corpus(
            revision.digest, site, citation_urls(operations), lambda: routable_operations(reading)
        )
    )
    return reading


def index_entries(reading: Snapshot) -> list[OperationLink]:
    """Everything that answers, as an index lists it."""
    documents = [document.index_entry for document in (*DOCUMENTS, *MCP_DOCUMENTS)]
    return [*catalog_of(reading), *GRAPHQL, *MCP, *documents, *signed_entries(reading)]


@dataclass(frozen=True)
class Application:
    """Everything that answers, before it is given a door."""

    settings: Settings
    operations: Operations
    services: Services
    current: LiveContent
    watch: bool

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """While inside, content and facts are followed."""
        proofs, mirror = self.services.proofs, self.services.mirror
        background = [proofs.claims.run, mirror.run, self.services.wing.run]
        refresh, hurry = self.services.refresh, mirror.refresh_now
        try:
            async with reloading(self.current, refresh, background, hurry, watch=self.watch):
                yield
        finally:
            await self.services.close()


def make_application(
    settings: Settings,
    *,
    watch: bool = False,
    operations: Operations | None = None,
    destinations: TargetPolicy | None = None,
) -> Application:
    """The service without a door; it sends to public hosts, or to what is handed in.

    Raises: OperationError, ContentError, ProofFault, StateFault, SettingsError.
    """
    known = operations or load_operations()
    _require_directory(known)
    revision = read_revision(settings.content)
    if settings.mail_listen:
        check_no_loop(settings, revision.site.studio)
    services = Services(settings, revision.site, destinations)
    binding = partial(build_snapshot, known, settings=settings, services=services)
    return Application(
        settings, known, services, LiveContent(settings.content, revision, binding), watch
    )


@asynccontextmanager
async def _open(whole: Application) -> AsyncIterator[None]:
    """While inside, the service lives: what it follows, and what it works on."""
    async with (
        whole.lifespan(),
        working(whole) as work,
        mail_service(whole, work),
        delivering(whole, work),
    ):
        yield


def build(
    settings: Settings,
    *,
    watch: bool = False,
    operations: Operations | None = None,
    destinations: TargetPolicy | None = None,
) -> RequestGuard:
    """The service over HTTP. Raises: what `assemble` raises."""
    whole = make_application(
        settings, watch=watch, operations=operations, destinations=destinations
    )
    known, current, services = whole.operations, whole.current, whole.services
    relations = relations_of(known, DOCUMENTS)
    public = public_schema()
    schema = public._schema  # noqa: SLF001 - as above
    callers = partial(caller_of, trusted=settings.trusted_proxies)
    mcp = McpHttp(
        Server(known, current, index_path(relations)),
        settings.public_url,
        relations,
        lambda scope: callers(scope).address,
    )
    documents = (*DOCUMENTS, *MCP_DOCUMENTS)
    application = router(
        known,
        current,
        relations,
        [
            *write_routes(
                known, current, callers, services.quotas, relations, more_members=services.facts
            ),
            *graphql_routes(schema, public.as_str(), EXAMPLE_QUERY, current, relations),
            *mcp_routes(mcp),
            *document_routes(documents, current, relations, lambda: services.proofs.clock().date()),
            *health_routes(lambda: {**current.state, "answers": services.wing.state}),
        ],
    )
    application.lifespan_context = lambda _: _open(whole)
    return RequestGuard(application, settings.hosts, ", ".join(links(relations)))
