"""Files that are no section, cannot be read or are no TOML are found, and accuse no other file."""

from collections.abc import Callable
from pathlib import Path

import pytest
from content_breakage import SAMPLE, faults_in, put
from minimal_studio import write_minimal_studio

from content.reading.reader import MAX_DEPTH, load
from content.reading.sizes import MAX_FILE_BYTES
from schema.site import Site

Place = tuple[str, int, str]


def the_fault(folder: Path) -> tuple[Place, str, str]:
    """The place, rule and fix of the only fault."""
    (fault,) = faults_in(folder)
    return (fault.file, fault.line, fault.key), fault.rule, fault.fix


def test_a_file_without_a_section_is_found_with_the_nearest_section(folder: Path) -> None:
    (folder / "glosary.toml").write_text("[[glosary]]\n")
    place = ("content/glosary.toml", 1, "-")
    fix = "move what it says to glossary.toml, which is there already, and remove it"
    assert the_fault(folder) == (place, "nothing reads a file of this name", fix)


@pytest.mark.parametrize(
    "name",
    [
        "talks",
        "Faq",
        "studio.Practice",
        "studio.practice.0",
        "studio.",
        "a..b",
        "studio.url",
    ],
)
def test_a_name_that_is_no_section_is_refused(name: str, folder: Path) -> None:
    (folder / f"{name}.toml").write_text("")
    place, rule, _ = the_fault(folder)
    assert (place, rule) == ((f"content/{name}.toml", 1, "-"), "nothing reads a file of this name")


def test_the_one_section_that_must_be_there_is_one_fault_naming_its_file(tmp_path: Path) -> None:
    (tmp_path / "content").mkdir()
    place = ("content/studio.toml", 1, "studio")
    fix = "add the file content/studio.toml"
    assert the_fault(tmp_path / "content") == (place, "the section is missing", fix)


@pytest.mark.parametrize("section", ["licensing", "status", "engagement", "headlineNumbers"])
def test_any_other_section_may_be_missing(section: str, folder: Path) -> None:
    (folder / f"{section}.toml").unlink()
    assert section not in load(folder).to_json() or section in {"status", "headlineNumbers"}


def test_what_an_editor_hides_beside_a_file_is_not_read(folder: Path, sample: Site) -> None:
    for name in (".#faq.toml", ".faq.toml", "faq.toml~"):
        (folder / name).write_text("no = [")
    assert load(folder) == sample


FIX_TWICE = "remove scheduling from studio.toml, or this file"


def test_a_section_may_stand_inside_the_one_around_it(folder: Path) -> None:
    before = load(folder)
    part, around = folder / "studio.scheduling.toml", folder / "studio.toml"
    around.write_text(f"{around.read_text()}\n[scheduling]\n{part.read_text()}")
    place = ("content/studio.scheduling.toml", 1, "studio.scheduling")
    rule = "the section is defined in two files"
    assert the_fault(folder) == (place, rule, FIX_TWICE)
    part.unlink()
    assert load(folder) == before


def test_a_section_inside_what_is_no_table_is_found_where_the_table_should_be(
    folder: Path,
) -> None:
    founder = folder / "studio.founder.toml"
    text = founder.read_text()
    begin, end = text.index("[personality]"), text.index("[[formation]]")
    (folder / "studio.founder.personality.toml").write_text(text[begin:end].split("\n", 1)[1])
    founder.unlink()
    around = folder / "studio.toml"
    around.write_text(f'founder = "Maren"\n{around.read_text()}')
    place = ("content/studio.toml", 1, "studio.founder")
    rule = "is text, and must be a group of keys"
    assert the_fault(folder) == (place, rule, 'write founder = { name = "Maren" }')


BEYOND_THE_PARSER = {
    "digits": ("9" * 5_000, "a number with too many digits", "write a shorter one, or a string"),
    "depth": (f"{'[' * 5_000}{']' * 5_000}", f"nested deeper than {MAX_DEPTH}", "flatten it"),
}


@pytest.mark.parametrize(
    ("value", "rule", "fix"), BEYOND_THE_PARSER.values(), ids=["digits", "depth"]
)
def test_what_the_parser_gives_up_on_is_a_fault(
    value: str, rule: str, fix: str, folder: Path
) -> None:
    (folder / "projects.toml").write_text(f"a = {value}\n")
    assert the_fault(folder) == (("content/projects.toml", 1, "-"), rule, fix)


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLE.glob("*.toml")))
def test_a_file_that_cannot_be_read_accuses_no_other_file(name: str, folder: Path) -> None:
    (folder / name).write_text("\n[[open\n")
    place, rule, _ = the_fault(folder)
    assert place == (f"content/{name}", 2, "-")
    assert rule == "a bracket is not closed: `[[open`"


