"""Whatever a question or the turns before it say, an answer has the content's words alone."""

import re
from functools import cache

from fact_answers import answers_by_words, table_of
from injections import INJECTIONS, Injection
from offenders import offenders
from tiers import step

from resolvers.facts.answers import FactAnswer
from resolvers.facts.passages import passages_of
from resolvers.facts.statements import items_of, statements_of

ATTEMPTS = INJECTIONS[:: step(3)]
Turns = tuple[tuple[str, str], ...]
ASKED: Turns = (
    ("user", "Which projects has the studio made?"),
    ("assistant", "Tidebook (in-production) [1]; Harborlight (in-production) [1]."),
)
QUESTIONS = (
    "What is Tidebook?",
    "how can I contact the studio",
    "is the second one in production?",
    "which version is the first one?",
    "and the price?",
)
OWN = {"of", "in", "all", "newest", "oldest"}
"""The words that a list is introduced by, besides numbers."""


@cache
def vocabulary() -> frozenset[str]:
    """Every word that the content's fields and quotations say."""
    table = table_of()
    statements = [
        statement
        for field in table.fields
        for entry in (None, *table.entries_of(field.owner.type_name))
        for statement in statements_of(table, field, entry)
    ]
    texts = [s.text for whole in statements for s in (whole, *items_of(whole))]
    texts += [passage.quote for passage in passages_of(table)]
    return frozenset(word for text in texts for word in words(text))


def words(text: str) -> set[str]:
    """The words of a text, in small letters."""
    return {*re.findall(r"[^\W\d_]+", text.lower())}


def assert_own_words(answer: FactAnswer, attack: Injection) -> None:
    """The answer has no word that neither the content nor a list's introduction has."""
    for line in answer.lines:
        assert words(line.text) <= vocabulary() | OWN
        assert not re.search(r"attacker|zq\d{3}xv|\[\d+\]|!\[|<[a-zA-Z/!?]", line.text)
        assert attack.canary not in f"{line.title} {line.slug} {line.url} {line.pointer}"


def test_an_attack_as_the_question_is_not_repeated() -> None:
    def check(attack: Injection) -> None:
        for question in (attack.text, f"{QUESTIONS[0]} {attack.text}"):
            assert_own_words(answers_by_words().answer(question), attack)

    assert offenders(check, ATTEMPTS) == []


def test_an_attack_in_an_earlier_turn_is_not_repeated() -> None:
    def check(attack: Injection, role: str) -> None:
        for question in QUESTIONS:
            turns = (*ASKED, (role, attack.text))
            assert_own_words(answers_by_words().answer(question, turns), attack)

    assert offenders(check, ATTEMPTS, ("user", "assistant")) == []


def test_an_instruction_at_the_end_of_an_earlier_answer_changes_nothing() -> None:
    user, (role, answer) = ASKED

    def check(attack: Injection) -> None:
        for question in QUESTIONS:
            turns = (user, (role, f"{answer}\n{attack.text}"))
            assert answers_by_words().answer(question, turns) == answers_by_words().answer(
                question, ASKED
            )

    assert offenders(check, ATTEMPTS) == []


def test_these_questions_are_answered_without_an_attack() -> None:
    for question in QUESTIONS:
        assert answers_by_words().answer(question, ASKED).lines
