"""Passages are the owner's words of everything marked, short enough to be read whole."""

import re
from itertools import pairwise
from typing import Annotated

import pytest

from resolvers.search.documents import MAX_WORDS, Document, chunks_of, documents_of, embedding_text
from resolvers.search.sentences import split_sentences
from schema.site import Site
from sdl.declare import Output
from sdl.marks import Heading, Searchable
from sdl.scalar_types import Date, Flag, Line, Text

KINDS = {"thesis", "practice", "conviction", "lookingFor", "project", "domain", "faq", "glossary"}


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


def parts(entry: Document) -> list[str]:
    """What the entry's passages say."""
    return [passage.text for passage in chunks_of(entry)]


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


def test_the_thesis_is_found_by_paragraph(
    sample: Site, entries: dict[tuple[str, str], Document]
) -> None:
    paragraphs = (sample.studio.thesis or "").strip().split("\n\n")
    assert parts(entries["thesis", "thesis"]) == paragraphs
    assert entries["thesis", "thesis"].title == "Thesis"


def test_each_group_of_a_project_is_found_apart(entries: dict[tuple[str, str], Document]) -> None:
    found = parts(entries["project", "tidebook"])
    for opening in (
        "A double-entry trade ledger",
        "Tidebook keeps the books",
        "Desks using it: 38 desks. Desks that closed",
        "History is not edited. A ledger that",
        "Agents may read and may not post. The MCP server",
        "List breaks. Returns the open breaks",
    ):
        assert [text for text in found if text.startswith(opening)], opening


def test_facts_name_what_they_refer_to(entries: dict[tuple[str, str], Document]) -> None:
    project = entries["project", "tidebook"].facts
    assert "Status: in-production. Version: 4.2.1." in project
    assert "Endpoint: https://tidebook.example/api/breaks." in project
    assert "Domain: Ledgers and reconciliation; Market data." in project
    assert "Related projects: Fathom." in project
    assert "Llm ready: yes." in project
    assert "Evidence: Tidebook; Distributed Ledger Engineering" in "".join(
        entry.facts for (kind, _), entry in entries.items() if kind == "practice"
    )
    assert "Aliases: discrepancy; recon break; mismatch." in entries["glossary", "break"].facts


def test_no_fact_stands_in_a_passage(entries: dict[tuple[str, str], Document]) -> None:
    fact = re.compile(
        r"\b(?:Tags|Status|Version|Url|Aliases|Related|Category|Evidence|Active|Endpoint|Tool"
        r"|Keywords|Stack|Last updated): "
    )
    assert not [text for entry in entries.values() for text in parts(entry) if fact.search(text)]


def test_another_name_of_an_entry_is_kept(entries: dict[tuple[str, str], Document]) -> None:
    assert entries["glossary", "break"].aliases == ("discrepancy", "recon break", "mismatch")


def test_titles_of_nested_items_are_known_as_labels(
    entries: dict[tuple[str, str], Document],
) -> None:
    project = entries["project", "tidebook"]
    assert {"Desks using it: 38 desks.", "List breaks."} < set(project.labels)
    assert set(project.labels) <= set(split_sentences(project.text))


def test_a_passage_is_short_and_made_of_whole_sentences(
    entries: dict[tuple[str, str], Document],
) -> None:
    for entry in entries.values():
        whole = set(split_sentences(entry.text))
        for text in parts(entry):
            assert 0 < len(text.split()) <= MAX_WORDS
            assert set(split_sentences(text)) <= whole


def test_no_sentence_of_an_entry_is_lost(entries: dict[tuple[str, str], Document]) -> None:
    for entry in entries.values():
        found = [one for text in parts(entry) for one in split_sentences(text)]
        assert list(dict.fromkeys(found)) == list(dict.fromkeys(split_sentences(entry.text)))


def test_a_long_paragraph_goes_on_with_the_sentence_it_broke_off_at() -> None:
    sentences = [
        f"Sentence {number} has some ten words to be counted here." for number in range(40)
    ]
    found = parts(Document("faq", "long", "Long", "/long", " ".join(sentences)))
    assert len(found) > 2
    for before, after in pairwise(found):
        assert split_sentences(before)[-1] == split_sentences(after)[0]


def test_a_sentence_without_end_is_cut_and_nothing_of_it_is_lost() -> None:
    words = [f"word{number}" for number in range(400)]
    found = parts(Document("faq", "endless", "Endless", "/endless", " ".join(words)))
    assert " ".join(found).split() == words
    assert all(len(text.split()) <= MAX_WORDS for text in found)


def test_an_entry_that_says_nothing_is_found_by_its_title() -> None:
    assert parts(Document("faq", "bare", "Bare title", "/bare", "")) == ["Bare title"]


def test_a_new_section_is_found_by_its_marks_alone(sample: Site) -> None:
    fields = {name: getattr(sample, name) for name in Site.model_fields}
    table = {"title": "Books that agree", "heldOn": "2026-09-17", "isPublic": True}
    symposium = Symposium.model_validate(table | {"abstract": "Why two records differ."})
    site = Symposia(**fields, symposia=[symposium, symposium])
    found = [entry for entry in documents_of(site, path) if entry.kind == "symposium"]
    assert [entry.slug for entry in found] == ["books-that-agree", "books-that-agree-2"]
    assert found[0].title == "Books that agree"
    assert found[0].text == "Why two records differ."
    assert found[0].facts == "Held on: 2026-09-17. Is public: yes."


def test_nothing_that_github_shows_is_found(
    sample: Site, entries: dict[tuple[str, str], Document]
) -> None:
    assert sample.github is not None
    shown = {repo.description for repo in sample.github.repos if repo.description}
    told = " ".join(entry.text for entry in entries.values())
    assert shown
    assert not [text for text in shown if text in told]


def test_a_model_reads_the_title_first(entries: dict[tuple[str, str], Document]) -> None:
    faq = next(entry for (kind, _), entry in entries.items() if kind == "faq")
    term = entries["glossary", "break"]
    assert re.match(r"What is Quillmere\? Quillmere is", embedding_text(chunks_of(faq)[0]))
    assert embedding_text(chunks_of(term)[0]).startswith("Break. A difference between")
