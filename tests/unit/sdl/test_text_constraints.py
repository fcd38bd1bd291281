"""Texts that callers send: lengths at the limit and beyond it, and what no line may hold."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from sdl.types.scalar_types import IdempotencyKey, TextConstraint

NAME, MESSAGE, AGENT = (
    TextConstraint(2, 120),
    TextConstraint(20, 4000, multiline=True),
    TextConstraint(0, 120),
)
CONTROLS = ["\0", "\x07", "\x1b", "\x7f", "\x80", "\x85", "\x9f"]


def refused(word: TextConstraint, text: str) -> bool:
    """Whether the text breaks the rule."""
    try:
        word.check(text)
    except PydanticCustomError:
        return True
    return False


@pytest.mark.parametrize("word", [NAME, MESSAGE, AGENT])
def test_a_text_at_each_limit_is_taken_and_one_beyond_it_is_not(word: TextConstraint) -> None:
    assert word.check("a" * word.min_length) == "a" * word.min_length
    assert word.check("é" * word.max_length) == "é" * word.max_length
    assert refused(word, "a" * (word.max_length + 1))
    assert not word.min_length or refused(word, "a" * (word.min_length - 1))


@pytest.mark.parametrize("word", [NAME, MESSAGE, AGENT])
@pytest.mark.parametrize("control", CONTROLS)
def test_no_text_holds_a_control_character(word: TextConstraint, control: str) -> None:
    assert refused(word, f"{'a' * 20}{control}b")


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_lines_of_any_system_end_with_a_line_feed(end: str) -> None:
    assert refused(NAME, f"Ada{end}Bcc: x")
    assert MESSAGE.check(f"{'a' * 20}{end}b") == f"{'a' * 20}\nb"
    assert re.search(MESSAGE.pattern, f"{'a' * 20}{end}b")


def test_a_length_that_is_wrong_is_told() -> None:
    for text, length in (("a" * 121, 121), (" a ", 1)):
        with pytest.raises(PydanticCustomError, match=f"; this one has {length}$"):
            NAME.check(text)


@pytest.mark.parametrize("end", ["\n", "\t", "\u2028", "\u2029"])
def test_one_line_is_one_line_and_a_text_may_have_several(end: str) -> None:
    assert refused(NAME, f"Ada{end}Bcc: x")
    assert MESSAGE.check(f"{'a' * 20}{end}b") == f"{'a' * 20}{end}b"


def test_what_stands_around_a_text_is_taken_off_and_not_counted_for_the_least() -> None:
    assert NAME.check("  Ada ") == "Ada"
    assert refused(NAME, "  A  ")
    assert refused(MESSAGE, f"{'a' * 19}\n\u2003 ")
    assert AGENT.check("   ") == ""


def test_lengths_are_counted_in_code_points_and_nothing_is_normalised() -> None:
    assert NAME.check("e\u0301" * 60) == "e\u0301" * 60
    assert refused(NAME, "\U0001f30a" * 121)


@given(st.text(max_size=150))
def test_the_pattern_and_the_lengths_say_the_same_as_the_check(text: str) -> None:
    for word in (NAME, AGENT, TextConstraint(20, 60, multiline=True)):
        fits = len(text) <= word.max_length and len(text) >= word.min_length
        told = fits and re.fullmatch(word.pattern.removesuffix("$"), text) is not None
        assert told == (not refused(word, text))


@pytest.mark.parametrize("key", ["a", "!" * 255, "6f1c2a9e-7d0b"])
def test_a_key_is_visible_ascii(key: str) -> None:
    assert TypeAdapter(IdempotencyKey).validate_python(key) == key


@pytest.mark.parametrize("key", ["", "a b", "a" * 256, "é", "a\n"])
def test_anything_else_is_no_key(key: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(IdempotencyKey).validate_python(key)
