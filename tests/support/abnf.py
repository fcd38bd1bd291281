"""A reader that turns ABNF grammars into regular expressions over bytes.

Source: RFC 5234 with the `%s` of RFC 7405. Rules may not be recursive; prose values are not read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from repository import VECTORS

CORE = """
ALPHA  = %x41-5A / %x61-7A
DIGIT  = %x30-39
HEXDIG = DIGIT / "A" / "B" / "C" / "D" / "E" / "F"
VCHAR  = %x21-7E
DQUOTE = %x22
SP     = %x20
HTAB   = %x09
WSP    = SP / HTAB
CR     = %x0D
LF     = %x0A
"""

_RULE = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*=\s*")
_COMMENT = re.compile(r';(?=(?:[^"]*"[^"]*")*[^"]*$).*')
"""From a semicolon that stands in no text to the end of its line."""
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<text>(?:%[si])?"[^"]*") |
        (?P<octets>%x[0-9A-Fa-f]+(?:-[0-9A-Fa-f]+|(?:\.[0-9A-Fa-f]+)*)) |
        (?P<repeat>[0-9]*\*[0-9]*|[0-9]+) |
        (?P<name>[A-Za-z][A-Za-z0-9-]*) |
        (?P<mark>[/()\[\]])
    )""",
    re.VERBOSE,
)

Token = tuple[str, str]


def grammar(*names: str) -> "Grammar":
    """The grammar of these files together."""
    texts = [CORE, *((VECTORS / name).read_text(encoding="ascii") for name in names)]
    rules = {name.lower(): elements for text in texts for name, elements in _rules(text)}
    return Grammar(rules)


@dataclass
class Grammar:
    """Rules by name."""

    rules: dict[str, str]
    _patterns: dict[str, str] = field(default_factory=dict)

    def fits(self, rule: str, data: bytes) -> bool:
        """Whether these bytes as a whole are what the rule describes."""
        return re.fullmatch(self.pattern(rule).encode("latin-1"), data) is not None

    def pattern(self, rule: str) -> str:
        """The regular expression of a rule, each character of which is an octet."""
        name = rule.lower()
        if name not in self._patterns:
            tokens = list(_tokens(self.rules[name]))
            self._patterns[name] = self._alternation(tokens)
            assert not tokens, (rule, tokens)
        return self._patterns[name]

    def _alternation(self, tokens: list[Token]) -> str:
        branches = [self._concatenation(tokens)]
        while tokens and tokens[0] == ("mark", "/"):
            tokens.pop(0)
            branches.append(self._concatenation(tokens))
        return f"(?:{'|'.join(branches)})"

    def _concatenation(self, tokens: list[Token]) -> str:
        parts = []
        while tokens and tokens[0] not in (("mark", "/"), ("mark", ")"), ("mark", "]")):
            parts.append(self._repetition(tokens))
        return "".join(parts)

    def _repetition(self, tokens: list[Token]) -> str:
        if tokens[0][0] != "repeat":
            return self._element(tokens)
        least, star, most = tokens.pop(0)[1].partition("*")
        count = f"{{{least or 0},{most}}}" if star else f"{{{least}}}"
        return f"(?:{self._element(tokens)}){count}"

    def _element(self, tokens: list[Token]) -> str:
        kind, text = tokens.pop(0)
        if kind == "name":
            return self.pattern(text)
        if kind == "text":
            return _literal(text)
        if kind == "octets":
            return _octets(text[2:])
        inner = self._alternation(tokens)
        assert tokens.pop(0)[1] == {"(": ")", "[": "]"}[text]
        return inner if text == "(" else f"{inner}?"


def _rules(text: str) -> Iterator[Token]:
    """Each rule's name and elements, its further lines joined, comments gone."""
    plain = "\n".join(
        re.sub(r';(?=(?:[^"]*"[^"]*")*[^"]*$).*', "", line) for line in text.split("\n")
    )
    for block in re.split(r"\n(?=\S)", plain):
        if found := _RULE.match(block.strip()):
            yield found[1], block.strip()[found.end() :]


def _tokens(elements: str) -> Iterator[Token]:
    place = 0
    while elements[place:].strip():
        found = _TOKEN.match(elements, place)
        assert found is not None, elements[place:]
        assert found.lastgroup is not None
        yield found.lastgroup, found[found.lastgroup]
        place = found.end()


def _literal(text: str) -> str:
    """A text, whose letters count in both cases unless it is marked."""
    plain = re.escape(text.removeprefix("%s").removeprefix("%i").strip('"'))
    if text.startswith("%s"):
        return plain
    return re.sub(r"[A-Za-z]", lambda m: f"[{m[0].upper()}{m[0].lower()}]", plain)


def _octets(text: str) -> str:
    """`41`, `41-5A` or `0D.0A`."""
    first, dash, last = text.partition("-")
    if dash:
        return f"[{_octet(first)}-{_octet(last)}]"
    return "".join(_octet(part) for part in text.split("."))


def _octet(digits: str) -> str:
    return f"\\x{int(digits, 16):02x}"
