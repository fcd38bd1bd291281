"""What is code in a text: nothing that a reader of markdown could take for something else."""

import pytest

from sdl.tools.code_in_text import code_blocks, prose_of, prose_parts, without_code
from sdl.types.scalar_types import forbidden_in

CODE = [
    "`Vec<T>`",
    "``a ` <b>``",
    "```\n<b>\n# no heading\n---\n```",
    "~~~html\n<b>\n~~~",
    "````\n```\n<b>\n```\n````",
    "One:\n\n  ```\n  <b>\n\n  ```\n\nTwo.",
]
"""Texts whose tags stand in code."""
NO_CODE = [
    "Vec<T>",
    "`<b>",
    "\\`<b>\\`",
    "`a\n\n<b>`",
    '<a href="`">`',
    "```\n<b>",
    "```a`b\n<b>\n```",
    "```\n<b>\n~~~",
    "- a\n  ```\n<b>x</b>\n  ```",
    "  ```\n     ```\n  ```\n  <b>\n  ```",
    "```\na\n```\n<b>",
]
"""Texts whose tags would be tags, or whose code does not end."""


@pytest.mark.parametrize("text", CODE)
def test_a_tag_in_code_is_none(text: str) -> None:
    assert forbidden_in(text) is None
    assert "<" not in without_code(text)
    assert len(without_code(text)) == len(text)


@pytest.mark.parametrize("text", NO_CODE)
def test_what_only_looks_like_code_is_not(text: str) -> None:
    assert forbidden_in(text) is not None


def test_prose_is_what_stands_around_code() -> None:
    text = "One.\n\n```\na = 1\n\nb = 2\n```\nTwo.\n\nThree."
    assert code_blocks(text) == ["```\na = 1\n\nb = 2\n```"]
    assert prose_parts(text) == ["One.", "Two.\n\nThree."]
    assert prose_of(text) == "One.\n\nTwo.\n\nThree."
    assert prose_of(" as it stands ") == " as it stands "
