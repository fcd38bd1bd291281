"""How long the documents are that the index lists."""

from datetime import date

from rest_bridge.discovery.documents import DocumentContext
from rest_bridge.document_list import DOCUMENTS
from rest_bridge.http.rendering import MARKDOWN, Places, rendered
from rest_bridge.routes import relations_of
from sdl.catalog import IndexEntry
from sdl.operation import Operation
from sdl.runner import Snapshot
from sdl.shape import ObjectShape
from studiograph.wiring.mcp import DOCUMENTS as MCP_DOCUMENTS

INDEX_TYPES = {"ServiceIndex", "AgentGuide"}
"""The types that state these sizes, so their own cannot be known before."""
CHARACTERS_PER_TOKEN = 4

_DOCUMENTS = {document.path: document for document in (*DOCUMENTS, *MCP_DOCUMENTS)}


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
