"""The same question has the same answer, in any order and from another room."""

from boatyard import yard_table
from studio_answers import answers_from


def test_what_was_asked_before_changes_no_answer() -> None:
    table = yard_table()
    questions = [q for field in table.fields for q in field.asked.questions]
    questions += [f"{q} of Marigold and Heron" for q in questions]
    one, other = answers_from(table), answers_from(yard_table())
    answers = {q: one.answer(q) for q in questions}
    assert {q: one.answer(q) for q in reversed(questions)} == answers
    assert [(q, other.answer(q).lines) for q in questions] == [
        (q, answer.lines) for q, answer in answers.items()
    ]
    assert sum(answer.answered == "yes" for answer in answers.values()) > len(questions) / 2
