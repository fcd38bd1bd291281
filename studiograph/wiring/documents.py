"""The documents that describe the service, what is signed of them, and the MCP server."""

import base64
import difflib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, cast

from nacl.signing import SigningKey

import sdl
from content.checking.errors import Finding
from content.checking.links import OwnLink
from mcp_bridge.description import (
    CARD,
    CARD_PATH,
    DESCRIPTION,
    PATH,
    mcp_components,
    mcp_items,
    server_card,
)
from mcp_bridge.listing import Registry, listing_of, registry_of
from mcp_bridge.tools.all_tools import ToolOptions
from mcp_bridge.tools.verify_tool import Checked
from resolvers.context import RequestContext
from resolvers.entries import EntryIndex
from resolvers.files import atomic_write
from resolvers.signing.envelopes import fault_of
from resolvers.signing.keys import ProofError
from resolvers.signing.keystore import check_permissions
from resolvers.transparency.statements import DOCUMENT, PROMPT, RESOURCE, TOOL, Statement
from rest_bridge.discovery.documents import AgentInterface, Document, DocumentContext
from rest_bridge.document_list import DOCUMENTS
from rest_bridge.representations.rendering import MARKDOWN, Places, rendered
from rest_bridge.routes import relations_of
from schema.site import Site
from sdl.caller import Caller
from sdl.errors import UnavailableError
from sdl.operations.catalog import IndexEntry, signed_entries
from sdl.operations.operation import form_paths, with_suffix
from sdl.running.runner import Operations, Snapshot
from sdl.types.shape import ObjectShape
from studiograph.settings import Settings
from studiograph.wiring.proofs import is_preview_key

ASK_OPERATION = "Ask"
SCHEME = "studio://"
"""What the addresses of resources begin with."""
KEY_SET_OPERATION, IDENTITY_OPERATION = "GetKeySet", "GetIdentity"

CARD_ALIAS = "/.well-known/mcp/server-card.json"
CARD_SHORT_ALIAS = "/.well-known/mcp.json"
_GOALS = (
    "connect over MCP",
    "Model Context Protocol endpoint",
    "which tools, resources and prompts does the MCP server have",
    "add this service as a tool server to an AI client",
)
MCP_ENTRIES = (IndexEntry("Query", "MCP", PATH, with_suffix(PATH, ".md"), DESCRIPTION, _GOALS),)

INTERFACE = AgentInterface(
    "mcp",
    # The tool `read` reaches every operation that has a section.
    reaches=lambda o: bool(o.mcp or o.resource or o.prompt or o.section),
    capabilities=lambda snapshot: list(
        Registry(snapshot.operations, tool_options(has_language_model=False)).tools
    ),
)


def mcp_statements(
    operations: Operations, snapshot: Snapshot, settings: Settings
) -> Iterator[Statement]:
    """Yield a statement for each tool, prompt and resource, as the server lists it."""
    listing = listing_of(registry_of(operations, options_of(settings)), snapshot)
    for entries, kind, key in (
        (listing.tools, TOOL, "name"),
        (listing.prompts, PROMPT, "name"),
        (listing.resources, RESOURCE, "uri"),
        (listing.templates, RESOURCE, "uriTemplate"),
    ):
        for entry in cast("Iterable[Mapping[str, Any]]", entries):
            yield Statement(f"{kind}{entry[key]}", entry)


def options_of(settings: Settings) -> ToolOptions:
    """Return what the settings say of the tools."""
    return tool_options(has_language_model=settings.ai_llm == "openai-like")


def tool_options(*, has_language_model: bool) -> ToolOptions:
    """Return what this assembly knows of the tools; without a model, chat only quotes."""
    return ToolOptions(() if has_language_model else (ASK_OPERATION,), _checked, scheme=SCHEME)


def _checked(snapshot: Snapshot, envelope: Mapping[str, Any]) -> Checked:
    """Verify an envelope of this service. Raises: UnavailableError if it does not verify."""
    context = cast("RequestContext", snapshot.context)
    key_set = f"{context.base_url}{context.path(KEY_SET_OPERATION)}"
    identity = f"{context.base_url}{context.path(IDENTITY_OPERATION)}"
    if (fault := fault_of(envelope, context.key_set)) is not None:
        if is_preview_key(envelope["publicJwk"]["kid"]):
            raise UnavailableError(
                "This is a preview: it publishes nothing, so there is nothing to verify. Ask the"
                " service at its public address."
            )
        raise UnavailableError(f"The envelope does not verify: {fault}. Read it again.")
    key = envelope["publicJwk"]
    return Checked(
        key,
        (
            f"The signature is that of the key {key['kid']} over the payload as canonical JSON"
            " (RFC 8785).",
            f"The key is published in {key_set} and not revoked there.",
            "The thumbprint belongs to the key. If the envelope has a rollupHash, it equals the one"
            " in the payload.",
        ),
        (
            "This server checked its own signature, which proves nothing to you: verify it with"
            " code of your own, as verificationHint says.",
            f"Take the key from {key_set}, over HTTPS and from the studio's own domain, and not"
            " from the envelope.",
            f"Compare it with a key that you have seen before, or with the records in {identity}.",
            "The signature proves that the holder of this key signed the payload and that nobody"
            " changed it since. It does not prove that the payload is true, and signedAt is not"
            " signed.",
        ),
    )


