"""The application: the stored operations on the current content, and their services."""

import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from weakref import ref

import sdl
from content.checking.errors import ContentError
from content.reading.files import files_elsewhere
from content.reading.revision import Revision, read_revision
from resolvers.ai.engine import Corpus
from resolvers.answers.fields import FactTable
from resolvers.asked_rules import asked_rules
from resolvers.context import RequestContext
from resolvers.entries import EntryIndex
from resolvers.executable_schema import full_schema
from resolvers.http_client.targets import TargetPolicy
from resolvers.intent.operations import routable_operations
from resolvers.sections_fragment import sections_fragment
from resolvers.transparency.statements import Statement
from rest_bridge.endpoints.graphql import INDEX_ENTRIES as GRAPHQL
from rest_bridge.endpoints.health import ENTRIES as HEALTH
from schema.site import Site
from sdl.errors import UnavailableError
from sdl.operations.catalog import IndexEntry, catalog_of, empty_reads, own_name, signed_entries
from sdl.operations.compiler import compile_operations
from sdl.operations.rules import OperationError, OperationProblem
from sdl.running.runner import Operations, Snapshot, Words
from sdl.tools.background import without_full_collections
from studiograph.reload import LiveContent, reloading
from studiograph.settings import Settings
from studiograph.wiring.documents import MCP_ENTRIES as MCP
from studiograph.wiring.documents import (
    STANDING_DOCUMENTS,
    dead_links,
    documents_of,
    mcp_statements,
    pinned_document_statements,
    tokens_of,
)
from studiograph.wiring.services import (
    CHANGELOG_OPERATION,
    SUBSCRIBE_OPERATION,
    UNSUBSCRIBE_OPERATION,
    Services,
    check_no_loop,
    citation_urls,
    notices_of,
)

log = logging.getLogger(__name__)
OPERATIONS = Path(sdl.__file__).parent
EXTRAS = frozenset(entry.path for entry in (*GRAPHQL, *MCP, *HEALTH))
"""The paths that no stored operation and no document serves."""
DIRECTORY = "GetDirectory"
"""The operation that says what documents are made of."""
WORDS = Words(
    noun="studio",
    prefix="studiograph",
    acting="They reach a human or change something outside",
    nothing=(
        "This studio has published nothing in `{section}`, so what it would say is unknown. {index}"
        " lists what is published."
    ),
    no_document="This studio has published nothing of this kind.",
    access="No path needs credentials, except the removal of a subscription.",
    reading=(
        "Everything here is the studio's own account of itself. Reading is free and changes"
        " nothing."
    ),
)


def load_operations(folder: Path = OPERATIONS) -> Operations:
    """Every stored operation of a folder. Raises: OperationError."""
    schema = full_schema()._schema  # noqa: SLF001 - Strawberry has no public name for it
    compiled = compile_operations(schema, folder, generate=sections_fragment, rules=asked_rules)
    return Operations(schema, compiled)


@cache  # a command that builds the application twice compiles them once
def own_operations() -> Operations:
    """Every stored operation of this installation. Raises: OperationError."""
    return load_operations()


def read_content(
    settings: Settings,
    operations: Operations,
    before: Revision | None = None,
    *,
    drafts: bool = False,
) -> Revision:
    """Return the content, whose links to own pages lead to something. Raises: ContentError."""
    revision = read_revision(settings.content, before, drafts=drafts, **settings.reading)
    if revision is not before and revision.reading.own_links:
        entries = (*GRAPHQL, *MCP, *HEALTH, *(d.index_entry for d in documents_of(settings)))
        others = [entry.path for entry in entries]
        dead = dead_links(revision.reading.own_links, operations, revision.site, others)
        if problems := revision.reading.locate(dead):
            raise ContentError(problems)
    return revision


def _require_directory(operations: Operations) -> None:
    """Raise `OperationError` if an operation is missing that documents about the service need."""
    missing = []
    if DIRECTORY not in operations.by_name:
        missing.append(f"the operation {DIRECTORY} is missing: documents need it")
    if not any(o.rest is not None and o.rest.path == "/" for o in operations):
        missing.append("an operation that answers at `/` is missing: documents link to it")
    if missing:
        raise OperationError([OperationProblem("sdl/operations", 1, 1, text) for text in missing])


