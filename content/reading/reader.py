"""The reader of the content folder: `load` returns a valid `Site` or raises with every problem.

Each file is a section and has its name: `faq.toml` is `site.faq`, `studio.practice.toml` is
`site.studio.practice`. A list's file holds one array of tables with the section's last name
(`[[practice]]`), an object's file holds the object's keys.
"""

import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from content.checking.errors import NO_KEY, ContentError, ContentProblem, Finding
from content.checking.findings import (
    Written,
    finding_of,
    keys_below,
    meant_path,
    model_at,
)
from content.checking.local_links import is_local, local_links
from content.checking.own_paths import OwnLink, with_whole_addresses
from content.checking.references import NOT_ITS_DAY, check_dates, check_references
from content.checking.texts import check_texts
from content.reading.derived_status import with_status
from content.reading.drafts import check_marks, drafts_in, path_with_drafts, without_drafts
from content.reading.files import check_size_of_all, file_problem, files_of, read_text
from content.reading.kept import Kept, same_entries
from content.reading.section_files import SectionFile, problems_of
from content.reading.section_names import Section, holds_list, section_of
from content.reading.sizes import MAX_FILE_BYTES
from content.reading.toml_entries import entries_in, parts_of
from content.reading.toml_faults import conflict_in, misplaced_keys, syntax_problem
from content.reading.toml_positions import KeyPath, line_numbers, nearest_line
from content.reading.unread_files import misnamed_files, section_meant
from schema.site import Site
from sdl.types.declare import Named

MAX_DEPTH = 32


@dataclass(frozen=True)
class Reading:
    """The valid site of a folder, and its files, of which the next reading keeps the unchanged."""

    site: Site
    own_links: tuple[OwnLink, ...]
    """The links to own pages, which the reader resolves and does not look for."""
    _folder: Path
    _files: Mapping[str, SectionFile]
    _has_drafts: bool
    _hidden: frozenset[KeyPath]
    """Where the drafts stand that the site is without."""
    _order: tuple[int, ...]
    """The place in its file of each entry of the changelog."""

    def known(self, name: str, text: str) -> SectionFile | None:
        """Return the file of this name if it had the same text."""
        file = self._files.get(name)
        return file if file is not None and file.text == text else None

    def parts(self, name: str) -> dict[str, Any]:
        """Return the entries of a list's file by their texts, if these are known."""
        file = self._files.get(name)
        if file is None or not file.is_in_parts:
            return {}
        return dict(zip(parts_of(file.text, file.section[-1])[1:], file.value, strict=True))

    def locate(self, findings: Iterable[Finding]) -> Iterator[ContentProblem]:
        """Yield findings about the site, each with its file and line."""
        files = {file.section: file for file in self._files.values()}
        for finding in findings:
            path = finding.path
            if path[0] == "changelog" and len(path) > 1:
                path = ("changelog", self._order[int(path[1])], *path[2:])
            path = path_with_drafts(path, self._hidden)
            yield from problems_of(files, self._folder, finding._replace(path=path))

    def kept(self, files: Sequence[SectionFile]) -> Kept:
        """Return what these files, none of which has drafts, say as the files of this reading did.

        With drafts a file is not the whole story of its section, and one that others lie in is not
        either.
        """
        sections: dict[Section, Any] = {}
        entries: dict[Section, dict[int, Any]] = {}
        around = {file.section[:-1] for file in files} | {("status",)}
        for file in () if self._has_drafts else files:
            known = self._files.get(file.name)
            if known is None or file.section in around:
                continue
            value = value_at(self.site, file.section)
            if known is file:
                sections[file.section] = value
            elif isinstance(value, list) and isinstance(known.value, list):
                if file.section == ("changelog",):
                    value = [entry for _, entry in sorted(zip(self._order, value, strict=True))]
                entries[file.section] = same_entries(known.value, value, file.value)
        links = [
            link
            for link in self.own_links
            if any(link.place[:length] in sections for length in range(1, len(link.place)))
        ]
        return Kept(sections, entries, links)


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


