"""RELAX NG schemas of the test vectors, and a validator.

Source: the RELAX NG specification of 3 December 2001, XML syntax, as far as the vectors need it.
The method is that of J. Clark, "An algorithm for RELAX NG validation": after each part of a
document, it derives the pattern of what may still come.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple
from xml.etree.ElementTree import Element as Node
from xml.etree.ElementTree import fromstring

from repository import VECTORS

TYPES = {
    "string": r"(?s:.*)",
    "anyURI": r"[^\s<>\"{}|\\^`\x00-\x1f]*",
    "nonNegativeInteger": r"\+?[0-9]+",
    "decimal": r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)",
    "date": r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?:Z|[+-][0-9]{2}:[0-9]{2})?",
    "dateTime": r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})?",
}
"""The data types of XML Schema, as patterns."""


class Named(NamedTuple):
    """An attribute."""

    name: str
    value: str


Part = Named | str | Node
"""What a document is made of: attributes, texts and elements."""


@dataclass(frozen=True)
class Pattern:
    """What may come; here: nothing may, not even the end."""

    def ends(self) -> bool:
        """Whether all may have come."""
        return False

    def after(self, _part: Part) -> "Pattern":
        """What may come after a part."""
        return NEVER


@dataclass(frozen=True)
class Empty(Pattern):
    def ends(self) -> bool:
        return True


@dataclass(frozen=True)
class Text(Pattern):
    def ends(self) -> bool:
        return True

    def after(self, part: Part) -> Pattern:
        return self if isinstance(part, str) else NEVER


@dataclass(frozen=True)
class Data(Pattern):
    patterns: tuple[str, ...]

    def after(self, part: Part) -> Pattern:
        fits = isinstance(part, str) and all(re.fullmatch(p, part.strip()) for p in self.patterns)
        return EMPTY if fits else NEVER


@dataclass(frozen=True)
class Tokens(Pattern):
    inner: Pattern

    def after(self, part: Part) -> Pattern:
        if not isinstance(part, str):
            return NEVER
        rest: Pattern = reduce(lambda pattern, word: pattern.after(word), part.split(), self.inner)
        return EMPTY if rest.ends() else NEVER


@dataclass(frozen=True)
class Attribute(Pattern):
    name: str
    inner: Pattern

    def after(self, part: Part) -> Pattern:
        if not isinstance(part, Named) or part.name != self.name:
            return NEVER
        return EMPTY if _takes(self.inner, [part.value]) else NEVER


@dataclass(frozen=True)
class Element(Pattern):
    name: str
    inner: Pattern

    def after(self, part: Part) -> Pattern:
        if not isinstance(part, Node) or part.tag != self.name:
            return NEVER
        return EMPTY if _takes_element(self.inner, part) else NEVER


@dataclass(frozen=True)
class Choice(Pattern):
    one: Pattern
    other: Pattern

    def ends(self) -> bool:
        return self.one.ends() or self.other.ends()

    def after(self, part: Part) -> Pattern:
        return choice(self.one.after(part), self.other.after(part))


@dataclass(frozen=True)
class Pair(Pattern):
    """Both; the first before the second, if they are ordered, which attributes never are."""

    one: Pattern
    other: Pattern
    ordered: bool

    def ends(self) -> bool:
        return self.one.ends() and self.other.ends()

    def after(self, part: Part) -> Pattern:
        found = pair(self.one.after(part), self.other, ordered=self.ordered)
        if not self.ordered or isinstance(part, Named) or self.one.ends():
            later = pair(self.one, self.other.after(part), ordered=self.ordered)
            found = choice(found, later)
        return found


@dataclass(frozen=True)
class Repeated(Pattern):
    inner: Pattern

    def ends(self) -> bool:
        return self.inner.ends()

    def after(self, part: Part) -> Pattern:
        return pair(self.inner.after(part), choice(self, EMPTY), ordered=True)


NEVER, EMPTY = Pattern(), Empty()


def choice(one: Pattern, other: Pattern) -> Pattern:
    """The one or the other."""
    if one in (NEVER, other):
        return other
    return one if other == NEVER else Choice(one, other)


def pair(one: Pattern, other: Pattern, *, ordered: bool) -> Pattern:
    """Both."""
    if NEVER in (one, other):
        return NEVER
    if EMPTY in (one, other):
        return other if one == EMPTY else one
    return Pair(one, other, ordered)


def xml(data: bytes) -> Node:
    """The root of a document. Raises: ParseError."""
    return fromstring(data)  # noqa: S314 - we read what we wrote


def schema(name: str) -> "Schema":
    """The schema in this file of the vectors."""
    return Schema(xml((VECTORS / name).read_bytes()))


class Schema:
    """A schema read from its XML."""

    def __init__(self, grammar: Node) -> None:
        self._namespace = grammar.get("ns", "")
        self._defined = {n.get("name"): n for n in grammar if _is(n, "define")}
        self._known: dict[str | None, Pattern] = {}
        self.start = next(self._all(node) for node in grammar if _is(node, "start"))

    def fits(self, document: bytes) -> bool:
        """Whether a well-formed document is what the schema describes. Raises: ParseError."""
        return self.start.after(xml(document)).ends()

    def _all(self, node: Node, *, ordered: bool = True) -> Pattern:
        """Everything below a node."""
        parts = [self._read(child) for child in node]
        start: Pattern = EMPTY
        return reduce(lambda one, other: pair(one, other, ordered=ordered), parts, start)

    def _read(self, node: Node) -> Pattern:
        kind = node.tag.rpartition("}")[2]
        inner = self._all(node, ordered=kind != "interleave")
        read: dict[str, Callable[[], Pattern]] = {
            "element": lambda: Element(self._name(node), inner),
            "attribute": lambda: Attribute(self._name(node), inner if len(node) else Text()),
            "group": lambda: inner,
            "interleave": lambda: inner,
            "choice": lambda: reduce(choice, map(self._read, node)),
            "optional": lambda: choice(inner, EMPTY),
            "oneOrMore": lambda: Repeated(inner),
            "zeroOrMore": lambda: choice(Repeated(inner), EMPTY),
            "list": lambda: Tokens(inner),
            "ref": lambda: self._referred(node.get("name")),
            "text": Text,
            "value": lambda: Data((re.escape(node.text or ""),)),
            "param": lambda: EMPTY,
            "data": lambda: Data((TYPES[node.attrib["type"]], *(p.text or "" for p in node))),
        }
        return read[kind]()

    def _referred(self, name: str | None) -> Pattern:
        if name not in self._known:
            self._known[name] = self._all(self._defined[name])
        return self._known[name]

    def _name(self, node: Node) -> str:
        """The name as a parser writes it: `{namespace}name`."""
        namespace = node.get("ns", self._namespace)
        return f"{{{namespace}}}{node.get('name')}" if namespace else str(node.get("name"))


def _is(node: Node, kind: str) -> bool:
    return node.tag.rpartition("}")[2] == kind


def _takes(pattern: Pattern, parts: Iterable[Part]) -> bool:
    """Whether these parts, and no further ones, are what the pattern describes."""
    return reduce(lambda left, part: left.after(part), parts, pattern).ends()


def _takes_element(pattern: Pattern, node: Node) -> bool:
    """The same of what an element holds; space counts only where nothing else stands."""
    attributes: list[Part] = [Named(name, value) for name, value in node.items()]
    texts = [node.text or "", *(child.tail or "" for child in node)]
    inner: list[Part] = [part for pair in zip(texts, [*node, ""]) for part in pair]  # noqa: B905 - equally long
    filled = [part for part in inner if not isinstance(part, str) or part.strip()]
    forms = [filled] if filled else [[], ["".join(texts)]]
    return any(_takes(pattern, [*attributes, *form]) for form in forms)
