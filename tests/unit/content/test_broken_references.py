"""What must agree across entries and files: slugs, ids, references, days and instants."""

import re
from pathlib import Path

import pytest
from content_breakage import Breakage, assert_found, cases, faults_in, line_of, put, value

from content.reading.reader import load

PROJECTS, NUMBERS, CHANGELOG = "projects.toml", "headlineNumbers.toml", "changelog.toml"
AGREE = "Reconcile before you optimize"

DANGLING = [
    value("domain", "projects[0].domain[0]", '["ledger"]', "no domain", "'ledgers'?"),
    value("term", "glossary[0].related[0]", '["tics"]', "no glossary 'tics'", "one of"),
    value("practice", "studio.practice[0].evidence[0]", '["onchain/x"]', "onchain", "one"),
    value(
        "kind",
        "changelog[0].refs[0]",
        '["talk/one"]',
        "'talk/one' does not begin with a kind",
        "write the kind before it, as",
    ),
    value("conviction", "studio.journey[0].reinforces[0]", f'["{AGREE}"]', AGREE, "mise'?"),
]


@cases(DANGLING)
def test_a_reference_that_leads_nowhere_is_found_with_the_nearest(
    case: Breakage, folder: Path
) -> None:
    assert_found(case, folder)


def test_a_reference_without_its_kind_is_one_fault_with_the_kind(folder: Path) -> None:
    path = folder / CHANGELOG
    path.write_text(put("refs", '["tidebook"]')(path.read_text()))
    (fault,) = faults_in(folder)
    assert fault.rule == "'tidebook' does not begin with a kind"
    assert fault.fix == 'write "project/tidebook"'


ENTRY = """[[changelog]]
id = "{id}"
publishedAt = {at}
kind = "added"
title = "An entry more"
body = "Nothing else has changed."
"""
ENTRIES = {
    "another day than its own": (
        [("2023-02-01-a", "2023-02-02T08:00:00Z")],
        (2, "changelog[0].id"),
        "the id does not begin with the day of publishedAt, which is 2023-02-02 in UTC",
    ),
    "another day in UTC": (
        [("2023-02-02-a", "2023-02-02T00:30:00+01:00")],
        (2, "changelog[0].id"),
        "the id does not begin with the day of publishedAt, which is 2023-02-01 in UTC",
    ),
    "the id of another": (
        [("2023-02-01-a", "2023-02-01T08:00:00Z"), ("2023-02-01-a", "2023-02-01T09:00:00Z")],
        (8, "changelog[1].id"),
        "the entry in line 1 has the id '2023-02-01-a' already",
    ),
    "the instant of another, written otherwise": (
        [("2023-02-01-a", "2023-02-01T08:00:00Z"), ("2023-02-01-b", "2023-02-01T09:00:00+01:00")],
        (9, "changelog[1].publishedAt"),
        "the entry in line 1 has the same publishedAt",
    ),
    "the second of another": (
        [("2023-02-01-a", "2023-02-01T08:00:00.25Z"), ("2023-02-01-b", "2023-02-01T08:00:00.75Z")],
        (9, "changelog[1].publishedAt"),
        "the entry in line 1 has the same publishedAt",
    ),
}


@pytest.mark.parametrize(("entries", "place", "rule"), ENTRIES.values(), ids=ENTRIES)
def test_an_entry_of_the_changelog_that_cannot_be_so_is_found(
    entries: list[tuple[str, str]], place: tuple[int, str], rule: str, folder: Path
) -> None:
    path = folder / "changelog.toml"
    added = "".join(ENTRY.format(id=id_, at=at) for id_, at in entries)
    path.write_text(f"{added}\n{path.read_text()}")
    (fault,) = faults_in(folder)
    assert ((fault.line, fault.key), fault.rule) == (place, rule)
    value = r'(id = "2023-02-0\d-a(-2)?"|publishedAt = 2023.*Z)'
    assert re.match(rf"(remove one of the two, or )?write (here )?{value}", fault.fix)


LATE = value("late", "projects[0].startedAt", '"9999-12"', "after it was last", "write startedAt")


def test_a_project_that_starts_after_it_was_updated_is_found(folder: Path) -> None:
    assert_found(LATE, folder)


def test_a_project_updated_in_the_month_it_started_is_sound(folder: Path) -> None:
    month = f"{load(folder).projects[0].last_updated:%Y-%m}"
    path = folder / PROJECTS
    path.write_text(put("startedAt", f'"{month}"')(path.read_text()))
    assert load(folder).projects[0].started_at == month


def test_a_slug_in_the_file_cures_a_clash_and_stays_off_the_body(folder: Path) -> None:
    path = folder / "faq.toml"
    question = load(folder).faq[0].q
    before = path.read_text()
    path.write_text(f'{before}\n[[faq]]\nq = "{question}"\na = "Again."\ntags = []\n')
    (fault,) = faults_in(folder)
    assert fault.key.endswith(".slug")
    path.write_text(path.read_text() + 'slug = "again"\n')
    entry = load(folder).faq[-1]
    assert (entry.q, entry.slug) == (question, "again")


def test_a_name_without_a_slug_in_it_is_found(folder: Path) -> None:
    path = folder / "studio.lookingFor.toml"
    path.write_text(f'{path.read_text()}\n[[lookingFor]]\nheadline = "!!!"\nbody = "Who?"\n')
    (fault,) = faults_in(folder)
    assert fault.key == f"studio.lookingFor[{path.read_text().count('[[lookingFor]]') - 1}].slug"
    assert fault.line == line_of('headline = "!!!"', path) - 1
    path.write_text(path.read_text() + 'slug = "who"\n')
    assert load(folder).studio.looking_for[-1].slug == "who"


@pytest.mark.parametrize("slug", ['""', '"Ledgers"', "true", '"…"'])
def test_what_refers_to_an_entry_without_a_good_slug_is_no_fault(slug: str, folder: Path) -> None:
    path = folder / "domains.toml"
    path.write_text(path.read_text().replace('slug = "ledgers"', f"slug = {slug}", 1))
    assert {fault.key for fault in faults_in(folder)} == {"domains[0].slug"}


def test_a_citation_of_nothing_is_told_with_the_kind_that_it_needs(folder: Path) -> None:
    path = folder / "changelog.toml"
    path.write_text(path.read_text().replace('"project/tidebook"', '"project/tidebok"', 1))
    (fault,) = faults_in(folder)
    assert fault.fix == "did you mean 'project/tidebook'?"
