"""The shape of an operation's result: its JSON Schema, and the conversion to plain JSON.

The conversion replaces GraphQL enum names by wire words and leaves out null.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLCompositeType,
    GraphQLEnumType,
    GraphQLEnumValue,
    GraphQLError,
    GraphQLField,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLScalarType,
    GraphQLSchema,
    InlineFragmentNode,
    SelectionNode,
    SelectionSetNode,
    TypeNameMetaFieldDef,
    get_named_type,
    is_abstract_type,
    is_object_type,
)
from pydantic.fields import FieldInfo
from strawberry.schema.types.scalar import DEFAULT_SCALAR_REGISTRY

from sdl.types.declare import Output, marks_of
from sdl.types.directives import Asked, Fails, Spends, Wire
from sdl.types.marks import CallersWords, Heading, Prose, Summary

JSON_SCHEMA = "json_schema"
"""The extension of a GraphQL scalar that holds the JSON Schema of its values."""

IS_TEXT = "is_text"
"""The extension of a GraphQL scalar whose values are constrained texts."""

TYPENAME = "__typename"

_BUILT_IN: dict[str, dict[str, Any]] = {
    "String": {"type": "string"},
    "ID": {"type": "string"},
    "Int": {"type": "integer"},
    "Float": {"type": "number"},
    "Boolean": {"type": "boolean"},
    "Date": {"type": "string", "format": "date"},
    "DateTime": {"type": "string", "format": "date-time"},
    "Time": {"type": "string"},
    "Decimal": {"type": "string"},
    "UUID": {"type": "string", "format": "uuid"},
}
"""The JSON Schemas of GraphQL's and Strawberry's own scalars; any other one allows every value."""
_STRAWBERRYS = {definition.name: definition for definition in DEFAULT_SCALAR_REGISTRY.values()}
"""Strawberry's own scalars by name; a schema may have another one of the same name."""
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
    """Empty for a scalar that is neither ours nor built in, whatever its schema calls it."""
    words: Mapping[str, str] | None = None
    schema: Mapping[str, Any] | None = field(default=None, compare=False)
    """The JSON Schema of its values, if the scalar has one of its own."""
    meanings: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The description of each wire word of an enum."""

    @property
    def is_typename(self) -> bool:
        """Whether it is the name of the type of the object that it is in."""
        return not self.type_name and self.words is not None

    @property
    def writer(self) -> "Writer | None":
        """As in `ObjectShape`."""
        return None if self.words is None else self.words.__getitem__


@dataclass(frozen=True)
class ListShape:
    """A list."""

    item: "Shape"
    has_null: bool = False
    """Whether an item may be null."""

    @property
    def writer(self) -> "Writer":
        """As in `ObjectShape`."""
        write = self.item.writer
        if self.has_null and write is not None:
            return lambda value: [None if item is None else write(item) for item in value]
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
    is_deprecated: bool = False
    is_everywhere: bool = True
    """Whether each type that the object may have has it."""

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
    is_merged: bool = False
    """Whether a result may lack members, as the object may have one of several types."""

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

        def write_merged(value: Mapping[str, Any]) -> dict[str, Any]:
            return {  # null stays: it says that the object's type has the member
                key: value[key] if inner is None or value[key] is None else inner(value[key])
                for key, inner in members
                if key in value
            }

        return write_merged if self.is_merged else write

    @property
    def typename_key(self) -> str | None:
        """The key that says the object's type; None if it is not selected."""
        scalars = ((m.key, m.shape) for m in self.fields if isinstance(m.shape, ScalarShape))
        return next((key for key, shape in scalars if shape.is_typename), None)

    def field_marked(self, mark: type) -> Field | None:
        """Return the first field with this mark; None if there is none."""
        return next((member for member in self.fields if member.is_marked(mark)), None)


