"""The one strict reader of JSON text that callers send. Makes plain values, checks no meaning.

Source: RFC 8259, held to I-JSON (RFC 7493): no duplicate keys, no lone surrogates, exact integers.
"""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from sdl.errors import FieldProblem, InvalidInputError

MAX_DEPTH = 32
MAX_NODES = 10_000
MAX_KEY = 256
MAX_INTEGER = 2**53 - 1
MAX_INTEGER_DIGITS = 20
MAX_FLOAT_CHARACTERS = 40

# An unclosed string is taken to the end, so that no text is scanned twice.
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]\s*+[\]}]|[\[\]{},]', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


class _BrokenRuleError(ValueError):
    """A rule of ours that the text breaks, and the member that breaks it, if it is known."""

    def __init__(self, rule: str, member: str = "") -> None:
        super().__init__(rule)
        self.member = member


def read_json(body: bytes, name: str = "body") -> Any:
    """The value of a UTF-8 JSON text. Raises: InvalidInput naming the rule that is broken."""
    where = name
    try:
        text = body.decode("utf-8", "strict")
        _check_structure(text)
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_float,
            parse_constant=_constant,
        )
        _check_strings(value)
    except UnicodeDecodeError:
        rule = "must be UTF-8"
    except _BrokenRuleError as error:
        rule = str(error)
        where = error.member if error.member and name == "body" else name
    except (ValueError, RecursionError):
        rule = "must be JSON"
    else:
        return value
    raise InvalidInputError(f"The {name} cannot be read.", [FieldProblem(where, rule)])


def _check_structure(text: str) -> None:
    """Depth and size are bounded before anything is parsed."""
    depth, nodes = 0, 1
    for found in _STRUCTURE.finditer(text):
        mark = found[0]
        depth += mark[0] in "[{"
        nodes += mark in "[{,"  # an empty list or object opens and closes in one mark
        if depth > MAX_DEPTH:
            raise _BrokenRuleError(f"must be nested at most {MAX_DEPTH} deep")
        if nodes > MAX_NODES:
            raise _BrokenRuleError(f"must have at most {MAX_NODES} values")
        depth -= mark[-1] in "]}"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _BrokenRuleError("must have no key twice")
    if any(len(key) > MAX_KEY for key in made):
        raise _BrokenRuleError(f"must have keys of at most {MAX_KEY} characters")
    return made


def _integer(digits: str) -> int:
    if len(digits) > MAX_INTEGER_DIGITS or abs(int(digits)) > MAX_INTEGER:
        raise _BrokenRuleError("must have integers within 2^53-1")
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits) if len(digits) <= MAX_FLOAT_CHARACTERS else math.inf
    if not math.isfinite(value):
        raise _BrokenRuleError("must have finite numbers of at most 40 characters")
    return value


def _constant(_: str) -> float:
    raise _BrokenRuleError("must be JSON: NaN and Infinity are not")


def _check_strings(value: Any) -> None:
    for text, member in _strings(value, ""):
        if "\x00" in text or _SURROGATE.search(text):
            raise _BrokenRuleError("must have no U+0000 and no lone surrogates", member)


def _strings(value: Any, member: str) -> Iterator[tuple[str, str]]:
    """Every string with the path of the member that it is the value of, or a key in."""
    if isinstance(value, str):
        yield value, member
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item, member)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key, member
            yield from _strings(item, f"{member}.{key}" if member else key)
