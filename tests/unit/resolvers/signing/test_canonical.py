"""Canonical bytes: RFC 8785's own examples, three other writers of JSON, and what is refused."""

import json
import os
import shutil
import struct
import subprocess
from collections.abc import Callable
from enum import StrEnum
from hashlib import sha256
from itertools import permutations
from typing import Any

import jcs  # type: ignore[import-untyped]
import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st
from vectors import cases, named, vectors

from resolvers.signing.canonical import canonical
from resolvers.signing.keys import ProofError
from sdl.tools.canonical_json import canonical_json, digest_of

MOST = 2**53 - 1
NUMBERS = cases("rfc8785/numbers")
EXAMPLES = cases("rfc8785/examples")
PROFILE = cases("rfc8785/profile")

Write = Callable[[Any], bytes]

# What JavaScript does by itself: sort() compares UTF-16 code units, stringify escapes and rounds.
SCRIPT = """
const write = (value) => value === null || typeof value !== "object" ? JSON.stringify(value)
  : Array.isArray(value) ? `[${value.map(write).join(",")}]`
  : `{${Object.keys(value).sort().map((key) => member(key, value[key])).join(",")}}`;
const member = (key, value) => `${JSON.stringify(key)}:${write(value)}`;
const double = (hex) => Buffer.from(hex, "hex").readDoubleBE();
const input = JSON.parse(require("fs").readFileSync(0, "utf8"));
const output = input.ieee ? input.ieee.map(double) : input.texts.map((text) => JSON.parse(text));
process.stdout.write(JSON.stringify(output.map(write)));
"""

Node = Callable[..., list[str]]


@pytest.fixture(scope="module")
def node() -> Node:
    """JSON as JavaScript writes it."""
    found = shutil.which("node")
    if found is None:
        assert not os.environ.get("CI"), "node has to be installed where CI is set"
        pytest.skip("node is not installed, so JSON.stringify was not asked")

    def ask(**question: list[str]) -> list[str]:
        done = subprocess.run(
            [found, "-e", SCRIPT],
            input=json.dumps(question),
            capture_output=True,
            encoding="utf-8",
            check=True,
            timeout=60,
        )
        answer: list[str] = json.loads(done.stdout)
        return answer

    return ask


def double(ieee: str) -> float:
    number: float = struct.unpack(">d", bytes.fromhex(ieee))[0]
    return number


writers = pytest.mark.parametrize("write", [rfc8785.dumps, jcs.canonicalize], ids=["ours", "jcs"])


@writers
@pytest.mark.parametrize("case", NUMBERS, ids=lambda case: case["ieee"])
def test_numbers_are_written_as_in_appendix_b(case: dict[str, str], write: Write) -> None:
    assert write(double(case["ieee"])).decode() == case["text"]


def test_javascript_writes_numbers_as_in_appendix_b(node: Node) -> None:
    assert node(ieee=[case["ieee"] for case in NUMBERS]) == [case["text"] for case in NUMBERS]


@writers
@pytest.mark.parametrize("ieee", vectors("rfc8785/numbers")["refused"])
def test_what_appendix_b_refuses_is_refused(ieee: str, write: Write) -> None:
    with pytest.raises(ValueError, match=r"."):
        write(double(ieee))
    with pytest.raises(ProofError):
        canonical(double(ieee))


@writers
@pytest.mark.parametrize("case", EXAMPLES, ids=named)
def test_the_examples_of_the_rfc_are_written_as_there(case: dict[str, str], write: Write) -> None:
    assert write(json.loads(case["input"])).hex() == case["output"]


def test_the_sorting_example_of_the_rfc_is_of_our_profile() -> None:
    (case,) = (case for case in EXAMPLES if case["section"] == "3.2.3")
    assert canonical(json.loads(case["input"])).hex() == case["output"]


def test_javascript_writes_the_examples_of_the_rfc_as_there(node: Node) -> None:
    written = node(texts=[case["input"] for case in EXAMPLES])
    assert [text.encode().hex() for text in written] == [case["output"] for case in EXAMPLES]


@pytest.mark.parametrize("write", [canonical, jcs.canonicalize], ids=["ours", "jcs"])
@pytest.mark.parametrize("case", PROFILE, ids=named)
def test_every_corner_of_the_profile_is_written_as_ruled(
    case: dict[str, str], write: Write
) -> None:
    assert write(json.loads(case["input"])).decode() == case["output"]


def test_javascript_writes_every_corner_of_the_profile_the_same(node: Node) -> None:
    written = node(texts=[case["input"] for case in PROFILE])
    assert written == [case["output"] for case in PROFILE]


