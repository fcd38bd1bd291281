"""Content from its folder: `load(folder)` gives a checked `Site`, or every fault. No network.

A file is a section and carries its name: `faq.toml` is `site.faq`, `studio.practice.toml` is
`site.studio.practice`. A list's file holds one array of tables with the section's last name
(`[[practice]]`), an object's file holds the object's keys.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from content.derived_status import with_status
from content.errors import ContentError, ContentProblem
from content.findings import Finding, field_in, finding_of, model_at, suggestion
from content.references import check_references
from content.toml_positions import KeyPath, line_numbers, nearest_line
from schema.sections import StudioStatus
from schema.site import Site
from sdl.declare import Named, Output, model_in

MAX_FILE_BYTES = 1 << 20
MAX_FILES = 1_000
MAX_DEPTH = 32

_SYNTAX = {
    "Illegal character '\\n'": (
        "a string does not end on its line",
        'close it with ", or write a text of several lines in """',
    ),
    "Invalid value": (
        "no value that TOML knows",
        'put text in "quotes"; write true or false, and dates as 2026-03-01',
    ),
    "Cannot overwrite a value": (
        "the same key twice, or [key] where [[key]] was meant further up",
        "write [[key]] above each entry of a list, and each key of an entry once",
    ),
}
"""What tomllib says, and what an owner is told."""

Section = tuple[str, ...]


@dataclass(frozen=True)
class _File:
    """One parsed file and where its keys stand."""

    name: str
    section: Section
    value: Any
    lines: dict[KeyPath, int]

    def line(self, path: KeyPath) -> int:
        """The line of a path inside the section."""
        listed = isinstance(self.value, list)
        return nearest_line(self.lines, (self.section[-1], *path) if listed else path)


def load(folder: Path) -> Site:
    """The checked site. Raises: ContentError with every fault in every file."""
    faults: list[ContentProblem] = []
    files = list(_read_files(folder, faults))
    read = {file.name for file in files}
    lost = {_section(fault.file) for fault in faults if fault.file not in read}
    tree = with_status(_tree(files, faults))
    findings = list(check_references(tree))
    site = None
    try:
        site = Site.model_validate(tree, by_name=False)
    except ValidationError as error:
        errors = error.errors()
        findings += [finding_of(found) for found in errors if not _follows(found, tree)]
    by_section = {**dict.fromkeys(lost), **{file.section: file for file in files}}
    for finding in findings:
        faults += _to_problem(by_section, folder, finding)
    if faults or site is None:
        raise ContentError(faults)
    newest_first = sorted(site.changelog, key=lambda entry: entry.published_at, reverse=True)
    return site.model_copy(update={"changelog": newest_first})


def _read_files(folder: Path, faults: list[ContentProblem]) -> Iterator[_File]:
    if not folder.is_dir():
        raise ContentError(
            [
                _required_table(
                    str(folder), "there is no such folder", "set STUDIOGRAPH_CONTENT to one"
                )
            ]
        )
    paths = sorted(folder.glob("*.toml"))
    if len(paths) > MAX_FILES:
        raise ContentError(
            [_required_table(folder.name, f"more than {MAX_FILES} files", "merge some")]
        )
    for path in paths:
        try:
            yield _read(path, folder, faults)
        except ContentError as error:
            faults.extend(error.problems)


def _read(path: Path, folder: Path, faults: list[ContentProblem]) -> _File:
    name = f"{folder.name}/{path.name}"
    section = _section(name)
    info = _field_of(section)
    if info is None:
        fix = suggestion(path.stem, _sections(Site))
        raise ContentError([_required_table(name, "no section has this name", fix)])
    text = _text(path, folder, name)
    table, lines = _table(text, name)
    if not _is_list(info):
        return _File(name, section, table, lines)
    key = section[-1]
    listed = isinstance(table.get(key), list)
    wrong = [found for found in table if found != key] or ([] if listed else [key])
    rule = f"the file of a list holds [[{key}]] tables and no other key at its top"
    misplaced = [
        ContentProblem(name, nearest_line(lines, (found,)), found, rule, f"write [[{key}]]")
        for found in wrong
    ]
    if not listed:
        raise ContentError(misplaced)
    faults += misplaced
    return _File(name, section, table[key], lines)


def _text(path: Path, folder: Path, name: str) -> str:
    line = 1
    try:
        if not path.resolve().is_relative_to(folder.resolve()):
            rule, fix = "a link that leads out of the content folder", "copy the file into it"
        elif not path.is_file():
            rule, fix = "not a file that can be read", "mend or remove it"
        elif path.stat().st_size > MAX_FILE_BYTES:
            rule, fix = "larger than 1 MiB", "shorten the section"
        else:
            return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line += error.object.count(b"\n", 0, error.start)
        rule, fix = "not UTF-8", "save the file as UTF-8"
    except (OSError, RuntimeError):  # a link to nowhere or to itself, a folder
        rule, fix = "not a file that can be read", "mend or remove it"
    raise ContentError([ContentProblem(name, line, "-", rule, fix)])


