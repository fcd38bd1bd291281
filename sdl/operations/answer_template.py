"""The sentence of a field that answers a question: text with the values of its object.

`{version}` stands for a value, `{client.name}` for one inside it, `{#projects}` for the length of a
list. `{active?offered|not offered}` chooses by a Boolean. A part in brackets is left out if a value
in it is missing: `{name}[, version {version}]`. A part that names the members of a list is repeated
for each item, `[{projects.name} ({projects.status})]`, or for the first few: `[3: ...]`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sdl.types.shape import ListShape, ObjectShape, Shape

_TOKEN = re.compile(r"\{([^{}]*)\}|(\[)(?:(\d+): ?)?|(\])")
_VALUE = re.compile(r"(#?)([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)(?:\?([^|{}]*)\|([^|{}]*))?")
_TWO_STOPS = re.compile(r"([.!?])\.(?=\s|$)")
_ITEM_STOPS = re.compile(r"[,;]")


@dataclass(frozen=True)
class _Value:
    path: tuple[str, ...]
    is_count: bool = False
    choice: tuple[str, str] | None = None


@dataclass(frozen=True)
class _Part:
    pieces: "tuple[_Piece, ...]"
    limit: int | None = None


_Piece = str | _Value | _Part


@dataclass(frozen=True)
class AnswerTemplate:
    """A parsed template."""

    root: _Part

    def problems(self, shape: ObjectShape) -> Iterator[str]:
        """Yield the names in the template that the type does not have."""
        for value in _values(self.root):
            if not _resolves(value.path, shape):
                yield ".".join(value.path)

    def fill(self, body: Mapping[str, Any]) -> str | None:
        """Return the sentence about an object, as plain JSON; `None` if a value is missing."""
        text = _fill(self.root, body)
        return _TWO_STOPS.sub(r"\1", text).strip() if text is not None else None


@lru_cache(maxsize=1024)
def parse_template(text: str) -> AnswerTemplate:
    """Parse a template. Raises: ValueError."""
    stack: list[tuple[list[_Piece], int | None]] = [([], None)]
    end = 0
    for token in _TOKEN.finditer(text):
        stack[-1][0].append(text[end : token.start()])
        end = token.end()
        if token[2]:
            stack.append(([], int(token[3]) if token[3] else None))
        elif token[4]:
            pieces, limit = stack.pop()
            if not stack:
                raise ValueError(f"{text!r}: a bracket is closed that was not opened")
            stack[-1][0].append(_Part(tuple(pieces), limit))
        else:
            stack[-1][0].append(_value(token[1]))
    stack[-1][0].append(text[end:])
    if len(stack) > 1:
        raise ValueError(f"{text!r}: a bracket is not closed")
    return AnswerTemplate(_Part(tuple(stack[0][0])))


def _value(text: str) -> _Value:
    match = _VALUE.fullmatch(text)
    if match is None:
        raise ValueError(f"{{{text}}}: write {{name}}, {{name.member}}, {{#list}} or {{flag?a|b}}")
    choice = (match[3], match[4]) if match[3] is not None else None
    return _Value(tuple(match[2].split(".")), bool(match[1]), choice)


def _values(part: _Part) -> Iterator[_Value]:
    for piece in part.pieces:
        if isinstance(piece, _Value):
            yield piece
        elif isinstance(piece, _Part):
            yield from _values(piece)


def _resolves(path: Sequence[str], shape: Shape) -> bool:
    for key in path:
        inner = shape.item if isinstance(shape, ListShape) else shape
        if not isinstance(inner, ObjectShape):
            return False
        member = next((field for field in inner.fields if field.key == key), None)
        if member is None:
            return False
        shape = member.shape
    return True


def _fill(part: _Part, body: Mapping[str, Any]) -> str | None:
    texts: list[str] = []
    for piece in part.pieces:
        if isinstance(piece, str):
            texts.append(piece)
        elif isinstance(piece, _Part):
            texts.append(_fill_optional(piece, body))
        else:
            text = _say(piece, _member(body, piece.path))
            if text is None:
                return None
            texts.append(text)
    return "".join(texts)


def _fill_optional(part: _Part, body: Mapping[str, Any]) -> str:
    """Fill a part once, or once for each item of the list that it names."""
    path = _list_path(part, body)
    if path is None:
        return _fill(part, body) or ""
    items = (_member(body, path) or [])[: part.limit]
    filled = (_fill(part, _with_member(body, path, item)) for item in items)
    return "; ".join(text for text in filled if text)


def _list_path(part: _Part, body: Mapping[str, Any]) -> tuple[str, ...] | None:
    for value in _values(part):
        for length in range(1, len(value.path)):
            if isinstance(_member(body, value.path[:length]), list):
                return value.path[:length]
    return None


def _with_member(body: Mapping[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:
    """Return the object with one value replaced."""
    inner = _with_member(body[path[0]], path[1:], value) if len(path) > 1 else value
    return {**body, path[0]: inner}


def _member(body: Any, path: Sequence[str]) -> Any:
    for key in path:
        if not isinstance(body, Mapping) or key not in body:
            return None
        body = body[key]
    return body


def _say(value: _Value, found: Any) -> str | None:
    """Return a value as text; `None` if it is missing or an empty list."""
    if value.is_count:
        return str(len(found)) if isinstance(found, list) else None
    if value.choice is not None:
        return value.choice[0 if found else 1] if found is not None else None
    if isinstance(found, list) and found:
        separator = "; " if any(_ITEM_STOPS.search(str(item)) for item in found) else ", "
        return separator.join(map(str, found))
    if isinstance(found, bool):
        return "yes" if found else "no"
    return str(found).strip() if found not in (None, [], "") else None
