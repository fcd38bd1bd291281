"""What a caller searches for or has embedded, and what comes back."""

import enum
from typing import Annotated

from sdl.declare import Input, Output, enum_type
from sdl.int_range import IntRange, OneOrMany
from sdl.json_values import Vector
from sdl.marks import Heading, Summary
from sdl.scalar_types import Digest, Line, Path, Slug, Text
from sdl.text_constraints import TextConstraint


@enum_type
class SearchKind(enum.Enum):
    """The kinds of entries that are searched."""

    THESIS = "thesis"
    """What the studio holds to be true."""
    PRACTICE = "practice"
    """Areas of practice."""
    CONVICTION = "conviction"
    """What the studio works by."""
    LOOKING_FOR = "lookingFor"
    """What the studio wants to be approached with."""
    PROJECT = "project"
    """Products and engagements."""
    DOMAIN = "domain"
    """Fields of work."""
    FAQ = "faq"
    """Frequent questions."""
    GLOSSARY = "glossary"
    """Terms."""


@enum_type
class Band(enum.Enum):
    """How near the published content comes to a question."""

    ANSWER = "answer"
    """It answers the question."""
    CLOSEST = "closest"
    """It says something near, and not this."""
    REFUSE = "refuse"
    """It says nothing of it."""


class SearchInput(Input):
    """A search through what the studio has published."""

    query: Annotated[str, TextConstraint(2, 500, multiline=True)]
    """What is searched for, in words or as a question."""
    limit: Annotated[int, IntRange(1, 20)] = 5
    """How many results to answer at most."""
    kind: SearchKind | None = None
    """Only entries of this kind."""


class EmbedInput(Input):
    """Texts to turn into vectors."""

    input: Annotated[
        list[Annotated[str, TextConstraint(1, 2000, allow_any_character=True)]], OneOrMany(20)
    ]
    """One text or up to 20, each of 1 to 2000 characters."""


class Retrieval(Output):
    """How entries were found."""

    mode: Line
    """`hybrid` is by meaning and by words, `semantic` by meaning, `lexical` by words alone;
    with `-in-process` behind it, the vector store was away."""
    embedder: Line
    """What turned texts into vectors."""
    dimensions: int
    """The length of its vectors."""
    top_k: int | None = None
    """How many entries were asked for."""
    band: Band | None = None
    """How near they come to the question."""
    revision: Digest | None = None
    """The digest of the content that was searched."""


class SearchHit(Output):
    """An entry that was found."""

    kind: Line
    """The entry's kind."""
    slug: Slug
    """The entry's slug, unique within its kind."""
    title: Annotated[Line, Heading()]
    """The entry's title."""
    url: Path
    """Where the entry is read."""
    snippet: Annotated[Text, Summary()]
    """The sentences of it that fit best, word for word."""
    score: float
    """How well it fits, from 0 to 1."""


class SearchResult(Output):
    """What a search found, the best first."""

    query: Text
    """What was searched for."""
    kind: SearchKind | None = None
    """The only kind that was searched, if one was named."""
    count: int
    """How many results there are."""
    results: list[SearchHit]
    """The results."""
    model: Line
    """What turned the query into a vector."""
    retrieval: Retrieval
    """How the results were found."""


class Embedding(Output):
    """The vector of one text."""

    embedding: Vector
    """The vector, of unit length."""
    index: int
    """The text's place in the input, from 0."""


class Embeddings(Output):
    """The vectors of texts, in their order."""

    model: Line
    """What made them; for one model the same text has the same vector."""
    dimensions: int
    """How long each vector is."""
    data: list[Embedding]
    """The vectors."""
