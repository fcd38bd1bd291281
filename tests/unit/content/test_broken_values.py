"""Values of the wrong type, words outside their rule and impossible dates are found."""

from pathlib import Path

from content_breakage import Breakage, assert_found, cases, faults_in, line, value

WRONG = "has the wrong type"
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
    value("no list", "projects[0].domain", '"ledgers"', WRONG, "a list in [brackets]"),
    value("no string", "headlineNumbers[0].unit", "3", WRONG, "a string in quotes"),
    value("no flag", "status.openToWork", '"yes"', WRONG, "true or false"),
    value("a flag as a number", "status.openToWork", "1", WRONG, "true or false"),
    value("no number", "github.profile.followers", '"12"', WRONG, "a whole number"),
    value("a fraction", "github.profile.followers", "1.5", WRONG, "a whole number"),
    line(*TABLE, WRONG, "a table of keys"),
    value("no entry", "studio.languages[0]", "[1]", WRONG, "a string in quotes"),
    value("wei as a number", WEI, "25", WRONG, "quote"),
]


@cases(TYPES)
def test_a_value_of_the_wrong_type_is_found_with_the_right_one(
    case: Breakage, folder: Path
) -> None:
    assert_found(case, folder)


WORDS = [
    value("bad slug", "headlineNumbers[0].slug", '"Desks"', "lower-case", "tide-book"),
    value("slug too long", "headlineNumbers[0].slug", f'"{"a" * 65}"', "1 to 64", "tide"),
    value("month of one digit", "projects[0].startedAt", '"2021-9"', "YYYY-MM", "2024-03"),
    value("month thirteen", "studio.founded", '"2021-13"', "YYYY-MM", "2024-03"),
    value("address without scheme", "studio.url", '"quill.example"', "http", "https://"),
    value("address with spaces", "studio.url", '"https://a.example/ b"', "spaces", "https"),
    value("bad mail", "studio.contact.email", '"maren at home"', "e-mail", "agents@studio"),
    value("bad zone", "studio.scheduling.timezone", '"Porto"', "IANA", "Europe/Lisbon"),
    value("bad language", "studio.languages[0]", '["English"]', "BCP 47", "write for"),
    value("bad wei", WEI, '"0x2f"', "wei", "250000"),
    value("bad wallet", WALLET, '"0x51f3"', "40 hexadecimal digits", "0x0000"),
    value("below zero", "github.profile.followers", "-1", "from 0 to", "12"),
    value("no Int", "github.profile.followers", "2147483648", "to 2147483647", "12"),
    value("unknown word", "projects[0].status", '"done"', "allowed", "'in-production' or"),
    value("not even a word", "changelog[0].kind", "7", "allowed", "'added', 'changed'"),
]


@cases(WORDS)
def test_a_word_outside_its_rule_is_found_with_the_rule(case: Breakage, folder: Path) -> None:
    assert_found(case, folder)


UPDATED, PUBLISHED = "projects[0].lastUpdated", "changelog[0].publishedAt"
MINTED = "studio.onChain.artifacts[0].mintedAt"
AS_OF = "headlineNumbers[0].asOf"

DATES = [
    value("day in quotes", UPDATED, '"2026-10-12"', "a date in quotes", "remove the quotes"),
    value("instant for a day", AS_OF, "2026-10-12T00:00:00Z", "YYYY-MM-DD", "2026-03-01"),
    value("time for a day", AS_OF, "10:00:00", "YYYY-MM-DD", "write for example 2026"),
    value("day for an instant", PUBLISHED, "2026-11-02", "with its offset", "30:00Z"),
    value("no offset", PUBLISHED, "2026-11-02T10:17:32", "with its offset", "30:00Z"),
    value("in quotes", PUBLISHED, '"2026-11-02T10:17:32Z"', "in quotes", "remove the quotes"),
    value("before year 1", PUBLISHED, "0001-01-01T00:00:00+01:00", "date-time", "30:00Z"),
    value("after year 9999", MINTED, "9999-12-31T23:59:59-01:00", "date-time", "30:00Z"),
    value("minted, no offset", MINTED, "2024-01-15T10:20:00", "date-time", "30:00Z"),
]


@cases(DATES)
def test_a_date_that_is_none_is_found_with_the_form_it_needs(case: Breakage, folder: Path) -> None:
    assert_found(case, folder)


LINE, TEXT = "must be one line of plain text", "must be plain prose"
LONG_TAG = f"<a title='{'x' * 300}'>"
TITLE = "changelog[0].title"

PROSE = [
    value("too long", TITLE, f'"{"x" * 401}"', LINE, "rewrite it"),
    value("empty", TITLE, '""', "is empty", "write a value"),
    value("blank", TITLE, '"  "', "is empty", "write a value"),
    value("space at its end", TITLE, '"News "', LINE, "rewrite it: "),
    value("two lines", TITLE, '"one\\ntwo"', LINE, "rewrite it: "),
    value("HTML in a line", TITLE, '"a <b>bold</b> word"', LINE, "rewrite it"),
    value("control character", TITLE, '"ding\\u0007"', LINE, "rewrite it"),
    value("null", TITLE, '"a\\u0000b"', LINE, "rewrite it: "),
    value("line separator", TITLE, '"a\\u2028b"', LINE, "rewrite it: "),
    value("too long a text", "changelog[0].body", f'"{"x" * 20_001}"', TEXT, "rewrite"),
    value("HTML", "changelog[0].body", '"see <br/> here"', TEXT, "rewrite it"),
    value("a long tag", "changelog[0].body", f'"see {LONG_TAG} here"', TEXT, "rewrite"),
    value("a comment", "changelog[0].body", '"see <!-- here"', TEXT, "rewrite it"),
    value("a heading", "changelog[0].body", '"so:\\n## Here"', TEXT, "rewrite it"),
    value("an escape", "changelog[0].body", '"\\u001b[31mred"', TEXT, "rewrite it"),
]


@cases(PROSE)
def test_text_that_is_not_plain_is_found(case: Breakage, folder: Path) -> None:
    assert_found(case, folder)


def test_an_id_outside_its_rule_is_found_with_an_example(folder: Path) -> None:
    path = folder / "changelog.toml"
    path.write_text(f"{ENTRY}\n{path.read_text()}")
    (fault,) = faults_in(folder)
    assert (fault.line, fault.key) == (2, "changelog[0].id")
    assert fault.rule == "must be YYYY-MM-DD-slug"
    assert fault.fix == "write for example 2026-03-01-new-feed"


def test_a_text_of_many_lines_is_found_at_its_key(folder: Path) -> None:
    path = folder / "domains.toml"
    text = path.read_text().replace('"""\n', '"""\nOnce upon\n\na <i>time</i>.\n', 1)
    path.write_text(text)
    (fault,) = faults_in(folder)
    assert fault.line == 1 + text[: text.index('summary = """')].count("\n")
    assert fault.key == "domains[0].summary"
