"""Sentences are parts of the text as they stand there, and end where a reader would end them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolvers.chat.check import sentences_of
from resolvers.search.sentences import join_sentences, split_sentences
from schema.site import Site

TABLE = "| Harbour | Price |\n|:--|--:|\n| Porto | 20. Or less! |"
CASES = {
    "a table": (f"Prices:\n{TABLE}\n\nAsk. Now.", ["Prices:", TABLE, "Ask.", "Now."]),
    "a table without edges": ("a | b\n--- | ---\n1 | 2", ["a | b\n--- | ---\n1 | 2"]),
    "a bar and a dash": ("Either a | b.\n- one", ["Either a | b.", "one"]),
    "emojis": (
        "Yes! \U0001f600 It is.\u2764\ufe0f Go \U0001f30a on. \U0001f44d\U0001f3fd",
        ["Yes! \U0001f600", "It is.\u2764\ufe0f", "Go \U0001f30a on. \U0001f44d\U0001f3fd"],
    ),
    "an emoji alone": ("It is.\n\n\U0001f389\n\nTwo.", ["It is.", "Two."]),
    "nothing but an emoji": ("\U0001f44d", ["\U0001f44d"]),
    "two": ("It is one. It is two.", ["It is one.", "It is two."]),
    "every stop": ("Is it? It is! So\u2026 Good.", ["Is it?", "It is!", "So\u2026", "Good."]),
    "no stop": ("nothing ends here", ["nothing ends here"]),
    "nothing": (" \n\n ", []),
    "an abbreviation": ("Use e.g. Tidebook, i.e. The book.", ["Use e.g. Tidebook, i.e. The book."]),
    "a title and an initial": ("Ask Dr. J. Smith. She knows.", ["Ask Dr. J. Smith.", "She knows."]),
    "a decimal": ("It is 2.5 metres. It was 2.", ["It is 2.5 metres.", "It was 2."]),
    "a figure first": (
        "At most 0.5 % a trade. 2 % a day.",
        ["At most 0.5 % a trade.", "2 % a day."],
    ),
    "a version": ("See v4.2.1. It is new.", ["See v4.2.1.", "It is new."]),
    "a number named": ("See No. 5 and Oct. 12. Done.", ["See No. 5 and Oct. 12.", "Done."]),
    "no as a word": ("The answer is no. It stays.", ["The answer is no.", "It stays."]),
    "a URL": ("At https://a.example/b.html. Go.", ["At https://a.example/b.html.", "Go."]),
    "a file": ("Read /llms.txt first. Then ask.", ["Read /llms.txt first.", "Then ask."]),
    "code": ("Use `a. B` now. Go.", ["Use `a. B` now.", "Go."]),
    "a fence": ("One.\n```\na. B\n```\nTwo.", ["One.", "```\na. B\n```", "Two."]),
    "a quotation": ('She said "No." Then "Yes!"', ['She said "No."', 'Then "Yes!"']),
    "brackets": ("It holds (mostly.) Good.", ["It holds (mostly.)", "Good."]),
    "lower case after": ("What? he asked ... and left.", ["What? he asked ... and left."]),
    "a list": ("Three:\n- one\n- two. Or\n3. three", ["Three:", "one", "two.", "Or", "three"]),
    "a heading": ("# Books\nThey agree.", ["Books\nThey agree."]),
    "paragraphs": ("No stop\n\nSecond", ["No stop", "Second"]),
    "a wrapped line": ("It goes\non. End.", ["It goes\non.", "End."]),
    "a citation after the stop": (
        "So it is. [1] And [2]. End.",
        ["So it is. [1]", "And [2].", "End."],
    ),
    "other scripts": (
        "\u4f60\u597d\u3002\u518d\u89c1\u3002",
        ["\u4f60\u597d\u3002", "\u518d\u89c1\u3002"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_text_has_these_sentences(case: str) -> None:
    text, sentences = CASES[case]
    assert split_sentences(text) == sentences


def test_a_table_keeps_its_lines_among_sentences_and_its_mark_stands_apart() -> None:
    sentences = ["Prices:", TABLE, "Ask.", "Now."]
    assert join_sentences(sentences) == f"Prices:\n\n{TABLE}\n\nAsk. Now."
    marked = join_sentences(sentences, "[1]")
    assert marked == f"Prices: [1]\n\n{TABLE}\n\n[1]\n\nAsk. [1] Now. [1]"
    read = [(sentence.text, sentence.markers) for sentence in sentences_of(marked)]
    assert read == [(sentence, (1,)) for sentence in sentences]


@given(st.text(st.sampled_from("aA1 .!?\n`-#\"'[]\u3002(e.g"), max_size=60))
def test_sentences_stand_in_the_text_in_order_and_none_is_empty(text: str) -> None:
    at = 0
    for sentence in split_sentences(text):
        assert sentence
        assert sentence == sentence.strip()
        at = text.index(sentence, at) + len(sentence)


@given(st.text(st.sampled_from("ab .\n"), max_size=60))
def test_no_letter_is_lost(text: str) -> None:
    kept = "".join(split_sentences(text))
    assert [char for char in kept if char.isalpha()] == [char for char in text if char.isalpha()]


def test_the_sample_has_no_sentence_that_begins_in_the_middle(sample: Site) -> None:
    found = [one for entry in sample.faq for one in split_sentences(entry.a)]
    assert len(found) > 200
    assert [one for one in found if one[0].islower()] == []
    assert max(map(len, found)) < 500


@pytest.mark.parametrize(
    "text",
    [
        "Vom 21. Dezember bis zum 6. Januar ist geschlossen.",
        "Das sind z. B. Kacheln, d. h. Keramik bzw. Ton.",
        "Siehe Nr. 4 im Verzeichnis.",
    ],
)
def test_german_ordinals_and_abbreviations_end_no_sentence(text: str) -> None:
    assert split_sentences(text) == [text]
