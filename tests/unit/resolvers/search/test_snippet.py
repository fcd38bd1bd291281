"""Snippets: from the sentence that fits the question on, verbatim and cut between words."""

from resolvers.embeddings.tokenizer import terms
from resolvers.search.snippet import MAX_LENGTH, best_begin, snippet

WORDS = "harbour tide ledger "
TEXT = "The ledger is open. A tide gauge counts the waves. Ropes are dry."


def rarity(_: str) -> float:
    return 1.0


def test_the_sentence_with_the_words_of_the_question_is_found() -> None:
    begin = best_begin(TEXT, terms("gauge"), rarity)
    assert snippet(TEXT, begin) == "A tide gauge counts the waves. Ropes are dry."
    assert best_begin(TEXT, terms("nothing of it"), rarity) == 0


def test_as_many_sentences_are_shown_as_there_is_room_for() -> None:
    text = " ".join([TEXT] * 20)
    shown = snippet(text)
    assert MAX_LENGTH - 40 < len(shown) <= MAX_LENGTH
    assert shown.endswith(".")


def test_a_long_sentence_is_cut_between_two_words() -> None:
    text = WORDS * 40
    shown = snippet(text)
    assert len(shown) <= MAX_LENGTH
    assert text.startswith(f"{shown} ")


def test_a_long_word_is_cut_anywhere() -> None:
    assert snippet("a" * 1000) == "a" * MAX_LENGTH
