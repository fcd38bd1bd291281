"""What a folder of markdown says of a studio, as its content files.

`index.md`, `README.md` or `about.md` is the studio. `faq.md` is the list `faq`, each heading an
entry; `projects/tidebook.md` is one entry of the list `projects`. The head of a file, in YAML
between two `---` or in TOML between two `+++`, sets further keys. What has no place is named.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped] # it brings no types
from markdown_it import MarkdownIt

from content.drafts import KEY as DRAFT
from content.findings import field_in, is_list
from content.imported import Imported
from schema.site import Site
from schema.studio import Studio
from sdl.declare import Output, marks_of, model_in, slug_of
from sdl.errors import StudiographError
from sdl.marks import Heading, Prose, Summary

STUDIO_FILES = ("index.md", "README.md", "about.md")
_HEAD = re.compile(
    r"\A(?P<fence>---|\+\+\+)[ \t]*\n(?P<head>.*?)^(?P=fence)[ \t]*(?:\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_OPTIONS = {
    "name": "name",
    "url": "url",
    "oneLiner": "one_line",
    "founder": "founder",
    "email": "email",
}
"""The keys in the head of the studio's file that `init` would ask for, with their options."""


class MarkdownError(StudiographError):
    """A file of the folder cannot be read; the text says which and why."""


@dataclass(frozen=True)
class _Part:
    """A heading and the text beneath it, up to the next one."""

    heading: str
    level: int
    text: str


@dataclass(frozen=True)
class _Page:
    """A file: its path in the folder, the keys of its head, and its parts."""

    place: str
    head: dict[str, Any]
    parts: list[_Part]


@dataclass(frozen=True)
class _Entries:
    """A list of the content: its file, its table, and how an entry of it is written."""

    section: str
    table: str
    model: type[Output]

    def key(self, kind: type[Heading | Prose | Summary]) -> str:
        """Return the key of the first required field with such a mark, if there is one."""
        for name, info in self.model.model_fields.items():
            if info.is_required() and any(isinstance(mark, kind) for mark in marks_of(info)):
                return info.alias or name
        return ""


def read_folder(folder: Path) -> Imported:
    """Return what the markdown of a folder says. Raises: MarkdownError, OSError."""
    found = Imported()
    entries: dict[_Entries, list[str]] = {}
    studio_file = next((name for name in STUDIO_FILES if (folder / name).is_file()), None)
    for file in sorted(folder.rglob("*.md")):
        page = _read(file, file.relative_to(folder).as_posix())
        if page.place == studio_file:
            _take_studio(found, page)
            continue
        *before, name = page.place.removesuffix(".md").split("/")
        kind = _entries_of(before[0] if before else name) if len(before) <= 1 else None
        if kind is None:
            found.left.append(f"{page.place}: no list of the content has this name")
            continue
        take = _take_entry if before else _take_entries
        entries.setdefault(kind, []).extend(take(found, page, kind))
    for kind, texts in entries.items():
        found.add(kind.section, texts)
    if not studio_file and not entries:
        if not folder.is_dir():
            raise MarkdownError(f"{folder} is no folder; name one that holds .md files")
        names = ", ".join(STUDIO_FILES)
        raise MarkdownError(f"{folder} has none of {names}, and no file named after a list")
    return found


def _read(file: Path, place: str) -> _Page:
    try:
        text = file.read_text(encoding="utf-8-sig")
        head, body = _head_of(text)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, yaml.YAMLError) as error:
        said = " ".join(str(error).split())
        raise MarkdownError(f"{place}: its head or its text cannot be read: {said}") from None
    if not isinstance(head, dict):
        raise MarkdownError(f"{place}: its head must be keys with values, such as title: Tidebook")
    return _Page(place, {str(key): value for key, value in head.items()}, list(_parts(body)))


def _head_of(text: str) -> tuple[Any, str]:
    """Return the values of a file's head, and the text after it."""
    match = _HEAD.match(text)
    if match is None:
        return {}, text
    read = yaml.safe_load if match["fence"] == "---" else tomllib.loads
    return read(match["head"]) or {}, text[match.end() :]