class Fragments(dict[str, FragmentDefinitionNode]):
    """The fragments that selections on the types of a schema spread, by name."""

    def __init__(
        self, schema: GraphQLSchema, nodes: Mapping[str, FragmentDefinitionNode] | None = None
    ) -> None:
        super().__init__(nodes or {})
        self.schema = schema

    @cached_property
    def shapes(self) -> dict[tuple[str, str], ObjectShape]:
        """The shapes of selections that are one spread, by type and fragment; each is made once."""
        return {}

    def fields(self, kind: GraphQLObjectType, selections: Sequence[SelectionNode]) -> "FieldNodes":
        """Return the nodes that select each key of an object type, in their order."""
        nodes: FieldNodes = {}
        for node in self._fields(kind, selections):
            nodes.setdefault((node.alias or node.name).value, []).append(node)
        return nodes

    def _fields(
        self, kind: GraphQLObjectType, selections: Sequence[SelectionNode]
    ) -> Iterator[FieldNode]:
        for node in selections:
            if isinstance(node, FieldNode):
                yield node
                continue
            if isinstance(node, FragmentSpreadNode):
                part: FragmentDefinitionNode | InlineFragmentNode = self[node.name.value]
            elif isinstance(node, InlineFragmentNode):
                part = node
            else:
                raise TypeError(node)
            on = part.type_condition.name.value if part.type_condition else kind.name
            outer = self.schema.type_map[on]
            if outer is kind or (is_abstract_type(outer) and self.schema.is_sub_type(outer, kind)):
                yield from self._fields(kind, part.selection_set.selections)


FieldNodes = dict[str, list[FieldNode]]
Shape = ScalarShape | ListShape | ObjectShape
Writer = Callable[[Any], Any]
Reference = Callable[[ObjectShape | ScalarShape], str | None]


def shape_of(
    kind: GraphQLOutputType, selection: SelectionSetNode | None, fragments: Fragments
) -> Shape:
    """Return the shape of a valid selection on a type, whether it is nullable or not.

    Raises: GraphQLError for an interface or a union that no object can have.
    """
    selections = selection.selections if selection is not None else ()
    return _shape(kind, [(get_named_type(kind), tuple(selections))], fragments)


Part = tuple[Any, tuple[SelectionNode, ...]]
"""A composite type with what is selected on it."""


def _shape(kind: GraphQLOutputType, parts: Sequence[Part], fragments: Fragments) -> Shape:
    """Return the shape of a value of the type `kind`, with the selections of all parts."""
    if isinstance(kind, GraphQLNonNull):
        return _shape(kind.of_type, parts, fragments)
    if isinstance(kind, GraphQLList):
        has_null = not isinstance(kind.of_type, GraphQLNonNull)
        return ListShape(_shape(kind.of_type, parts, fragments), has_null)
    if isinstance(kind, GraphQLEnumType):
        words = wire_words(kind)
        meanings = {words[name]: value.description or "" for name, value in kind.values.items()}
        return ScalarShape(kind.name, words, meanings=meanings)
    if isinstance(kind, GraphQLScalarType):
        schema = scalar_schema(kind)
        return ScalarShape(kind.name if schema else "", schema=schema)
    [(own, (first, *others)), *more] = parts
    if more or others or not isinstance(first, FragmentSpreadNode):
        return _object_shape(parts, fragments)
    spread = (own.name, first.name.value)
    if spread not in fragments.shapes:
        fragments.shapes[spread] = _object_shape(parts, fragments)
    return fragments.shapes[spread]


def _object_shape(parts: Sequence[Part], fragments: Fragments) -> ObjectShape:
    """Return the one object that what is selected on each possible type makes.

    GraphQL lets two types have one key only with the same lists and the same scalar, so their
    members merge; one that some type has not is optional.
    """
    variants = [
        (kind, fragments.fields(kind, selections))
        for outer, selections in parts
        for kind in _possible_types(outer, selections, fragments.schema)
    ]
    keys = dict.fromkeys(key for _, nodes in variants for key in nodes)
    members = tuple(_field_of(key, variants, fragments) for key in keys)
    kind, is_merged = parts[0][0], len(variants) > 1
    name = "Or".join(dict.fromkeys(outer.name for outer, _ in parts))
    linked_type = "" if is_merged else getattr(_origin(variants[0][0]), "linked_type", "")
    return ObjectShape(name, kind.description or "", members, linked_type, is_merged)


