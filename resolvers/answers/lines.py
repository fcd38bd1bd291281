"""Every line that can be said of a studio, each with the address of the value that it says.

A line is a sentence of the owner's, a typed field as a sentence, an item of a long list, an entry
as a whole (its name, and the opening of its text), or the names in a list. Blocks of code and texts
of other people are never said.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from resolvers.answers.fields import AskedField, Entry, FactTable, Path
from resolvers.answers.kinds import holds_price
from resolvers.answers.statements import (
    MARKED,
    Statement,
    items_of,
    opening,
    pointer_of,
    shortened,
    statements_of,
    url_of,
)
from resolvers.search.sentences import join_sentences, split_sentences
from sdl.operations.operation import Operation
from sdl.tools.code_in_text import code_blocks, prose_of, prose_parts
from sdl.types.declare import slug_of
from sdl.types.marks import Foreign, OtherName, Prose
from sdl.types.shape import ListShape, ObjectShape, Shape

Basis = Literal["field", "faq", "definition", "quotation"]

MIN_WORDS = 4
"""A shorter sentence says too little to be quoted."""
MAX_QUOTE = 300
"""How long a quotation becomes by the sentences around it, and the list that is said as a whole
where one of its items is asked for. Units: characters."""
_ENDINGS = (".", "!", ":", ")", '"', "'", "\u2019", "\u201d")
"""The ends of sentences that say something; a title or a tag is none, and a question is not."""
_DEPENDENT = re.compile(
    r"(?:It|Its|They|Their|Them|This|That|These|Those|He|She|His|Her|Both|Each|Such|Neither|There"
    r"|So|But|And|Then|Thus|Otherwise|Here|Some)\b"
)
"""The beginnings of sentences that can be understood only after the one before."""
_POLAR = re.compile(r"(?:yes|no|not|never|only|both|neither|ja|nein|nicht|nie)\b", re.IGNORECASE)
"""The beginnings of answers that say nothing without the question."""


@dataclass(frozen=True)
class Line:
    """One thing that can be said, and where it stands."""

    text: str
    """What is said."""
    title: str
    kind: str
    slug: str
    url: str
    pointer: str
    """The value that is said, in the JSON body at the URL. Source: RFC 6901."""
    basis: Basis
    read: Operation
    """The operation that reads the value."""
    variables: dict[str, str]
    sentence: str = ""
    """The part of the text that is compared with a question; all of it if empty."""
    asks: tuple[str, ...] = ()
    """Questions that it answers."""
    entry: Entry | None = None
    field: AskedField | None = None
    whole: int | None = None
    """The number of the line that says the whole list of which this is an item."""

    @property
    def compared(self) -> str:
        """What a question is compared with: the title for context, and the sentence."""
        stop = "" if self.title.endswith(("?", ".", "!")) else "."
        rest = self.sentence or self.text
        return self.title if rest == self.title else f"{self.title}{stop} {rest}"

    @property
    def is_unpublished(self) -> bool:
        """Whether it only says that something is not published."""
        return self.field is not None and not self.field.asked.published


def lines_of(table: FactTable) -> list[Line]:
    """Return every line, none twice at one place."""
    lines: list[Line] = []
    seen: set[tuple[str, str, str]] = set()

    def add(line: Line) -> int:
        """Return the number of a line, which is said unless it was before."""
        key = (line.url, line.pointer, line.sentence or line.text)
        if key in seen or not line.text or MARKED.search(line.text):
            return -1
        seen.add(key)
        lines.append(line)
        return len(lines) - 1

    for line in (*_of_entries(table), *_of_single_reads(table), *_listings(table)):
        add(line)
    statements = list(_statements(table))
    texts = [*(line.text for line in lines), *(statement.text for statement in statements)]
    is_priced = any(map(holds_price, texts))
    for statement in statements:
        if is_priced and not statement.field.asked.published:
            continue  # "No prices are published" is not true where an amount is
        whole = add(_of_statement(statement, shortened(statement)))
        if whole >= 0 and len(statement.text) > MAX_QUOTE:
            for item in items_of(statement):
                add(replace(_of_statement(item, item), asks=(), whole=whole))
    return lines


def _statements(table: FactTable) -> Iterator[Statement]:
    """Yield what is said of each typed field: of each entry, where it is one of an entry."""
    asked = {entry.type_name for entry in table.entries if entry.is_question}
    for field in table.fields:
        is_list_of_questions = field.item is not None and field.item.type_name in asked
        is_other = field.is_foreign or field.is_prose or field.field.is_marked(OtherName)
        if not (is_other or is_list_of_questions):
            yield from statements_of(table, field)


def _of_entries(table: FactTable) -> Iterator[Line]:
    for entry in table.entries:
        yield from _of_entry(table, entry)


def _of_entry(table: FactTable, entry: Entry) -> Iterator[Line]:
    """Yield an entry as a whole, then its sentences."""
    operation, variables, place = entry.read
    url = url_of(operation, variables)
    base = Line(
        text="",
        title=entry.name,
        kind=entry.kind,
        slug=entry.slug,
        url=url,
        pointer="",
        basis="quotation",
        read=operation,
        variables=dict(variables),
        entry=entry,
    )
    if (prose := _prose(entry, place)) is not None:
        path, text = prose
        said = opening(text)
        code = " ".join(code_blocks(entry.value[str(path[-1])]))[:MAX_QUOTE]
        basis: Basis = "faq" if entry.is_question else "definition"
        asks = (entry.name,) if entry.is_question else _asks(table, entry, path[-1])
        if entry.is_question and _POLAR.match(said):
            said, path = f"{entry.name} {said}", place
        names = ", ".join([*dict.fromkeys(entry.other_names), *([code] if code else [])])
        yield replace(
            base,
            text=said,
            pointer=pointer_of(path),
            basis=basis,
            sentence=names or entry.name,
            asks=asks,
        )
    for path, text in _texts(entry.shape, entry.value, place):
        if text != entry.name:
            yield from _sentences(text, replace(base, pointer=pointer_of(path)))


def _asks(table: FactTable, entry: Entry, key: Any) -> tuple[str, ...]:
    """Return the example questions of an entry's text."""
    return tuple(
        question
        for field in table.fields
        if field.owner.type_name == entry.type_name and field.field.key == key
        for question in field.asked.questions
    )


