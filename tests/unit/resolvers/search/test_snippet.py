"""Snippets: the sentence that fits the question, verbatim and cut between words."""

from resolvers.embeddings.tokenizer import terms
from resolvers.search.snippet import MAX_LENGTH, snippet

WORDS = "harbour tide ledger "


def rarity(_: str) -> float:
    return 1.0


def test_the_sentence_with_the_words_of_the_question_is_shown() -> None:
    text = "The ledger is open. A tide gauge counts the waves. Ropes are dry."
    assert snippet(text, terms("gauge"), rarity).startswith("A tide gauge counts the waves.")


def test_a_long_sentence_is_cut_between_two_words() -> None:
    text = WORDS * 40
    shown = snippet(text, ["ledger"], rarity)
    assert len(shown) <= MAX_LENGTH
    assert text.startswith(f"{shown} ")


def test_a_long_word_is_cut_anywhere() -> None:
    assert snippet("a" * 1000, ["b"], rarity) == "a" * MAX_LENGTH
