"""Values of the wrong type, words outside their rule and impossible dates are found."""

from datetime import date, datetime
from pathlib import Path

import pytest
from content_breakage import Breakage, assert_found, cases, value

from content.checking.corrections import choices
from sdl.types.scalar_types import YearMonth

WRONG = "and must be"
WALLET, WEI = "studio.onChain.primary.address", "studio.onChain.artifacts[0].pledgeWei"

TYPES = [
    value(
        "a flag as a number",
        "status.openToWork",
        "1",
        WRONG,
        "write openToWork = true, without",
    ),
    value(
        "no number",
        "github.profile.followers",
        '"12"',
        WRONG,
        "write followers = 12, without quotes",
    ),
]


@cases(TYPES)
def test_a_value_of_the_wrong_type_is_found_with_the_right_one(
    case: Breakage, folder: Path
) -> None:
    assert_found(case, folder)


WORDS = [
    value("slug too long", "headlineNumbers[0].slug", f'"{"a" * 65}"', "1 to 64", "write slug ="),
    value("bad wei", WEI, '"0x2f"', "wei", "250000"),
    value("bad wallet", WALLET, '"0x51f3"', "40 hexadecimal digits", "0x0000"),
    value("below zero", "github.profile.followers", "-1", "from 0 to", "12"),
    value("no Int", "github.profile.followers", "2147483648", "to 2147483647", "12"),
    value(
        "not even a word",
        "changelog[0].kind",
        "7",
        "allowed",
        "write one of: added, changed, fixed,",
    ),
]


@cases(WORDS)
def test_a_word_outside_its_rule_is_found_with_the_rule(case: Breakage, folder: Path) -> None:
    assert_found(case, folder)


UPDATED, PUBLISHED = "projects[0].lastUpdated", "changelog[0].publishedAt"
MINTED = "studio.onChain.artifacts[0].mintedAt"
AS_OF = "headlineNumbers[0].asOf"

DATES = [
    value(
        "day in quotes",
        UPDATED,
        '"2026-10-12"',
        "a date in quotes",
        "write lastUpdated = 2026-10-12, without",
    ),
    value(
        "instant for a day", AS_OF, "2026-10-12T00:00:00Z", "YYYY-MM-DD", "write asOf = 2026-10-12"
    ),
    value("time for a day", AS_OF, "10:00:00", "YYYY-MM-DD", "for example asOf = 2026-03-01"),
    value("day for an instant", PUBLISHED, "2026-11-02", "time zone", "30:00Z"),
    value(
        "no offset",
        PUBLISHED,
        "2026-11-02T10:17:32",
        "time zone",
        "write publishedAt = 2026-11-02T10:17:32Z,",
    ),
    value(
        "before year 1",
        PUBLISHED,
        "0001-01-01T00:00:00+01:00",
        "time zone",
        "write for example publishedAt = 2026-03-01T09:30:00Z",
    ),
    value("after year 9999", MINTED, "9999-12-31T23:59:59-01:00", "a date with its time", "30:00Z"),
]


@cases(DATES)
def test_a_date_that_is_none_is_found_with_the_form_it_needs(case: Breakage, folder: Path) -> None:
    assert_found(case, folder)


LONG_TAG = f"<a title='{'x' * 300}'>"
TITLE = "changelog[0].title"

PROSE = [
    value(
        "control character",
        TITLE,
        '"ding\\u0007"',
        "line 1 has the control character U+0007",
        "delete it",
    ),
    value(
        "a long tag",
        "changelog[0].body",
        f'"see {LONG_TAG} here"',
        "in line 1, <a",
        "write a link as [text](address)",
    ),
    value(
        "a comment",
        "changelog[0].body",
        '"see <!-- here"',
        "in line 1, <! looks like HTML",
        "remove it; a comment is a line of the file",
    ),
    value(
        "a heading",
        "changelog[0].body",
        '"so:\\n## Here"',
        'line 2, "## Here", is a heading, which',
        "write **Here**",
    ),
]


@cases(PROSE)
def test_text_that_is_not_plain_is_found(case: Breakage, folder: Path) -> None:
    assert_found(case, folder)


@pytest.mark.parametrize(
    ("form", "written", "readings"),
    [
        (date, "03/01/2026", ["2026-01-03", "2026-03-01"]),
        (date, "3.1.2026", ["2026-01-03", "2026-03-01"]),
        (date, "02/02/2026", ["2026-02-02"]),
        (date, "25/12/2026", ["2026-12-25"]),
        (date, "2026\u201303\u201301", ["2026-03-01"]),
        (date, "1er mars 2026", ["2026-03-01"]),
        (date, "30/30/2026", []),
        (date, "3/1/26", ["2026-01-03", "2026-03-01"]),
        (YearMonth, "03/2026", ['"2026-03"']),
        (YearMonth, "März 2026", ['"2026-03"']),
        (YearMonth, "03/04/2026", ['"2026-03"', '"2026-04"']),
        (datetime, "2026-03-01 3:05 pm", ["2026-03-01T15:05:00Z"]),
        (datetime, "2026-03-01T09:00:00+02:00", ["2026-03-01T07:00:00Z"]),
        (datetime, "03/01/2026", ["2026-01-03T09:30:00Z", "2026-03-01T09:30:00Z"]),
        (bool, "Yes", ["true"]),
        (bool, "perhaps", []),
    ],
)
def test_a_value_is_read_in_each_way_that_it_may_be_meant(
    form: type, written: str, readings: list[str]
) -> None:
    assert choices(form, written) == readings