def read(  # noqa: PLR0913 - keywords name all but the first two
    folder: Path,
    before: Reading | None = None,
    *,
    drafts: bool = False,
    now: datetime | None = None,
    base_url: str = "",
    max_file_bytes: int = MAX_FILE_BYTES,
) -> Reading:
    """Return what `load` does, as a reading; what has not changed since `before` is kept.

    `before` is a reading with the same base URL.
    """
    problems: list[ContentProblem] = []
    files = list(_read_files(folder, problems, max_file_bytes, before))
    readable = {file.name for file in files}
    unreadable = {section_meant(p.file) for p in problems if p.file not in readable}
    sections = {file.section for file in files}
    tree = _tree(files, problems)
    marks = list(drafts_in(tree))
    hidden = {path for path, is_draft in marks if is_draft is True}
    complete = without_drafts(tree, ())
    published = without_drafts(tree, hidden) if hidden else complete
    kept = before.kept(files) if before is not None and not marks else Kept()
    site, findings, links = _check(complete, unreadable, sections, base_url, kept)
    findings += check_marks(marks)
    if hidden and not drafts and not findings:
        site, findings, links = _check(published, unreadable, sections, base_url)
        findings = [f._replace(path=path_with_drafts(f.path, hidden)) for f in findings]
    late = [
        finding._replace(path=path_with_drafts(finding.path, hidden))
        for finding in check_dates(published, now or datetime.now(UTC))
    ]
    own_day = {f.path[:-1] for f in late if f.fix.endswith("of its id")}  # which says it all
    findings = [f for f in findings if not (f.path[:-1] in own_day and NOT_ITS_DAY in f.rule)]
    findings += late
    by_section = {**dict.fromkeys(unreadable), **{file.section: file for file in files}}
    for finding in findings:
        problems += problems_of(by_section, folder, finding)
    if problems or site is None:
        raise ContentError(problems)
    newest_first = sorted(site.changelog, key=lambda entry: entry.published_at, reverse=True)
    site = site.model_copy(update={"changelog": newest_first})
    written = (complete if drafts else published).get("changelog", [])
    order = sorted(range(len(written)), key=lambda i: written[i]["publishedAt"], reverse=True)
    return Reading(
        site,
        tuple(links),
        folder,
        {file.name: file for file in files},
        bool(marks),
        frozenset() if drafts else frozenset(hidden),
        tuple(order),
    )


def _check(
    table: dict[str, Any],
    unreadable: Collection[KeyPath],
    sections: Collection[KeyPath],
    base_url: str,
    kept: Kept = Kept(),  # noqa: B008 - it is frozen, and empty
) -> tuple[Site | None, list[Finding], list[OwnLink]]:
    """Return the site of the content, if it is one, what is wrong with it, and its own links.

    Of what is `kept`, only what spans files is checked again.
    """
    tree, links = with_status(table), list[OwnLink]()
    if base_url:
        tree, links = with_whole_addresses(tree, base_url, kept.sections)
        links += kept.links
    new = kept.put_into(tree)
    findings = [*check_references(tree, unreadable), *check_texts(new)]
    if base_url and not is_local(base_url):
        findings += local_links(new)
    try:
        return Site.model_validate(new, by_name=False), findings, links
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
    folder: Path,
    problems: list[ContentProblem],
    max_file_bytes: int,
    before: Reading | None = None,
) -> Iterator[SectionFile]:
    """Yield the files that can be parsed; add the problems of the others to `problems`."""
    if not folder.is_dir():
        fix = "go to the studio's folder, `studiograph init` makes one, or set STUDIOGRAPH_CONTENT"
        raise ContentError([file_problem(str(folder), "there is no such folder", fix)])
    paths = files_of(folder)
    check_size_of_all(folder, paths)
    problems += misnamed_files(folder)
    for path in paths:
        try:
            yield _read_file(path, folder, problems, max_file_bytes, before)
        except ContentError as error:
            problems.extend(error.problems)


def _read_file(
    path: Path,
    folder: Path,
    problems: list[ContentProblem],
    max_file_bytes: int,
    before: Reading | None,
) -> SectionFile:
    """Return a parsed file; raise ContentError if it is not a section or cannot be parsed."""
    name = f"{folder.name}/{path.name}"
    section = section_of(name)
    text = read_text(path, folder, name, max_file_bytes)
    if conflict := conflict_in(name, text):
        raise ContentError([conflict])
    if before is not None and (same := before.known(name, text)) is not None:
        return same
    key = section[-1]
    if holds_list(section):
        known = before.parts(name) if before is not None else {}
        entries = entries_in(text, key, known)
        if entries is not None and _too_deep({key: entries}) is None:
            return SectionFile(name, section, entries, text, is_in_parts=True)
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
    entry: Any = tree
    for part in path[:-1]:
        entry = entry[part]
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
