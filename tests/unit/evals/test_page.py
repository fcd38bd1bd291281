"""The page of first questions shows every question with every studio's answer."""

from evals.page import PAGE, QUESTIONS, page
from evals.system import Answered


def test_every_answer_is_shown_with_what_it_says_of_itself() -> None:
    good = Answered("Write to:\n\na@x.example [1].", "yes", "field", ("/api/a#/b",), True, 0.1)
    none = Answered("Not published.", "no", "none", (), True, 0.1)
    text = page({"sample": [good] * len(QUESTIONS), "second": [none] * len(QUESTIONS)})
    assert text.count("**sample**: answered yes, basis field, cites `/api/a#/b`\n") == 20
    assert text.count("> Write to:\n>\n> a@x.example [1].\n") == 20
    assert (
        text.count("**second**: answered no, basis none, cites nothing\n\n> Not published.") == 20
    )
    assert [question for question in QUESTIONS if question not in text] == []


def test_the_page_that_is_there_asks_these_questions() -> None:
    heads = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("## ")]
    assert heads == [f"## {number}. {text}" for number, text in enumerate(QUESTIONS, 1)]
