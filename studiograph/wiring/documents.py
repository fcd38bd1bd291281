"""The documents that describe the service: as statements that a client can pin, and how long."""

from collections.abc import Iterable, Iterator
from datetime import date
from functools import cache
from pathlib import Path

import sdl
from resolvers.transparency.statements import DOCUMENT, Statement
from rest_bridge.discovery.documents import Document, DocumentContext
from rest_bridge.document_list import DOCUMENTS
from rest_bridge.representations.rendering import MARKDOWN, Places, rendered
from rest_bridge.routes import relations_of
from sdl.operations.catalog import IndexEntry
from sdl.operations.operation import Operation
from sdl.running.runner import Operations, Snapshot
from sdl.types.shape import ObjectShape
from studiograph.wiring.mcp import DOCUMENTS as MCP_DOCUMENTS

PINNED = {
    "/openapi.json": f"{DOCUMENT}openapi",
    "/.well-known/agent.json": f"{DOCUMENT}agent.json",
}
"""The names of the statements, by the paths of the documents."""
SCHEMA = f"{DOCUMENT}sdl"
INDEX_TYPES = {"ServiceIndex", "AgentGuide"}
"""The types that state these sizes, so their own cannot be known before."""
CHARACTERS_PER_TOKEN = 4

_DOCUMENTS = {document.path: document for document in (*DOCUMENTS, *MCP_DOCUMENTS)}


def pinned_document_statements(
    operations: Operations, snapshot: Snapshot, documents: Iterable[Document], base_url: str
) -> Iterator[Statement]:
    """Yield a statement for each pinned document, and for the public schema."""
    present = [document for document in documents if document.is_there(snapshot)]
    relations = relations_of(operations, [d for d in DOCUMENTS if d.is_there(snapshot)])
    context = DocumentContext(snapshot, present, relations, date.min)
    for document in present:
        if document.path in PINNED:
            yield document_statement(document.path, document.made(context).decode(), base_url)
    yield Statement(SCHEMA, {"document": _schema()})


def document_statement(path: str, text: str, base_url: str) -> Statement:
    """Return the statement of a document, whose text is without the service's own address."""
    return Statement(PINNED[path], {"document": text.replace(base_url, "")})


@cache
def _schema() -> str:
    return (Path(sdl.__file__).parent / "public.graphql").read_text(encoding="utf-8")


def tokens_of(entry: IndexEntry, snapshot: Snapshot) -> int | None:
    """Return about how many tokens an entry's document has; None if that is not counted.

    Counted are reads and discovery documents, but not the index. Units: tokens of four characters,
    rounded to two digits.
    """
    text = _text(entry, snapshot)
    if text is None:
        return None
    return int(float(f"{len(text.decode()) / CHARACTERS_PER_TOKEN:.2g}"))


def _text(entry: IndexEntry, snapshot: Snapshot) -> bytes | None:
    relations = relations_of(snapshot.operations, DOCUMENTS)
    if document := _DOCUMENTS.get(entry.path):
        documents = tuple(_DOCUMENTS.values())
        return document.make(DocumentContext(snapshot, documents, relations, date.today()))  # noqa: DTZ011 - no length depends on it
    operation = entry.operation
    if operation is None or operation.rest is None or not operation.is_read or _is_index(operation):
        return None
    media = operation.rest.media
    form = MARKDOWN if MARKDOWN in media else media[0]
    body = snapshot.run(operation, entry.values)
    places = Places("/llms.txt", snapshot.addresses(operation, entry.values))
    return rendered(operation, operation.shape, body, form, places)


def _is_index(operation: Operation) -> bool:
    return isinstance(operation.shape, ObjectShape) and operation.shape.type_name in INDEX_TYPES
