"""Whether lines hold what a question asks for: the one condition of `answered: yes`.

A few signs are weighed by a logistic regression. `python -m evals.guard` fits the weights on the
half of the questions to tune, and tells what those of one studio are worth on another one.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from resolvers.answers.kinds import (
    asked_phrases,
    asks_offer,
    asks_price,
    holds_price,
    lacks_slot,
)
from resolvers.answers.lines import Line
from resolvers.answers.ranker import Ranker, Ranking
from resolvers.embeddings.tokenizer import terms
from resolvers.search.unknown_names import unknown_names

RIVALS = 60
"""Among how many candidates the best line of another entry is looked for."""
ASKED_FOR = 0.5
"""The likeness from which the words of example questions count as said."""
USUAL_LEAD = 0.45
"""The lead of a line without a rival, as a studio of one entry has: between the mean (.24) and the
upper tenth (.6) of the questions to tune. With 1, whatever came nearest was an answer."""
UNANSWERED = 0.75
"""The likeness from which a question is one of a field that has no value, if it is like no
published one as much. No answer of the half to tune is lost by it."""
# "Not the", "not his" and "not," set something apart from another thing, and ask no denial.
_NEGATED = re.compile(
    r"(?i)\b(?:not|never)\b(?! (?:the|an?|his|her|its|their)\b)(?!,)|n['\u2019]t\b"
    r"|\b(?:refuse|decline)s?\b"
)
_UNITS = {*terms("day daily hour hourly week weekly month monthly")}
"""What a price may be for and another one is not."""
_DENIES = re.compile(
    r"(?i)\b(?:not?|none|nor|never|without|cannot|refuses?|declines?)\b|n['\u2019]t\b"
)


@dataclass(frozen=True)
class Signs:
    """What speaks for and against an answer; each is about 0 to 1."""

    asked: float
    """How like the question is to the best line's example questions."""
    share: float
    """How much of the question the best line holds, by its tokens."""
    unknown: float
    """How much of the question no line has."""
    noun: float
    """How near the lines come to the very word for what is asked."""
    weakest: float
    """How near they come to the word that they hold worst."""
    lacks: float
    """Whether no line has the kind of thing that is asked for: an amount, a day, a name."""
    lead: float
    """How far the best line is before those of other entries."""
    length: float
    """How much the question says: the logarithm of one more than its content words."""
    faq: float
    """Whether the best line is the owner's answer to another question."""
    offer: float
    """Whether the question only asks if the studio would do something."""
    names: float
    """Whether the question has a name that nothing published has."""


WEIGHTS = {
    "tokens": (
        -4.893,
        Signs(
            asked=1.707,
            share=0.604,
            unknown=-1.148,
            noun=2.501,
            weakest=0.776,
            lacks=-2.400,
            lead=1.981,
            length=1.091,
            faq=-0.629,
            offer=0.922,
            names=-0.683,
        ),
    ),
    "words": (
        -2.854,
        Signs(
            asked=1.915,
            share=0.871,
            unknown=-1.683,
            noun=1.071,
            weakest=-0.573,
            lacks=-2.363,
            lead=0.804,
            length=0.725,
            faq=0.296,
            offer=1.226,
            names=-0.469,
        ),
    ),
}
"""The constant and the weight of each sign: by a model that reads tokens, and by words alone."""


YES = {"tokens": 0.67, "words": 0.6}
"""The likelihood from which lines answer a question."""
NEAR = {"tokens": 0.25, "words": 0.1}
"""The likelihood from which they come near enough to be said as the closest.

Both were set on the half of `evals/` to tune.
"""


def signs_of(ranker: Ranker, question: str, ranking: Ranking, chosen: Sequence[int]) -> Signs:
    """Return what speaks for these lines, of which there is at least one, the best first."""
    best = ranker.lines[chosen[0]]
    words = frozenset[str]().union(*(ranker.words[number] for number in chosen))
    if ranking.asked[chosen[0]] > ASKED_FOR:
        words |= {word for ask in best.asks for word in terms(ask)}
    nearest = np.max([ranking.nearest[number] for number in chosen], axis=0)
    near: dict[str, list[float]] = {}
    unknown = 0.0
    for stem, weight, value in zip(ranking.stems, ranking.weights, nearest, strict=True):
        if stem:
            near.setdefault(stem, []).append(float(value))
            unknown += float(weight) * (stem not in ranker.known_stems)
    nearness = {s: 1.0 if s in words else sum(own) / len(own) for s, own in near.items()}
    others = (n for n in ranking.order[:RIVALS] if _is_rival(ranker.lines[n], best))
    rival = next((float(ranking.scores[number]) for number in others), None)
    named = [
        line.title
        for line in (ranker.lines[number] for number in chosen)
        if line.entry is not None and not line.entry.is_question
    ]
    texts = [ranker.lines[number].text for number in chosen]
    return Signs(
        asked=min(max(float(ranking.asked[chosen[0]]), 0.0), 1.0),
        share=float(ranking.shares[chosen[0]]),
        unknown=unknown,
        noun=min((nearness.get(noun, 1.0) for *_, noun in asked_phrases(question)), default=1.0),
        weakest=min((max(own) for own in near.values()), default=1.0),
        lacks=float(lacks_slot(question, texts, named)),
        lead=USUAL_LEAD if rival is None else min(float(ranking.scores[chosen[0]]) - rival, 1.0),
        length=math.log1p(len(near)),
        faq=float(best.basis == "faq"),
        offer=float(asks_offer(question)),
        names=float(bool(unknown_names(question, ranker.known))),
    )


def _is_rival(line: Line, best: Line) -> bool:
    """Whether a line is of another entry; a price and the list that has it are the same."""
    is_list = line.url.startswith(f"{best.url}/") or best.url.startswith(f"{line.url}/")
    return line.title != best.title and not (is_list and holds_price(best.text))


def is_price_of_another_thing(ranker: Ranker, question: str, chosen: Sequence[int]) -> bool:
    """Whether a price is asked for, and the lines with prices have nothing that is named."""
    priced = [number for number in chosen if holds_price(ranker.lines[number].text)]
    if not asks_price(question) or not priced:
        return False
    asks = (ask for number in priced for ask in ranker.lines[number].asks)
    things = {*terms(question)} - ({word for ask in asks for word in terms(ask)} - _UNITS)
    return bool(things) and not any(things & ranker.words[number] for number in priced)


def is_about_what_is_not_published(
    ranker: Ranker, question: str, ranking: Ranking, chosen: Sequence[int]
) -> bool:
    """Whether a question is one of a field without a value, or of what is not done.

    It is the latter if it is negated, and neither the lines nor the questions that they answer are.
    """
    if ranking.unanswered > max(UNANSWERED, float(ranking.asked[chosen[0]])):
        return True
    if _NEGATED.search(question) is None:
        return False
    lines = [ranker.lines[number] for number in chosen]
    return not any(_DENIES.search(text) for line in lines for text in (line.text, *line.asks))


def likelihood(signs: Signs, mode: str) -> float:
    """Return how likely lines with these signs answer, from 0 to 1."""
    constant, weights = WEIGHTS[mode]
    sum_ = constant + sum(getattr(weights, f.name) * getattr(signs, f.name) for f in fields(Signs))
    return 1 / (1 + math.exp(-sum_))
