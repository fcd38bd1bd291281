"""What the terms of a studio say of its availability, its prices and what it takes on."""

from pathlib import Path

import pytest
from fact_answers import answers_by_words
from minimal_studio import write_minimal_studio

from resolvers.facts.answers import FactAnswer

TERMS = """
availability = "limited"
responseSla = "Within three days."
scope = ["Tide tables for small harbours", "Repair of old tide gauges"]
notInScope = ["Garden sundials", "Weather forecasts"]
preferredChannel = "Mail with the place. {more}"
"""
PRICE = """
[[faq]]
slug = "price"
q = "What does a table cost?"
a = "{answer}"
tags = ["price"]
"""
START = "They could start in May 2027."


def answer(folder: Path, question: str, *, more: str = START, price: str = "") -> FactAnswer:
    """The answer of a studio that says this of its terms and its prices."""
    content = write_minimal_studio(folder / "content")
    (content / "engagement.toml").write_text(TERMS.format(more=more))
    if price:
        (content / "faq.toml").write_text(PRICE.format(answer=price))
    return answers_by_words(content).answer(question)


def texts(said: FactAnswer) -> list[str]:
    """What its lines say."""
    return [line.text for line in said.lines]


def test_a_state_said_in_a_word_is_said_with_the_passage_that_tells_of_it(tmp_path: Path) -> None:
    said = answer(tmp_path, "when could they start")
    state, detail = texts(said)
    assert state == "Availability: limited."
    assert START in detail


def test_a_passage_without_the_day_asked_for_tells_nothing_of_a_state(tmp_path: Path) -> None:
    more = "They could start late."
    said = answer(tmp_path, "when could they start", more=more)
    assert texts(said) == ["Availability: limited."]


@pytest.mark.parametrize(
    "question",
    ["would you take on tide tables for a small harbour", "could they repair an old tide gauge"],
)
def test_whether_the_studio_would_do_something_is_answered_by_its_scope(
    tmp_path: Path, question: str
) -> None:
    scope = "The studio takes on: Tide tables for small harbours, Repair of old tide gauges."
    assert scope in texts(answer(tmp_path, question))


@pytest.mark.parametrize("question", ["would you build a garden sundial", "do they make sundials?"])
def test_whether_the_studio_would_do_something_is_answered_by_what_it_refuses(
    tmp_path: Path, question: str
) -> None:
    assert "The studio does not take on: Garden sundials, Weather forecasts." in texts(
        answer(tmp_path, question)
    )


def test_where_a_price_is_published_none_is_said_to_be_missing(tmp_path: Path) -> None:
    (line,) = texts(answer(tmp_path, "what does it cost", price="A table costs 40 EUR."))
    assert line == "A table costs 40 EUR."


def test_where_no_price_is_published_that_is_said(tmp_path: Path) -> None:
    said = answer(tmp_path, "what is the price of a project")
    assert said.answered == "partly"
    assert texts(said)[0].startswith("No prices are published")


@pytest.mark.parametrize(
    "question", ["What is it, in one line?", "What is Saltmarsh exactly?", "what is it"]
)
def test_what_the_studio_is_is_said_in_its_own_line(tmp_path: Path, question: str) -> None:
    assert texts(answer(tmp_path, question)) == ["Saltmarsh draws tide tables for small harbours"]
