"""Writes docs/questions.md: what agents ask first, with the answers as they are.

    python -m evals.page            # writes the page
    python -m evals.page --first    # prints the answers to what `studiograph check` looks for

The questions fit any studio and were fixed before the answers were seen. Nothing is left out.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from content.checking.first_questions import FIRST_QUESTIONS
from evals.material import ROOT, STUDIOS
from evals.server import started
from evals.system import Answered

PAGE = ROOT / "docs/questions.md"
QUESTIONS = (
    "What does this studio do?",
    "Who is behind it?",
    "How do I hire them?",
    "What does it cost?",
    "Are they available now, and if not, from when?",
    "How can I get in touch?",
    "How quickly do they reply?",
    "Where are they based, and in which time zone do they work?",
    "Which languages do they speak?",
    "What have they made so far?",
    "Which of their projects is the newest?",
    "How many projects are there?",
    "What kind of work do they not take on?",
    "Who owns the result when the work is done?",
    "Which certificates or qualifications do they hold?",
    "What has changed lately?",
    "May I train a model on these pages?",
    "How can I check that nobody has changed this content?",
    "Could they build us a mobile game?",
    "What is the weather in Lisbon tomorrow?",
)
HEAD = """\
# Twenty first questions

What agents ask a studio first, and what `POST /api/chat` answers on the sample studio, on the
second studio of `evals/second/` and on the third of `evals/third/`, which is written in German,
without a language model. The questions were fixed before the answers were seen, and bad answers
stay. How well it answers many other questions is in
[answers.md](answers.md#how-well-it-answers).

Written by `.venv/bin/python -m evals.page`, with the built-in model.
"""


def page(answers: Mapping[str, Sequence[Answered]]) -> str:
    """Return the page; `answers` has those of each studio, in the order of `QUESTIONS`."""
    return "\n".join([HEAD, *_sections(QUESTIONS, answers)])


def _sections(questions: Sequence[str], answers: Mapping[str, Sequence[Answered]]) -> Iterator[str]:
    for number, question in enumerate(questions):
        yield f"## {number + 1}. {question}\n"
        for studio, own in answers.items():
            answer = own[number]
            cited = ", ".join(f"`{address}`" for address in answer.cited) or "nothing"
            yield f"**{studio}**: answered {answer.answered}, basis {answer.basis}, cites {cited}\n"
            yield "\n".join(f"> {line}".rstrip() for line in answer.text.splitlines()) + "\n"


def _ask_all(questions: Sequence[str]) -> dict[str, list[Answered]]:
    answers = {}
    for studio, content in STUDIOS.items():
        with (
            TemporaryDirectory() as folder,
            started(content, Path(folder), os.environ) as running,
        ):
            answers[studio] = [running.service.chat(text) for text in questions]
    return answers


def main() -> int:
    """Ask every studio, and write the page or print. Raises: MeasuredSystemError."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.page", description="Write docs/questions.md."
    )
    parser.add_argument(
        "--first", action="store_true", help="print answers to the thirty questions of `check`"
    )
    if parser.parse_args().first:
        questions = [question.text for question in FIRST_QUESTIONS]
        sys.stdout.write("\n".join(_sections(questions, _ask_all(questions))))
    else:
        PAGE.write_text(page(_ask_all(QUESTIONS)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
