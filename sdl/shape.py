"""The shape of an operation's result: its JSON Schema, and the conversion to plain JSON.

The conversion replaces GraphQL enum names by wire words and leaves out null.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLEnumType,
    GraphQLField,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLScalarType,
    InlineFragmentNode,
    SelectionSetNode,
)
from pydantic.fields import FieldInfo

from sdl.declare import Output, marks_of
from sdl.directives import Asked, Fails, Spends
from sdl.marks import CallersWords, Heading, Prose, Summary

JSON_SCHEMA = "json_schema"
"""The extension of a GraphQL scalar that holds the JSON Schema of its values."""

IS_TEXT = "is_text"
"""The extension of a GraphQL scalar whose values are constrained texts."""

_BUILT_IN: dict[str, dict[str, Any]] = {
    "String": {"type": "string"},
    "ID": {"type": "string"},
    "Int": {"type": "integer"},
    "Float": {"type": "number"},
    "Boolean": {"type": "boolean"},
    "Date": {"type": "string", "format": "date"},
    "DateTime": {"type": "string", "format": "date-time"},
    "Time": {"type": "string", "format": "time"},
    "Decimal": {"type": "string"},
    "UUID": {"type": "string", "format": "uuid"},
}
"""The JSON Schemas of GraphQL's and Strawberry's own scalars; any other one allows every value."""
_DEFAULT_MARKS: Mapping[str, tuple[Any, ...]] = {
    "name": (Heading(),),
    "title": (Heading(),),
    "summary": (Summary(),),
    "description": (Summary(),),
}
"""The marks of fields by their names, for types that are declared without marks."""


@dataclass(frozen=True)
class ScalarShape:
    """A scalar, or an enum with its wire words by GraphQL name."""

    type_name: str
    words: Mapping[str, str] | None = None
    schema: Mapping[str, Any] | None = field(default=None, compare=False)
    """The JSON Schema of its values, if the scalar has one of its own."""
    meanings: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The description of each wire word of an enum."""

    @property
    def writer(self) -> "Writer | None":
        """As in `ObjectShape`."""
        return None if self.words is None else self.words.__getitem__


@dataclass(frozen=True)
class ListShape:
    """A list."""

    item: "Shape"

    @property
    def writer(self) -> "Writer":
        """As in `ObjectShape`."""
        write = self.item.writer
        return list if write is None else lambda value: [write(item) for item in value]


@dataclass(frozen=True)
class Field:
    """One key of an object."""

    key: str
    shape: "Shape"
    optional: bool
    description: str
    marks: tuple[Any, ...]
    asked: tuple[Asked, ...] = ()
    """The questions that the field answers."""

    def is_marked(self, mark: type) -> bool:
        """Whether the field has this mark."""
        return any(isinstance(own, mark) for own in self.marks)


@dataclass(frozen=True)
class ObjectShape:
    """An object."""

    type_name: str
    description: str
    fields: tuple[Field, ...]
    linked_type: str = ""
    """The type of schema.org that the object is in JSON-LD; an empty text for none."""

    @cached_property
    def writer(self) -> "Writer":
        """What makes plain JSON of a result of this shape; None if a result is plain as it is.

        It is made once for a shape, because every answer that is not ready goes through it.
        """
        members = [(member.key, member.shape.writer) for member in self.fields]

        def write(value: Mapping[str, Any]) -> dict[str, Any]:
            result = {}
            for key, inner in members:
                item = value[key]
                if item is not None:
                    result[key] = item if inner is None else inner(item)
            return result

        return write

    def field_marked(self, mark: type) -> Field | None:
        """Return the first field with this mark; None if there is none."""
        return next((member for member in self.fields if member.is_marked(mark)), None)


class Fragments(dict[str, FragmentDefinitionNode]):
    """The fragments that selections spread, by name."""

    @cached_property
    def shapes(self) -> dict[tuple[str, str], ObjectShape]:
        """The shapes of selections that are one spread, by type and fragment; each is made once."""
        return {}


Shape = ScalarShape | ListShape | ObjectShape
Writer = Callable[[Any], Any]
Reference = Callable[[ObjectShape | ScalarShape], str | None]


def shape_of(
    kind: GraphQLOutputType, selection: SelectionSetNode | None, fragments: Fragments
) -> Shape:
    """Return the shape of a valid selection on a type, whether it is nullable or not."""
    if isinstance(kind, GraphQLNonNull):
        return shape_of(kind.of_type, selection, fragments)
    if isinstance(kind, GraphQLList):
        return ListShape(shape_of(kind.of_type, selection, fragments))
    if isinstance(kind, GraphQLEnumType):
        return ScalarShape(
            kind.name,
            {name: str(value.value) for name, value in kind.values.items()},
            meanings={str(v.value): v.description or "" for v in kind.values.values()},
        )
    if isinstance(kind, GraphQLObjectType) and selection is not None:
        first, *others = selection.selections
        if others or not isinstance(first, FragmentSpreadNode):
            return _object_shape(kind, selection, fragments)
        spread = (kind.name, first.name.value)
        if spread not in fragments.shapes:
            fragments.shapes[spread] = _object_shape(kind, selection, fragments)
        return fragments.shapes[spread]
    if isinstance(kind, GraphQLScalarType):
        return ScalarShape(kind.name, schema=scalar_schema(kind))
    raise TypeError(f"{kind}: a stored operation may select objects, lists, enums and scalars")


