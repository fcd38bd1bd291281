"""Drafts are checked and left out, and what is dated later than now is a fault."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from content_breakage import faults_in, line_of

from content.checking.errors import ContentError
from content.reading.drafts import path_with_drafts
from content.reading.reader import load
from schema.site import Site
from sdl.types.scalar_types import format_instant

QUESTION = '[[faq]]\ndraft = true\nq = "Not yet?"\na = "Not yet."\ntags = ["x"]\n\n'
ENTRY = """[[changelog]]
draft = {draft}
id = "{day}-coming"
publishedAt = {at}
kind = "announced"
title = "Coming"
body = "It is coming."

"""


def put_first(folder: Path, name: str, text: str) -> None:
    """Write an entry before all others of a file."""
    path = folder / name
    path.write_text(text + path.read_text())


def entry_at(instant: datetime, *, draft: bool) -> str:
    at = format_instant(instant)
    return ENTRY.format(draft=str(draft).lower(), day=at[:10], at=at)


def test_a_draft_is_left_out_unless_asked_for(folder: Path, sample: Site) -> None:
    put_first(folder, "faq.toml", QUESTION)
    assert load(folder) == sample
    assert load(folder, drafts=True).faq[0].q == "Not yet?"
    path = folder / "faq.toml"
    path.write_text(path.read_text().replace("draft = true", "draft = false"))
    assert load(folder).faq[0].q == "Not yet?"


def test_a_draft_in_a_list_of_the_studio_is_left_out(folder: Path, sample: Site) -> None:
    draft = '[[convictions]]\ndraft = true\nheadline = "Not yet"\nbody = "Not yet."\n\n'
    put_first(folder, "studio.convictions.toml", draft)
    assert load(folder) == sample
    assert load(folder, drafts=True).studio.convictions[0].headline == "Not yet"
    put_first(folder, "studio.convictions.toml", draft.replace("true", '"yes"'))
    assert "studio.convictions[0].draft" in {fault.key for fault in faults_in(folder)}


def test_a_fault_of_a_draft_is_found(folder: Path) -> None:
    put_first(folder, "faq.toml", QUESTION.replace('"Not yet?"', "7"))
    (fault,) = faults_in(folder)
    assert (fault.key, fault.line) == ("faq[0].q", 3)
    put_first(folder, "faq.toml", QUESTION.replace("true", '"yes"'))
    assert "faq[0].draft" in {fault.key for fault in faults_in(folder)}


def test_a_reference_to_a_draft_is_found_where_it_stands(folder: Path) -> None:
    put_first(folder, "faq.toml", QUESTION)
    path = folder / "projects.toml"
    slug = load(folder).projects[0].slug
    path.write_text(path.read_text().replace("[[projects]]", "[[projects]]\ndraft = true", 1))
    assert load(folder, drafts=True).projects[0].slug == slug
    faults = faults_in(folder)
    assert faults
    for fault in faults:
        line = (folder.parent / fault.file).read_text().splitlines()[fault.line - 1]
        assert slug in fault.rule
        assert slug in line


@pytest.mark.parametrize("ahead", [timedelta(minutes=4), timedelta(minutes=6)])
def test_an_entry_may_be_five_minutes_ahead_of_this_clock(folder: Path, ahead: timedelta) -> None:
    now = datetime(2026, 11, 20, 12, tzinfo=UTC)
    put_first(folder, "changelog.toml", entry_at(now + ahead, draft=False))
    if ahead < timedelta(minutes=5):
        assert load(folder, now=now).changelog[0].title == "Coming"
        return
    with pytest.raises(ContentError, match=r"publishedAt: is later than now, 2026-11-20T12:00:00Z"):
        load(folder, now=now)


def test_what_is_dated_later_is_found_by_the_clock_and_a_draft_may_be(folder: Path) -> None:
    put_first(folder, "changelog.toml", entry_at(datetime(2199, 1, 1, tzinfo=UTC), draft=True))
    assert load(folder).changelog[0].title != "Coming"
    path = folder / "projects.toml"
    first, second = path.read_text().split("\nlastUpdated = ", 1)
    path.write_text(f"{first}\nlastUpdated = 2199-01-01{second[10:]}")
    (fault,) = faults_in(folder)
    assert (fault.key, fault.line) == ("projects[0].lastUpdated", line_of("2199", path))
    put_first(folder, "changelog.toml", entry_at(datetime(2199, 1, 2, tzinfo=UTC), draft=False))
    assert [fault.key for fault in faults_in(folder)] == [
        "changelog[0].publishedAt",
        "projects[0].lastUpdated",
    ]


def test_a_place_counts_the_drafts_before_it() -> None:
    drafts = [("faq", 0), ("faq", 2), ("glossary", 0)]
    places = [path_with_drafts(("faq", number, "q"), drafts) for number in range(3)]
    assert places == [("faq", 1, "q"), ("faq", 3, "q"), ("faq", 4, "q")]