def _table(text: str, name: str) -> tuple[dict[str, Any], dict[KeyPath, int]]:
    line = 1
    try:
        table = tomllib.loads(text)
        lines = line_numbers(text)
        deep = _too_deep(table)
        if deep is None:
            return table, lines
        line = nearest_line(lines, deep)
        rule, fix = f"nested deeper than {MAX_DEPTH}", "flatten it"
    except RecursionError:
        rule, fix = f"nested deeper than {MAX_DEPTH}", "flatten it"
    except tomllib.TOMLDecodeError as error:
        raise ContentError([_syntax_problem(name, str(error), text)]) from None
    except ValueError:  # Python converts no integer of more than 4 300 digits
        rule, fix = "a number of too many digits", "write a shorter one, or a string"
    raise ContentError([ContentProblem(name, line, "-", rule, fix)])


def _tree(files: list[_File], faults: list[ContentProblem]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for file in sorted(files, key=lambda file: len(file.section)):
        holder = tree
        for part in file.section[:-1]:
            inner = holder.setdefault(part, {})
            holder = inner if isinstance(inner, dict) else {}  # no table: a fault of its own
        last = file.section[-1]
        if last in holder:
            rule = "the section stands in two files"
            fix = f"remove `{last}` from {'.'.join(file.section[:-1])}.toml"
            faults.append(ContentProblem(file.name, 1, ".".join(file.section), rule, fix))
        holder[last] = file.value
    return tree


def _follows(error: ErrorDetails, tree: dict[str, Any]) -> bool:
    """Whether an error follows from another, which is reported where the words stand."""
    path, missing = error["loc"], error["type"] == "missing"
    if path[0] == "status" and path[1:2] != ("studio",):
        return path != ("status", "asOf") or not missing
    model = model_at(path[:-1])
    if path[-1] != "slug" or not issubclass(model, Named):
        return False
    entry: Any = tree
    for part in path[:-1]:
        entry = entry[part]
    name = entry.get(model.named_by)
    return "slug" not in entry and not (isinstance(name, str) and name.strip())


def _to_problem(
    files: Mapping[Section, _File | None], folder: Path, finding: Finding
) -> Iterator[ContentProblem]:
    """The finding as a fault; none where it lies in a file that could not be read."""
    path, rule, fix = finding
    if path == ("status", "asOf"):
        rule, fix = "no entry and no project says when the site changed", "write a first entry"
        path = ("changelog",)
    elif path[0] == "status":
        path = ("status", *path[2:])
    for length in range(len(path), 0, -1):
        section = tuple(str(part) for part in path[:length])
        if section in files:
            if file := files[section]:
                yield ContentProblem(file.name, file.line(path[length:]), _key(path), rule, fix)
            return
    name = f"{folder.name}/{path[0]}.toml"
    yield ContentProblem(name, 1, str(path[0]), "the section is missing", f"add the file {name}")


def _key(path: KeyPath) -> str:
    return "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path).lstrip(".")


def _section(name: str) -> Section:
    return tuple(name.rpartition("/")[2].removesuffix(".toml").split("."))


def _field_of(section: Section) -> FieldInfo | None:
    if section == ("status",):
        return FieldInfo(annotation=StudioStatus)
    model: type[Output] | None = Site
    info = None
    for part in section:
        info = field_in(model, part) if model is not None else None
        if info is None:
            return None
        model = None if _is_list(info) else model_in(info.annotation)
    return info if info is not None and model_in(info.annotation) is not None else None


def _sections(model: type[Output], prefix: str = "") -> Iterator[str]:
    for name, info in model.model_fields.items():
        inner = model_in(info.annotation)
        section = f"{prefix}{info.alias or name}"
        if inner is not None and _field_of(tuple(section.split("."))) is not None:
            yield section
            if not prefix and not _is_list(info) and section != "status":
                yield from _sections(inner, f"{section}.")


def _is_list(info: FieldInfo) -> bool:
    return any(get_origin(part) is list for part in (info.annotation, *get_args(info.annotation)))


def _too_deep(value: Any, path: KeyPath = ()) -> KeyPath | None:
    """Where the value is nested too deep, if it is."""
    if len(path) == MAX_DEPTH:
        return path
    parts = value.items() if isinstance(value, dict) else ()
    inner = enumerate(value) if isinstance(value, list) else parts
    found = (_too_deep(part, (*path, key)) for key, part in inner)
    return next((deep for deep in found if deep is not None), None)


def _syntax_problem(name: str, message: str, text: str) -> ContentProblem:
    at = re.search(r" \(at (?:line (\d+)|end of document)", message)
    line = int(at[1]) if at and at[1] else text.rstrip().count("\n") + 1
    what = message[: at.start()] if at else message
    rule, fix = next(
        (told for start, told in _SYNTAX.items() if what.startswith(start)),
        (f"not valid TOML: {what}", "mend this line or the next"),
    )
    return ContentProblem(name, line, "-", rule, fix)


def _required_table(name: str, rule: str, fix: str) -> ContentProblem:
    return ContentProblem(name, 1, "-", rule, fix)
