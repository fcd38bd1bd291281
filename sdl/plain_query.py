"""A quick reader of plain queries: from the text to the tree of a plan in one walk.

It knows one query of fields, with aliases, and arguments that are variables, names or plain texts;
no fragments, no directives, no unions. On the way it proves that the query is valid and keeps every
limit. It may say that it is not sure of a query that is both, and never the other way round:
graphql-core reads and judges whatever it is not sure of, and alone says what is wrong.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from graphql import (
    ArgumentNode,
    BooleanValueNode,
    EnumValueNode,
    FieldNode,
    GraphQLError,
    GraphQLField,
    GraphQLObjectType,
    GraphQLSchema,
    NameNode,
    StringValueNode,
    TypeNameMetaFieldDef,
    TypeNode,
    ValueNode,
    VariableDefinitionNode,
    VariableNode,
    get_named_type,
    is_leaf_type,
    is_required_argument,
    parse_type,
)

from sdl.cost import Lengths
from sdl.plan_tree import (
    Member,
    NotPlannableError,
    Selection,
    member_of,
    stored_names,
)
from sdl.query_limits import (
    MAX_ALIASES,
    MAX_COST,
    MAX_DEPTH,
    MAX_ROOT_FIELDS,
    MAX_TOKENS,
    MAX_VARIABLES,
)
from sdl.surely_valid import TYPENAME, ArgumentProof, variable_types

# A character that is in no other token is one of its own, which no query may have. What is left
# out are the characters that GraphQL ignores.
_TOKEN = re.compile(r'[A-Za-z_][A-Za-z0-9_]*|"[ !#-\[\]-~]*"|[^\t\n\r ,]')
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_UNKNOWN = re.compile('#|"""')
"""What begins a comment or a text in blocks, perhaps."""
_NOT_AFTER_A_LEAF = frozenset("(:{@")
_WORDS = {"true": True, "false": False}
_NULL = "null"
MAX_TYPE_TOKENS = 7
"""As many tokens has the type of a list of lists."""


class PlainQuery(NamedTuple):
    """A query that is surely valid and within the limits."""

    name: str | None
    definitions: Sequence[VariableDefinitionNode]
    tree: Selection
    cost: float


class _NotSureError(Exception):
    """Only graphql-core can say what the text is."""


class _Object(NamedTuple):
    """A field with a selection, as it is without an alias and arguments, which it does not need."""

    member: Member
    """Its member but for the selection."""
    inner: GraphQLObjectType
    place: tuple[str, str]
    """Its key in `Lengths`."""


class _Kind:
    """What the reader needs of an object type, found out once."""

    def __init__(self, kind: GraphQLObjectType, costly: Collection[str]) -> None:
        self.kind = kind
        self.stored = stored_names(kind)
        self.leaves: dict[str, Member] = {}
        """The members of fields that need neither arguments nor a selection, by their names."""
        self.objects: dict[str, _Object] = {}
        """The fields that need a selection alone."""
        for name, own in {**kind.fields, TYPENAME: TypeNameMetaFieldDef}.items():
            needs_argument = any(is_required_argument(each) for each in own.args.values())
            if needs_argument or name in costly:
                continue
            try:
                member = _member(name, name, own, (), ())
            except NotPlannableError:
                continue
            inner = get_named_type(own.type)
            if is_leaf_type(inner):
                self.leaves[name] = member
            elif isinstance(inner, GraphQLObjectType):
                self.objects[name] = _Object(member, inner, (kind.name, name))

    def begins(self, keys: Iterable[str], ordinary: int) -> int:
        """Return what a selection with these keys has as `stored`.

        `ordinary` of them are those of their fields, with whole selections.
        """
        count = len(self.stored)
        return count if ordinary == count and tuple(keys)[:count] == self.stored else 0


class PlainReader:
    """Reads plain queries of one schema."""

    def __init__(self, schema: GraphQLSchema, costly: Collection[str] = ()) -> None:
        """Take the schema, and the names of fields of which a query may have only a few."""
        self.schema = schema
        self.costly = costly
        self._kinds: dict[str, _Kind] = {}

    def read(self, text: str, lengths: Lengths) -> PlainQuery | None:
        """Return the query; None if graphql-core must read it.

        It has at most `MAX_CHARACTERS`, and is weighed by these lengths.
        """
        root = self.schema.query_type
        tokens = _TOKEN.findall(text)
        if root is None or len(tokens) > MAX_TOKENS - 10 or _UNKNOWN.search(text):
            return None
        try:
            return _Reading(self, tokens, lengths).query(root)
        except (_NotSureError, NotPlannableError, IndexError):
            return None

    def kind(self, kind: GraphQLObjectType) -> _Kind:
        """Return what is known of a type."""
        if (known := self._kinds.get(kind.name)) is None:
            known = self._kinds[kind.name] = _Kind(kind, self.costly)
        return known


Size: TypeAlias = tuple[Selection, float]
"""A selection and its cost."""


