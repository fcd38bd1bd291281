"""The reader gives the whole checked site, or every fault of every file in one run."""

import itertools
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from content_breakage import Edit, below, drop, faults_in, put
from minimal_studio import write_minimal_studio
from pydantic.fields import FieldInfo
from repository import ROOT

import content
from content.checking.errors import ContentError, ContentProblem
from content.checking.findings import is_list
from content.reading.reader import load
from schema.site import Site
from sdl.types.declare import Output, model_in

SAMPLE = Path(content.__file__).parent
ENTRY = re.compile(r"^\[\[changelog\]\]\n(?:(?!\[\[).*\n?)*", re.MULTILINE)


def test_the_sample_loads_with_every_section(sample: Site) -> None:
    plain = sample.to_json()
    assert {"studio", "domains", "projects", "status", "engagement", "faq", "glossary"} < set(plain)
    assert all(plain[name] for name in plain)
    assert len(sample.projects) == 3
    assert sample.studio.on_chain is not None
    assert {artifact.type.value for artifact in sample.studio.on_chain.artifacts} == {
        *("attestation", "nft", "cluster"),
    }
    assert len(sample.faq) >= 30
    assert len(sample.glossary) >= 25
    assert len(sample.changelog) >= 30


def test_the_changelog_is_newest_first_in_the_sample(sample: Site) -> None:
    instants = [entry.published_at for entry in sample.changelog]
    assert instants == sorted(instants, reverse=True)


@pytest.mark.parametrize("step", [-1, 7])
def test_the_changelog_is_newest_first_whatever_the_order_of_the_file(
    step: int, folder: Path, sample: Site
) -> None:
    path = folder / "changelog.toml"
    entries = [f"{entry.rstrip()}\n" for entry in ENTRY.findall(path.read_text())]
    assert len(entries) == len(sample.changelog)
    mixed = itertools.chain.from_iterable(entries[start::step] for start in range(abs(step)))
    path.write_text("\n".join(reversed(entries) if step < 0 else mixed))
    assert load(folder).changelog == sample.changelog


def test_the_status_is_derived_from_the_sections(sample: Site) -> None:
    status = sample.status
    assert [project.slug for project in status.projects] == [p.slug for p in sample.projects]
    assert [project.status for project in status.projects] == [p.status for p in sample.projects]
    assert [study.name for study in status.studying] == [
        study.name for study in sample.studio.currently_studying
    ]
    assert status.as_of == sample.changelog[0].published_at


def test_the_status_is_as_of_a_project_that_changed_after_the_newest_entry(folder: Path) -> None:
    path = folder / "projects.toml"
    path.write_text(put("lastUpdated", "2031-05-06")(path.read_text()))
    status = load(folder, now=datetime(2031, 5, 6, tzinfo=UTC)).status
    assert status.to_json()["asOf"] == "2031-05-06T00:00:00Z"


def test_slugs_are_derived_from_what_names_an_entry(sample: Site) -> None:
    assert [area.slug for area in sample.studio.practice][:2] == [
        *("ledger-engineering", "systematic-trading"),
    ]
    named = [*sample.faq, *sample.studio.convictions, *sample.studio.certifications]
    assert all(re.fullmatch(r"[a-z0-9-]{1,64}", entry.slug) for entry in named)


def test_other_files_of_the_folder_are_not_read(folder: Path, sample: Site) -> None:
    (folder / "notes.md").write_text("# Not content")
    (folder / "drafts").mkdir()
    (folder / "drafts" / "talks.toml").write_text("no = [")
    assert load(folder) == sample


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_line_ends_do_not_matter(end: bytes, folder: Path, sample: Site) -> None:
    for path in folder.glob("*.toml"):
        path.write_bytes(path.read_bytes().replace(b"\n", end))
    assert load(folder) == sample


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_is_counted_the_same_whatever_its_end(end: str, folder: Path) -> None:
    path = folder / "projects.toml"
    text = put("startedAt", '"soon"', nth=2)(path.read_text())
    text = text.replace("keeps the books", "keeps\u2028the\u0085books", 1)  # which end no line
    path.write_bytes(text.encode().replace(b"\n", end.encode()))
    hidden, fault = faults_in(folder)
    assert "control character U+2028" in hidden.rule
    assert fault.line == 1 + text[: text.index('"soon"')].count("\n")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_that_is_not_in_utf_8_is_counted_so_too(end: str, folder: Path) -> None:
    text = end.join(["# one", "[[faq]]", 'q = "Für wen?"', 'a = "Alle."', ""])
    (folder / "faq.toml").write_bytes(text.encode("latin-1"))
    (fault,) = faults_in(folder)
    assert (fault.line, fault.rule) == (3, 'is not in UTF-8: `q = "Für wen?"`')


BROKEN: dict[str, Edit] = {
    "changelog.toml": below("", "[[changelog]]"),
    "domains.toml": put("name", "3"),
    "engagement.toml": put("availability", '"Wide Open"'),
    "faq.toml": below("[[faq]]", "extra = true"),
    "glossary.toml": put("related", '["no-such-term"]'),
    "licensing.toml": put("crawling", '"maybe"'),
    "projects.toml": put("lastUpdated", '"2026-10-12"'),
    "studio.certifications.toml": put("issuedAt", '"2014-00"'),
    "studio.convictions.toml": below("", "draft = 1"),
    "studio.founder.toml": drop("name"),
    "studio.journey.toml": lambda _: "[[journey]\n",
    "studio.onChain.toml": put("holder", '"0x0"'),
    "studio.scheduling.toml": put("timezone", '"Mars/Olympus"'),
    "talks.toml": lambda _: "",
}


