"""A strict JSON parser for texts from callers.

Source: RFC 8259 with the limits of I-JSON (RFC 7493): no duplicate keys, no lone surrogates, exact
integers.
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

# An unclosed string matches to the end, so that no part of the text is scanned twice.
_STRUCTURE = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]\s*+[\]}]|[\[\]{},]', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


class _BrokenRuleError(ValueError):
    """A broken rule, and the path of the member that breaks it (empty if unknown)."""

    def __init__(self, rule: str, member: str = "") -> None:
        super().__init__(rule)
        self.member = member


def read_json(body: bytes, name: str = "body") -> Any:
    """Parse a UTF-8 JSON text. Raises: InvalidInputError, which names the broken rule."""
    path = name
    try:
        text = body.decode("utf-8", "strict")
        _check_structure(text)
        value = _DECODER.decode(text)
        if "\\u" in text:  # no other way leads to these characters in UTF-8
            _check_strings(value)
    except UnicodeDecodeError:
        rule = "must be UTF-8"
    except _BrokenRuleError as error:
        rule = str(error)
        path = error.member if error.member and name == "body" else name
    except json.JSONDecodeError as error:
        rule = f"must be JSON; line {error.lineno}, column {error.colno}: {error.msg}"
    except (ValueError, RecursionError):
        rule = "must be JSON"
    else:
        return value
    raise InvalidInputError(f"The {name} is not valid JSON.", [FieldProblem(path, rule)])


def _check_structure(text: str) -> None:
    """Check the depth and the number of values before the text is parsed."""
    depth, nodes = 0, 1
    for match in _STRUCTURE.finditer(text):
        bracket = match[0]
        depth += bracket[0] in "[{"
        nodes += bracket in "[{,"  # an empty list or object is one match
        if depth > MAX_DEPTH:
            raise _BrokenRuleError(f"must be nested at most {MAX_DEPTH} deep")
        if nodes > MAX_NODES:
            raise _BrokenRuleError(f"must have at most {MAX_NODES} values")
        depth -= bracket[-1] in "]}"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        named = f"; {twice!r} is there twice" if twice.isidentifier() and twice.isascii() else ""
        raise _BrokenRuleError(f"must have no key twice{named[:80]}")
    if any(len(key) > MAX_KEY for key in members):
        raise _BrokenRuleError(f"must have keys of at most {MAX_KEY} characters")
    return members


def _integer(digits: str) -> int:
    if len(digits) > MAX_INTEGER_DIGITS or abs(int(digits)) > MAX_INTEGER:
        raise _BrokenRuleError("must have integers within 2^53-1")
    return int(digits)


def _float(digits: str) -> float | int:
    """Return the number; `7.0` is the integer 7, as JSON Schema has it."""
    value = float(digits) if len(digits) <= MAX_FLOAT_CHARACTERS else math.inf
    if not math.isfinite(value):
        raise _BrokenRuleError("must have finite numbers of at most 40 characters")
    return int(value) if value.is_integer() and abs(value) <= MAX_INTEGER else value


def _constant(_: str) -> float:
    raise _BrokenRuleError("must be JSON, which has no NaN and no Infinity")


def _check_strings(value: Any) -> None:
    for text, member in _strings(value, ""):
        if "\x00" in text or _SURROGATE.search(text):
            raise _BrokenRuleError("must have no U+0000 and no lone surrogates", member)


def _strings(value: Any, member: str) -> Iterator[tuple[str, str]]:
    """Yield every string value and key, with the path of the member that contains it."""
    if isinstance(value, str):
        yield value, member
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item, member)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key, member
            yield from _strings(item, f"{member}.{key}" if member else key)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_integer,
    parse_float=_float,
    parse_constant=_constant,
)
