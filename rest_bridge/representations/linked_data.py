"""JSON-LD in the terms of schema.org, from the marks of a shape.

Source: JSON-LD 1.1, schema.org.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sdl.operations.operation import Operation
from sdl.types.marks import LinkedAs
from sdl.types.shape import ListShape, ObjectShape, Shape

CONTEXT = "https://schema.org"


def linked_data(
    operation: Operation, shape: Shape, body: Any, addresses: Sequence[str] = ()
) -> dict[str, Any]:
    """Return a body as one JSON-LD node.

    Every value in it stands in the body, but for the addresses of its entries.
    """
    shape, value = operation.unwrapped(shape, body)
    listed = operation.linked_list
    if listed is None or not isinstance(shape, ListShape):
        own = {"@id": addresses[0]} if addresses else {}
        return {"@context": CONTEXT, **own, **_value(LinkedAs(""), shape, value)}
    nodes = _value(LinkedAs(""), shape, value)
    if addresses:
        nodes = [{"@id": address, **node} for address, node in zip(addresses, nodes, strict=True)]
    return {"@context": CONTEXT, "@type": listed.type, listed.property: nodes}


def _value(mark: LinkedAs, shape: Shape, value: Any) -> Any:
    if isinstance(shape, ListShape):
        return [_value(mark, shape.item, item) for item in value]
    if isinstance(shape, ObjectShape):
        if mark.of:
            return value.get(mark.of)
        node: dict[str, Any] = {"@type": shape.linked_type}
        for name, inner in _properties(shape, value):
            before = node.get(name)
            if isinstance(before, dict) and isinstance(inner, dict):
                node[name] = {**before, **inner}  # two members of one node
            else:
                node[name] = inner
        return node
    return {"@type": mark.node, mark.inner: value} if mark.node else value


def _properties(shape: ObjectShape, value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the properties of an object, with those of the parts that are no nodes."""
    for member in shape.fields:
        inner = value.get(member.key)
        if inner is None or inner == []:
            continue
        marks = [mark for mark in member.marks if isinstance(mark, LinkedAs)]
        for mark in marks:
            yield mark.property, _value(mark, member.shape, inner)
        is_part = isinstance(member.shape, ObjectShape) and not member.shape.linked_type
        if is_part and not marks and isinstance(member.shape, ObjectShape):
            yield from _properties(member.shape, inner)
