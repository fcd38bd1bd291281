"""Keys that content must have, and keys that it cannot have, are found where they stand."""

from pathlib import Path

from content_breakage import Breakage, assert_found, cases, drop, faults_in, line

UNKNOWN = [
    line("", "motto = 1", "studio.motto", "unknown key", "one of: name, url"),
    line("", "thesys = 1", "studio.thesys", "unknown key", "did you mean 'thesis'?"),
    line("", "x.y = 1", "studio.x", "unknown key", "one of: name, url"),
    line("", '"n\\u0061me " = 1', "studio.name ", "unknown key", "did you mean 'name'?"),
    line("", "asOf = 1", "status.asOf", "unknown key", "one of: state, openToWork"),
    line("[contact]", "emial = 1", "studio.contact.emial", "unknown key", "did you mean 'email'?"),
    line("[[faq]]", "top = 1", "faq[0].top", "unknown key", "one of: slug, q, a, tags"),
    line("[[faq]]", "zz.bb = {}", "faq[0].zz", "unknown key", "one of: slug, q, a, tags"),
    line(
        *("[[projects]]", "last_updated = 1", "projects[0].last_updated"),
        *("unknown key", "did you mean 'lastUpdated'?"),
    ),
    line(
        *("[[projects.highlights]]", "colour = 1", "projects[0].highlights[0].colour"),
        *("unknown key", "one of: label, value, detail"),
    ),
]


@cases(UNKNOWN)
def test_an_unknown_key_is_found_with_what_may_stand_there(case: Breakage, folder: Path) -> None:
    assert_found(case, folder)


def lacking(key: str, marker: str, path: str, meaning: str) -> Breakage:
    """The first line that sets the key is gone; the fault stands at what should hold it."""
    rule = "a required key is missing"
    return Breakage(path, drop(key), marker, path, rule, f"add it: {meaning}")


LACKING = [
    lacking("oneLiner", "name =", "studio.oneLiner", "The studio in one sentence"),
    lacking(
        "email", "[contact]", "studio.contact.email", "The e-mail address that a human answers"
    ),
    lacking(
        "tagline", "[[projects]]", "projects[0].tagline", "One line saying what the project is"
    ),
    lacking("value", "[[projects.highlights]]", "projects[0].highlights[0].value", "The figure"),
    lacking("headline", "[[lookingFor]]", "studio.lookingFor[0].headline", "What is looked for"),
    lacking(
        "timezone", "working", "studio.scheduling.timezone", "The IANA time zone of the working"
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
    path.write_text(f"# first a comment\n{path.read_text()}")
    (fault,) = faults_in(folder)
    assert fault.line == 2


def test_a_misspelt_key_is_both_unknown_and_missing(folder: Path) -> None:
    path = folder / "engagement.toml"
    path.write_text(path.read_text().replace("scope = [", "scop = [", 1))
    unknown, missing = sorted(faults_in(folder), key=lambda fault: fault.rule, reverse=True)
    assert (unknown.key, unknown.fix) == ("engagement.scop", "did you mean 'scope'?")
    assert (missing.key, missing.line) == ("engagement.scope", 1)
