"""Turns every `Searchable` entry of a site into a document: its prose, without short fields.

Only the owner's own texts are used; the texts from GitHub are other people's and carry no mark.
Marks and fields decide how an entry becomes text, so a new section needs no code here.
"""

import enum
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic.fields import FieldInfo

from schema.site import Site
from sdl.tools.code_in_text import prose_of
from sdl.types.declare import Output, marks_of, slug_of
from sdl.types.marks import Heading, Prose, Searchable, Summary

PARAGRAPH = "\n\n"

_ENDS = (".", "!", "?", ":", ";", "\N{HORIZONTAL ELLIPSIS}")


@dataclass(frozen=True)
class Document:
    """One entry as plain text, with an empty line between paragraphs."""

    kind: str
    slug: str
    title: str
    url: str
    text: str
    """Its prose."""
    aliases: tuple[str, ...] = ()
    """Other names that it goes by."""
    by_name_only: bool = False
    """Whether a search finds it only by its name."""


def documents_of(site: Site, url: Callable[[str, str], str]) -> tuple[Document, ...]:
    """Return all documents in the order of the site; `url` returns the path of an entry.

    It is given the kind, and the id or slug.
    """
    return tuple(
        Document(
            mark.kind,
            slug,
            _title(item) or _label(mark.kind),
            url(mark.kind, getattr(item, "id", slug)),
            _text(item),
            tuple(getattr(item, "aliases", None) or ()),
            mark.by_name_only,
        )
        for mark, slug, item in _items(site)
    )


def _items(value: Output) -> Iterator[tuple[Searchable, str, Any]]:
    """Yield mark, slug and value of each marked text and of each item of a marked list."""
    for name, info in type(value).model_fields.items():
        inner = getattr(value, name)
        for mark in marks_of(info):
            if isinstance(mark, Searchable):
                yield from ((mark, *entry) for entry in _entries(mark.kind, inner))
        if isinstance(inner, Output):
            yield from _items(inner)


def _entries(kind: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the slug of each entry, unique among them, and the entry."""
    if isinstance(value, str):
        yield kind, value
        return
    seen: Counter[str] = Counter()
    for item in value or ():
        slug = getattr(item, "slug", None) or slug_of(_title(item)) or kind
        seen[slug] += 1
        yield slug if seen[slug] == 1 else f"{slug}-{seen[slug]}", item


def _title(item: Any) -> str:
    """Return the title of an item; nothing for a plain text."""
    if not isinstance(item, Output):
        return ""
    fields = type(item).model_fields.items()
    headings = (name for name, info in fields if _has(info, Heading))
    return str(getattr(item, next(headings, ""), ""))


def _text(item: Any) -> str:
    if isinstance(item, str):
        return PARAGRAPH.join(_paragraphs(item))
    paragraphs: list[str] = []
    for _, info, value in _fields(item):
        if isinstance(value, str) and _has(info, Prose, Summary):
            paragraphs.extend(_paragraphs(value))
        elif isinstance(value, Output):
            paragraphs.extend(_nested([value]))
        elif isinstance(value, list) and all(isinstance(inner, Output) for inner in value):
            paragraphs.extend(_nested(value))
    return PARAGRAPH.join(paragraphs)


def _fields(item: Output) -> Iterator[tuple[str, FieldInfo, Any]]:
    """Yield the fields with a value, without the slug and the title."""
    for name, info in type(item).model_fields.items():
        value = getattr(item, name)
        if name != "slug" and not _has(info, Heading) and value not in (None, [], ""):
            yield name, info, value


def _nested(items: Sequence[Output]) -> list[str]:
    """Return one paragraph for each item if any has prose, else one for all."""
    texts = [_item_text(item) for item in items]
    has_prose = any(_has(info, Prose) for item in items for _, info, _ in _fields(item))
    return texts if has_prose else [" ".join(texts)]


def _item_text(item: Output) -> str:
    """Return a nested item as a few sentences, its title first, with its first value if short."""
    title, sentences = _title(item), list[str]()
    for _, info, value in _fields(item):
        text = " ".join(_paragraphs(_words_of(value)))
        if _has(info, Prose, Summary) or text.endswith(_ENDS):
            sentences.append(_with_stop(text))
        elif not sentences and title == _title(item):
            title = f"{title}: {text}"
    return " ".join([_with_stop(title), *sentences]).strip()


def _words_of(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(map(_words_of, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, enum.Enum):
        return str(value.value)
    return value.isoformat() if isinstance(value, date) else str(value)


def _has(info: FieldInfo, *types: type) -> bool:
    return any(isinstance(mark, types) for mark in marks_of(info))


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _with_stop(text: str) -> str:
    return text if text.endswith(_ENDS) else f"{text}."


def _paragraphs(text: str) -> list[str]:
    return [part.strip() for part in prose_of(text).split(PARAGRAPH) if part.strip()]
