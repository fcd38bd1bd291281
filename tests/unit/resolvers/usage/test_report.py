"""Questions about the same thing are one, and nobody's own words are shown."""

from collections import Counter

from resolvers.usage.recorder import GAP
from resolvers.usage.report import unanswered
from resolvers.usage.store import Asked, Question


def asked(
    *texts: str, callers: int = 3, first: int = 0, answered: bool = False, channel: str = "http"
) -> Counter[Question]:
    """Each text, asked once by each of so many callers."""
    return Counter(
        Question("2026-11-24", text, Asked.QUESTION, channel, answered, caller)
        for text in texts
        for caller in range(first, first + callers)
    )


def shown(questions: Counter[Question]) -> list[str]:
    return [each.text for each in unanswered(questions, Asked.QUESTION)[0]]


def test_what_three_callers_asked_is_shown_and_what_two_asked_is_not() -> None:
    assert shown(asked("Do you do audits?")) == ["Do you do audits?"]
    assert unanswered(asked("Do you do audits?", callers=2), Asked.QUESTION) == ([], 1)
    again = asked("Do you do audits?", callers=2) + asked("Do you do audits?", callers=2)
    assert unanswered(again, Asked.QUESTION) == ([], 1)


def test_what_was_answered_is_not_shown_and_neither_is_another_kind() -> None:
    assert shown(asked("Do you do audits?", answered=True)) == []
    assert unanswered(asked("Do you do audits?"), Asked.GOAL) == ([], 0)


def test_wordings_of_one_question_are_one_with_the_words_that_three_callers_used() -> None:
    questions = (
        asked("Do you migrate Kubernetes clusters?", callers=1)
        + asked("Is migrating a Kubernetes cluster something you do?", callers=1, first=1)
        + asked("kubernetes cluster migrate zebra", callers=1, first=2, channel="mcp")
        + asked("What does a week cost?", callers=5)
    )
    ((cost, kubernetes), hidden) = unanswered(questions, Asked.QUESTION)
    assert (cost.text, cost.callers, cost.channels) == ("What does a week cost?", 5, ("http",))
    assert "Kubernetes" in kubernetes.text
    assert (kubernetes.callers, kubernetes.times) == (3, 3)
    assert kubernetes.channels == ("http", "mcp")
    assert hidden == 0
    assert not any("zebra" in text for text in shown(questions))


def test_a_rare_word_is_a_gap_and_gaps_are_one() -> None:
    questions = (
        asked("Do you audit ledgers of zebra quartz?", callers=1)
        + asked("Do you audit ledgers of amber onyx?", callers=1, first=1)
        + asked("Do you audit ledgers of coral topaz?", callers=1, first=2)
    )
    assert shown(questions) == [f"Do you audit ledgers of {GAP}"]


def test_words_that_say_nothing_alone_show_nothing() -> None:
    questions = asked("What about zebra?", callers=2) + asked("What about onyx?", callers=2)
    assert shown(questions) == []


def test_more_callers_come_first() -> None:
    questions = asked("Do you do audits?", callers=3) + asked("Where is the boat?", callers=4)
    assert shown(questions) == ["Where is the boat?", "Do you do audits?"]
