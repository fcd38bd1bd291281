"""A list's file that is parsed entry by entry says what it says as a whole."""

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from content.reading.toml_entries import entries_in, parts_of

LINES = (
    "[[faq]]",
    "[[faq]] # one",
    " [[faq]]",
    "[[faq.more]]",
    "[faq.deep]",
    "[other]",
    "faq = 1",
    "a = 1",
    "b = 'x'",
    'c = """',
    '"""',
    "d = [",
    "]",
    "'''",
    "e = '''",
    "# [[faq]]",
    "",
)
"""Lines that open and close what a part must not end in, and headers that are none of the list."""


@given(st.lists(st.sampled_from(LINES), max_size=14).map("\n".join))
def test_entries_are_those_of_the_whole(text: str) -> None:
    text = f"[[faq]]\n{text}"
    entries = entries_in(text, "faq", {})
    if entries is not None:
        assert parsed(text) == {"faq": entries}
        known = dict(zip(parts_of(text, "faq")[1:], entries, strict=True))
        assert entries_in(f"{text}\n[[faq]]\nnew = 1", "faq", known) == [*entries, {"new": 1}]


def test_what_is_known_is_not_parsed_again() -> None:
    text = "# words\n[[faq]]\nq = 1\n[[faq]]\nq = 2\n"
    entries = entries_in(text, "faq", {})
    assert entries is not None
    assert entries == [{"q": 1}, {"q": 2}]
    known: dict[str, object] = dict(zip(parts_of(text, "faq")[1:], entries, strict=True))
    again = entries_in(text.replace("1", "3"), "faq", known)
    assert again is not None
    assert again == [{"q": 3}, {"q": 2}]
    assert again[1] is entries[1]


def parsed(text: str) -> object:
    """The document, or None if it is not TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
