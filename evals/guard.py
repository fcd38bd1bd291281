"""Fits the weights of the guard of answers on the half of the questions to tune, and prints them.

    python -m evals.guard            # by the configured embedder
    STUDIOGRAPH_AI_EMBEDDER=hash python -m evals.guard

What is printed of a studio was fitted on the other one: of the answers that would say `yes`, how
many are right by the patterns, and how many of the questions that have an answer get such a one.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from evals.material import STUDIOS, Chat, materials
from resolvers.answers.guard import YES, Signs, signs_of
from resolvers.answers.questions import in_context, parts_of
from studiograph.application import make_application
from studiograph.settings import read_settings

ENGLISH = ("sample", "second")
RIDGE = 3.0
ROUNDS = 50
Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A question whose lines were chosen, and whether `yes` would be right."""

    asked: Chat
    signs: Signs
    is_right: bool


def main() -> int:
    """Print what weights are worth, and those of all studios."""
    cases = {studio: list(cases_of(studio)) for studio in ENGLISH}
    for studio, own in cases.items():
        others = [case for name, more in cases.items() if name != studio for case in more]
        say(f"{studio}: {worth(own, likelihoods(fit(others), own))}")
    weights = fit([case for own in cases.values() for case in own])
    say(f"constant {weights[-1]:.3f}")
    for field, weight in zip(fields(Signs), weights, strict=False):
        say(f"{field.name} {weight:.3f}")
    return 0


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


def cases_of(studio: str) -> Iterator[Case]:
    """Yield the questions of the half to tune that ask for one thing."""
    with TemporaryDirectory() as folder:
        places = {"STUDIOGRAPH_CONTENT": str(STUDIOS[studio]), "STUDIOGRAPH_DATA": folder}
        settings = read_settings({**os.environ, **places})
        models = make_application(settings, preview=True).services.models
        answers = models.load(lambda _done, _total: None).answers
        for chat in (chat for item in materials("tune", studio) for chat in item.chats):
            text = answers.mended(in_context(chat.text, chat.history))
            ranking = answers.ranker.rank(text)
            chosen = [number for group in answers.choose(ranking) for number in group]
            if chosen and (chat.history or parts_of(text) == [text]):
                said = " ".join(" ".join(answers.ranker.lines[n].text.split()) for n in chosen)
                is_right = all(pattern.search(said) for pattern in chat.must)
                is_right = is_right and not any(pattern.search(said) for pattern in chat.must_not)
                signs = signs_of(answers.ranker, text, ranking, chosen)
                yield Case(chat, signs, is_right and chat.answered == "yes")


def fit(cases: Sequence[Case]) -> Matrix:
    """Return the weight of each sign and the constant: a logistic regression with a ridge."""
    rows = np.array([astuple(case.signs) for case in cases])
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    rows = np.column_stack([(rows - mean) / spread, np.ones(len(rows))])
    right = np.array([float(case.is_right) for case in cases])
    ridge = RIDGE * np.eye(rows.shape[1])
    ridge[-1, -1] = 0
    weights = np.zeros(rows.shape[1])
    for _ in range(ROUNDS):
        likely = 1 / (1 + np.exp(-rows @ weights))
        curve = (rows * (likely * (1 - likely))[:, None]).T @ rows + ridge
        weights += np.linalg.solve(curve, rows.T @ (right - likely) - ridge @ weights)
    plain = weights[:-1] / spread
    return np.append(plain, weights[-1] - plain @ mean)


def likelihoods(weights: Matrix, cases: Sequence[Case]) -> Matrix:
    """Return how likely each answer is right."""
    rows = np.array([astuple(case.signs) for case in cases])
    likely: Matrix = 1 / (1 + np.exp(-(rows @ weights[:-1] + weights[-1])))
    return likely


def worth(cases: Sequence[Case], likely: Matrix) -> str:
    """Return what a `yes` from this likelihood on would be worth."""
    said = likely >= YES["tokens"]
    right = np.array([case.is_right for case in cases])
    can = np.array([case.asked.answered == "yes" for case in cases])
    due = np.array([case.asked.style == "due" for case in cases])
    return (
        f"{said.sum()} yes of {len(cases)}, right {right[said].mean():.3f}; of what has an answer"
        f" {(said & right).sum() / can.sum():.3f}; of what has none {said[~can].mean():.3f}; due"
        f" diligence {(said & ~right & due).sum()} wrong of {due.sum()}"
    )


if __name__ == "__main__":
    sys.exit(main())
