"""A text in inline code stays it, for every text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_payloads import PAYLOADS

from sdl.tools.code_in_text import inline_code

PARSER = MarkdownIt("commonmark")
MARKS = st.text("`` \n\t[]()<>!*_#|\\&;:-=~a\0\u202e\u200b\u3164\ufe0f", max_size=40)


def code_in(text: str) -> str:
    """What a parser finds in the line of a list, of which all must be inline code."""
    document = PARSER.parse(f"- Said: {inline_code(text)}\n- {inline_code(text)}\n- Next: x\n")
    first, alone, last = (token.children or [] for token in document if token.type == "inline")
    assert [token.type for token in first] == ["text", "code_inline"]
    assert [token.content for token in last] == ["Next: x"]
    assert [token.content for token in alone] == [first[1].content]
    return first[1].content


@given(st.one_of(MARKS, st.text(), st.sampled_from(PAYLOADS)))
def test_every_text_is_one_line_of_code_with_what_can_be_seen(text: str) -> None:
    code = code_in(text)
    assert code.isprintable()
    assert "`" * 10 not in code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("tides", "`tides`"),
        ("a\r\n\nb\u2028\u00a0c", "`a   b  c`"),
        ("`", "`` ` ``"),
        ("a``b`c", "```a``b`c```"),
        (" a ", "`  a  `"),
        ("", "`  `"),
        ("\u202ea\0\x85\x7f", "`\\u202ea\\u0000 \\u007f`"),
        ("\U000e0041\ufe0f\u3164", "`\\udb40\\udc41\\ufe0f\\u3164`"),
        ("\ud800", "`\\ud800`"),
        ("`" * 10, "`" + r"\u0060" * 10 + "`"),
        ("مرحبا 潮 🌊", "`مرحبا 潮 🌊`"),
    ],
)
def test_a_text_is_written_so(text: str, code: str) -> None:
    assert inline_code(text) == code


@given(st.text())
def test_json_in_it_is_still_json(text: str) -> None:
    written = json.dumps(text, ensure_ascii=False)
    said = json.loads(code_in(written))
    assert said == json.loads("".join(" " if c.isspace() else c for c in written))
