"""What search and chat find: every `Searchable` entry of a site, and the passages it is made of.

Only the owner's own words are here: what GitHub shows is other people's, and carries no mark.
A new section needs no line here: its marks and its fields say how it reads.
"""

import enum
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic.fields import FieldInfo

from resolvers.search.sentences import split_sentences
from schema.site import Site
from sdl.declare import Output, marks_of, slug_of
from sdl.marks import Citable, Cites, Heading, Prose, RefersTo, Searchable, Summary

MAX_WORDS = 150
"""How long a passage is at most: about 200 word pieces, of which the model reads 256."""
PARAGRAPH = "\n\n"

_Titles = Mapping[tuple[str, str], str]
_ENDS = (".", "!", "?", ":", ";", "\N{HORIZONTAL ELLIPSIS}")


@dataclass(frozen=True)
class Document:
    """What a hit and a citation are of: one thing, and all that is said of it as plain sentences.

    Paragraphs of the text are divided by an empty line.
    """

    kind: str
    slug: str
    title: str
    url: str
    text: str


@dataclass(frozen=True)
class Chunk:
    """A part of an entry, short enough for the model to read whole."""

    kind: str
    slug: str
    title: str
    url: str
    text: str


def documents_of(site: Site, url: Callable[[str, str], str]) -> tuple[Document, ...]:
    """Everything that can be found, in the order of the site; `url` gives where one is read."""
    titles = {(kind, slug): _title(item) for kind, slug, item in _items(site, Citable)}
    return tuple(
        Document(kind, slug, _title(item) or _label(kind), url(kind, slug), _text(item, titles))
        for kind, slug, item in _items(site, Searchable)
    )


def chunks_of(entry: Document) -> tuple[Chunk, ...]:
    """The entry's passages in order: a paragraph each, or several where a paragraph is long."""
    return tuple(
        Chunk(entry.kind, entry.slug, entry.title, entry.url, text)
        for paragraph in (entry.text or entry.title).split(PARAGRAPH)
        for text in _cut(paragraph)
    )


def embedding_text(passage: Chunk) -> str:
    """What a model is shown of a passage: its title, which says what it is about, and its text."""
    stop = "" if passage.title.endswith(_ENDS) else "."
    return f"{passage.title}{stop} {passage.text}"


def _items(value: Output, mark_type: type[Citable]) -> Iterator[tuple[str, str, Any]]:
    """Kind, slug and value of everything under a mark: entries of lists, and texts."""
    for name, info in type(value).model_fields.items():
        inner = getattr(value, name)
        for mark in marks_of(info):
            if isinstance(mark, mark_type):
                yield from _marked(mark.kind, inner)
        if isinstance(inner, Output):
            yield from _items(inner, mark_type)


def _marked(kind: str, value: Any) -> Iterator[tuple[str, str, Any]]:
    if isinstance(value, str):
        yield kind, kind, value
        return
    seen: Counter[str] = Counter()
    for item in value or ():
        slug = getattr(item, "slug", None) or slug_of(_title(item)) or kind
        seen[slug] += 1
        yield kind, slug if seen[slug] == 1 else f"{slug}-{seen[slug]}", item


def _title(item: Any) -> str:
    """What the item is called; nothing for a text."""
    if not isinstance(item, Output):
        return ""
    fields = type(item).model_fields.items()
    headings = (name for name, info in fields if _has(info, Heading))
    return str(getattr(item, next(headings, ""), ""))


def _text(item: Any, titles: _Titles) -> str:
    """All that is said of an item, in paragraphs: texts and lists of things, then short facts."""
    if isinstance(item, str):
        return PARAGRAPH.join(_paragraphs(item))
    paragraphs: list[str] = []
    facts: list[str] = []
    for name, info, value in _fields(item):
        if isinstance(value, str) and _has(info, Prose, Summary):
            paragraphs += _paragraphs(value)
        elif _is_things(value):
            paragraphs += _things(value, titles)
        else:
            facts.append(_fact(_label(name), _said(info, value, titles)))
    return PARAGRAPH.join([*paragraphs, *([" ".join(facts)] if facts else [])])


def _fields(item: Output) -> Iterator[tuple[str, FieldInfo, Any]]:
    """The fields that say something beside the item's name."""
    for name, info in type(item).model_fields.items():
        value = getattr(item, name)
        if name != "slug" and not _has(info, Heading) and value not in (None, [], ""):
            yield name, info, value


def _is_things(value: Any) -> bool:
    return isinstance(value, Output) or (
        isinstance(value, list) and all(isinstance(item, Output) for item in value)
    )


def _things(value: Any, titles: _Titles) -> list[str]:
    """A paragraph for each thing that has a text of its own; one for all that are short."""
    things = value if isinstance(value, list) else [value]
    said = [_thing(thing, titles) for thing in things]
    long = any(_has(info, Prose) for thing in things for _, info, _ in _fields(thing))
    return said if long else [" ".join(said)]


def _thing(thing: Output, titles: _Titles) -> str:
    """A thing inside an entry in a few sentences, its name first."""
    said = [_title(thing)]
    for name, info, value in _fields(thing):
        text = " ".join(_paragraphs(_said(info, value, titles)))
        if _has(info, Prose, Summary) or text.endswith(_ENDS):
            said.append(_stopped(text))
        elif len(said) == 1:
            said[0] = f"{said[0]}: {text}"
        else:
            said.append(_fact(_label(name), text))
    return " ".join([_stopped(said[0]), *said[1:]]).strip()


def _said(info: FieldInfo, value: Any, titles: _Titles) -> str:
    """A value in words: slugs and references by the titles of what they name."""
    if isinstance(value, list):
        return "; ".join(_named(info, _said(info, item, titles), titles) for item in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, enum.Enum):
        return str(value.value)
    return value.isoformat() if isinstance(value, date) else str(value)


def _named(info: FieldInfo, word: str, titles: _Titles) -> str:
    for mark in marks_of(info):
        if isinstance(mark, RefersTo):
            return titles.get((mark.kind, word), word)
        if isinstance(mark, Cites):
            kind, _, slug = word.partition("/")
            return titles.get((kind, slug), word)
    return word


def _has(info: FieldInfo, *types: type) -> bool:
    return any(isinstance(mark, types) for mark in marks_of(info))


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _fact(label: str, text: str) -> str:
    return _stopped(text if text.endswith(".") else f"{label}: {text}")


def _stopped(text: str) -> str:
    return text if text.endswith(_ENDS) else f"{text}."


def _paragraphs(text: str) -> list[str]:
    return [part.strip() for part in text.split(PARAGRAPH) if part.strip()]


def _cut(paragraph: str) -> Iterator[str]:
    """The paragraph, or parts of it that end with a sentence and begin with the one before."""
    part: list[str] = []
    for sentence in _short(split_sentences(paragraph)):
        if part and _words([*part, sentence]) > MAX_WORDS:
            yield " ".join(part)
            part = part[-1:] if _words([part[-1], sentence]) <= MAX_WORDS else []
        part.append(sentence)
    if part:
        yield " ".join(part)


def _short(sentences: Sequence[str]) -> Iterator[str]:
    """The sentences; one longer than a passage comes in pieces."""
    for sentence in sentences:
        words = sentence.split()
        for at in range(0, len(words), MAX_WORDS):
            yield (sentence if len(words) <= MAX_WORDS else " ".join(words[at : at + MAX_WORDS]))


def _words(sentences: Sequence[str]) -> int:
    return sum(len(sentence.split()) for sentence in sentences)
