"""Words: what a text is cut into, the same for every reader of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolvers.embeddings.tokenizer import STOP_WORDS, stem, terms, tokenize


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("?! -- ...", []),
        ("Signed Snapshots, daily.", ["signed", "snapshots", "daily"]),
        ("RFC-8785", ["rfc-8785", "rfc", "8785"]),
        ("RFC\u20118785", ["rfc-8785", "rfc", "8785"]),
        ("v2.1 of my_slug", ["v2.1", "v2", "1", "of", "my_slug", "my", "slug"]),
        ("/api/agent-pulse", ["api", "agent-pulse", "agent", "pulse"]),
        ("the studio\u2019s, it's", ["the", "studio", "it"]),
        ("Don\u2019t", ["dont"]),
        ("1,234,567 and 2,50", ["1234567", "and", "2", "50"]),
        ("Zoë STRASSE Straße", ["zoë", "strasse", "strasse"]),
        ("ﬁne Ⅷ \N{FULLWIDTH DIGIT TWO}", ["fine", "viii", "2"]),
        ("e\u0301te\u0301", ["été"]),
        ("東京 tide", ["東京", "tide"]),
    ],
)
def test_a_text_is_cut_into_words_of_one_spelling(text: str, words: list[str]) -> None:
    assert tokenize(text) == words


@given(st.text())
def test_words_hold_no_space_and_are_cut_no_further_the_second_time(text: str) -> None:
    for word in tokenize(text):
        assert word
        assert not any(letter.isspace() for letter in word)
        assert tokenize(word)[0] == word


@pytest.mark.parametrize(
    ("forms", "same"),
    [
        (("price", "prices", "pricing", "priced"), "pric"),
        (("policy", "policies"), "polici"),
        (("embed", "embeds", "embedded", "embedding"), "embed"),
        (("support", "supports", "supported", "supporting"), "support"),
        (("run", "running", "runs"), "run"),
        (("share", "shared", "sharing"), "shar"),
    ],
)
def test_the_forms_of_an_english_word_fall_together(forms: tuple[str, ...], same: str) -> None:
    assert {stem(form) for form in forms} == {same}


@pytest.mark.parametrize(
    "word", ["status", "analysis", "access", "speed", "string", "ed25519", "v2.1", "bus", "écoles"]
)
def test_what_only_looks_bent_is_left_alone(word: str) -> None:
    assert stem(word) == word


@given(st.from_regex(r"[a-z]{1,20}", fullmatch=True))
def test_a_stem_begins_as_its_word_does(word: str) -> None:
    bare = stem(word)
    assert bare
    assert len(bare) <= len(word)
    assert bare[:2] == word[:2]


def test_what_says_nothing_of_the_subject_is_left_out() -> None:
    assert terms("How do you sign the snapshots?") == ["sign", "snapshot"]
    assert terms("What is it that you do?") == []


def test_stop_words_are_spelled_as_words_are_cut() -> None:
    assert [word for word in sorted(STOP_WORDS) if tokenize(word) != [word]] == []
    assert STOP_WORDS.isdisjoint({"sign", "price", "contact", "work", "studio", "agent"})
