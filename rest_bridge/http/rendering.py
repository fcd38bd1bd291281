"""The body of a stored operation in each of its media types."""

from typing import Any

import orjson

from rest_bridge.http.atom import ATOM, atom_document
from rest_bridge.http.markdown import markdown_document
from sdl.directives import MEDIA_TYPES
from sdl.operation import Operation
from sdl.shape import Shape

JSON, MARKDOWN, TEXT = (MEDIA_TYPES[word] for word in ("JSON", "MARKDOWN", "TEXT"))


def rendered(operation: Operation, shape: Shape, body: Any, media_type: str, index: str) -> bytes:
    """Return the body in a media type.

    Markdown begins with the path of the index, unless the operation has no path of its own or
    declares TEXT (as the index itself does).
    """
    if media_type == ATOM:
        return atom_document(body)
    if media_type == TEXT and isinstance(body, str):
        return body.encode()
    if media_type not in (MARKDOWN, TEXT):
        return orjson.dumps(body)
    text = markdown_document(operation.title, *operation.unwrapped(shape, body))
    if operation.rest is None or TEXT in operation.rest.media:
        return text.encode()
    return f"> The index of everything on this service: {index}\n\n{text}".encode()
