"""Sentences that say a field of the content, with the address of the value in a body."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from resolvers.answers.fields import AskedField, Entry, FactTable, Path
from resolvers.search.sentences import join_sentences, split_sentences
from schema.language_names import language_name
from sdl.operations.operation import Operation
from sdl.tools.code_in_text import prose_of
from sdl.types.shape import ListShape, ScalarShape

MAX_PROSE = 420
"""How much of a text opens an answer. Units: characters."""
MAX_LIST = 700
"""The length up to which a list is said as a whole. Units: characters."""
MAX_FIRST = 12
"""How many items are said of a longer list."""
MARKED = re.compile(r"\[\d+\]|!\[|<[a-zA-Z/!?]")
"""Text that would be read as a citation, an image or HTML; it is not said."""
_EMPTY: tuple[Any, ...] = (None, [], "")


@dataclass(frozen=True)
class Statement:
    """A sentence that says a value, and where the value stands."""

    text: str
    field: AskedField
    entry: Entry | None
    operation: Operation
    url: str
    pointer: str
    """The place of the value in the body at the URL. Source: RFC 6901."""
    owner: Mapping[str, Any]
    """The object that has the field, as plain JSON."""

    @property
    def value(self) -> Any:
        """The value of the field, as plain JSON."""
        return self.owner[self.field.field.key]


def statements_of(
    table: FactTable, field: AskedField, entry: Entry | None = None
) -> Iterator[Statement]:
    """Yield what the content says about a field: of one entry, or of each that has a value."""
    if entry is not None:
        operation, variables, place = entry.read
        body = table.body(operation, variables)
        yield from _said(field, entry, operation, variables, place, _at(body, place))
        return
    operation = field.operation
    body = table.body(operation, {})
    if field.path is None:
        is_whole = operation.rest is not None and operation.rest.whole
        owner = body if is_whole else {field.field.key: body}
        for statement in _said(field, None, operation, {}, (), owner):
            yield statement if is_whole else replace(statement, pointer="")
        return
    for place, owner in _owners(body, field.path, ()):
        entry = table.entry_at(operation, place)
        if entry is not None and entry.single is not None:
            yield from statements_of(table, field, entry)  # at the entry's own address
        else:
            yield from _said(field, entry, operation, {}, place, owner)


def items_of(statement: Statement) -> list[Statement]:
    """Return one statement for each item of a list; none if the value is no list."""
    if not isinstance(statement.field.field.shape, ListShape):
        return []
    key, template = statement.field.field.key, statement.field.template
    readable = _readable(statement.field, statement.owner)
    items: list[Statement] = []
    for index, item in enumerate(statement.value):
        owner = {**statement.owner, key: [item]}
        if text := template.fill({**readable, key: [readable[key][index]]}):
            pointer = f"{statement.pointer}/{index}"
            items.append(replace(statement, text=text, pointer=pointer, owner=owner))
    return items


def shortened(statement: Statement) -> Statement:
    """Return the opening of a text, or what is said of the first items of a long list."""
    if statement.field.is_prose:
        return replace(statement, text=opening(statement.text))
    if len(statement.text) <= MAX_LIST or not isinstance(statement.value, list):
        return statement
    key, items = statement.field.field.key, list(statement.value[:MAX_FIRST])
    text = ""
    while items and len(text := _filled(statement, key, items)) > MAX_LIST:
        items.pop()
    count = len(statement.value)
    rest = f" And {count - len(items)} more of {count}." if len(items) < count else ""
    return replace(statement, text=f"{text}{rest}")


def opening(text: str) -> str:
    """Return the first sentences of a text, up to one that may not be said."""
    sentences: list[str] = []
    for sentence in split_sentences(text):
        if sentences and sum(map(len, sentences)) + len(sentence) > MAX_PROSE:
            break
        if MARKED.search(sentence):
            break
        sentences.append(sentence)
    return join_sentences(sentences)


def _filled(statement: Statement, key: str, items: Sequence[Any]) -> str:
    return statement.field.template.fill({**statement.owner, key: items}) or ""


def _said(  # noqa: PLR0913, PLR0917 - what a statement consists of
    field: AskedField,
    entry: Entry | None,
    operation: Operation,
    variables: Mapping[str, str],
    place: Path,
    owner: Mapping[str, Any],
) -> Iterator[Statement]:
    key = field.field.key
    text = field.template.fill(_readable(field, owner)) if owner.get(key) not in _EMPTY else None
    if text:
        url = url_of(operation, variables)
        yield Statement(text, field, entry, operation, url, pointer_of((*place, key)), owner)


def _readable(field: AskedField, owner: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the object with names of languages beside their codes, and without blocks of code."""
    owner = {key: _without_code(value) for key, value in owner.items()}
    shape, key = field.field.shape, field.field.key
    item = shape.item if isinstance(shape, ListShape) else None
    if isinstance(item, ScalarShape) and item.type_name == "LanguageCode":
        return {**owner, key: [language_name(code) for code in owner[key]]}
    return owner


def _without_code(value: Any) -> Any:
    if isinstance(value, str):
        return prose_of(value)
    if isinstance(value, list):
        return [_without_code(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _without_code(inner) for key, inner in value.items()}
    return value


def _owners(
    value: Any, path: tuple[str, ...], place: Path
) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield every object at the end of a path, through lists, and its place."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _owners(item, path, (*place, index))
    elif isinstance(value, Mapping) and not path:
        yield place, value
    elif isinstance(value, Mapping) and value.get(path[0]) is not None:
        yield from _owners(value[path[0]], path[1:], (*place, path[0]))


def _at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def url_of(operation: Operation, variables: Mapping[str, str]) -> str:
    """Return the path of a read with these variables."""
    url = operation.rest.path if operation.rest is not None else "/"
    for name, value in variables.items():
        url = url.replace(f"{{{name}}}", value)
    return url


def pointer_of(path: Path) -> str:
    """Return a path as a JSON pointer. Source: RFC 6901."""
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in path)
    return "".join(f"/{part}" for part in parts)
