"""The documents that describe the service, as statements: a client can pin them."""

from collections.abc import Iterable, Iterator
from datetime import date
from functools import cache
from pathlib import Path

import sdl
from resolvers.transparency.statements import DOCUMENT, Statement
from rest_bridge.discovery.documents import Document, DocumentContext
from rest_bridge.document_list import DOCUMENTS
from rest_bridge.routes import relations_of
from sdl.runner import Operations, Snapshot

PINNED = {
    "/openapi.json": f"{DOCUMENT}openapi",
    "/.well-known/agent.json": f"{DOCUMENT}agent.json",
}
"""The names of the statements, by the paths of the documents."""
SCHEMA = f"{DOCUMENT}sdl"


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