def _possible_types(
    kind: GraphQLCompositeType, selections: Sequence[SelectionNode], schema: GraphQLSchema
) -> Sequence[GraphQLObjectType]:
    if is_object_type(kind):
        return [kind]
    found = schema.get_possible_types(kind) if is_abstract_type(kind) else []
    if not found:
        message = f"{kind}: no type of the schema is one; name one in `types=` of the schema"
        raise GraphQLError(message, list(selections))
    return found


@lru_cache(maxsize=256)  # every request that names a value asks for them
def wire_words(kind: GraphQLEnumType) -> Mapping[str, str]:
    """Return the word of each value by its name: that of its `@wire`, or else the name itself."""
    return {name: _word(value, name) for name, value in kind.values.items()}


def _word(value: GraphQLEnumValue, name: str) -> str:
    directives = getattr(value.extensions.get("strawberry-definition"), "directives", ())
    return next((own.word for own in directives if isinstance(own, Wire)), name)


def json_schema(
    shape: Shape, reference: Reference = lambda _: None, *, nulls: bool = False
) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a shape's plain JSON.

    `reference` returns the reference to the shared schema of an object or a scalar, or None.
    With `nulls` it is that of `with_nulls`.
    """
    if isinstance(shape, ListShape):
        items = json_schema(shape.item, reference, nulls=nulls)
        with_null = {"anyOf": [items, {"type": "null"}]} if shape.has_null and items else items
        return {"type": "array", "items": with_null}
    if (name := reference(shape)) is not None:
        return {"$ref": name}
    if isinstance(shape, ScalarShape):
        if shape.words is not None:
            return {"type": "string", "enum": list(shape.words.values())}
        return dict(_BUILT_IN.get(shape.type_name, {}) if shape.schema is None else shape.schema)
    return {
        "type": "object",
        "title": shape.type_name,
        "description": shape.description,
        "properties": {
            member.key: {
                **_or_null(member, json_schema(member.shape, reference, nulls=nulls), nulls=nulls),
                "description": member.description,
                **({"deprecated": True} if member.is_deprecated else {}),
            }
            for member in shape.fields
        },
        "required": [m.key for m in shape.fields if not m.optional],
        "additionalProperties": False,
    }


def _or_null(member: Field, schema: dict[str, Any], *, nulls: bool) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]} if nulls and member.optional and schema else schema


def with_nulls(shape: Shape, value: Any) -> Any:
    """Return plain JSON with null for each optional member that it lacks, as GraphQL writes it.

    An object of one of several types lacks what not all of them have.
    """
    if isinstance(shape, ListShape) and isinstance(value, list):
        return [with_nulls(shape.item, item) for item in value]
    if not isinstance(shape, ObjectShape) or not isinstance(value, dict):
        return value
    members = (m for m in shape.fields if m.key in value or m.is_everywhere)
    return {member.key: with_nulls(member.shape, value.get(member.key)) for member in members}


def to_plain_json(shape: Shape, value: Any) -> Any:
    """Return the value of a result as plain JSON, with wire words.

    It has no null, but in an object of one of several types, which tells by it what it has.
    """
    write = shape.writer
    return value if write is None else write(value)


def declared_errors(field: GraphQLField) -> tuple[str, ...]:
    """Return the codes of the errors that a field declares by `@fails`."""
    return tuple(
        code for item in _directives(field) if isinstance(item, Fails) for code in item.codes
    )


def declared_limit(field: GraphQLField) -> str | None:
    """Return the rate limit that a field declares by `@spends`; None if there is none."""
    return next((item.budget for item in _directives(field) if isinstance(item, Spends)), None)


def declared_questions(field: GraphQLField) -> tuple[Asked, ...]:
    """Return the questions that a field declares by `@asked`."""
    return tuple(item for item in _directives(field) if isinstance(item, Asked))


def _definition(field: GraphQLField) -> Any:
    """Return what Strawberry declared a field by; None if that is not known."""
    return (field.extensions or {}).get("strawberry-definition")


def _directives(field: GraphQLField) -> Sequence[object]:
    found: Sequence[object] = getattr(_definition(field), "directives", ())
    return found


def marks_on(field: GraphQLField) -> tuple[Any, ...]:
    """Return the marks on the Python field behind a GraphQL field."""
    info = _field_info(field)
    marks = marks_of(info) if info is not None else ()
    if any(isinstance(mark, CallersWords) for mark in marks):
        marks = tuple(m for m in marks if not isinstance(m, (Heading, Prose, Summary)))
    return marks


def scalar_schema(kind: GraphQLScalarType) -> dict[str, Any]:
    """Return the JSON Schema of a scalar: its own, that of a built-in one, or its description."""
    if JSON_SCHEMA in kind.extensions:
        return dict(kind.extensions[JSON_SCHEMA])
    definition = kind.extensions.get("strawberry-definition")
    is_built_in = definition is None or definition is _STRAWBERRYS.get(kind.name)
    if is_built_in:
        return dict(_BUILT_IN.get(kind.name, {}))
    return {"description": " ".join(kind.description.split())} if kind.description else {}


def is_json(kind: GraphQLScalarType) -> bool:
    """Whether a scalar is Strawberry's own for any JSON value."""
    return kind.extensions.get("strawberry-definition") is _STRAWBERRYS["JSON"]