def test_keys_are_sorted_by_utf16_code_units() -> None:
    keys = ["\U0001f602", "\ufb33", "\U00010000", "\ue000", "\u20ac", "a"]
    sorted_once = ["a", "\u20ac", "\U00010000", "\U0001f602", "\ue000", "\ufb33"]
    for order in permutations(keys):
        assert list(json.loads(canonical(dict.fromkeys(order, 0)))) == sorted_once
    assert sorted(keys) != sorted_once  # by code points they would stand otherwise


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (0.5, "$"),
        (1.0, "$"),
        (-0.0, "$"),
        (float("nan"), "$"),
        (float("inf"), "$"),
        (float("-inf"), "$"),
        (1e300, "$"),
        ([0, 0.5], "$[1]"),
        ([[], [[1, 2.5]]], "$[1][0][1]"),
        ({"a": {"b": [{"c": 0.1}]}}, "$.a.b[0].c"),
        ({"one": 1, "two": {"three": 3.0}}, "$.two.three"),
        ({"score": 1.5, "other": 2.5}, "$.score"),
        ((1, 0.5), "$[1]"),
        ({"pair": (0, (1, 1.5))}, "$.pair[1][1]"),
    ],
)
def test_a_fraction_is_refused_and_its_place_is_named(value: object, place: str) -> None:
    with pytest.raises(ProofError) as fault:
        canonical(value)
    assert str(fault.value).startswith(f"{place}: ")
    assert "Fix: " in str(fault.value)


@pytest.mark.parametrize("number", [MOST, -MOST, MOST - 1, 0, -1])
def test_a_whole_number_of_53_bits_is_written(number: int) -> None:
    assert canonical([number]) == f"[{number}]".encode()


@pytest.mark.parametrize("number", [MOST + 1, -MOST - 1, 2**63, -(2**63), 10**400])
@pytest.mark.parametrize("around", [lambda n: n, lambda n: [n], lambda n: {"a": {"b": [n]}}])
def test_a_larger_whole_number_is_refused(number: int, around: Callable[[int], Any]) -> None:
    with pytest.raises(ProofError):
        canonical(around(number))


HIGH, LOW = chr(0xD83D), chr(0xDE02)


@pytest.mark.parametrize("text", [HIGH, LOW, f"a{LOW}", f"{HIGH} {LOW}", f"{LOW}{HIGH}"])
@pytest.mark.parametrize(
    "around", [lambda text: text, lambda text: [text], lambda text: {text: 1}, lambda t: {"a": t}]
)
def test_a_lone_surrogate_is_refused(text: str, around: Callable[[str], Any]) -> None:
    with pytest.raises(ProofError):
        canonical(around(text))


@pytest.mark.parametrize("key", [0, None, True, b"a", ("a",), 1.5])
@pytest.mark.parametrize("others", [{}, {"a": 1}], ids=["alone", "beside"])
def test_a_key_that_is_no_text_is_refused(key: object, others: dict[Any, Any]) -> None:
    with pytest.raises(ProofError):
        canonical([{key: 1, **others}])


@pytest.mark.parametrize("value", [b"a", {1, 2}, object(), 1j, range(3), Ellipsis])
def test_what_is_no_json_is_refused(value: object) -> None:
    for wrong in (value, [value], {"a": value}):
        with pytest.raises(ProofError):
            canonical(wrong)


def test_a_payload_nested_beyond_measure_is_refused() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(ProofError):
        canonical(value)


TEXTS = st.text(max_size=12) | st.text(
    st.sampled_from('\x00\x1f\x7f\x80\u2028\ud7ff\ue000\ufb33\uffff\U00010000\U0001f602"\\/aé'),
    max_size=6,
)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-MOST, MOST) | TEXTS,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(TEXTS, inner, max_size=6),
    max_leaves=30,
)


@given(PLAIN)
def test_any_json_of_the_profile_is_written_as_jcs_writes_it(value: object) -> None:
    assert canonical(value) == jcs.canonicalize(value)


@given(PLAIN)
def test_what_is_read_back_is_the_same_and_written_the_same(value: object) -> None:
    data = canonical(value)
    assert json.loads(data) == value
    assert canonical(json.loads(data)) == data


@given(st.dictionaries(TEXTS, PLAIN, min_size=2, max_size=8), st.randoms())
def test_the_order_in_which_keys_come_means_nothing(value: dict[str, Any], chance: Any) -> None:
    shuffled = list(value.items())
    chance.shuffle(shuffled)
    assert canonical(dict(shuffled)) == canonical(value)


@given(st.lists(PLAIN, min_size=30, max_size=40))
@settings(max_examples=8)
def test_any_json_of_the_profile_is_written_as_javascript_writes_it(
    node: Node, values: list[Any]
) -> None:
    written = node(texts=[json.dumps(value) for value in values])
    assert [text.encode() for text in written] == [canonical(value) for value in values]


def test_a_digest_is_the_sha_256_of_the_bytes() -> None:
    data = canonical({"b": 1, "a": [True, None]})
    assert digest_of(data) == f"sha256:{sha256(data).hexdigest()}"
    assert digest_of(b"").endswith("7852b855")


class Text(str):
    """As the texts of the content, which have rules of their own."""

    __slots__ = ()


class Word(StrEnum):
    """A word that is a text too."""

    ONE = "one"


@pytest.mark.parametrize(
    "value",
    [
        {"b": Text("\u00e4\x7f\x1f\u2028/"), "a": [Text("")], "c": (True, None, -1)},
        {Text("key"): 1, "a": Text("x")},
        {"word": Word.ONE},
    ],
    ids=["texts", "a key", "a word"],
)
def test_texts_of_other_types_are_written_as_texts(value: Any) -> None:
    assert canonical(value) == canonical_json(value) == rfc8785.dumps(value)


def test_canonical_json_writes_fractions_as_the_rfc_does() -> None:
    assert canonical_json({"b": 1.0, "a": 1e21, "c": [0.5]}) == b'{"a":1e+21,"b":1,"c":[0.5]}'
