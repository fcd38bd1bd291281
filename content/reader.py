"""Content from its folder: `load(folder)` gives a checked `Site`, or every fault. No network.

A file is a section and carries its name: `faq.toml` is `site.faq`, `studio.practice.toml` is
`site.studio.practice`. A list's file holds one array of tables with the section's last name
(`[[practice]]`), an object's file holds the object's keys.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from content.faults import ContentError, ContentFault
from content.findings import Finding, field_in, finding_of, suggestion
from content.lines import KeyPath, line_numbers, nearest_line
from content.references import check_references
from content.status import with_status
from schema.declare import Output, model_in
from schema.pages import StudioStatus
from schema.site import Site

MAX_FILE_BYTES = 1 << 20
MAX_FILES = 1_000
MAX_DEPTH = 32

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
    faults: list[ContentFault] = []
    files = list(_read_files(folder, faults))
    tree = with_status(_tree(files, faults))
    findings = list(check_references(tree))
    site = None
    try:
        site = Site.model_validate(tree, by_name=False)
    except ValidationError as error:
        found = [finding_of(detail) for detail in error.errors()]
        findings += [finding for finding in found if not _derived(finding.path)]
    by_section = {file.section: file for file in files}
    faults += [_fault(by_section, folder, finding) for finding in findings]
    if faults or site is None:
        raise ContentError(faults)
    newest_first = sorted(site.changelog, key=lambda entry: entry.published_at, reverse=True)
    return site.model_copy(update={"changelog": newest_first})


def _read_files(folder: Path, faults: list[ContentFault]) -> Iterator[_File]:
    if not folder.is_dir():
        raise ContentError(
            [_whole(str(folder), "there is no such folder", "set STUDIOGRAPH_CONTENT to one")]
        )
    paths = sorted(folder.glob("*.toml"))
    if len(paths) > MAX_FILES:
        raise ContentError([_whole(folder.name, f"more than {MAX_FILES} files", "merge some")])
    for path in paths:
        try:
            yield _read(path, folder)
        except ContentError as error:
            faults.extend(error.faults)


def _read(path: Path, folder: Path) -> _File:
    name = f"{folder.name}/{path.name}"
    section = tuple(path.stem.split("."))
    info = _field_of(section)
    if info is None:
        fix = suggestion(path.stem, _sections(Site))
        raise ContentError([_whole(name, "no section has this name", fix)])
    text, table = _parse(path, folder, name)
    lines = line_numbers(text)
    if not _is_list(info):
        return _File(name, section, table, lines)
    key = section[-1]
    wrong = [found for found in table if found != key]
    if wrong or not isinstance(table.get(key), list):
        rule = f"the file of a list holds [[{key}]] tables and no other key at its top"
        line = nearest_line(lines, (wrong[0],)) if wrong else 1
        place = ContentFault(name, line, wrong[0] if wrong else key, rule, f"write [[{key}]]")
        raise ContentError([place])
    return _File(name, section, table[key], lines)


def _parse(path: Path, folder: Path, name: str) -> tuple[str, dict[str, Any]]:
    if not path.resolve().is_relative_to(folder.resolve()):
        rule, fix = "a link that leads out of the content folder", "copy the file into it"
    elif path.stat().st_size > MAX_FILE_BYTES:
        rule, fix = "larger than 1 MiB", "shorten the section"
    else:
        try:
            text = path.read_text(encoding="utf-8")
            table = tomllib.loads(text)
            _check_depth(table)
        except UnicodeDecodeError:
            rule, fix = "not UTF-8", "save the file as UTF-8"
        except RecursionError:
            rule, fix = f"nested deeper than {MAX_DEPTH}", "flatten it"
        except tomllib.TOMLDecodeError as error:
            raise ContentError([_syntax_fault(name, str(error))]) from None
        else:
            return text, table
    raise ContentError([_whole(name, rule, fix)])


def _tree(files: list[_File], faults: list[ContentFault]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for file in sorted(files, key=lambda file: len(file.section)):
        holder = tree
        for part in file.section[:-1]:
            holder = holder.setdefault(part, {})
        last = file.section[-1]
        if last in holder:
            rule = "the section stands in two files"
            fix = f"remove `{last}` from {'.'.join(file.section[:-1])}.toml"
            faults.append(ContentFault(file.name, 1, ".".join(file.section), rule, fix))
        holder[last] = file.value
    return tree


def _derived(path: KeyPath) -> bool:
    """Whether a path lies in what is derived: its fault is reported where the words stand."""
    return path[0] == "status" and path[1:2] in ((), ("projects",), ("studying",))


def _fault(files: dict[Section, _File], folder: Path, finding: Finding) -> ContentFault:
    path = finding.path
    if path[0] == "status" and path != ("status", "asOf"):
        path = ("status", *path[2:])
    key = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path).lstrip(".")
    for length in range(len(path), 0, -1):
        file = files.get(tuple(str(part) for part in path[:length]))
        if file is not None:
            line = file.line(path[length:])
            return ContentFault(file.name, line, key, finding.rule, finding.fix)
    name = f"{folder.name}/{key}.toml"
    return ContentFault(name, 1, key, "the section is missing", f"add the file {name}")


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
        if inner is not None:
            yield f"{prefix}{info.alias or name}"
            if not prefix and not _is_list(info):
                yield from _sections(inner, f"{info.alias or name}.")


def _is_list(info: FieldInfo) -> bool:
    return get_origin(info.annotation) is list


def _check_depth(value: Any, depth: int = 1) -> None:
    if depth > MAX_DEPTH:
        raise RecursionError
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in inner:
        _check_depth(part, depth + 1)


def _syntax_fault(name: str, message: str) -> ContentFault:
    at = re.search(r" \(at (?:line (\d+)|end of document)", message)
    line = int(at[1]) if at and at[1] else 1
    what = message[: at.start()] if at else message
    return ContentFault(name, line, "-", f"not valid TOML: {what}", "mend this line or the next")


def _whole(name: str, rule: str, fix: str) -> ContentFault:
    return ContentFault(name, 1, "-", rule, fix)
