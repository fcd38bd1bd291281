"""The part of a long answer that a tool gives unless it is asked for a certain part.

Fields are left out, the longest first, until the rest of the object fits, or of `FEWEST` entries of
a list; then as many entries are given as fit. A note says what is missing and how to get it.
"""

from collections.abc import Callable
from typing import Any

import orjson

from sdl.arguments.projection import Projection, names
from sdl.operations.operation import Operation
from sdl.types.shape import ListShape, ObjectShape, Shape

MAX_TOKENS = 3_000
CHARACTERS_PER_TOKEN = 4
MAX_CHARACTERS = MAX_TOKENS * CHARACTERS_PER_TOKEN - 300
"""The size limit of a shortened result with all its forms; the rest is for the response's frame."""
FEWEST = 3
"""As many entries of a list are given at least, if it has them, each with fewer fields."""
SMALLER = 0.85

Make = Callable[[Shape, Any, str], bytes]
"""Makes the result from the shape and the body of a part, and a note, which may be empty."""


def shortened(operation: Operation, body: Any, make: Make) -> bytes:
    """Return the result of the whole body, or of the part of it that fits the limit."""
    result = make(operation.shape, body, "")
    if len(result) <= MAX_CHARACTERS or not names(operation):
        return result
    room = _size(body) * MAX_CHARACTERS / len(result)
    while True:
        part, note = _part(operation, body, int(room))
        shape = part.shape(operation.shape)
        result = make(shape, part.body(shape, body), note)
        room *= SMALLER
        if len(result) <= MAX_CHARACTERS or room < 1:
            return result


def cut(text: str, url: str) -> tuple[str, str]:
    """Return the paragraphs of a text that fit the limit, and the note; all if it is short."""
    if len(text) <= MAX_CHARACTERS:
        return text, ""
    left = len(text) // CHARACTERS_PER_TOKEN
    note = (
        f"Shortened to {MAX_TOKENS} tokens of about {left}. `read` gives the sections one at a"
        f" time; the whole is at {url}."
    )
    part = text[:MAX_CHARACTERS]
    return part.rpartition("\n\n")[0] or part, note


def _part(operation: Operation, body: Any, room: int) -> tuple[Projection, str]:
    """Return the part of a body that has about `room` characters of JSON, and the note."""
    prefix, shape = _inner(operation.shape)
    value = body
    for key in prefix:
        value = value[key]
    if isinstance(shape, ListShape) and not prefix:
        return _part_of_list(shape, value, room)
    sizes = _sizes([value]) if isinstance(shape, ObjectShape) else {}
    kept = _smallest(sizes, room)
    paths: set[tuple[str, ...]] = {(*prefix, key) for key in kept}
    return Projection(paths), _note(prefix, sizes, kept)


def _part_of_list(shape: ListShape, value: list[Any], room: int) -> tuple[Projection, str]:
    few = value[:FEWEST]
    sizes = _sizes(value) if isinstance(shape.item, ObjectShape) else {}
    kept = _smallest(_sizes(few), room) if sizes else set()
    count = 0
    for entry in value:
        part = {k: v for k, v in entry.items() if k in kept} if kept and entry else entry
        room -= _size(part)
        if room < 0 and count:
            break
        count += 1
    shown = ""
    if count < len(value):
        shown = (
            f" These are entries 1 to {count} of {len(value)}; for the next ones call again with"
            f" offset {count} and a limit."
        )
    paths: set[tuple[str, ...]] = {(key,) for key in kept if len(kept) < len(sizes)}
    return Projection(paths, limit=count), _note((), sizes, kept) + shown


def _inner(shape: Shape) -> tuple[tuple[str, ...], Shape]:
    """Return the object within objects of one member, and the keys that lead to it."""
    keys: tuple[str, ...] = ()
    while isinstance(shape, ObjectShape) and len(shape.fields) == 1:
        keys, shape = (*keys, shape.fields[0].key), shape.fields[0].shape
    return keys, shape


def _sizes(objects: list[Any]) -> dict[str, int]:
    """Return the length of each key with its values in these objects."""
    sizes: dict[str, int] = {}
    for each in objects:
        for key, value in (each or {}).items():
            sizes[key] = sizes.get(key, 0) + len(key) + _size(value)
    return sizes


def _smallest(sizes: dict[str, int], room: int) -> set[str]:
    """Return the keys that fit together, the smallest first, and one at least."""
    kept: set[str] = set()
    for key, size in sorted(sizes.items(), key=lambda item: item[1]):
        room -= size
        if room < 0 and kept:
            break
        kept.add(key)
    return kept


def _note(prefix: tuple[str, ...], sizes: dict[str, int], kept: set[str]) -> str:
    left = {
        ".".join((*prefix, key)): size // CHARACTERS_PER_TOKEN
        for key, size in sizes.items()
        if key not in kept
    }
    text = f"Shortened to {MAX_TOKENS} tokens."
    if left:
        names = ", ".join(f"{name} (~{tokens} tokens)" for name, tokens in left.items())
        text += f" Left out: {names}; call again with `fields` for them."
    return text


def _size(value: Any) -> int:
    return len(orjson.dumps(value))