def _object_shape(
    kind: GraphQLObjectType, selection: SelectionSetNode, fragments: Fragments
) -> ObjectShape:
    nodes: dict[str, list[FieldNode]] = {}
    for node in _fields(selection, fragments):
        nodes.setdefault((node.alias or node.name).value, []).append(node)
    members = tuple(_field_of(kind, key, same, fragments) for key, same in nodes.items())
    linked_type = getattr(_origin(kind), "linked_type", "")
    return ObjectShape(kind.name, kind.description or "", members, linked_type)


def json_schema(shape: Shape, reference: Reference = lambda _: None) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a shape's plain JSON.

    `reference` returns the reference to the shared schema of an object or a scalar, or None.
    """
    if isinstance(shape, ListShape):
        return {"type": "array", "items": json_schema(shape.item, reference)}
    if (name := reference(shape)) is not None:
        return {"$ref": name}
    if isinstance(shape, ScalarShape):
        if shape.words is not None:
            return {"type": "string", "enum": list(shape.words.values())}
        return dict(shape.schema or _BUILT_IN.get(shape.type_name, {}))
    return {
        "type": "object",
        "title": shape.type_name,
        "description": shape.description,
        "properties": {
            member.key: {
                **json_schema(member.shape, reference),
                "description": member.description,
            }
            for member in shape.fields
        },
        "required": [m.key for m in shape.fields if not m.optional],
        "additionalProperties": False,
    }


def to_plain_json(shape: Shape, value: Any) -> Any:
    """Return the value of a result as plain JSON, with wire words and without null."""
    write = shape.writer
    return value if write is None else write(value)


def declared_errors(field: GraphQLField) -> tuple[str, ...]:
    """Return the codes of the errors that a field declares by `@fails`."""
    definition = (field.extensions or {}).get("strawberry-definition")
    directives = getattr(definition, "directives", ())
    return tuple(code for item in directives if isinstance(item, Fails) for code in item.codes)


def declared_limit(field: GraphQLField) -> str | None:
    """Return the rate limit that a field declares by `@spends`; None if there is none."""
    definition = (field.extensions or {}).get("strawberry-definition")
    directives = getattr(definition, "directives", ())
    return next((item.budget for item in directives if isinstance(item, Spends)), None)


def declared_questions(field: GraphQLField) -> tuple[Asked, ...]:
    """Return the questions that a field declares by `@asked`."""
    definition = (field.extensions or {}).get("strawberry-definition")
    return tuple(item for item in getattr(definition, "directives", ()) if isinstance(item, Asked))


def marks_on(field: GraphQLField) -> tuple[Any, ...]:
    """Return the marks on the Python field behind a GraphQL field."""
    info = _field_info(field)
    marks = marks_of(info) if info is not None else ()
    if any(isinstance(mark, CallersWords) for mark in marks):
        marks = tuple(m for m in marks if not isinstance(m, (Heading, Prose, Summary)))
    return marks


def scalar_schema(kind: GraphQLScalarType) -> dict[str, Any]:
    """Return the JSON Schema of a scalar: its own, or the one of a built-in scalar."""
    return dict(kind.extensions.get(JSON_SCHEMA) or _BUILT_IN.get(kind.name, {}))


def is_plain(field: GraphQLField) -> bool:
    """Whether a field is a stored value and not computed by a resolver."""
    definition = (field.extensions or {}).get("strawberry-definition")
    return definition is not None and definition.base_resolver is None


def _field_info(field: GraphQLField) -> FieldInfo | None:
    definition = (field.extensions or {}).get("strawberry-definition")
    origin = getattr(definition, "origin", None)
    fields: Mapping[str, FieldInfo] = getattr(origin, "model_fields", {})
    return fields.get(getattr(definition, "python_name", ""))


def _field_of(
    kind: GraphQLObjectType, key: str, nodes: list[FieldNode], fragments: Fragments
) -> Field:
    name = nodes[0].name.value
    field = kind.fields[name]
    selections = [s for node in nodes if node.selection_set for s in node.selection_set.selections]
    selection = SelectionSetNode(selections=tuple(selections)) if selections else None
    return Field(
        key=key,
        shape=shape_of(field.type, selection, fragments),
        optional=not isinstance(field.type, GraphQLNonNull),
        description=field.description or "",
        marks=marks_on(field) or _default_marks(kind, name),
        asked=declared_questions(field),
    )


def _fields(selection: SelectionSetNode, fragments: Fragments) -> Iterator[FieldNode]:
    for node in selection.selections:
        if isinstance(node, FieldNode):
            yield node
        elif isinstance(node, FragmentSpreadNode):
            yield from _fields(fragments[node.name.value].selection_set, fragments)
        elif isinstance(node, InlineFragmentNode):
            yield from _fields(node.selection_set, fragments)


def _default_marks(kind: GraphQLObjectType, name: str) -> tuple[Any, ...]:
    """Return the default marks of a field's name; none for types that declare marks."""
    origin = _origin(kind)
    is_marked = isinstance(origin, type) and issubclass(origin, Output)
    return () if is_marked else _DEFAULT_MARKS.get(name, ())


def _origin(kind: GraphQLObjectType) -> type | None:
    """Return the Python class behind a GraphQL type; None if it is declared otherwise."""
    origin = getattr(kind.extensions.get("strawberry-definition"), "origin", None)
    return origin if isinstance(origin, type) else None
