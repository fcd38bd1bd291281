"""The sample studio's entries as sources of an answer."""

from collections.abc import Sequence
from functools import cache

from repository import ROOT

from content.reading.reader import load
from resolvers.chat.check import check_citations
from resolvers.chat.conversation import Source
from resolvers.search.documents import Document, documents_of
from schema.services.chat import CitationLint

SOON = "faq/how-soon-will-a-message-be-answered"
OWN = ("quillmer",)
"""The stem of the studio's name."""


@cache
def entries() -> dict[str, Document]:
    """Every entry by `<kind>/<slug>`."""
    found = documents_of(load(ROOT / "content"), lambda kind, slug: f"/api/{kind}/{slug}")
    return {f"{entry.kind}/{entry.slug}": entry for entry in found}


def sources_of(names: Sequence[str], scores: Sequence[float] = ()) -> list[Source]:
    """The named entries, numbered from 1; scores fall from 0.6 unless they are given."""
    named = [entries()[name] for name in names]
    falling = scores or [0.6 - place / 20 for place in range(len(named))]
    return [
        Source(
            n,
            entry.kind,
            entry.slug,
            entry.title,
            entry.url,
            score,
            entry.text,
        )
        for n, (entry, score) in enumerate(zip(named, falling, strict=True), 1)
    ]


def linted(answer: str, names: Sequence[str] = (SOON,)) -> CitationLint:
    """What the check says of an answer from these entries."""
    return check_citations(answer, sources_of(names), OWN)
