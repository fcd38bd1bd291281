"""Names with a wrong letter are told apart from others before they are compared."""

from difflib import SequenceMatcher

from hypothesis import example, given
from hypothesis import strategies as st

from resolvers.intent.choices import ALIKE, MIN_FUZZY, may_be_alike

WORDS = st.text("abcd", min_size=1, max_size=12)


@given(WORDS, WORDS)
@example("ledgerline", "ledgrline")
@example("ledgerline", "ledgerlines")
def test_no_name_that_is_alike_enough_is_left_out(name: str, text: str) -> None:
    ratio = SequenceMatcher(None, text, name).ratio()
    if len(name) >= MIN_FUZZY and ratio >= ALIKE:
        assert may_be_alike(name, text)


def test_a_short_name_and_one_of_other_letters_are_left_out() -> None:
    assert not may_be_alike("tide", "tide")
    assert not may_be_alike("ledgerline", "harbourage")