def _parts(text: str) -> Iterator[_Part]:
    """Yield the parts of a text; the first is what stands before any heading."""
    lines = text.splitlines()
    tokens = MarkdownIt("commonmark").parse(text)
    heading, level, start = "", 0, 0
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            yield _Part(heading, level, "\n".join(lines[start : token.map[0]]).strip())
            words = (inner.content for inner in inline.children or ())
            heading, level, start = "".join(words).strip(), int(token.tag[1:]), token.map[1]
    yield _Part(heading, level, "\n".join(lines[start:]).strip())


def _entries_of(name: str) -> _Entries | None:
    """Return the list of the content with this name, with or without `studio.` before it."""
    for model, prefix in ((Site, ""), (Studio, "studio.")):
        table = name.removeprefix(prefix)
        info = field_in(model, table)
        entry = model_in(info.annotation) if info is not None and is_list(info) else None
        if entry is not None:
            return _Entries(f"{prefix}{table}", table, entry)
    return None


def _title(page: _Page) -> tuple[str, str, list[_Part]]:
    """Return a page's title, the text that is its own, and its other parts."""
    title = str(page.head.get("title", ""))
    first, *others = page.parts
    if not first.text and others and (others[0].level == 1 or not title):
        first, *others = others
    return title or first.heading, first.text, others


def _take_studio(found: Imported, page: _Page) -> None:
    """Take the studio's name, its sentence, its description and the keys that are asked for."""
    title, text, others = _title(page)
    said = {"name": title, "oneLiner": _first_paragraph(text), **page.head}
    known = {option: said[key] for key, option in _OPTIONS.items() if said.get(key)}
    found.answers |= {option: str(value) for option, value in known.items()}
    unknown = page.head.keys() - _OPTIONS.keys() - {"title"}
    found.left += [f"{page.place}: {key}: has no place" for key in sorted(unknown)]
    if text and " ".join(text.split()) != known.get("one_line"):
        found.studio = found.lines(page.place, Studio, {"description": text})
    found.left += _headings_left(page.place, others)


def _take_entry(found: Imported, page: _Page, kind: _Entries) -> Iterator[str]:
    """Yield the entry that a file is."""
    title, text, others = _title(page)
    keys = {info.alias or name for name, info in kind.model.model_fields.items()} | {DRAFT}
    unknown = page.head.keys() - keys - {"title"}
    found.left += [f"{page.place}: {key}: has no place" for key in sorted(unknown)]
    values = {key: value for key, value in page.head.items() if key in keys}
    name = page.place.rpartition("/")[2].removesuffix(".md")
    yield _entry(found, page.place, kind, _Part(title or name, 1, text), {"slug": name} | values)
    found.left += _headings_left(page.place, others)


def _take_entries(found: Imported, page: _Page, kind: _Entries) -> Iterator[str]:
    """Yield the entry that each heading of a file is; one above all the others is its title."""
    parts = [part for part in page.parts if part.heading]
    top = min((part.level for part in parts), default=0)
    highest = [part for part in parts if part.level == top]
    title = highest[0] if len(highest) == 1 and len(parts) > 1 else None
    for part in parts:
        if part is not title:
            yield _entry(found, f"{page.place}: {part.heading}", kind, part, {})
    for part in page.parts:
        if part.text and (part is title or not part.heading):
            found.left.append(f"{page.place}: what stands before its first entry")


def _entry(found: Imported, place: str, kind: _Entries, part: _Part, values: dict[str, Any]) -> str:
    """Return the entry of a part; the values of the file's head come before what is derived."""
    slug = slug_of(str(values.pop("slug", part.heading)))
    summary = kind.key(Summary)
    derived: dict[str, Any] = {
        "slug": slug,
        kind.key(Heading): part.heading,
        summary: _first_paragraph(part.text),
        kind.key(Prose): part.text or None,
    }
    known = {}
    for name, info in kind.model.model_fields.items():
        key = info.alias or name
        if info.is_required():
            known[key] = derived.get(key, [] if is_list(info) else None)
    guessed = summary if summary not in values else ""
    return found.entry(place, kind.table, kind.model, known | values, guessed)


def _first_paragraph(text: str) -> str | None:
    """Return the first paragraph of a text as one line."""
    return " ".join(text.partition("\n\n")[0].split()) or None


def _headings_left(place: str, parts: list[_Part]) -> Iterator[str]:
    """Yield what is not taken since a text of the content has no headings."""
    for part in parts:
        yield f"{place}: what follows {part.heading!r}: a text of the content has no headings"
