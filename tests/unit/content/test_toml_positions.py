"""Every key path of a TOML text is found on the line on which it was written."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

import content
from content.reading.toml_positions import KeyPath, line_numbers, nearest_line

FILES = sorted(Path(content.__file__).parent.glob("*.toml"))


def key_paths(value: Any, path: KeyPath = ()) -> list[KeyPath]:
    """Every path that leads to something inside a parsed value."""
    parts = value.items() if isinstance(value, dict) else ()
    inner = enumerate(value) if isinstance(value, list) else parts
    found: list[KeyPath] = []
    for key, part in inner:
        found += [(*path, key), *key_paths(part, (*path, key))]
    return found


FORMS = {
    "nothing": ("", {}),
    "comments alone": ("# a = 1\n# [b]", {}),
    "a table named by the one inside": ("[a.b]\nc = 1\n", {"a": 1, "a.b": 1, "a.b.c": 2}),
    "a table after the one inside it": ("[a.b]\n[a]\nc = 1", {"a": 1, "a.b": 1, "a.c": 3}),
    "dotted keys": ("\na.b.c = 1\na.b.d = 2", {"a": 2, "a.b": 2, "a.b.c": 2, "a.b.d": 3}),
    "quotes that end a text": ('a = """b"""""\nc = 1', {"a": 1, "c": 2}),
    "brackets in strings": (
        "a = ['[', ']',\n '#', 1]",
        {"a": 1, "a.0": 1, "a.1": 1, "a.2": 2, "a.3": 2},
    ),
    "a comma in a comment": ("a = [ # ,\n1, # , 2,\n]\nb=1", {"a": 1, "a.0": 2, "b": 4}),
    "an escaped key": ('"\\u0061\\"b" = 1', {'a"b': 1}),
    "a text in an inline table": ("a = {b = '''\n\n''', c = 1}", {"a": 1, "a.b": 1, "a.c": 3}),
}


@pytest.mark.parametrize(("text", "lines"), FORMS.values(), ids=FORMS)
def test_a_form_that_is_easily_misread_is_read(text: str, lines: dict[str, int]) -> None:
    found = {".".join(map(str, path)): line for path, line in line_numbers(text).items()}
    assert found == lines


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_path_of_the_sample_is_found_on_a_line_that_holds_its_key(path: Path) -> None:
    text = path.read_text()
    rows, lines = text.split("\n"), line_numbers(text)
    paths = key_paths(tomllib.loads(text))
    assert set(paths) == set(lines)
    for found in paths:
        key = found[-1]
        assert isinstance(key, int) or key in rows[lines[found] - 1]


def test_elements_stand_in_their_order() -> None:
    text = FILES[[path.name for path in FILES].index("projects.toml")].read_text()
    lines = line_numbers(text)
    entries = [lines["projects", index] for index in range(text.count("[[projects]]"))]
    rows = text.split("\n")
    assert [rows[line - 1] for line in entries] == ["[[projects]]"] * len(entries)
    assert entries == sorted(set(entries))


LINES: dict[KeyPath, int] = {("a",): 4, ("a", 0): 4, ("a", 1): 9, ("a", 1, "b"): 10}


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("a", 1, "b"), 10),
        (("a", 1, "c"), 9),
        (("a", 2, "b"), 4),
        (("a", 1, "b", 0), 10),
        (("z",), 1),
    ],
)
def test_a_path_that_is_not_written_is_looked_for_where_it_would_stand(
    path: KeyPath, line: int
) -> None:
    assert nearest_line(LINES, path) == line