def _card(context: DocumentContext) -> bytes:
    registry = Registry(context.snapshot.operations, ToolOptions())
    return server_card(context.snapshot, registry)


MCP_DOCUMENTS = (
    Document(
        CARD_PATH,
        CARD,
        "MCP server card",
        "The address, transport and protocol versions of the MCP endpoint.",
        _card,
        goals=(
            "MCP server card",
            "metadata of the MCP server before a connection",
            "transport and protocol versions of the MCP endpoint",
            "server-card of the Model Context Protocol",
        ),
        more_paths=dict(mcp_items()),
        more_components=mcp_components(),
        interface=INTERFACE,
        minor=True,
    ),
    Document(
        CARD_ALIAS,
        "application/json",
        "MCP server card, alternative path",
        "The same card at a path that some clients try.",
        _card,
        goals=(
            "server-card.json",
            "well-known path of the MCP server card",
            "alternative address of the MCP server card",
            "the MCP card under .well-known",
        ),
        minor=True,
    ),
    Document(
        CARD_SHORT_ALIAS,
        "application/json",
        "MCP server card, short path",
        "The same card at another path that some clients try.",
        _card,
        goals=(
            "mcp.json",
            "well-known mcp.json of this host",
            "short path of the MCP server card",
            "find the MCP endpoint from the domain alone",
        ),
        minor=True,
    ),
)


REGISTRY_PATH = "/.well-known/mcp-registry-auth"
_SEED_BYTES = 32
_SEED = re.compile(rf"[0-9a-f]{{{2 * _SEED_BYTES}}}")


def key_file(settings: Settings) -> Path:
    """Return where the key is: a file with its seed in hexadecimal, as the publisher takes it."""
    return settings.data / "keys" / "mcp-registry.key"


def make_key(settings: Settings) -> bool:
    """Make the key; return whether there was none. Raises: OSError."""
    file = key_file(settings)
    if file.exists():
        return False
    atomic_write(file, f"{os.urandom(_SEED_BYTES).hex()}\n".encode())
    return True


def proof_record(settings: Settings) -> str | None:
    """Return the line that names the public key; None if there is no key. Raises: ProofError."""
    file = key_file(settings)
    if not file.exists():
        return None
    check_permissions(file)
    seed = file.read_text("ascii", errors="replace").strip()
    if not _SEED.fullmatch(seed):
        raise ProofError(
            f"{file}: is not a key of 64 hexadecimal digits. Fix: remove it, and make another with"
            " `studiograph registry --make-key`."
        )
    public = bytes(SigningKey(bytes.fromhex(seed)).verify_key)
    return f"v=MCPv1; k=ed25519; p={base64.b64encode(public).decode('ascii')}"


STANDING_DOCUMENTS = (*DOCUMENTS, *MCP_DOCUMENTS)
"""The documents of every service."""


def documents_of(settings: Settings) -> tuple[Document, ...]:
    """Return what this service serves: the proof for the registry, too, if there is a key.

    Raises: ProofError.
    """
    record = proof_record(settings)
    if record is None:
        return STANDING_DOCUMENTS
    note = "The public key that proves to the MCP registry whose domain this is."
    body = f"{record}\n".encode()
    proof = Document(REGISTRY_PATH, "text/plain", "MCP registry proof", note, lambda _: body)
    return (*STANDING_DOCUMENTS, proof)


PINNED = {
    "/openapi.json": f"{DOCUMENT}openapi",
    "/.well-known/agent.json": f"{DOCUMENT}agent.json",
}
"""The names of the statements, by the paths of the documents."""
SCHEMA = f"{DOCUMENT}sdl"
INDEX_TYPES = {"ServiceIndex", "AgentGuide"}
"""The types that state these sizes, so their own cannot be known before."""
CHARACTERS_PER_TOKEN = 4


