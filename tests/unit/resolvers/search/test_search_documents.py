"""Documents are the owner's words of everything marked."""

import re
from typing import Annotated

import pytest

from resolvers.search.documents import PARAGRAPH, Document, documents_of
from schema.site import Site
from sdl.types.declare import Output
from sdl.types.marks import Heading, Searchable
from sdl.types.scalar_types import Date, Flag, Line, Text

KINDS = {"thesis", "practice", "conviction", "lookingFor", "project", "domain", "faq"}
KINDS |= {"glossary", "changelogEntry", "price", "work"}


class Symposium(Output):
    """A kind of thing that the studio does not have."""

    title: Annotated[Line, Heading()]
    """Its title."""
    held_on: Date
    """Its day."""
    is_public: Flag
    """Whether anybody may come."""
    abstract: Text
    """What it was about."""


class Symposia(Site):
    """A site with one section more."""

    symposia: Annotated[list[Symposium], Searchable("symposium")]
    """All of them."""


def path(kind: str, slug: str) -> str:
    return f"/{kind}/{slug}"


@pytest.fixture(scope="module")
def entries(sample: Site) -> dict[tuple[str, str], Document]:
    """Everything that can be found in the sample, by kind and slug."""
    return {(entry.kind, entry.slug): entry for entry in documents_of(sample, path)}


def paragraphs_of(entry: Document) -> list[str]:
    """The entry's paragraphs."""
    return entry.text.split(PARAGRAPH)


def test_every_entry_of_every_searchable_list_is_there(
    sample: Site, entries: dict[tuple[str, str], Document]
) -> None:
    expected = {("faq", entry.slug) for entry in sample.faq}
    expected |= {("glossary", entry.slug) for entry in sample.glossary}
    expected |= {("project", entry.slug) for entry in sample.projects}
    expected |= {("conviction", entry.slug) for entry in sample.studio.convictions}
    assert expected <= set(entries)
    assert ("thesis", "thesis") in entries
    assert {kind for kind, _ in entries} == KINDS
    assert len(entries) == len(documents_of(sample, path))


def test_an_entry_is_named_by_its_heading_and_knows_where_it_is_read(
    sample: Site, entries: dict[tuple[str, str], Document]
) -> None:
    entry = entries["faq", sample.faq[0].slug]
    assert (entry.title, entry.url) == (sample.faq[0].q, f"/faq/{sample.faq[0].slug}")
    assert entry.text.startswith(sample.faq[0].a.split("\n\n", maxsplit=1)[0])


def test_the_thesis_keeps_its_paragraphs(
    sample: Site, entries: dict[tuple[str, str], Document]
) -> None:
    paragraphs = (sample.studio.thesis or "").strip().split("\n\n")
    assert paragraphs_of(entries["thesis", "thesis"]) == paragraphs
    assert entries["thesis", "thesis"].title == "Thesis"


def test_each_group_of_a_project_is_a_paragraph(entries: dict[tuple[str, str], Document]) -> None:
    found = paragraphs_of(entries["project", "tidebook"])
    for opening in (
        "A double-entry trade ledger",
        "Tidebook keeps the books",
        "Desks using it: 38 desks. Desks that closed",
        "History is not edited. A ledger that",
        "Agents may read and may not post. The MCP server",
        "List breaks. Returns the open breaks",
    ):
        assert [text for text in found if text.startswith(opening)], opening


def test_no_fact_stands_in_the_text(entries: dict[tuple[str, str], Document]) -> None:
    fact = re.compile(
        r"\b(?:Tags|Status|Version|Url|Aliases|Related|Category|Evidence|Active|Endpoint|Tool"
        r"|Keywords|Stack|Last updated): "
    )
    assert not [
        text for entry in entries.values() for text in paragraphs_of(entry) if fact.search(text)
    ]


def test_another_name_of_an_entry_is_kept(entries: dict[tuple[str, str], Document]) -> None:
    assert entries["glossary", "break"].aliases == ("discrepancy", "recon break", "mismatch")


def test_a_new_section_is_found_by_its_marks_alone(sample: Site) -> None:
    fields = {name: getattr(sample, name) for name in Site.model_fields}
    table = {"title": "Books that agree", "heldOn": "2026-09-17", "isPublic": True}
    symposium = Symposium.model_validate(table | {"abstract": "Why two records differ."})
    site = Symposia(**fields, symposia=[symposium, symposium])
    found = [entry for entry in documents_of(site, path) if entry.kind == "symposium"]
    assert [entry.slug for entry in found] == ["books-that-agree", "books-that-agree-2"]
    assert found[0].title == "Books that agree"
    assert found[0].text == "Why two records differ."


def test_nothing_that_github_shows_is_found(
    sample: Site, entries: dict[tuple[str, str], Document]
) -> None:
    assert sample.github is not None
    shown = {repo.description for repo in sample.github.repos if repo.description}
    told = " ".join(entry.text for entry in entries.values())
    assert shown
    assert not [text for text in shown if text in told]
