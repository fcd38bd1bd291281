"""Keys that content must have, and keys that it cannot have, are found where they stand."""

from pathlib import Path

from content_breakage import Breakage, assert_found, cases, drop, faults_in, line

UNKNOWN = [
    line(
        "",
        "motto = 1",
        "studio.motto",
        "there is no such key",
        "in faq.toml; the keys here are",
    ),
    line("", "thesys = 1", "studio.thesys", "there is no such key", "thesis is set here already"),
    line(
        "",
        "x.y = 1",
        "studio.x",
        "there is no such key",
        "in faq.toml; the keys here are",
    ),
    line(
        "",
        '"n\\u0061me " = 1',
        "studio.name ",
        "there is no such key",
        "name is set here already",
    ),
    line(
        "",
        "asOf = 1",
        "status.asOf",
        "there is no such key",
        "in faq.toml; the keys here are",
    ),
    line(
        "[contact]",
        "emial = 1",
        "studio.contact.emial",
        "there is no such key",
        "email is set here already",
    ),
    line(
        "[[faq]]",
        "top = 1",
        "faq[0].top",
        "there is no such key",
        "in faq.toml; the keys here are",
    ),
    line(
        "[[faq]]",
        "zz.bb = {}",
        "faq[0].zz",
        "there is no such key",
        "in faq.toml; the keys here are",
    ),
    line(
        *("[[projects]]", "last_updated = 1", "projects[0].last_updated"),
        *("there is no such key", "lastUpdated is set here already"),
    ),
    line(
        *("[[projects.highlights]]", "colour = 1", "projects[0].highlights[0].colour"),
        *("there is no such key", "in faq.toml; the keys here are"),
    ),
]


@cases(UNKNOWN)
def test_an_unknown_key_is_found_with_what_may_stand_there(case: Breakage, folder: Path) -> None:
    assert_found(case, folder)


def lacking(key: str, marker: str, path: str, meaning: str) -> Breakage:
    """The first line that sets the key is gone; the fault stands at what should hold it."""
    rule = "a required key is missing"
    return Breakage(path, drop(key), marker, path, rule, f"; it is {meaning}")


LACKING = [
    lacking("oneLiner", "name =", "studio.oneLiner", "the studio in one sentence"),
    lacking(
        "email", "[contact]", "studio.contact.email", "the e-mail address that a human answers"
    ),
    lacking(
        "tagline", "[[projects]]", "projects[0].tagline", "one line saying what the project is"
    ),
    lacking("value", "[[projects.highlights]]", "projects[0].highlights[0].value", "the figure"),
    lacking("headline", "[[lookingFor]]", "studio.lookingFor[0].headline", "what is looked for"),
    lacking(
        "timezone", "working", "studio.scheduling.timezone", "the IANA time zone of the working"
    ),
]


@cases(LACKING)
def test_a_missing_key_is_found_with_what_it_means(case: Breakage, folder: Path) -> None:
    assert_found(case, folder)


def test_a_missing_key_of_a_dotted_table_is_found_at_the_table(folder: Path) -> None:
    path = folder / "studio.founder.toml"
    text = path.read_text()
    begin, end = text.index("[personality]"), text.index("[[formation]]")
    dotted = 'personality.type = "Calm"\npersonality.framework = "None"\n'
    path.write_text(f"{dotted}{text[:begin]}{text[end:]}")
    (fault,) = faults_in(folder)
    assert (fault.line, fault.key) == (1, "studio.founder.personality.description")
    assert fault.fix.startswith('add personality.description = "…" below this line; it is what')
    path.write_text(f"# first a comment\n{path.read_text()}")
    (fault,) = faults_in(folder)
    assert fault.line == 2


def test_a_misspelt_key_is_one_fault(folder: Path) -> None:
    path = folder / "engagement.toml"
    path.write_text(path.read_text().replace("scope = [", "scop = [", 1))
    (unknown,) = faults_in(folder)
    assert (unknown.key, unknown.fix) == ("engagement.scop", "write scope instead of scop")