def build_snapshot(
    operations: Operations,
    revision: Revision,
    settings: Settings,
    services: Services,
    before: Snapshot[Site] | None = None,
) -> Snapshot[Site]:
    """Bind the operations to one revision of the content, and sign it. Raises: ProofError."""
    proofs, mirror = services.proofs, services.mirror
    site, keys = revision.site, proofs.key_ring

    def own() -> Snapshot[Site]:
        """Return the snapshot, which is held by whoever asks.

        Its context must not hold it too: then each revision would last until garbage is collected,
        and the first one for ever, as what a start makes is taken out of all collections.
        """
        if (snapshot := held()) is None:
            raise ReferenceError("nobody holds this snapshot any more")
        return snapshot

    log = proofs.log(site, proofs.signing_key)
    key_set_path = operations.path("GetKeySet")
    identity = proofs.claims.identity(site, keys, key_set_path)
    context = RequestContext(
        base_url=settings.public_url,
        entries=EntryIndex(site),
        revision=revision.digest,
        log=log,
        words=lambda: words,  # published below, before anybody asks
        statement_name=partial(own_name, operations=operations),
        key_set=keys.key_set,
        identity=services.webhooks.with_webhook_key(identity, operations.path(SUBSCRIBE_OPERATION)),
        github=mirror.snapshot(site.github),
        shows_github=mirror.shows(site.github),
        catalog=lambda: index_entries(own()),  # resolved when the directory is first read
        tokens=lambda entry: own().cached(
            ("tokens", entry.reading_path), lambda: tokens_of(entry, own())
        ),
        path=operations.path,
        contact=services.contact_service(site.studio),
        subscriptions=services.webhooks.service(
            site, operations.path(CHANGELOG_OPERATION), operations.path(UNSUBSCRIBE_OPERATION)
        ),
        answers=services.answer_service(),
        notices=notices_of(settings),
    )
    signer = proofs.envelope_signer(log, revision.digest, key_set_path)
    changes = (keys.changed_at, proofs.claims.changed_at, mirror.changed_at)
    modified = max(revision.modified, *changes).timestamp()
    if before is not None and before.modified is not None:
        modified = max(modified, before.modified + 1)  # Last-Modified has whole seconds
    lasting = before.lasting if before is not None else {}
    snapshot = Snapshot(
        *(operations, site, context, modified, signer, revision.digest, lasting),
        facts=lambda snapshot: snapshot.read(DIRECTORY),
        words=WORDS,
        extras=EXTRAS,
    )
    absent, empty = snapshot.absent(), empty_reads(snapshot)
    if not context.shows_github:
        absent |= {o.name for o in operations if o.is_read and UnavailableError.code in o.errors}
    present = operations.without(absent, empty)
    if before is not None and [*before.operations] == [*present]:
        present = before.operations  # what was made of them holds
    if present is not operations:
        context = replace(context, path=partial(_listed_path, present))
        sections = (o for o in operations if o.sign is not None and o.sign.section is not None)
        unpublished = tuple(own for own in sections if own.name in absent | empty)
        snapshot = replace(snapshot, operations=present, context=context, unpublished=unpublished)
    held = ref(snapshot)
    documents = documents_of(settings)

    def declarations() -> Iterator[Statement]:
        yield from mcp_statements(operations, snapshot, settings)
        yield from pinned_document_statements(operations, snapshot, documents, settings.public_url)

    words = proofs.words(snapshot, proofs.signing_key, declarations)
    snapshot.sign_all()
    return snapshot


def _listed_path(operations: Operations, name: str) -> str:
    """Return the path of an operation that texts may lead to, or `/` if there is none."""
    operation = operations.by_name.get(name)
    return operations.path(name) if operation is not None and operation.is_listed else "/"


def corpus_of(revision: Revision, snapshot: Snapshot[Site]) -> Corpus:
    """Return what search, chat and intent are built from, for one revision of the content."""
    return Corpus(
        revision.digest,
        revision.site,
        citation_urls(snapshot.operations),
        lambda: routable_operations(snapshot, (*index_entries(snapshot), *HEALTH)),
        lambda: FactTable(snapshot),
    )


def index_entries(snapshot: Snapshot[Site]) -> list[IndexEntry]:
    """Every endpoint, as the directory lists it."""

    def make() -> list[IndexEntry]:
        # not by the directory, which is made of these entries
        has_policy = snapshot.data.licensing is not None
        documents = [d.index_entry for d in STANDING_DOCUMENTS if has_policy or not d.needs]
        return [*catalog_of(snapshot), *GRAPHQL, *MCP, *documents, *signed_entries(snapshot)]

    return snapshot.cached("index", make)


@dataclass(frozen=True)
class Application:
    """Everything that is served, without a port."""

    settings: Settings
    operations: Operations
    services: Services
    current: LiveContent
    watch: bool

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Follow the content, GitHub and identity claims until the block ends; then close."""
        proofs, mirror = self.services.proofs, self.services.mirror
        background = [proofs.claims.run, mirror.run, self.services.models.run]
        refresh, poll_now = self.services.refresh, mirror.refresh_now
        try:
            async with reloading(self.current, refresh, background, poll_now, watch=self.watch):
                yield
        finally:
            await self.services.close()


def make_application(  # noqa: PLR0913 - keywords name all but the first
    settings: Settings,
    *,
    watch: bool = False,
    preview: bool = False,
    operations: Operations | None = None,
    destinations: TargetPolicy | None = None,
    prepare: Callable[[Snapshot[Site]], object] = lambda _: None,
) -> Application:
    """Build the application; `destinations` limits webhook targets, by default to public hosts.

    A `preview` publishes nothing, and neither does one that watches the content, which shows
    drafts too: whoever saves a file has not yet decided to say it.
    `prepare` is called with each new snapshot once it is served, beside the event loop; not with
    the first one, so that the start need not wait for it.
    Raises: OperationError, ContentError, ProofError, DatabaseError, SettingsError.
    """
    operations = operations or own_operations()
    _require_directory(operations)
    read = partial(read_content, settings, operations, drafts=watch)
    revision = read()
    for file in files_elsewhere(settings.content):
        log.warning("%s", file)
    if settings.mail_listen:
        check_no_loop(settings, revision.site.studio)
    services = Services(settings, revision.site, destinations, preview=preview or watch)

    def publish(revision: Revision, snapshot: Snapshot[Site]) -> None:
        services.models.set_content(corpus_of(revision, snapshot))

    @without_full_collections()
    def bind(revision: Revision, before: Snapshot[Site] | None = None) -> Snapshot[Site]:
        return build_snapshot(operations, revision, settings, services, before)

    settle = services.database.disconnect
    current = LiveContent(settings.content, read, revision, bind, publish, prepare, settle)
    return Application(settings, operations, services, current, watch)