class _Reading:
    """The walk over the tokens of one query; `at` is the place of the next one."""

    def __init__(self, reader: PlainReader, tokens: list[str], lengths: Lengths) -> None:
        self._reader = reader
        self._tokens = tokens
        self._lengths = lengths
        self._at = 0
        self._aliases = 0
        self._proof = ArgumentProof(reader.schema, {})

    def query(self, root: GraphQLObjectType) -> PlainQuery:
        """Read all of it. Raises: _NotSureError, NotPlannableError, IndexError."""
        name, definitions = None, []
        if self._takes("query"):
            if _NAME.fullmatch(self._tokens[self._at]):
                name = self._next()
            if self._takes("("):
                definitions = self._definitions()
        types = variable_types(self._reader.schema, definitions)
        _sure(types is not None and len(types) <= MAX_VARIABLES)
        self._proof = ArgumentProof(self._reader.schema, types or {})
        self._expect("{")
        tree, cost = self._selection(root, 1)
        _sure(self._at == len(self._tokens) and self._proof.used == set(types or ()))
        _sure(len(tree.members) <= MAX_ROOT_FIELDS and self._aliases <= MAX_ALIASES)
        _sure(cost <= MAX_COST - 1)  # sums of fractions differ by their order
        return PlainQuery(name, definitions, tree, cost)

    def _next(self) -> str:
        token = self._tokens[self._at]
        self._at += 1
        return token

    def _takes(self, token: str) -> bool:
        is_next = self._tokens[self._at] == token
        self._at += is_next
        return is_next

    def _expect(self, token: str) -> None:
        _sure(self._next() == token)

    def _name(self) -> str:
        name = self._next()
        _sure(_NAME.fullmatch(name) is not None)
        return name

    def _definitions(self) -> list[VariableDefinitionNode]:
        """Read the definitions of variables, behind the opening parenthesis."""
        found = []
        while not self._takes(")"):
            self._expect("$")
            name = self._name()
            self._expect(":")
            began = self._at
            while self._tokens[self._at] not in ("$", ")"):
                self._at += 1
            kind = _type_of(" ".join(self._tokens[began : self._at]))
            if kind is None:
                raise _NotSureError
            variable = VariableNode(name=NameNode(value=name))
            found.append(VariableDefinitionNode(variable=variable, type=kind))
        _sure(bool(found))
        return found

    def _selection(self, kind: GraphQLObjectType, depth: int) -> Size:
        """Read a selection on an object type, behind its opening brace."""
        _sure(depth <= MAX_DEPTH)
        known, tokens, at = self._reader.kind(kind), self._tokens, self._at
        leaves, objects = known.leaves, known.objects
        members: dict[str, Member] = {}
        cost, ordinary = 0.0, len(known.stored)
        while (key := tokens[at]) != "}":
            following = tokens[at + 1]
            if key in leaves and following not in _NOT_AFTER_A_LEAF:
                at, member, own = at + 1, leaves[key], 1.0
            else:
                self._at = at
                if following == "{" and key in objects:
                    self._at += 2
                    member, own = self._object(objects[key], depth)
                    is_ordinary = member.selections[0].selects_all
                else:
                    member, own = self._field(known, depth)
                    key, is_ordinary = member.key, False
                at = self._at
                if not is_ordinary:
                    ordinary = min(ordinary, len(members))
            if key in members:  # they would have to be merged
                raise _NotSureError
            members[key] = member
            cost += own
        _sure(bool(members))
        self._at = at + 1
        return Selection(kind, tuple(members.values()), known.begins(members, ordinary)), cost

    def _object(self, known: _Object, depth: int) -> tuple[Member, float]:
        """Read the selection of a field, behind its opening brace."""
        selection, cost = self._selection(known.inner, depth + 1)
        lengths = self._lengths.get(known.place)
        length = 1 if lengths is None else lengths.get(known.inner.name, 0)
        return known.member.with_selection(selection), 1 + length * cost

    def _field(self, known: _Kind, depth: int) -> tuple[Member, float]:
        """Read a field with an alias or arguments; return it with its cost."""
        key = name = self._name()
        if self._takes(":"):
            self._aliases += 1
            name = self._name()
        kind = known.kind
        field = TypeNameMetaFieldDef if name == TYPENAME else kind.fields.get(name)
        if field is None or name in self._reader.costly:
            raise _NotSureError
        arguments = self._arguments() if self._takes("(") else ()
        _sure(not (arguments or field.args) or self._proof.holds(arguments, field))
        inner, member = get_named_type(field.type), _member(key, name, field, arguments, ())
        if not self._takes("{"):
            _sure(is_leaf_type(inner))
            return member, 1.0
        if not isinstance(inner, GraphQLObjectType):
            raise _NotSureError
        return self._object(_Object(member, inner, (kind.name, name)), depth)

    def _arguments(self) -> tuple[ArgumentNode, ...]:
        """Read arguments, behind the opening parenthesis."""
        found = []
        while not self._takes(")"):
            name = self._name()
            self._expect(":")
            found.append(ArgumentNode(name=NameNode(value=name), value=self._value()))
        _sure(bool(found))
        return tuple(found)

    def _value(self) -> ValueNode:
        word = self._next()
        if word == "$":
            return VariableNode(name=NameNode(value=self._name()))
        if word[0] == '"':
            _sure(len(word) > 1)
            return StringValueNode(value=word[1:-1], block=False)
        _sure(_NAME.fullmatch(word) is not None and word != _NULL)
        if word in _WORDS:
            return BooleanValueNode(value=_WORDS[word])
        return EnumValueNode(value=word)


def _sure(is_so: bool) -> None:  # noqa: FBT001 - a condition, as in `assert`
    if not is_so:
        raise _NotSureError


def _member(
    key: str,
    name: str,
    field: GraphQLField,
    arguments: tuple[ArgumentNode, ...],
    selections: tuple[Selection, ...],
) -> Member:
    """Return the member of a field. Raises: NotPlannableError."""
    node = FieldNode(name=NameNode(value=name), arguments=arguments)
    return member_of(key, node, field, selections)


@lru_cache(maxsize=64)
def _type_of(text: str) -> TypeNode | None:
    """Return the type that a text names; None if graphql-core must say what is wrong with it."""
    try:
        return parse_type(text, max_tokens=MAX_TYPE_TOKENS)
    except GraphQLError:
        return None
