"""The body of an operation as MCP gives it.

A client of MCP has no address to resolve a path against, so the `url` of an entry is absolute, and
beside it is the `id` with which `fetch` gives the entry. What is only needed over HTTP is left out
where there is a tool.
"""

from dataclasses import replace
from typing import Any
from urllib.parse import unquote, urlsplit

import orjson

from sdl.operations.catalog import PARAMETERS, READ, SECTION
from sdl.operations.operation import section_of
from sdl.tools.code_in_text import inline_code
from sdl.types.marks import OverHttp
from sdl.types.shape import Field, ListShape, ObjectShape, ScalarShape, Shape

URL, ID, PROOF = "url", "id", "proof"
_PATH = ScalarShape("Path")


def over_mcp(shape: Shape, body: Any, base_url: str, *, as_text: bool = False) -> Any:
    """Return the body as MCP gives it; in a text, the path of a proof is a call of `read`."""
    if isinstance(shape, ListShape):
        return [over_mcp(shape.item, item, base_url, as_text=as_text) for item in body]
    if not isinstance(shape, ObjectShape) or body is None:
        return body
    members: dict[str, Any] = {}
    for member in shape.fields:
        if member.key not in body or is_replaced(member, body):
            continue
        value = body[member.key]
        if is_address(member):
            members |= {ID: section_of(value), URL: f"{base_url}{value}"}
        elif as_text and member.key == PROOF and member.shape == _PATH:
            members[member.key] = _call_of_read(value)
        else:
            members[member.key] = over_mcp(member.shape, value, base_url, as_text=as_text)
    return members


def _call_of_read(path: str) -> str:
    parts = urlsplit(path)
    arguments = {SECTION: section_of(parts.path), PARAMETERS: unquote(parts.query)}
    return inline_code(f"{READ} {orjson.dumps(arguments).decode()}")


def shape_over_mcp(shape: Shape) -> Shape:
    """Return the shape of the body as MCP gives it: with the ids beside the addresses."""
    if isinstance(shape, ListShape):
        return replace(shape, item=shape_over_mcp(shape.item))
    if not isinstance(shape, ObjectShape):
        return shape
    fields = list[Field]()
    for member in shape.fields:
        if is_address(member):
            fields.append(replace(member, key=ID, optional=True, marks=()))
        fields.append(replace(member, shape=shape_over_mcp(member.shape)))
    return replace(shape, fields=tuple(fields))


def is_address(member: Field) -> bool:
    """Whether a member is the path of an entry of this service."""
    return member.key == URL and member.shape == _PATH


def is_replaced(member: Field, body: Any) -> bool:
    """Whether a member is for HTTP only, and the body says the same for MCP."""
    return any(isinstance(mark, OverHttp) and mark.instead_of in body for mark in member.marks)
