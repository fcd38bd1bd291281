"""The shape of what an operation answers: JSON Schema of a selection, plain JSON of a result.

The only place where GraphQL enum names become wire words and null becomes absent.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLEnumType,
    GraphQLField,
    GraphQLList,
    GraphQLNamedType,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    InlineFragmentNode,
    SelectionSetNode,
)
from pydantic import TypeAdapter
from pydantic.fields import FieldInfo

from schema.declare import marks_of
from schema.directives import Fails, Spends
from schema.scalars import SCALARS

_BUILT_IN = {
    "String": {"type": "string"},
    "ID": {"type": "string"},
    "Int": {"type": "integer"},
    "Float": {"type": "number"},
    "Boolean": {"type": "boolean"},
}

Fragments = Mapping[str, FragmentDefinitionNode]


@dataclass(frozen=True)
class Leaf:
    """A single value: a scalar, or an enum with its wire words by GraphQL name."""

    type_name: str
    words: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Listing:
    """A list."""

    item: "Shape"


@dataclass(frozen=True)
class Member:
    """One key of an object."""

    key: str
    shape: "Shape"
    optional: bool
    description: str
    marks: tuple[Any, ...]

    def has(self, mark: type) -> bool:
        """Whether the field carries this mark."""
        return any(isinstance(found, mark) for found in self.marks)


@dataclass(frozen=True)
class Fields:
    """An object."""

    type_name: str
    description: str
    members: tuple[Member, ...]

    def marked(self, mark: type) -> Member | None:
        """The first member with this mark."""
        return next((member for member in self.members if member.has(mark)), None)


Shape = Leaf | Listing | Fields
Reference = Callable[[Fields], str | None]


def shape_of(
    kind: GraphQLOutputType, selection: SelectionSetNode | None, fragments: Fragments
) -> Shape:
    """The shape of a valid selection on a type; the type's own nullability is the caller's."""
    if isinstance(kind, GraphQLNonNull):
        return shape_of(kind.of_type, selection, fragments)
    if isinstance(kind, GraphQLList):
        return Listing(shape_of(kind.of_type, selection, fragments))
    if isinstance(kind, GraphQLEnumType):
        return Leaf(kind.name, {name: str(value.value) for name, value in kind.values.items()})
    if isinstance(kind, GraphQLObjectType) and selection is not None:
        nodes: dict[str, list[FieldNode]] = {}
        for node in _fields(selection, fragments):
            nodes.setdefault((node.alias or node.name).value, []).append(node)
        members = tuple(_member(kind, key, same, fragments) for key, same in nodes.items())
        return Fields(kind.name, kind.description or "", members)
    if isinstance(kind, GraphQLNamedType):
        return Leaf(kind.name)
    raise TypeError(kind)


def json_schema(
    shape: Shape, reference: Reference = lambda _: None, *, part: bool = False
) -> dict[str, Any]:
    """The JSON Schema (2020-12) of the plain JSON that this shape gives, or of any part of it.

    `reference` names the schema that stands elsewhere for an object.
    """
    if isinstance(shape, Leaf):
        if shape.words is not None:
            return {"type": "string", "enum": list(shape.words.values())}
        return _scalar_schema(shape.type_name)
    if isinstance(shape, Listing):
        return {"type": "array", "items": json_schema(shape.item, reference, part=part)}
    if (name := reference(shape)) is not None:
        return {"$ref": name}
    return {
        "type": "object",
        "title": shape.type_name,
        "description": shape.description,
        "properties": {
            member.key: {
                **json_schema(member.shape, reference, part=part),
                "description": member.description,
            }
            for member in shape.members
        },
        "required": [m.key for m in shape.members if not (m.optional or part)],
        "additionalProperties": False,
    }


def plain(shape: Shape, value: Any) -> Any:
    """The value of a result as plain JSON: wire words, absent instead of null."""
    if isinstance(shape, Leaf):
        return value if shape.words is None else shape.words[value]
    if isinstance(shape, Listing):
        return [plain(shape.item, item) for item in value]
    return {
        member.key: plain(member.shape, value[member.key])
        for member in shape.members
        if value[member.key] is not None
    }


def errors_on(field: GraphQLField) -> tuple[str, ...]:
    """The codes of the errors that a field says it can meet."""
    definition = (field.extensions or {}).get("strawberry-definition")
    declared = getattr(definition, "directives", ())
    return tuple(code for found in declared if isinstance(found, Fails) for code in found.codes)


def budget_of(field: GraphQLField) -> str | None:
    """The budget that a field says it spends."""
    definition = (field.extensions or {}).get("strawberry-definition")
    declared = getattr(definition, "directives", ())
    return next((found.budget for found in declared if isinstance(found, Spends)), None)


def marks_on(field: GraphQLField) -> tuple[Any, ...]:
    """The marks of the declared field behind a GraphQL field."""
    info = _declared(field)
    return marks_of(info) if info is not None else ()


def is_plain(field: GraphQLField) -> bool:
    """Whether a field is a declared value, not computed by a resolver."""
    return _declared(field) is not None


def _declared(field: GraphQLField) -> FieldInfo | None:
    definition = (field.extensions or {}).get("strawberry-definition")
    origin = getattr(definition, "origin", None)
    fields: Mapping[str, FieldInfo] = getattr(origin, "model_fields", {})
    return fields.get(getattr(definition, "python_name", ""))


def _member(
    kind: GraphQLObjectType, key: str, nodes: list[FieldNode], fragments: Fragments
) -> Member:
    field = kind.fields[nodes[0].name.value]
    selections = [s for node in nodes if node.selection_set for s in node.selection_set.selections]
    selection = SelectionSetNode(selections=tuple(selections)) if selections else None
    return Member(
        key=key,
        shape=shape_of(field.type, selection, fragments),
        optional=not isinstance(field.type, GraphQLNonNull),
        description=field.description or "",
        marks=marks_on(field),
    )


def _fields(selection: SelectionSetNode, fragments: Fragments) -> Iterator[FieldNode]:
    for node in selection.selections:
        if isinstance(node, FieldNode):
            yield node
        elif isinstance(node, FragmentSpreadNode):
            yield from _fields(fragments[node.name.value].selection_set, fragments)
        elif isinstance(node, InlineFragmentNode):
            yield from _fields(node.selection_set, fragments)


@cache
def _scalar_schema(name: str) -> dict[str, Any]:
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    return TypeAdapter(SCALARS[name].word).json_schema()
