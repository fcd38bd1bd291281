"""Which questions of agents a content folder does not answer, and what would."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from minimal_studio import write_minimal_studio
from repository import ROOT, SAMPLE

from content.checking.first_questions import FIRST_QUESTIONS, unanswered_questions
from content.reading.reader import load, read
from schema.site import Site
from sdl.types.declare import model_in

ASKED = re.compile(r'nothing answers "(.+)", which agents ask')
FROM_FAQ = [question for question in FIRST_QUESTIONS if question.words]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The content of a studio that has hardly anything but an FAQ, which is read soon."""
    return write_minimal_studio(tmp_path / "content")


def unanswered(folder: Path) -> dict[str, str]:
    """The fix of each question that the folder does not answer."""
    found: dict[str, str] = {}
    for finding in unanswered_questions(load(folder)):
        asked = ASKED.fullmatch(finding.rule)
        assert asked is not None
        found[asked[1]] = finding.fix
    return found


def write_faq(folder: Path, question: str, tag: str) -> None:
    """Let one entry be the whole FAQ."""
    entry = f'[[faq]]\nq = "{question}"\na = "It is so."\ntags = ["{tag}"]\n'
    (folder / "faq.toml").write_text(entry)


def test_there_are_thirty_and_each_can_be_answered() -> None:
    assert len(FIRST_QUESTIONS) == len({question.text for question in FIRST_QUESTIONS}) == 30
    assert all(question.fields or question.words for question in FIRST_QUESTIONS)


@pytest.mark.parametrize("path", [path for question in FIRST_QUESTIONS for path in question.fields])
def test_every_field_is_one_of_the_content(path: str) -> None:
    model = Site
    *tables, last = path.split(".")
    for name in tables:
        (info,) = [i for n, i in model.model_fields.items() if (i.alias or n) == name]
        model = model_in(info.annotation)  # type: ignore[assignment]
        assert model is not None
    assert last in {info.alias or name for name, info in model.model_fields.items()}


def test_a_faq_about_something_else_leaves_its_questions_open(folder: Path) -> None:
    write_faq(folder, "Why is grass green?", "colour")
    assert [*unanswered(folder)] == [own.text for own in FROM_FAQ if not own.fields]


@pytest.mark.parametrize("question", FROM_FAQ, ids=lambda question: question.text)
def test_each_word_answers_in_the_question_and_in_the_tags(question: object, small: Path) -> None:
    (asked,) = [each for each in FROM_FAQ if each is question]
    for text in asked.alternatives:
        written = text.replace("*", "").title()
        write_faq(small, f"Is it so, {written}?", "colour")
        assert asked.text not in unanswered(small), text
        write_faq(small, "Why is grass green?", written)
        assert asked.text not in unanswered(small), text
        assert text.replace("*", "") in _fix_without_it(asked.text, small)


def _fix_without_it(question: str, folder: Path) -> str:
    write_faq(folder, "Why is grass green?", "colour")
    return unanswered(folder)[question]


@pytest.mark.parametrize(
    ("tag", "question", "is_open"),
    [
        ("prices", "What does a project cost?", False),
        ("Ownership", "Who owns the result?", False),
        ("own account", "Who owns the result?", True),
        ("price", "What is the day rate?", True),
        ("rate", "What is the day rate?", True),
        ("non-disclosure", "Is it confidential?", False),
        ("fee", "What does a project cost?", False),
        ("feet", "What does a project cost?", True),
    ],
)
def test_words_are_compared_as_wholes_unless_they_may_end_otherwise(
    tag: str, question: str, *, is_open: bool, small: Path
) -> None:
    write_faq(small, "Why is grass green?", tag)
    assert (question in unanswered(small)) is is_open


@pytest.mark.parametrize(
    ("file", "key", "question"),
    [
        ("engagement.toml", "scope", "What work does it take on?"),
        ("engagement.toml", "notInScope", "What does it refuse?"),
        ("studio.toml", "languages", "In which languages does it work?"),
    ],
)
def test_an_empty_list_leaves_its_question_open_and_is_the_fix(
    file: str, key: str, question: str, folder: Path
) -> None:
    path = folder / file
    path.write_text(re.sub(rf"(?ms)^{key} = \[.*?\]$", f"{key} = []", path.read_text()))
    name = f"{file.removesuffix('.toml')}.{key}"
    assert unanswered(folder)[question] == f"fill in {name}"
    reading = read(folder)
    found = reading.locate(unanswered_questions(reading.site))
    (problem,) = [problem for problem in found if problem.key == name]
    assert problem.file == f"content/{file}"
    lines = path.read_text().splitlines()
    assert lines[problem.line - 1] == f"{key} = []"


def test_one_of_several_fields_is_enough(folder: Path) -> None:
    founder = folder / "studio.founder.toml"
    question = "Which education and certificates does the founder have?"
    founder.write_text(
        re.sub(r"(?ms)^\[\[formation\]\].*?(?=^\[\[handles)", "", founder.read_text())
    )
    founder.write_text(f"formation = []\n{founder.read_text()}")
    assert question not in unanswered(folder)


@pytest.mark.parametrize("content", [SAMPLE, ROOT / "evals" / "second"])
def test_the_studios_here_answer_most_of_them(content: Path) -> None:
    assert len(unanswered(content)) <= 6


def test_no_model_is_loaded_for_it() -> None:
    program = (
        "import sys; from studiograph.__main__ import main;"
        " main(['check']); sys.exit('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False, timeout=60)
    assert done.returncode == 0
