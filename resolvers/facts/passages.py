"""The owner's sentences that can be quoted, each with the address of the text that holds it.

Blocks of code are no sentences, and nothing is quoted across one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from resolvers.facts.fields import AskedField, Entry, FactTable, Path
from resolvers.facts.statements import MARKED, opening, pointer_of, url_of
from resolvers.search.sentences import split_sentences
from sdl.code_in_text import prose_of, prose_parts
from sdl.marks import Foreign, Prose
from sdl.operation import Operation
from sdl.shape import ListShape, ObjectShape, Shape

MIN_WORDS = 5
"""A shorter sentence says too little to be quoted."""
MAX_QUOTE = 300
"""How long a quotation becomes by the sentences around it. Units: characters."""
_ENDINGS = (".", "!", ":", ")", '"', "'", "\u2019", "\u201d")
"""The ends of sentences that say something; a title or a tag is none, and a question is not."""
_DEPENDENT = re.compile(
    r"(?:It|Its|They|Their|Them|This|That|These|Those|He|She|His|Her|Both|Each|Such|Neither|There"
    r"|So|But|And|Then|Thus|Otherwise|Here|Some)\b"
)
"""The beginnings of sentences that can be understood only after the one before."""


@dataclass(frozen=True)
class Passage:
    """One sentence, with what is quoted around it."""

    sentence: str
    quote: str
    """The sentence with those before and after it that it needs or that fit."""
    title: str
    entry: Entry | None
    operation: Operation
    url: str
    pointer: str
    """The text that holds the sentence, in the body at the URL. Source: RFC 6901."""
    field: AskedField | None = None
    """The field that is said, if it is not a text that is quoted."""

    @property
    def is_unpublished(self) -> bool:
        """Whether it only says that something is unpublished."""
        return self.field is not None and not self.field.asked.published

    def is_in(self, text: str) -> bool:
        """Return whether a text says the sentence, or all that is quoted around it."""
        return self.sentence in text or self.quote in text


def passages_of(table: FactTable) -> Iterator[Passage]:
    """Yield the owner's sentences: of every entry, then of the bodies that are no list of entries.

    A text from GitHub is other people's and is never quoted.
    """
    for entry in table.entries:
        operation, variables, place = entry.read
        url = url_of(operation, variables)
        prose = _prose(entry, place)
        for path, text in _texts(entry.shape, entry.value, place):
            if text == entry.name and prose is not None:
                said = opening(prose[1])
                yield Passage(text, said, entry.name, entry, operation, url, pointer_of(prose[0]))
            else:
                yield from _passages(text, entry.name, entry, operation, url, pointer_of(path))
    entries = {(entry.listing.name, entry.place) for entry in table.entries}
    seen = {text for entry in table.entries for _, text in _texts(entry.shape, entry.value, ())}
    for operation in table.single_reads:
        for path, text in _texts(operation.shape, table.body(operation, {}), ()):
            if text in seen or any((operation.name, path[:n]) in entries for n in range(len(path))):
                continue
            seen.add(text)
            url = url_of(operation, {})
            yield from _passages(text, operation.title, None, operation, url, pointer_of(path))


def _prose(entry: Entry, place: Path) -> tuple[Path, str] | None:
    """Return the first text of whole paragraphs in an entry, and its place."""
    for member in entry.shape.fields:
        if member.is_marked(Prose) and (text := prose_of(entry.value.get(member.key) or "")):
            return (*place, member.key), text
    return None


def _texts(shape: Shape, value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the texts in a value and their places, without those from outside of the content."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(shape, ObjectShape):
        for member in shape.fields:
            if member.key in value and not member.is_marked(Foreign):
                yield from _texts(member.shape, value[member.key], (*path, member.key))
    elif isinstance(shape, ListShape):
        for index, inner in enumerate(value):
            yield from _texts(shape.item, inner, (*path, index))


def _passages(  # noqa: PLR0913, PLR0917 - what a passage consists of
    text: str, title: str, entry: Entry | None, operation: Operation, url: str, pointer: str
) -> Iterator[Passage]:
    for part in prose_parts(text):
        sentences = split_sentences(part)
        for index, sentence in enumerate(sentences):
            if len(sentence.split()) >= MIN_WORDS and sentence.endswith(_ENDINGS):
                quote = _quote(sentences, index)
                yield Passage(sentence, quote, title, entry, operation, url, pointer)


def _quote(sentences: list[str], index: int) -> str:
    """Return a sentence after the one that it needs, and with those after it that fit."""
    start, end = index, index + 1
    if index > 0 and _DEPENDENT.match(sentences[index]):
        start -= 1
    while end < len(sentences) and _fits(sentences[start : end + 1]):
        end += 1
    return " ".join(sentences[start:end])


def _fits(sentences: list[str]) -> bool:
    length = sum(map(len, sentences)) + len(sentences)
    return length <= MAX_QUOTE and not MARKED.search(sentences[-1])
