"""Random queries of a schema: aliases, merged fields, fragments, conditions, variables, null."""

import re
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLField,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    get_named_type,
    is_composite_type,
)
from hypothesis import strategies as st

MAX_DEPTH = 4
CONDITIONS = ("on", "off", "perhaps")
"""Variables of conditions: one that is given, one with a default, one that may be missing."""
TEXTS = {
    "ChangeId": ["2026-11-02-figures-november-2026", "2020-01-01-nothing-here", "NOT AN ID"],
    "Slug": ["tidebook", "founder-attestation", "nothing-here", "NOT A SLUG"],
    "DateTime": ["2026-06-01T00:00:00Z", "2020-01-01T00:00:00+02:00", "yesterday"],
    "String": ["nobody", ""],
}
"""Values of arguments by their scalar, valid and not."""
WORD = re.compile(r'"[^"]*"|\.\.\.|[@$]?\w+|[^\s\w]')
STRAY = [
    *("nothing", "slug", "name", "thesis", "__typename", "__schema { queryType { name } }"),
    *("{ slug }", "{ thesis }", "a:", "...", "... on Project { slug }", "...F0", "$v0", "null"),
    *("@skip", "@include(if: true)", "@defer", "@nothing", '(slug: "tidebook")', "(slug: $v0)"),
    *("($v0: Slug!)", "($v0: Slug! = 1)", "mutation", "subscription", "fragment F9 on Query"),
    *("type A { a: Int }", "[$on]", "{a: 1, a: $off}"),
]
"""What a query may have by mistake."""
MAX_PARTS = 120
"""So that no query takes longer to write than to answer."""


@dataclass(frozen=True)
class RandomQuery:
    """A query with its variables."""

    text: str
    variables: dict[str, Any]


@st.composite
def random_queries(draw: st.DrawFn, schema: GraphQLSchema, *, plain: bool = False) -> RandomQuery:
    """Return a strategy of queries; plain ones have neither fragments nor conditions."""
    writer = _Writer(draw, schema, is_plain=plain)
    assert schema.query_type is not None
    body = writer.selection(schema.query_type, 0)
    conditions: list[dict[str, Any]] = [
        {"on": True},
        {"on": False},
        {"on": True, "off": None},
        {},
    ]
    given = draw(st.sampled_from(conditions))
    variables = {**writer.variables, **given}
    if draw(st.booleans()):
        variables["perhaps"] = draw(st.sampled_from([True, False, None, "true"]))
    used = {name for name in CONDITIONS if f"${name})" in body + "".join(writer.fragments)}
    types = {"on": "Boolean!", "off": "Boolean! = true", "perhaps": "Boolean! = false"}
    heads = [f"${name}: {types[name]}" for name in sorted(used)] + writer.declared
    head = f"query Q({', '.join(heads)}) " if heads else ""
    return RandomQuery(f"{head}{body}{''.join(writer.fragments)}", variables)


@st.composite
def broken_queries(draw: st.DrawFn, schema: GraphQLSchema) -> str:
    """Return a strategy of queries of which up to three words were changed at random."""
    plain = draw(st.booleans())
    words = WORD.findall(draw(random_queries(schema, plain=plain)).text)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(words) - 1))
        other = draw(st.sampled_from([*words, *STRAY]))
        way = draw(st.sampled_from(["replace", "insert", "remove"]))
        words[at : at + (way != "insert")] = [] if way == "remove" else [other]
        if not words:
            break
    return " ".join(words)