def test_all_faults_of_many_files_come_in_one_run_in_order(folder: Path) -> None:
    (folder / "talks.toml").touch()
    for name, edit in BROKEN.items():
        (folder / name).write_text(edit((folder / name).read_text()))
    faults = faults_in(folder)
    missing = [fault.key for fault in faults if fault.file == "content/changelog.toml"]
    assert missing == [
        f"changelog[0].{key}" for key in ("body", "id", "kind", "publishedAt", "title")
    ]
    assert {fault.file for fault in faults} == {f"content/{name}" for name in BROKEN}
    assert len(faults) == len(BROKEN) + len(missing) - 1
    assert list(faults) == sorted(faults)


def test_a_fault_reads_as_one_line_with_place_rule_and_fix(folder: Path) -> None:
    path = folder / "projects.toml"
    path.write_text(put("domain", '["ledger"]')(path.read_text()))
    (fault,) = faults_in(folder)
    assert str(fault) == (
        f'content/projects.toml:{fault.line}: projects[0] "tidebook".domain[0]: '
        "there is no domain 'ledger'. Fix: did you mean 'ledgers'?"
    )


def test_the_error_says_every_fault_once_sorted_by_place() -> None:
    first = ContentProblem("a.toml", 2, "x", "wrong", "mend it")
    second = ContentProblem("a.toml", 10, "x", "wrong", "mend it")
    error = ContentError([second, first, second])
    assert error.problems == (first, second)
    assert str(error) == "a.toml:2: x: wrong. Fix: mend it.\na.toml:10: x: wrong. Fix: mend it."


@pytest.mark.parametrize("path", sorted(SAMPLE.glob("*.toml")), ids=lambda path: path.name)
def test_every_fault_of_an_empty_file_is_one_line(path: Path, folder: Path) -> None:
    (folder / path.name).write_text("")
    try:
        load(folder)
        faults: tuple[ContentProblem, ...] = ()
    except ContentError as error:
        faults = error.problems
    assert faults or path.stem not in {"studio", "studio.founder", "engagement", "projects"}
    for fault in faults:
        assert str(fault).splitlines() == [str(fault)]
        # another file is at fault only where it names an entry that has gone
        assert fault.file == f"content/{path.name}" or fault.rule.startswith("there is no ")
        assert ".." not in str(fault)


def test_every_list_of_the_content_may_be_missing_and_is_served_as_empty(tmp_path: Path) -> None:
    folder = write_minimal_studio(tmp_path / "content")
    for name, text in SHORTEST.items():
        (folder / f"{name}.toml").write_text(text)
    tree = load(folder).to_json()
    lists = "domain", "stack", "highlights", "keywords", "actions", "relatedProjects"
    assert [tree["projects"][0][key] for key in lists] == [[]] * len(lists)
    assert [tree["engagement"][key] for key in ("scope", "notInScope")] == [[], []]
    assert tree["faq"][0]["tags"] == tree["studio"]["practice"][0]["evidence"] == []
    assert tree["studio"]["journey"][0]["reinforces"] == []
    assert tree["studio"]["currentlyStudying"][0]["subjects"] == []


def test_no_list_that_owners_write_is_required_and_none_is_null_on_the_wire() -> None:
    fields = [*lists_in(Site)]
    assert [place for place, info in fields if info.is_required()] == [
        "Status.projects",
        "Status.studying",
    ]  # which are derived
    nullable = [place for place, info in fields if info.default is None]
    sdl = (ROOT / "sdl" / "full.graphql").read_text(encoding="utf-8")
    on_the_wire = []
    for place, info in fields:
        type_name, _, name = place.partition(".")
        body = re.search(rf"^type {type_name} [\s\S]*?^\}}", sdl, re.MULTILINE)
        if body is not None:
            line = rf"^  {info.alias or name}: \[\w+!\](!?)"
            found = re.search(line, body[0], re.MULTILINE)
            assert (found[1] if found else "") == ("" if place in nullable else "!"), place
            on_the_wire.append(place)
    assert {"Project.domain", "FaqEntry.tags", "Engagement.scope"} < {*on_the_wire}


def lists_in(
    model: type[Output], seen: set[type[Output]] | None = None
) -> Iterator[tuple[str, FieldInfo]]:
    """Every list in the tables of a type, with its place."""
    seen = set() if seen is None else seen
    if model not in seen:
        seen.add(model)
        for name, info in model.model_fields.items():
            if is_list(info):
                yield f"{model.__name__}.{name}", info
            if (inner := model_in(info.annotation)) is not None:
                yield from lists_in(inner, seen)


SHORTEST = {
    "projects": """[[projects]]
slug = "boiler-room"
name = "Boiler room"
tagline = "A boiler room for a school."
summary = "Two boilers in eight days."
status = "in-production"
ownership = "client"
startedAt = "2024-03"
lastUpdated = 2026-01-02
""",
    "faq": '[[faq]]\nq = "What does a visit cost?"\na = "Eighty euros."\n',
    "engagement": """availability = "open"
responseSla = "Within a day."
preferredChannel = "By mail."
""",
    "studio.practice": """[[practice]]
area = "Boilers"
category = "heating"
summary = "We mend boilers."
active = true
""",
    "studio.journey": """[[journey]]
period = "2024"
headline = "The first school."
body = "Two boilers."
""",
    "studio.currentlyStudying": """[[currentlyStudying]]
name = "Heat pumps"
source = "The guild"
status = "half done"
""",
}
"""Entries with no more keys than they must have."""
