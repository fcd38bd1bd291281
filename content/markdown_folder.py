"""What a folder of markdown says of a studio, as its content files.

`index.md`, `README.md` or `about.md` is the studio. `faq.md` is the list `faq`, each heading an
entry; `projects/tidebook.md` or `projects/tidebook/index.md` is one entry of the list `projects`.
The head of a file, in YAML between two `---`, in TOML between two `+++` or as a JSON object, sets
further keys. What cannot be read or has no place is named, and the rest is taken.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

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

STUDIO_FILES = ("index.md", "_index.md", "readme.md", "about.md")
"""The files that may be the studio, in small letters."""
INDEX_FILES = ("index", "_index")
PRIVATE = ("_drafts", "private")
"""Folders of which nothing is taken, like those that begin with a dot."""
_SPACES = re.compile(r"[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
"""What ends a line or a page elsewhere, but not in markdown; a text may not have it."""
_NO = ("false", "no", "off")
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
    """The keys of its head, with numbers and `yes` or `On` of YAML as the texts they are."""
    parts: list[_Part]

    @property
    def names(self) -> list[str]:
        """The folders that it is in and its own name; that of its folder, if it is an index."""
        names = self.place.removesuffix(".md").split("/")
        return names[:-1] if len(names) > 1 and names[-1] in INDEX_FILES else names


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
    pages = list(_pages(folder, found))
    roots = {page.place.lower(): page for page in pages if "/" not in page.place}
    studio = next((roots[name] for name in STUDIO_FILES if name in roots), None)
    for page in pages:
        if page is studio:
            _take_studio(found, page)
            continue
        *before, name = page.names
        kind = _entries_of(before[0] if before else name) if len(before) <= 1 else None
        if kind is None or (not before and name != page.place.removesuffix(".md")):
            rule = "no list of the content has this name" if kind is None else "is a page of a list"
            found.left.append(f"{page.place}: {rule}")
            continue
        take = _take_entry if before else _take_entries
        entries.setdefault(kind, []).extend(take(found, page, kind))
    for kind, texts in entries.items():
        found.add(kind.section, texts)
    if studio is None and not entries:
        if not folder.is_dir():
            raise MarkdownError(f"{folder} is no folder; name one that holds .md files")
        names = "index.md, README.md, about.md"
        rule = f"{folder} has none of {names}, and no file named after a list"
        raise MarkdownError("; ".join([rule, *found.left]))
    return found


def _pages(folder: Path, found: Imported) -> Iterator[_Page]:
    """Yield the pages that may be published; name those that cannot be read.

    Nothing is told of what is private but how much there is.
    """
    private = 0
    for file in sorted(folder.rglob("*.md")):
        place = file.relative_to(folder).as_posix()
        is_inside = file.resolve().is_relative_to(folder.resolve())
        names = place.lower().split("/")
        if not is_inside or any(name.startswith(".") or name in PRIVATE for name in names):
            private += 1
            continue
        try:
            page = _read(file, place)
        except (OSError, UnicodeDecodeError) as error:
            found.left.append(f"{place}: cannot be read: {error}; save it as UTF-8")
        except (ValueError, yaml.YAMLError) as error:
            said = " ".join(str(error).split())
            found.left.append(f"{place}: its head cannot be read: {said}")
        else:
            if _is_private(page.head):
                private += 1
            else:
                yield page
    if private:
        found.left.append(f"{private} files that are private, links out of the folder or to come")


def _is_private(head: dict[str, Any]) -> bool:
    """Whether a page says that it is not for the public, or not yet."""
    is_hidden = any(_is_no(head.get(key, True)) for key in ("publish", "published"))
    return is_hidden or not _is_no(head.get("private", False)) or _is_to_come(head.get("date"))


def _is_no(value: Any) -> bool:
    return str(value).lower() in _NO


def _is_to_come(day: Any) -> bool:
    """Whether a date, or a text that begins with one, is after today."""
    try:
        first = date.fromisoformat(str(day)[:10])
    except ValueError:
        return False
    return first > date.today()  # noqa: DTZ011 - the owner's own day


def _read(file: Path, place: str) -> _Page:
    head, body = _head_of(_SPACES.sub(" ", file.read_text(encoding="utf-8-sig")))
    if not isinstance(head, dict):
        raise ValueError("it must be keys with values, such as title: Tidebook")  # noqa: TRY004 - as JSON and TOML raise
    return _Page(place, {str(key): value for key, value in head.items()}, list(_parts(body)))


class _AsWritten(yaml.SafeLoader):  # type: ignore[misc] # yaml brings no types
    """Reads true, false, null and dates; `12:30`, `1.10` and `On` are texts, not 750, 1.1, true."""

    yaml_implicit_resolvers: ClassVar = {
        first: [(tag, form) for tag, form in own if not tag.endswith((":int", ":float", ":bool"))]
        for first, own in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


_AsWritten.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)


def _head_of(text: str) -> tuple[Any, str]:
    """Return the values of a file's head, and the text after it. Raises: ValueError, YAMLError."""
    if text.startswith("{") and not text.startswith("{{"):
        head, end = json.JSONDecoder().raw_decode(text)
        return head, text[end:]
    match = _HEAD.match(text)
    if match is None:
        return {}, text
    if match["fence"] == "+++":
        return tomllib.loads(match["head"]), text[match.end() :]
    head = yaml.load(match["head"], _AsWritten)  # noqa: S506 - it makes plain values alone
    return head or {}, text[match.end() :]


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
    said = page.head.get("title")
    title = said if isinstance(said, str) else ""
    first, *others = page.parts
    if not first.text and others and (others[0].level == 1 or not title):
        first, *others = others
    return title or first.heading, first.text, others


def _take_studio(found: Imported, page: _Page) -> None:
    """Take the studio's name, its sentence, its description and the keys that are asked for."""
    title, text, others = _title(page)
    head = {key: value for key, value in page.head.items() if isinstance(value, str) and value}
    said = {"name": title, "oneLiner": _first_paragraph(text), **head}
    known = {option: own for key, option in _OPTIONS.items() if (own := said.get(key))}
    found.answers |= known
    unknown = {k for k, value in page.head.items() if value not in (None, "", [])}
    unknown -= {key for key in head if key in _OPTIONS or key == "title"}
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
    name = page.names[-1]
    part = _Part(title or name, 1, text)
    yield _entry(found, page.place, kind, part, {"slug": name} | values)
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
    slug = slug_of(str(values.pop("slug", part.heading))) or None
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
    # A folder may hold notes that nobody else is to read.
    values[DRAFT] = not _is_no(values.get(DRAFT, True))
    return found.entry(place, kind.table, kind.model, known | values, guessed)


def _first_paragraph(text: str) -> str | None:
    """Return the words of the first paragraph of a text, without marks and links, as one line."""
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "inline":
            words = (
                " " if own.type.endswith("break") else own.content for own in token.children or ()
            )
            return " ".join("".join(words).split()) or None
    return None


def _headings_left(place: str, parts: list[_Part]) -> Iterator[str]:
    """Yield what is not taken since a text of the content has no headings."""
    for part in parts:
        yield f"{place}: what follows {part.heading!r}: a text of the content has no headings"