def pinned_document_statements(
    operations: Operations, snapshot: Snapshot, documents: Iterable[Document], base_url: str
) -> Iterator[Statement]:
    """Yield a statement for each pinned document, without the own address, and for the schema."""
    present = [document for document in documents if document.is_there(snapshot)]
    relations = relations_of(operations, [d for d in DOCUMENTS if d.is_there(snapshot)])
    context = DocumentContext(snapshot, present, relations, date.min)
    for document in present:
        if document.path in PINNED:
            text = document.made(context).decode().replace(base_url, "")
            yield Statement(PINNED[document.path], {"document": text})
    yield Statement(SCHEMA, {"document": _schema()})


@cache
def _schema() -> str:
    return (Path(sdl.__file__).parent / "public.graphql").read_text(encoding="utf-8")


def tokens_of(entry: IndexEntry, snapshot: Snapshot) -> int | None:
    """Return about how many tokens an entry's document has; None if that is not counted.

    Counted are reads and discovery documents, but not the index. Units: tokens of four characters,
    rounded to two digits.
    """
    if (text := _text(entry, snapshot)) is None:
        return None
    return int(float(f"{len(text.decode()) / CHARACTERS_PER_TOKEN:.2g}"))


def _text(entry: IndexEntry, snapshot: Snapshot) -> bytes | None:
    relations = relations_of(snapshot.operations, DOCUMENTS)
    for document in STANDING_DOCUMENTS:
        if document.path == entry.path:
            context = DocumentContext(snapshot, STANDING_DOCUMENTS, relations, date.today())  # noqa: DTZ011 - no length depends on it
            return document.make(context)
    operation = entry.operation
    if operation is None or operation.rest is None or not operation.is_read:
        return None
    if isinstance(operation.shape, ObjectShape) and operation.shape.type_name in INDEX_TYPES:
        return None
    media = operation.rest.media
    form = MARKDOWN if MARKDOWN in media else media[0]
    body = snapshot.run(operation, entry.values)
    places = Places("/llms.txt", snapshot.addresses(operation, entry.values))
    return rendered(operation, operation.shape, body, form, places)


MAX_NEAR = 3
_ALIKE = 0.8


@dataclass(frozen=True)
class _ContentAlone:
    """What the resolvers of entries read besides the content, and no service."""

    entries: EntryIndex

    def for_caller(self, caller: Caller) -> "_ContentAlone":
        """Return this, since nothing here depends on callers."""
        del caller
        return self


def dead_links(
    links: Iterable[OwnLink], operations: Operations, site: Site, others: Iterable[str]
) -> Iterator[Finding]:
    """Yield a finding for each own link to a path that is not there.

    `others` are the paths of documents, which no stored operation answers.
    """
    paths = {*operation_paths(operations, site), *(path.partition("?")[0] for path in others)}
    for link in links:
        path = link.path.partition("#")[0].partition("?")[0]
        if path not in paths:
            rule = f"this studio has no {path}"
            yield Finding(link.place, rule, _fix(path, paths))


def operation_paths(operations: Operations, site: Site) -> Iterator[str]:
    """Yield each path at which a stored operation answers, in each of its forms."""
    snapshot = Snapshot(operations, site, _ContentAlone(EntryIndex(site)), modified=0)
    absent = snapshot.absent()
    for operation in operations:
        rest = operation.rest
        if rest is None or operation.name in absent:
            continue
        items = snapshot.items_of(operation)
        paths = [item.path(rest.path) for item in items]
        for path in paths if operation.path_variables else [rest.path]:
            yield path
            if not operation.is_read:
                yield from (f"{path}{suffix}" for suffix in (".md", ".json"))
            else:
                yield from form_paths(path, rest.media).values()
    yield from (entry.path.partition("?")[0] for entry in signed_entries(snapshot))


def _fix(path: str, paths: Iterable[str]) -> str:
    """Return a fix with the paths most like one that is not there."""
    known = sorted(each for each in paths if not PurePosixPath(each).suffix or "." in path)
    parent, _, name = path.rstrip("/").rpartition("/")
    near = [each for each in known if each.rpartition("/")[2] == name]
    for asked in (path, f"/api{path}"):
        near += difflib.get_close_matches(asked, known, MAX_NEAR, _ALIKE)
    elsewhere = "the whole address if another server answers there"
    if near:
        return f"write {' or '.join([*dict.fromkeys(near)][:MAX_NEAR])}, or {elsewhere}"
    listing = parent if parent in known else "/llms.txt"
    return f"write a path that `studiograph get {listing}` shows, or {elsewhere}"
