"""A parsed file of the content, and where in it a finding about the content belongs."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from content.checking.corrections import shown
from content.checking.errors import ContentProblem, Finding
from content.checking.findings import MISSING, model_at
from content.checking.references import slug_in
from content.reading.section_names import Section
from content.reading.toml_positions import KeyPath, line_numbers, nearest_line


@dataclass(frozen=True)
class SectionFile:
    """A parsed file."""

    name: str
    section: Section
    value: Any
    text: str
    is_in_parts: bool = False
    """Whether each entry of a list was parsed alone."""

    @cached_property
    def lines(self) -> dict[KeyPath, int]:
        """The lines of its keys, which only a problem asks for."""
        return line_numbers(self.text)

    def line(self, path: KeyPath) -> int:
        """Return the line of a path within the section."""
        is_list = isinstance(self.value, list)
        return nearest_line(self.lines, (self.section[-1], *path) if is_list else path)


def problems_of(
    files: Mapping[Section, SectionFile | None], folder: Path, finding: Finding
) -> Iterator[ContentProblem]:
    """Yield a finding as a problem; nothing if it is in a file that could not be read."""
    path, rule, fix = finding
    if path[0] == "status":
        path = ("status", *path[2:])
    for length in range(len(path), 0, -1):
        section = tuple(str(part) for part in path[:length])
        if section in files:
            if file := files[section]:
                line, named = file.line(path[length:]), _named(path, length, file.value)
                if rule == MISSING:
                    line, fix = _addition(file, line, fix)
                if " in place of [" in fix and not file.text.split("\n")[line - 1].startswith("["):
                    fix = _in_braces(fix)
                rule = re.sub(rf"\b{section[-1]}\[(\d+)\]", lambda f: _entry(file, f), rule)
                yield ContentProblem(file.name, line, key_of(path), rule, fix, named)
            return
    name = f"{folder.name}/{path[0]}.toml"
    if len(path) == 1 and rule == MISSING:
        rule, fix = "the section is missing", f"add the file {name}"
    yield ContentProblem(name, 1, key_of(path), rule, fix)


def _addition(file: SectionFile, line: int, fix: str) -> tuple[int, str]:
    """Return the line at which a key is to be added, and the fix in the words of that place.

    A table goes below all keys, so the end of the file is its line. One in braces has no line to
    write a key below.
    """
    lines = file.text.split("\n")
    if fix.startswith("write ["):
        line = len(file.text.rstrip().split("\n"))
    elif not lines[line - 1].lstrip().startswith("["):
        dotted = re.match(r"\s*([\w.-]+\.)[\w-]+\s*=", lines[line - 1])
        here = " below this line" if dotted else " in these braces"
        fix = re.sub(r" below (?:this )?\[+[\w.]+\]+", here, fix)
        fix = fix.replace("add ", f"add {dotted[1]}", 1) if dotted else fix
    return line, fix


def _in_braces(fix: str) -> str:
    """Return the fix of a table where it stands in braces."""
    if fix.startswith("write [["):
        return "put the braces in square brackets, [{ … }]"
    return "take the square brackets around the braces away"


def _entry(file: SectionFile, found: re.Match[str]) -> str:
    """Return where an entry of a list stands, in words."""
    return f"the entry in line {file.line((int(found[1]),))}"


def key_of(path: KeyPath) -> str:
    """Return a path as text, such as `faq[0].tags`."""
    return "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path).lstrip(".")


def _named(path: KeyPath, length: int, section: Any) -> str:
    """Return a path as text with the slugs of entries; the section's own path has this length."""
    text, value = "", section
    for depth, part in enumerate(path):
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
        if depth >= length:
            value = _inside(value, part)
            slug = slug_in(model_at(path[: depth + 1]), value)
            if isinstance(part, int) and slug and path[depth + 1 :] not in (("slug",), ("id",)):
                text += f" {shown(slug)}"
    return text.lstrip(".")


def _inside(value: Any, part: str | int) -> Any:
    """Return what stands at a key or an index of a parsed value; None if nothing does."""
    try:
        return value[part]
    except (LookupError, TypeError):
        return None