@dataclass
class _Writer:
    """Writes one query."""

    draw: st.DrawFn
    schema: GraphQLSchema
    is_plain: bool
    fragments: list[str] = field(default_factory=list)
    declared: list[str] = field(default_factory=list)
    variables: dict[str, Any] = field(default_factory=dict)
    left: int = MAX_PARTS
    """How many parts may still be begun."""

    def selection(self, kind: Any, depth: int) -> str:
        """Return a selection on an object type or a union."""
        count = self.draw(st.integers(1, 5))
        self.left -= count
        if self.left < 0:
            return " { __typename }"
        parts = [self._part(kind, depth) for _ in range(count)]
        return f" {{ {' '.join(parts)} }}"

    def _part(self, kind: Any, depth: int) -> str:
        if isinstance(kind, GraphQLUnionType):
            member = self.draw(st.sampled_from(kind.types))
            part = f"... on {member.name}{self._condition()}{self.selection(member, depth)}"
            return self.draw(st.sampled_from([part, part, f"{part} __typename"]))
        choice = self.draw(st.integers(0, 11))
        if choice == 0:
            return f"{self._alias('__typename', '')}__typename{self._condition()}"
        if choice == 1 and not self.is_plain:
            on = self.draw(st.sampled_from([f" on {kind.name}", ""]))
            return f"...{on}{self._condition()}{self.selection(kind, depth)}"
        if choice == 2 and len(self.fragments) < 4 and not self.is_plain:
            name = f"F{len(self.fragments)}"
            self.fragments.append("")
            body = self.selection(kind, depth)
            self.fragments[int(name[1:])] = f" fragment {name} on {kind.name}{body}"
            return f"...{name}{self._condition()} ...{name}"
        if choice == 3:
            return self._whole(kind)
        return self._field(kind, depth)

    def _whole(self, kind: GraphQLObjectType) -> str:
        """Return every field of a type that is a leaf and takes nothing, in the type's order."""
        names = [
            name
            for name, own in kind.fields.items()
            if not is_composite_type(get_named_type(own.type)) and not own.args
        ]
        return " ".join(names) or "__typename"

    def _field(self, kind: GraphQLObjectType, depth: int) -> str:
        fields = {n: own for n, own in kind.fields.items() if self._is_allowed(own, depth)}
        if not fields:
            return "__typename"
        name = self.draw(st.sampled_from(sorted(fields)))
        own = fields[name]
        arguments = self._arguments(own)
        alias = self._alias(name, arguments)
        inner = get_named_type(own.type)
        below = self.selection(inner, depth + 1) if is_composite_type(inner) else ""
        return f"{alias}{name}{arguments}{self._condition()}{below}"

    def _is_allowed(self, own: GraphQLField, depth: int) -> bool:
        inner = get_named_type(own.type)
        is_computed = any("Input" in str(argument.type) for argument in own.args.values())
        return not is_computed and (depth < MAX_DEPTH or not is_composite_type(inner))

    def _alias(self, name: str, arguments: str) -> str:
        """Return an alias that no other field with other arguments has, or none."""
        if arguments:
            return f"a{crc32((name + arguments).encode())}: "
        return self.draw(st.sampled_from(["", "", "", f"x_{name}: "]))

    def _condition(self) -> str:
        if self.is_plain or self.draw(st.integers(0, 5)):
            return ""
        word = self.draw(st.sampled_from(["skip", "include"]))
        value = self.draw(st.sampled_from(["true", "false", *(f"${n}" for n in CONDITIONS)]))
        return f" @{word}(if: {value})"

    def _arguments(self, own: GraphQLField) -> str:
        parts = [
            f"{name}: {self._value(argument)}"
            for name, argument in own.args.items()
            if isinstance(argument.type, GraphQLNonNull) or self.draw(st.booleans())
        ]
        return f"({', '.join(parts)})" if parts else ""

    def _value(self, argument: GraphQLArgument) -> str:
        """Return a literal, or a variable that is given, null or missing."""
        kind = get_named_type(argument.type)
        texts = list(kind.values) if isinstance(kind, GraphQLEnumType) else TEXTS[kind.name]
        text = self.draw(st.sampled_from(texts))
        is_needed = isinstance(argument.type, GraphQLNonNull)
        way = self.draw(st.sampled_from(["literal", "variable", "null", "missing"]))
        if way == "literal":
            return text if isinstance(kind, GraphQLEnumType) else f'"{text}"'
        name = f"v{len(self.declared)}"
        self.declared.append(f"${name}: {argument.type}")
        if way == "variable":
            self.variables[name] = text
        elif way == "null" and not is_needed:
            self.variables[name] = None
        return f"${name}"
