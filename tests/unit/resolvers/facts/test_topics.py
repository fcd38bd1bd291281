"""Questions about what no field holds, such as payment terms, are answered by the owner's words."""

import shutil
from pathlib import Path

import pytest
from fact_answers import SECOND, answers_by_words


@pytest.mark.parametrize(
    "question",
    [
        "do they sign an NDA",
        "what is the VAT number?",
        "Are there any open positions?",
        "who owns the result of the work",
        "is there a discount for charities",
    ],
)
def test_no_field_answers_what_no_field_holds(question: str) -> None:
    answer = answers_by_words(SECOND).answer(question)
    assert answer.answered != "yes"
    assert answer.basis != "field"


@pytest.mark.parametrize(
    ("q", "a", "question"),
    [
        ("Do you sign an NDA?", "Yes, before you send anything.", "do they sign an NDA"),
        (
            "What about secrets?",
            "I sign a non-disclosure agreement if you ask for one.",
            "is there a non-disclosure agreement",
        ),
        ("Tax?", "The VAT number is GB 123 4567 89.", "what is the VAT number"),
    ],
)
def test_what_the_owner_says_of_it_answers(tmp_path: Path, q: str, a: str, question: str) -> None:
    content = tmp_path / "content"
    shutil.copytree(SECOND, content)
    faq = content / "faq.toml"
    faq.write_text(f'{faq.read_text()}\n[[faq]]\nq = "{q}"\na = "{a}"\ntags = []\n')
    answer = answers_by_words(content).answer(question)
    assert answer.answered == "yes"
    assert a in [line.text for line in answer.lines]