def _of_single_reads(table: FactTable) -> Iterator[Line]:
    """Yield the sentences of the bodies that stand in no entry."""
    entries = {(entry.listing.name, entry.place) for entry in table.entries}
    seen = {text for entry in table.entries for _, text in _texts(entry.shape, entry.value, ())}
    for operation in table.single_reads:
        asked = {f.field.key: f for f in table.fields if f.operation is operation and f.is_prose}
        for path, text in _texts(operation.shape, table.body(operation, {}), ()):
            if text in seen or any((operation.name, path[:n]) in entries for n in range(len(path))):
                continue
            seen.add(text)
            base = _line(operation, pointer_of(path))
            field = asked.get(str(path[-1]) if path else operation.root_key)
            if field is not None:
                asks = tuple(field.asked.questions)
                yield replace(base, text=opening(text), asks=asks, field=field, basis="field")
            yield from _sentences(text, base)


def _line(operation: Operation, pointer: str) -> Line:
    return Line(
        text="",
        title=operation.title,
        kind=operation.root_key,
        slug=slug_of(operation.title),
        url=url_of(operation, {}),
        pointer=pointer,
        basis="quotation",
        read=operation,
        variables={},
    )


def _of_statement(statement: Statement, said: Statement) -> Line:
    entry, operation = statement.entry, statement.operation
    base = replace(_line(operation, said.pointer), url=statement.url, basis="field")
    if entry is not None:
        base = replace(base, title=entry.name, kind=entry.kind, slug=entry.slug, entry=entry)
        base = replace(base, variables=dict(entry.read[1]))
    asks = tuple(statement.field.asked.questions)
    return replace(base, text=said.text, asks=asks, field=statement.field)


def _listings(table: FactTable) -> Iterator[Line]:
    """Yield what each list of entries has: how many, and their names."""
    for name in dict.fromkeys(entry.listing.name for entry in table.entries):
        own = [e for e in table.entries if e.listing.name == name and not e.is_question]
        own = [e for e in own if not any(m.is_marked(Foreign) for m in e.shape.fields)]
        for place in dict.fromkeys(entry.place[:-1] for entry in own):
            inside = [entry for entry in own if entry.place[:-1] == place]
            if len(inside) == 1 or not isinstance(inside[0].place[-1], int):
                continue
            operation, words = inside[0].listing, _words(inside[0].type_name)
            names = ", ".join(entry.name for entry in inside)
            title = operation.title if not place else f"{operation.title}, {place[-1]}"
            yield replace(
                _line(operation, pointer_of(place)),
                title=title,
                text=f"{title}: {len(inside)}. {names}.",
                basis="field",
                asks=(
                    f"how many {words}s are there",
                    f"list all {words}s",
                    f"which {words}s are there",
                ),
            )


def _words(type_name: str) -> str:
    """Return the name of a type in words: `PracticeArea` is `practice area`."""
    return re.sub(r"(?<!^)([A-Z])", lambda match: f" {match[1]}", type_name).lower()


def _prose(entry: Entry, place: Path) -> tuple[Path, str] | None:
    """Return the first text of whole paragraphs in an entry, and its place."""
    for member in entry.shape.fields:
        if member.is_marked(Prose) and (text := prose_of(entry.value.get(member.key) or "")):
            return (*place, member.key), text
    return None


def _texts(shape: Shape, value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the texts in a value and their places, without those of other people."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(shape, ObjectShape):
        for member in shape.fields:
            if member.key in value and not member.is_marked(Foreign):
                yield from _texts(member.shape, value[member.key], (*path, member.key))
    elif isinstance(shape, ListShape):
        for index, inner in enumerate(value):
            yield from _texts(shape.item, inner, (*path, index))


def _sentences(text: str, base: Line) -> Iterator[Line]:
    for part in prose_parts(text):
        sentences = split_sentences(part)
        for index, sentence in enumerate(sentences):
            if len(sentence.split()) >= MIN_WORDS and sentence.endswith(_ENDINGS):
                yield replace(base, text=_quote(sentences, index), sentence=sentence)


def _quote(sentences: list[str], index: int) -> str:
    """Return a sentence after the one that it needs, and with those after it that fit."""
    start, end = index, index + 1
    if index > 0 and _DEPENDENT.match(sentences[index]):
        start -= 1
    while end < len(sentences) and _fits(sentences[start : end + 1]):
        end += 1
    return join_sentences(sentences[start:end])


def _fits(sentences: list[str]) -> bool:
    length = sum(map(len, sentences)) + len(sentences)
    return length <= MAX_QUOTE and not MARKED.search(sentences[-1])
