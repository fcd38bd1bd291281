"""Search and embeddings: what a caller sends and what comes back."""

import enum
from typing import Annotated

from pydantic import Field

from schema.services.entry_graph import Info
from sdl.types.declare import Input, Output, enum_type, field
from sdl.types.marks import CallersWords, Heading, Summary
from sdl.types.scalar_types import (
    Digest,
    Flag,
    IntRange,
    Line,
    OneOrMany,
    Path,
    Slug,
    Text,
    TextConstraint,
    Vector,
)

MAX_KINDS = 20


@enum_type
class SearchKind(enum.Enum):
    """The kinds of entries that are searched."""

    THESIS = "thesis"
    """The studio's thesis."""
    PRACTICE = "practice"
    """Services and skills."""
    CONVICTION = "conviction"
    """Principles the studio works by."""
    LOOKING_FOR = "lookingFor"
    """Kinds of clients and projects the studio is looking for."""
    PROJECT = "project"
    """Products and client projects."""
    DOMAIN = "domain"
    """Fields of work."""
    FAQ = "faq"
    """Frequently asked questions."""
    GLOSSARY = "glossary"
    """Glossary terms."""


@enum_type
class Band(enum.Enum):
    """How well the published content answers a question."""

    ANSWER = "answer"
    """The content answers the question, as far as the check of its lines can tell."""
    CLOSEST = "closest"
    """The content has something related, but no answer."""
    REFUSE = "refuse"
    """No published answer was found."""


class SearchInput(Input):
    """A search in the studio's published content."""

    query: Annotated[str, TextConstraint(2, 500, multiline=True)]
    """Keywords or a question, 2 to 500 characters."""
    limit: Annotated[int, IntRange(1, 20)] = 5
    """The maximum number of results."""
    kind: SearchKind | None = None
    """Search only entries of this kind."""
    kinds: Annotated[list[SearchKind], Field(min_length=1, max_length=MAX_KINDS)] | None = None
    """Search only entries of these kinds, and of `kind`."""
    text: Flag = False
    """Add the whole text of the first 3 entries, which saves reading their URLs."""


class EmbedInput(Input):
    """Texts to embed."""

    input: Annotated[
        list[Annotated[str, TextConstraint(1, 2000, allow_any_character=True)]], OneOrMany(20)
    ]
    """One text, or a list of up to 20, each of 1 to 2000 characters."""


class Retrieval(Output):
    """How entries were retrieved."""

    mode: Line
    """`hybrid` uses vectors and keywords, `semantic` vectors, `lexical` keywords alone; the suffix
    `-in-process` means that the vector store was unavailable."""
    embedder: Line
    """The embedding model."""
    dimensions: int
    """The number of dimensions of its vectors."""
    top_k: int | None = None
    """The number of entries requested."""
    band: Band | None = None
    """How well the content answers the question."""
    revision: Digest | None = None
    """The digest of the content that was searched."""


class SearchHit(Output):
    """A search result: one entry of the published content."""

    kind: Line
    """The entry's kind."""
    slug: Slug
    """The entry's slug, unique within its kind."""
    title: Annotated[Line, Heading()]
    """The entry's title."""
    url: Path
    """The path of the entry on this service."""
    snippet: Annotated[Text, Summary()]
    """The best matching sentences of the entry, word for word."""
    score: float
    """The relevance to the query, from 0 to 1."""
    text: Text | None = None
    """The whole text of the entry; only if asked for, and only of the first 3."""

    @field()
    def proof(self, info: Info) -> Path | None:
        """The path of the proof that it was published."""
        path = info.context.proof_path(self.url)
        return None if path is None else Path(path)


class SearchResult(Output):
    """Search results, best first."""

    query: Annotated[Text, CallersWords()]
    """The query."""
    kind: SearchKind | None = None
    """The kind that was searched; absent if all were."""
    count: int
    """The number of results."""
    results: list[SearchHit]
    """The results, best first."""
    model: Line
    """The embedding model."""
    retrieval: Retrieval
    """How the results were found: the search mode and the embedding model."""


class Embedding(Output):
    """The vector of one text."""

    embedding: Vector
    """The vector, normalised to length 1."""
    index: int
    """The position of the text in the input, from 0."""


class Embeddings(Output):
    """Embedding vectors, in the order of the input texts."""

    model: Line
    """The embedding model; with one model, the same text always has the same vector."""
    dimensions: int
    """The number of dimensions of each vector."""
    data: list[Embedding]
    """One vector for each text."""
