"""The reader of the content folder: `load` returns a valid `Site` or raises with every problem.

Each file is a section and has its name: `faq.toml` is `site.faq`, `studio.practice.toml` is
`site.studio.practice`. A list's file holds one array of tables with the section's last name
(`[[practice]]`), an object's file holds the object's keys.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from content.checking.corrections import shown
from content.checking.errors import NO_KEY, ContentError, ContentProblem, Finding
from content.checking.findings import (
    MISSING,
    Written,
    finding_of,
    found_at,
    keys_below,
    meant_path,
    model_at,
)
from content.checking.links import OwnLink, is_local, local_links, with_whole_addresses
from content.checking.references import NOT_ITS_DAY, check_dates, check_references, slug_in, tables
from content.checking.texts import check_texts
from content.reading.drafts import check_marks, drafts_in, path_with_drafts, without_drafts
from content.reading.files import (
    file_problem,
    files_of,
    misnamed_files,
    read_text,
    section_meant,
)
from content.reading.section_names import Section, holds_list, section_of
from content.reading.sizes import MAX_FILE_BYTES
from content.reading.toml_faults import conflict_in, misplaced_keys, syntax_problem
from content.reading.toml_positions import KeyPath, line_numbers, nearest_line
from schema.site import Site
from sdl.types.declare import Named


@dataclass(frozen=True)
class SectionFile:
    """A parsed file."""

    name: str
    section: Section
    value: Any
    text: str

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
            value = found_at(value, (part,))
            slug = slug_in(model_at(path[: depth + 1]), value)
            if isinstance(part, int) and slug and path[depth + 1 :] not in (("slug",), ("id",)):
                text += f" {shown(slug)}"
    return text.lstrip(".")


MAX_DEPTH = 32


@dataclass(frozen=True)
class Reading:
    """The valid site of a folder, and its files, in which findings about the site have lines."""

    site: Site
    own_links: tuple[OwnLink, ...]
    """The links to own pages, which the reader resolves and does not look for."""
    _folder: Path
    _files: Mapping[str, SectionFile]
    _hidden: frozenset[KeyPath]
    """Where the drafts stand that the site is without."""
    _order: tuple[int, ...]
    """The place in its file of each entry of the changelog."""

    def locate(self, findings: Iterable[Finding]) -> list[ContentProblem]:
        """Return findings about the site, each with its file and line."""
        files = {file.section: file for file in self._files.values()}
        problems: list[ContentProblem] = []
        for finding in findings:
            path = finding.path
            if path[0] == "changelog" and len(path) > 1:
                path = ("changelog", self._order[int(path[1])], *path[2:])
            path = path_with_drafts(path, self._hidden)
            problems += problems_of(files, self._folder, finding._replace(path=path))
        return problems


def load(
    folder: Path,
    *,
    drafts: bool = False,
    now: datetime | None = None,
    base_url: str = "",
    max_file_bytes: int = MAX_FILE_BYTES,
) -> Site:
    """Return the valid site; raise ContentError with every problem in every file.

    Entries with `draft = true` are checked, and left out unless `drafts` asks for them. What is
    dated later than `now`, by default the clock's time, is a problem, except in a draft. Own paths
    in links become addresses below the base URL; without one they stay as they are written.
    """
    return read(
        folder, drafts=drafts, now=now, base_url=base_url, max_file_bytes=max_file_bytes
    ).site


def read(
    folder: Path,
    *,
    drafts: bool = False,
    now: datetime | None = None,
    base_url: str = "",
    max_file_bytes: int = MAX_FILE_BYTES,
) -> Reading:
    """Return what `load` does, as a reading."""
    problems: list[ContentProblem] = []
    files = list(_read_files(folder, problems, max_file_bytes))
    readable = {file.name for file in files}
    unreadable = {section_meant(p.file) for p in problems if p.file not in readable}
    sections = {file.section for file in files}
    tree = _tree(files, problems)
    found = examine(
        tree,
        now or datetime.now(UTC),
        drafts=drafts,
        unreadable=unreadable,
        sections=sections,
        base_url=base_url,
    )
    by_section = {**dict.fromkeys(unreadable), **{file.section: file for file in files}}
    for finding in found.findings:
        problems += problems_of(by_section, folder, finding)
    if problems or found.site is None:
        raise ContentError(problems)
    newest_first = sorted(found.site.changelog, key=lambda entry: entry.published_at, reverse=True)
    hidden = frozenset() if drafts else found.drafts
    written = without_drafts(tree, hidden).get("changelog", [])
    order = sorted(range(len(written)), key=lambda i: written[i]["publishedAt"], reverse=True)
    return Reading(
        found.site.model_copy(update={"changelog": newest_first}),
        tuple(found.links),
        folder,
        {file.name: file for file in files},
        hidden,
        tuple(order),
    )


class Examination(NamedTuple):
    """The content as one site, with its faults."""

    site: Site | None
    findings: list[Finding]
    """The faults; their paths count the drafts."""
    links: list[OwnLink]
    drafts: frozenset[KeyPath]


def examine(  # noqa: PLR0913 - keywords name all but the first two
    tree: dict[str, Any],
    now: datetime,
    *,
    drafts: bool = False,
    unreadable: Collection[KeyPath] = (),
    sections: Collection[KeyPath] = (),
    base_url: str = "",
) -> Examination:
    """Return what is wrong with a content and, unless that are its drafts, with what is published.

    Entries of `unreadable` sections may exist; `sections` have files of their own.
    """
    marks = list(drafts_in(tree))
    hidden = frozenset(path for path, is_draft in marks if is_draft is True)
    site, findings, links = _check(without_drafts(tree, ()), unreadable, sections, base_url)
    findings += check_marks(marks)
    published = without_drafts(tree, hidden)
    late = list(check_dates(published, now))
    if hidden and not drafts and not findings:
        site, found, links = _check(published, unreadable, sections, base_url)
        late = [*found, *late]
    findings += (f._replace(path=path_with_drafts(f.path, hidden)) for f in late)
    own_day = {f.path[:-1] for f in findings if f.fix.endswith("of its id")}  # which says it all
    findings = [f for f in findings if not (f.path[:-1] in own_day and NOT_ITS_DAY in f.rule)]
    return Examination(site, findings, links, hidden)


def _check(
    table: dict[str, Any],
    unreadable: Collection[KeyPath],
    sections: Collection[KeyPath],
    base_url: str,
) -> tuple[Site | None, list[Finding], list[OwnLink]]:
    """Return the site of the content, if it is one, what is wrong with it, and its own links."""
    tree, links = with_status(table), list[OwnLink]()
    if base_url:
        tree, links = with_whole_addresses(tree, base_url)
    findings = [*check_references(tree, unreadable), *check_texts(tree)]
    if base_url and not is_local(base_url):
        findings += local_links(tree)
    try:
        return Site.model_validate(tree, by_name=False), findings, links
    except ValidationError as error:
        known = {finding.path for finding in findings}
        written = Written(tree, sections)
        strange = [e["loc"] for e in error.errors() if e["type"] == "extra_forbidden"]
        known |= {m for path in strange if (m := meant_path(path, written)) and m not in known}
        known |= {own for path in strange for own in keys_below(path, written)}
        found = [finding_of(e, written) for e in error.errors() if not _is_consequence(e, tree)]
        return None, [*findings, *(each for each in found if each.path not in known)], links


def value_at(site: Site, section: Section) -> Any:
    """Return the checked value of a section."""
    value: Any = site
    for key in section:
        name = next(n for n, i in type(value).model_fields.items() if (i.alias or n) == key)
        value = getattr(value, name)
    return value


def _read_files(
    folder: Path, problems: list[ContentProblem], max_file_bytes: int
) -> Iterator[SectionFile]:
    """Yield the files that can be parsed; add the problems of the others to `problems`."""
    if not folder.is_dir():
        fix = "go to the studio's folder, `studiograph init` makes one, or set STUDIOGRAPH_CONTENT"
        raise ContentError([file_problem(str(folder), "there is no such folder", fix)])
    paths = files_of(folder)
    problems += misnamed_files(folder)
    for path in paths:
        try:
            yield _read_file(path, folder, problems, max_file_bytes)
        except ContentError as error:
            problems.extend(error.problems)


def _read_file(
    path: Path, folder: Path, problems: list[ContentProblem], max_file_bytes: int
) -> SectionFile:
    """Return a parsed file; raise ContentError if it is not a section or cannot be parsed."""
    name = f"{folder.name}/{path.name}"
    section = section_of(name)
    text = read_text(path, folder, name, max_file_bytes)
    if conflict := conflict_in(name, text):
        raise ContentError([conflict])
    key = section[-1]
    table = _parse(text, name)
    if not holds_list(section):
        return SectionFile(name, section, table, text)
    if not table:
        return SectionFile(name, section, [], text)  # words that are still in comments
    misplaced = list(misplaced_keys(name, table, text))
    if not isinstance(table.get(key), list):
        raise ContentError(misplaced)
    problems += misplaced
    return SectionFile(name, section, table[key], text)


def _parse(text: str, name: str) -> dict[str, Any]:
    """Return the table in a TOML text; raise ContentError if it is invalid."""
    line = 1
    try:
        table = tomllib.loads(text)
        path = _too_deep(table)
        if path is None:
            return table
        line = nearest_line(line_numbers(text), path)
        rule, fix = f"nested deeper than {MAX_DEPTH}", "flatten it"
    except RecursionError:
        rule, fix = f"nested deeper than {MAX_DEPTH}", "flatten it"
    except tomllib.TOMLDecodeError as error:
        raise ContentError([syntax_problem(name, str(error), text)]) from None
    except ValueError:  # Python does not convert integers of more than 4 300 digits
        rule, fix = "a number with too many digits", "write a shorter one, or a string"
    raise ContentError([ContentProblem(name, line, NO_KEY, rule, fix)])


def _tree(files: list[SectionFile], problems: list[ContentProblem]) -> dict[str, Any]:
    """Return the whole content as one table; add sections that are defined twice to `problems`."""
    tree: dict[str, Any] = {}
    for file in sorted(files, key=lambda file: len(file.section)):
        holder = tree
        for part in file.section[:-1]:
            inner = holder.get(part, {})
            if isinstance(inner, dict):  # or validation reports that it is no table
                inner = holder[part] = {**inner}  # what a file says stays as it was read
            holder = inner if isinstance(inner, dict) else {}
        last = file.section[-1]
        if last in holder:
            rule = "the section is defined in two files"
            fix = f"remove {last} from {'.'.join(file.section[:-1])}.toml, or this file"
            problems.append(ContentProblem(file.name, 1, ".".join(file.section), rule, fix))
        holder[last] = file.value
    return tree


def _is_consequence(error: ErrorDetails, tree: dict[str, Any]) -> bool:
    """Return whether an error follows from another one, which is reported at its origin."""
    path = error["loc"]
    if path[0] == "status" and path[1:2] != ("studio",):
        return True
    model = model_at(path[:-1])
    if path[-1] != "slug" or not issubclass(model, Named):
        return False
    entry = found_at(tree, path[:-1])
    name = entry.get(model.named_by)
    return "slug" not in entry and not (isinstance(name, str) and name.strip())


def _too_deep(value: Any, path: KeyPath = ()) -> KeyPath | None:
    """Return the path at which a value is nested too deep, or None."""
    if len(path) == MAX_DEPTH:
        return path
    parts = value.items() if isinstance(value, dict) else ()
    inner = enumerate(value) if isinstance(value, list) else parts
    deep = (_too_deep(part, (*path, key)) for key, part in inner)
    return next((place for place in deep if place is not None), None)


def with_status(tree: dict[str, Any]) -> dict[str, Any]:
    """Return the content with its complete status.

    `asOf` is the time of the newest changelog entry or project update.
    """
    studio = tree.get("studio")
    projects = [project for _, project in tables(tree.get("projects"))]
    studies = studio.get("currentlyStudying") if isinstance(studio, dict) else None
    status: dict[str, Any] = {
        "projects": _pick(projects, ("slug", "status", "version", "url")),
        "studying": _pick((study for _, study in tables(studies)), ("name", "source", "status")),
    }
    published = (entry.get("publishedAt") for _, entry in tables(tree.get("changelog")))
    instants = [at for at in published if isinstance(at, datetime) and at.tzinfo is not None]
    days = (project.get("lastUpdated") for project in projects)
    instants += (
        datetime.combine(day, time(), UTC)
        for day in days
        if isinstance(day, date) and not isinstance(day, datetime)
    )
    if instants:
        status["asOf"] = max(instants)
    if "status" in tree:
        status["studio"] = tree["status"]
    return {**tree, "status": status}


def _pick(entries: Iterable[dict[str, Any]], keys: tuple[str, ...]) -> list[dict[str, Any]]:
    return [{key: entry[key] for key in keys if key in entry} for entry in entries]
