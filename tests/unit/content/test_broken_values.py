"""Values of the wrong type, words outside their rule and impossible dates are found."""

from datetime import date, datetime
from pathlib import Path

import pytest
from content_breakage import Breakage, assert_found, cases, faults_in, line, value

from content.checking.corrections import choices
from sdl.types.scalar_types import YearMonth

WRONG = "and must be"
TABLE = ("[[projects]]", 'client = "a trust"', "projects[0].client")
WALLET, WEI = "studio.onChain.primary.address", "studio.onChain.artifacts[0].pledgeWei"
ENTRY = """[[changelog]]
id = "2023-02-01 news"
publishedAt = 2023-02-01T08:00:00Z
kind = "added"
title = "News"
body = "Nothing new."
"""

TYPES = [
    value("no list", "projects[0].domain", '"ledgers"', WRONG, 'write domain = ["ledgers"]'),
    value("no string", "headlineNumbers[0].unit", "3", WRONG, 'write unit = "3"'),
    value(
        "no flag", "status.openToWork", '"soon"', WRONG, "write openToWork = true or openToWork ="
    ),
    value(
        "a flag in quotes", "status.openToWork", '"yes"', WRONG, "write openToWork = true, without"
    ),
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
    value(
        "a fraction",
        "github.profile.followers",
        "1.5",
        WRONG,
        "write followers = 12, without quotes",
    ),
    line(*TABLE, WRONG, 'write client = { name = "a trust", role = "…", location = "…" }'),
    value("no entry", "studio.languages[0]", "[1]", WRONG, 'write its code: "en"'),
    value("wei as a number", WEI, "25", WRONG, 'write pledgeWei = "25"'),
]


@cases(TYPES)
def test_a_value_of_the_wrong_type_is_found_with_the_right_one(
    case: Breakage, folder: Path
) -> None:
    assert_found(case, folder)


WORDS = [
    value("bad slug", "headlineNumbers[0].slug", '"Desks"', "lower-case", 'write slug = "desks"'),
    value("slug too long", "headlineNumbers[0].slug", f'"{"a" * 65}"', "1 to 64", "write slug ="),
    value(
        "month of one digit",
        "projects[0].startedAt",
        '"2021-9"',
        "YYYY-MM",
        'write startedAt = "2021-09"',
    ),
    value(
        "month thirteen",
        "studio.founded",
        '"2021-13"',
        "YYYY-MM",
        "write the year and a month from 01 to 12,",
    ),
    value("address without scheme", "studio.url", '"quill.example"', "http", "https://"),
    value("address with spaces", "studio.url", '"https://a.example/ b"', "spaces", "https"),
    value("bad mail", "studio.contact.email", '"maren at home"', "e-mail", "agents@studio"),
    value("bad zone", "studio.scheduling.timezone", '"Porto"', "a time zone", "Europe/Lisbon"),
    value(
        "bad language", "studio.languages[0]", '["English"]', "the code of a language", 'write "en"'
    ),
    value("bad wei", WEI, '"0x2f"', "wei", "250000"),
    value("bad wallet", WALLET, '"0x51f3"', "40 hexadecimal digits", "0x0000"),
    value("below zero", "github.profile.followers", "-1", "from 0 to", "12"),
    value("no Int", "github.profile.followers", "2147483648", "to 2147483647", "12"),
    value(
        "unknown word",
        "projects[0].status",
        '"done"',
        "allowed",
        "write one of: in-production, in-development",
    ),
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
        "in quotes",
        PUBLISHED,
        '"2026-11-02T10:17:32Z"',
        "in quotes",
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
    value(
        "minted, no offset",
        MINTED,
        "2024-01-15T10:20:00",
        "with its time",
        '"2024-01-15T10:20:00Z"',
    ),
]


@cases(DATES)
def test_a_date_that_is_none_is_found_with_the_form_it_needs(case: Breakage, folder: Path) -> None:
    assert_found(case, folder)


LONG_TAG = f"<a title='{'x' * 300}'>"
TITLE = "changelog[0].title"

PROSE = [
    value(
        "too long",
        TITLE,
        f'"{"x" * 401}"',
        "has 401 characters, and may have 400",
        "shorten it by 1",
    ),
    value("empty", TITLE, '""', "is empty", 'write title = "…"; it is the change in one'),
    value("blank", TITLE, '"  "', "is empty", 'write title = "…"; it is the change in one'),
    value("space at its end", TITLE, '"News "', "begins or ends with a blank", 'write "News"'),
    value(
        "two lines",
        TITLE,
        '"one\\ntwo"',
        "has a line break, and must be one line",
        'write "one two"',
    ),
    value(
        "HTML in a line",
        TITLE,
        '"a <b>bold</b> word"',
        "in line 1, <b> looks like HTML",
        "write **bold** or *emphasis*",
    ),
    value(
        "control character",
        TITLE,
        '"ding\\u0007"',
        "line 1 has the control character U+0007",
        "delete it",
    ),
    value("null", TITLE, '"a\\u0000b"', "line 1 has the control character U+0000", "delete it"),
    value(
        "line separator",
        TITLE,
        '"a\\u2028b"',
        "line 1 has the control character U+2028",
        "delete it",
    ),
    value(
        "too long a text",
        "changelog[0].body",
        f'"{"x" * 20_001}"',
        "has 20001 characters, and may have 20000",
        "shorten it by 1",
    ),
    value(
        "HTML",
        "changelog[0].body",
        '"see <br/> here"',
        "in line 1, <br/> looks like HTML",
        "remove <br/>; an empty line begins a new",
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
    value(
        "an escape",
        "changelog[0].body",
        '"\\u001b[31mred"',
        "line 1 has the control character U+001B",
        "delete it",
    ),
]


@cases(PROSE)
def test_text_that_is_not_plain_is_found(case: Breakage, folder: Path) -> None:
    assert_found(case, folder)


def test_an_id_outside_its_rule_is_found_with_an_example(folder: Path) -> None:
    path = folder / "changelog.toml"
    path.write_text(f"{ENTRY}\n{path.read_text()}")
    (fault,) = faults_in(folder)
    assert (fault.line, fault.key) == (2, "changelog[0].id")
    assert fault.rule == '"2023-02-01 news" is not YYYY-MM-DD-slug'
    assert fault.fix == 'write id = "2023-02-01-news"'


def test_a_text_of_many_lines_is_found_at_its_key(folder: Path) -> None:
    path = folder / "domains.toml"
    text = path.read_text().replace('"""\n', '"""\nOnce upon\n\na <i>time</i>.\n', 1)
    path.write_text(text)
    (fault,) = faults_in(folder)
    assert fault.line == 1 + text[: text.index('summary = """')].count("\n")
    assert fault.key == "domains[0].summary"


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