def test_what_can_be_read_is_checked_beside_a_file_that_cannot(folder: Path) -> None:
    (folder / "studio.toml").write_text("name =\n")
    (folder / "domains.toml").write_text("[[domains]\n")
    path = folder / "projects.toml"
    path.write_text(put("relatedProjects", '["x"]')(put("domain", '["y", "y"]')(path.read_text())))
    found = [(fault.file, fault.key) for fault in faults_in(folder)]
    assert found == [
        ("content/domains.toml", "-"),
        ("content/projects.toml", "projects[0].domain[1]"),
        ("content/projects.toml", "projects[0].relatedProjects[0]"),
        ("content/studio.toml", "-"),
    ]


def nested(depth: int) -> str:
    """Lists in lists, so that the innermost is this deep in its file."""
    return f"# nests\ndeep = {'[' * (depth - 1)}{']' * (depth - 1)}"


def test_nesting_up_to_the_limit_is_judged_as_any_value(folder: Path) -> None:
    path = folder / "engagement.toml"
    path.write_text(f"{nested(MAX_DEPTH)}\n{path.read_text()}")
    place, rule, _ = the_fault(folder)
    assert (place, rule) == (
        ("content/engagement.toml", 2, "engagement.deep"),
        "there is no such key",
    )


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 200])
def test_nesting_beyond_the_limit_is_found_on_its_line(depth: int, folder: Path) -> None:
    path = folder / "engagement.toml"
    path.write_text(f"{nested(depth)}\n{path.read_text()}")
    place = ("content/engagement.toml", 2, "-")
    assert the_fault(folder) == (place, f"nested deeper than {MAX_DEPTH}", "flatten it")


def test_a_file_of_a_mebibyte_is_read_and_a_larger_one_is_not(folder: Path) -> None:
    path = folder / "engagement.toml"
    text = path.read_text()
    path.write_text(text + "#" * (MAX_FILE_BYTES - len(text.encode())))
    assert load(folder).engagement is not None
    path.write_text(path.read_text() + "#")
    place = ("content/engagement.toml", 1, "-")
    fix = "shorten the section, or set STUDIOGRAPH_CONTENT_FILE_MIB to a larger number"
    assert the_fault(folder) == (place, "has 1,048,577 bytes, more than 1 MiB", fix)
    assert load(folder, max_file_bytes=2 * MAX_FILE_BYTES).engagement is not None


def outside(path: Path) -> None:
    path.rename(path.parent.parent / path.name)
    path.symlink_to(path.parent.parent / path.name)


def nowhere(path: Path) -> None:
    path.unlink()
    path.symlink_to("gone.toml")


def itself(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("breaking", "rule"),
    [
        (outside, "a link that leads out of the content folder"),
        (nowhere, "not a readable file"),
        (itself, "not a readable file"),
        (directory, "not a readable file"),
    ],
)
def test_what_is_no_file_of_the_folder_is_not_read(
    breaking: Callable[[Path], None], rule: str, folder: Path
) -> None:
    breaking(folder / "faq.toml")
    place, found, fix = the_fault(folder)
    assert (place, found) == (("content/faq.toml", 1, "-"), rule)
    assert fix in {"copy the file into it", "repair or remove it"}


def test_a_link_inside_the_folder_is_followed(folder: Path) -> None:
    before = load(folder)
    (folder / "faq.toml").rename(folder / "questions")
    (folder / "faq.toml").symlink_to("questions")
    assert load(folder) == before


def test_a_folder_that_is_not_there_is_one_fault(tmp_path: Path) -> None:
    (fault,) = faults_in(tmp_path / "words")
    assert fault.rule == "there is no such folder"
    assert fault.fix == (
        "go to the studio's folder, `studiograph init` makes one, or set STUDIOGRAPH_CONTENT"
    )


def test_an_empty_folder_lacks_every_section(tmp_path: Path) -> None:
    assert {fault.rule for fault in faults_in(tmp_path)} == {"the section is missing"}


def test_a_site_that_nothing_dates_has_no_date(tmp_path: Path) -> None:
    content = write_minimal_studio(tmp_path / "content")
    assert "asOf" not in load(content).status.to_json()


@pytest.mark.parametrize("text", ["", "# nothing yet\n"])
def test_a_list_may_still_be_in_comments(text: str, folder: Path) -> None:
    (folder / "faq.toml").write_text(text)
    assert load(folder).faq == []
