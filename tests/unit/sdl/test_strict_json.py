"""The strict JSON reader takes plain JSON up to its limits, and refuses all else by rule."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdl.arguments.strict_json import MAX_DEPTH, MAX_INTEGER, MAX_KEY, MAX_NODES, read_json
from sdl.errors import FieldProblem, InvalidInputError

NOT_JSON, NOT_UTF_8 = "must be JSON", "must be UTF-8"
DEPTH, NODES = "must be nested at most 32 deep", "must have at most 10000 values"
INTEGERS = "must have integers within 2^53-1"
FLOATS = "must have finite numbers of at most 40 characters"
TWICE, LONG_KEYS = "must have no key twice", "must have keys of at most 256 characters"
CHARACTERS = "must have no U+0000 and no lone surrogates"
CONSTANTS = "must be JSON, which has no NaN and no Infinity"


def fault_of(body: bytes) -> FieldProblem:
    """The only fault of a body that is refused."""
    with pytest.raises(InvalidInputError) as caught:
        read_json(body)
    assert caught.value.detail == "The body is not valid JSON."
    (fault,) = caught.value.problems
    return fault


def nested(opening: str, closing: str, depth: int) -> bytes:
    """A body that is this deep."""
    return (opening * depth + closing * depth).encode()


GOOD: dict[str, tuple[bytes, Any]] = {
    "null": (b"null", None),
    "true": (b" true\n", True),
    "a string": (b'"a\\u00e9\\n"', "a\u00e9\n"),
    "a pair of surrogates": (b'"\\ud83d\\udef6"', "\U0001f6f6"),
    "any plane": ('"\U0010ffff"'.encode(), "\U0010ffff"),
    "brackets in a string": (b'"' + b"[{," * 20_000 + b'"', "[{," * 20_000),
    "escaped quotes": (b'["\\\\","\\"",{"\\"[":"[["}]', ["\\", '"', {'"[': "[["}]),
    "the largest integers": (b"[9007199254740991,-9007199254740991]", [MAX_INTEGER, -MAX_INTEGER]),
    "minus zero": (b"-0", 0),
    "floats": (b"[1.5,-2e3,1E-400]", [1.5, -2000.0, 0.0]),
    "a float of 40 characters": (b"0." + b"1" * 38, 0.1111111111111111),
    "the deepest lists": (nested("[", "]", MAX_DEPTH), None),
    "the deepest objects": (nested('{"a":', "}", MAX_DEPTH).replace(b":}", b":0}"), None),
    "the most values": (b"[" + b"0," * (MAX_NODES - 2) + b"0]", [0] * (MAX_NODES - 1)),
    "the most empty lists": (b"[" + b"[]," * (MAX_NODES - 2) + b"{}]", None),
    "the longest key": (b'{"' + b"k" * MAX_KEY + b'":1}', {"k" * MAX_KEY: 1}),
    "an empty key": (b'{"":{"":[]}}', {"": {"": []}}),
    "the same key in two objects": (b'[{"a":1},{"a":1}]', [{"a": 1}, {"a": 1}]),
}
BAD: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", NOT_JSON),
    "blanks": (b" \n\t", NOT_JSON),
    "a byte order mark": (b"\xef\xbb\xbf{}", NOT_JSON),
    "two values": (b"{} {}", NOT_JSON),
    "a comma too many": (b"[1,]", NOT_JSON),
    "single quotes": (b"{'a':1}", NOT_JSON),
    "a comment": (b"{}//", NOT_JSON),
    "an open list": (b"[[1]", NOT_JSON),
    "an open string": (b'"a', NOT_JSON),
    "a raw control character": (b'"a\nb"', NOT_JSON),
    "a leading zero": (b"01", NOT_JSON),
    "an unknown escape": (b'"\\x41"', NOT_JSON),
    "a space of another kind": ("[1,\u00a02]".encode(), NOT_JSON),
    "digits of another script": ("٣".encode(), NOT_JSON),
    "a form": (b"a=1&b=2", NOT_JSON),
    "half a character": (b'"\xc3"', NOT_UTF_8),
    "Latin 1": (b'"caf\xe9"', NOT_UTF_8),
    "an overlong slash": (b'"\xc0\xaf"', NOT_UTF_8),
    "a raw lone surrogate": (b'"\xed\xa0\x80"', NOT_UTF_8),
    "UTF-16": ('{"a":1}'.encode("utf-16"), NOT_UTF_8),
    "beyond Unicode": (b'"\xf4\x90\x80\x80"', NOT_UTF_8),
    "an escaped lone surrogate": (b'"\\ud800"', CHARACTERS),
    "a low one alone, in a key": (b'[{"\\udc00":1}]', CHARACTERS),
    "two high ones": (b'{"a":["\\ud800\\ud800"]}', CHARACTERS),
    "null": (b'"a\\u0000b"', CHARACTERS),
    "null in a key": (b'{"a":{"\\u0000":1}}', CHARACTERS),
    "NaN": (b"NaN", CONSTANTS),
    "infinity": (b"[Infinity]", CONSTANTS),
    "minus infinity": (b'{"a":-Infinity}', CONSTANTS),
    "1e400": (b"1e400", FLOATS),
    "-1e400": (b"[-1e400]", FLOATS),
    "a float of 41 characters": (b"0." + b"1" * 39, FLOATS),
    "a float of 60 000 characters": (b"0." + b"1" * 60_000, FLOATS),
    "2^53": (b"9007199254740992", INTEGERS),
    "-2^53": (b'{"a":-9007199254740992}', INTEGERS),
    "an integer of 5 000 digits": (b"9" * 5_000, INTEGERS),
    "a key twice": (b'{"a":1,"a":1}', TWICE),
    "a key twice, once escaped": (b'{"a":1,"\\u0061":2}', TWICE),
    "a key twice, deep inside": (b'[[{"b":[{"a":1,"c":2,"a":3}]}]]', TWICE),
    "a key too long": (b'{"' + b"k" * (MAX_KEY + 1) + b'":1}', LONG_KEYS),
    "lists too deep": (nested("[", "]", MAX_DEPTH + 1), DEPTH),
    "objects too deep": (nested('{"a":', "}", MAX_DEPTH + 1), DEPTH),
    "an empty one too deep": (nested("[", "]", MAX_DEPTH)[:MAX_DEPTH] + b"{ }", DEPTH),
    "too deep and never closed": (b"[" * 65_536, DEPTH),
    "one value too many": (b"[" + b"0," * (MAX_NODES - 1) + b"0]", NODES),
    "one key too many": (json.dumps({f"k{n}": n for n in range(MAX_NODES)}).encode(), NODES),
    "one empty list too many": (b"[" + b"[]," * (MAX_NODES - 1) + b"[]]", NODES),
}


@pytest.mark.parametrize(("body", "value"), GOOD.values(), ids=GOOD)
def test_json_within_the_limits_is_read(body: bytes, value: Any) -> None:
    expected = json.loads(body) if value is None else value
    assert read_json(body) == expected


def test_an_integer_written_with_a_point_is_an_integer() -> None:
    read = read_json(b"[7.0, 1e2, -0.0, 7.5, 9007199254740993.0]")
    assert [type(number) for number in read] == [int, int, int, float, float]
    assert read[:3] == [7, 100, 0]


@pytest.mark.parametrize(("body", "rule"), BAD.values(), ids=BAD)
def test_all_else_is_refused_by_the_rule_it_breaks(body: bytes, rule: str) -> None:
    fault = fault_of(body)
    assert fault.rule.partition(";")[0] == rule
    assert fault.path in ("body", "a")


def test_where_a_text_stops_being_json_is_told_and_which_key_is_there_twice() -> None:
    assert fault_of(b'{"a": 1,\n "b": 2 "c": 3}').rule == (
        "must be JSON; line 2, column 9: Expecting ',' delimiter"
    )
    assert fault_of(b'{"id":1,"id":2}').rule == "must have no key twice; 'id' is there twice"
    assert fault_of(b'{"a b":1,"a b":2}').rule == "must have no key twice"


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (b'{"name": "a\\u0000"}', "name"),
        (b'{"messages": [{"content": "\\ud800"}]}', "messages.content"),
        (b'{"a": {"\\u0000": 1}}', "a"),
        (b'["\\u0000"]', "body"),
    ],
)
def test_the_member_is_named_whose_characters_are_wrong(body: bytes, path: str) -> None:
    assert fault_of(body) == FieldProblem(path, CHARACTERS)


SIZE = 64 * 1024
HEAVY: dict[str, bytes] = {
    "quotes": b'"' * SIZE,
    "one quote more": b'"' * (SIZE + 1),
    "opening brackets": b"[" * SIZE,
    "closing brackets": b"]" * SIZE,
    "pairs of brackets": b"[]" * (SIZE // 2),
    "braces": b"{" * SIZE,
    "brackets far apart": (b"[" + b" " * 2_000) * (SIZE // 2_001),
    "an open list of blanks": b"[" + b" " * SIZE,
    "backslashes": b'"' + b"\\" * SIZE,
    "escaped quotes": b'"' + b'\\"' * (SIZE // 2),
    "backslashes outside": b"\\" * SIZE,
    "quote and backslash": b'"\\' * (SIZE // 2),
    "commas": b"," * SIZE,
    "colons": b":" * SIZE,
    "digits": b"9" * SIZE,
    "minus signs": b"-" * SIZE,
    "a long exponent": b"1e" + b"9" * SIZE,
    "blanks": b" " * SIZE,
    "nulls": b"\x00" * SIZE,
    "continuation bytes": b"\x80" * SIZE,
    "surrogates": b'"' + b"\\ud800" * (SIZE // 6) + b'"',
    "keys": b"{" + b'"":0,' * (SIZE // 5) + b"}",
}


@pytest.mark.parametrize("body", HEAVY.values(), ids=HEAVY)
def test_64_kib_of_anything_are_refused_at_once(body: bytes) -> None:
    began = time.process_time()
    fault_of(body)
    assert time.process_time() - began < 0.5


def test_a_large_body_within_the_limits_is_read_at_once() -> None:
    body = json.dumps({f"key {n}": "a [text] \\ with {marks}" * 4 for n in range(600)}).encode()
    began = time.process_time()
    assert len(read_json(body)) == 600
    assert time.process_time() - began < 0.5


CHARACTER = st.characters(codec="utf-8", exclude_characters="\x00")
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-MAX_INTEGER, MAX_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(CHARACTER, max_size=20)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(st.text(CHARACTER, max_size=8), inner, max_size=6)
    ),
    max_leaves=30,
)
WRITERS: list[Callable[[Any], str]] = [
    json.dumps,
    lambda value: json.dumps(value, ensure_ascii=False),
    lambda value: json.dumps(value, indent=3),
]


@given(VALUES, st.sampled_from(WRITERS))
def test_what_is_written_as_json_reads_back_equal(
    value: object, write: Callable[[Any], str]
) -> None:
    assert read_json(write(value).encode("utf-8")) == value


@given(
    st.binary(max_size=200)
    | st.text(st.sampled_from('[]{}",:\\ue0019-.NaInftrul \n\ud7ff'), max_size=80).map(str.encode)
)
@example(b'{"a":' * 40)
def test_any_bytes_are_read_or_refused_and_raise_nothing_else(body: bytes) -> None:
    places = ["body"]
    try:
        assert read_json(body) == json.loads(body)
    except InvalidInputError as refused:
        places = [fault.path for fault in refused.problems]
    assert places == ["body"]


@given(VALUES)
def test_a_body_cut_short_is_refused(value: object) -> None:
    body = json.dumps([value]).encode()
    assert fault_of(body[:-1]).rule.partition(";")[0] == NOT_JSON