def is_plain(field: GraphQLField) -> bool:
    """Whether a field is a stored value and not computed by a resolver."""
    definition = _definition(field)
    return definition is not None and definition.base_resolver is None


def _field_info(field: GraphQLField) -> FieldInfo | None:
    definition = _definition(field)
    origin = getattr(definition, "origin", None)
    fields: Mapping[str, FieldInfo] = getattr(origin, "model_fields", {})
    return fields.get(getattr(definition, "python_name", ""))


def _field_of(
    key: str, variants: Sequence[tuple[GraphQLObjectType, FieldNodes]], fragments: Fragments
) -> Field:
    """Return the field `key` of an object of one of these types, each with its keys' nodes."""
    selecting = [(kind, nodes[key]) for kind, nodes in variants if key in nodes]
    kind, [first, *_] = selecting[0]
    is_everywhere = len(selecting) == len(variants)
    named = [own.name for own, nodes in selecting if nodes[0].name.value == TYPENAME]
    if len(named) == len(selecting):
        shape = ScalarShape("", {name: name for name in named})
        return Field(key, shape, not is_everywhere, "The type of the object.", ())
    fields = [_selected_field(own, nodes[0].name.value) for own, nodes in selecting]
    below: dict[Any, Part] = {}
    for own, (_, nodes) in zip(fields, selecting, strict=True):
        selected = [one for n in nodes if n.selection_set for one in n.selection_set.selections]
        part = (get_named_type(own.type), tuple(selected))
        below[(part[0], *map(id, selected))] = part
    return Field(
        key=key,
        shape=_shape(fields[0].type, [*below.values()], fragments),
        optional=not (is_everywhere and all(isinstance(f.type, GraphQLNonNull) for f in fields)),
        description=fields[0].description or "",
        marks=marks_on(fields[0]) or _default_marks(kind, first.name.value),
        asked=declared_questions(fields[0]),
        is_deprecated=fields[0].deprecation_reason is not None,
        is_everywhere=is_everywhere,
    )


def _selected_field(kind: GraphQLObjectType, name: str) -> GraphQLField:
    return TypeNameMetaFieldDef if name == TYPENAME else kind.fields[name]


def _default_marks(kind: GraphQLObjectType, name: str) -> tuple[Any, ...]:
    """Return the default marks of a field's name; none for types that declare marks."""
    origin = _origin(kind)
    is_marked = isinstance(origin, type) and issubclass(origin, Output)
    return () if is_marked else _DEFAULT_MARKS.get(name, ())


def _origin(kind: GraphQLObjectType) -> type | None:
    """Return the Python class behind a GraphQL type; None if it is declared otherwise."""
    origin = getattr(kind.extensions.get("strawberry-definition"), "origin", None)
    return origin if isinstance(origin, type) else None
