"""The body of a stored operation in each of its media types."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import orjson

from rest_bridge.representations.atom import ATOM, atom_document
from rest_bridge.representations.linked_data import linked_data
from rest_bridge.representations.markdown import markdown_document
from sdl.operations.operation import Operation
from sdl.tools.json_text import to_json
from sdl.types.directives import MEDIA_TYPES
from sdl.types.marks import Summary
from sdl.types.shape import ListShape, ObjectShape, Shape, with_nulls

JSON, MARKDOWN, TEXT = (MEDIA_TYPES[word] for word in ("JSON", "MARKDOWN", "TEXT"))
LINKED_DATA = MEDIA_TYPES["LINKED_DATA"]


@dataclass(frozen=True)
class Places:
    """Where a body's surroundings are read."""

    index: str
    """The path of the index."""
    entries: Sequence[str] = ()
    """The addresses of the body's entries, in its order; none if they have none."""


def rendered(
    operation: Operation,
    shape: Shape,
    body: Any,
    media_type: str,
    places: Places,
) -> bytes:
    """Return the body in a media type.

    Markdown begins with the path of the index, unless the operation has no path of its own or
    declares TEXT (as the index itself does). A skill begins with its YAML head instead.
    """
    if media_type == ATOM:
        return atom_document(body)
    if media_type == TEXT and isinstance(body, str):
        return body.encode("utf-8", "replace")
    if media_type == LINKED_DATA:
        return orjson.dumps(linked_data(operation, shape, body, places.entries))
    if media_type in (MARKDOWN, TEXT):
        return _markdown(operation, shape, body, places).encode("utf-8", "replace")
    return to_json(body if operation.is_strict else with_nulls(shape, body))


def _markdown(operation: Operation, shape: Shape, body: Any, places: Places) -> str:
    own_shape, own = operation.unwrapped(shape, body)
    text = markdown_document(
        operation.title, own_shape, own, places.entries, is_foreign=not operation.is_strict
    )
    if operation.skill is not None:
        return f"{_yaml_head(skill_head(operation, shape, body))}{text}"
    if operation.rest is None or TEXT in operation.rest.media:
        return text
    head = f"> The index of everything on this service: {places.index}"
    if places.entries and isinstance(shape, ListShape):
        path = urlsplit(places.entries[0]).path.rpartition("/")[0]
        head += f"\n> One entry: {path}/{{slug}}. The slug stands after its title, as {{#slug}}."
    return f"{head}\n\n{text}"


def skill_head(operation: Operation, shape: Shape, body: Any) -> dict[str, str]:
    """Return the members of a skill's YAML head: its name, and the body's summary."""
    name = operation.skill.name if operation.skill is not None else ""
    summary = shape.field_marked(Summary) if isinstance(shape, ObjectShape) else None
    return {"name": name, "description": body.get(summary.key, "") if summary is not None else ""}


def _yaml_head(members: dict[str, str]) -> str:
    """Return the head in YAML, where a string of JSON is a string."""
    lines = [f"{name}: {orjson.dumps(value).decode()}\n" for name, value in members.items()]
    return f"---\n{''.join(lines)}---\n\n"
