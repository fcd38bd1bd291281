"""Which questions are in another language than the content, and which lines hold one."""

import pytest

from resolvers.answers.languages import holds, is_foreign

KNOWN = {"tidebook", "audit", "harbour", "kachelofen", "wartung"}


@pytest.mark.parametrize(
    "question",
    [
        "Wie teuer ist ein Audit bei euch?",
        "Qui est derri\u00e8re ce studio ?",
        "Hoe lang duurt een opdracht?",
        "Quanto costa il vostro lavoro?",
        "Kto jest w\u0142a\u015bcicielem tego studia?",
    ],
)
def test_a_question_in_another_language_is_told(question: str) -> None:
    assert is_foreign(question, "en", KNOWN)


@pytest.mark.parametrize(
    "question",
    ["What is Tidebook?", "cost per day?", "tidebook audit", "Is the harbour open on Sundays?", ""],
)
def test_a_question_in_the_contents_language_is_none(question: str) -> None:
    assert not is_foreign(question, "en", KNOWN)
    assert not is_foreign("Was kostet die Wartung?", "de", KNOWN)
    assert is_foreign("How much is the service of a stove?", "de-AT", KNOWN)


def test_lines_hold_a_question_in_other_forms_and_in_compounds() -> None:
    lines = ["Die Wartung eines Kachelofens kostet 180 Euro."]
    assert holds("Was kosten Wartungen der Kachel\u00f6fen?".replace("\u00f6", "o"), lines, "de")
    assert holds("Wartung vom Ofen?", ["Ofenwartung im Herbst"], "de")
    assert not holds("Was kostet der Einbau einer Heizung?", lines, "de")
    assert not holds("Wer ist das?", lines, "de")
