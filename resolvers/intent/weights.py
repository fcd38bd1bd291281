"""The weights and thresholds of the ranking, fitted to examples."""

from dataclasses import dataclass

MUTATION_MARGIN = 0.05
"""How much higher a mutation must score than the best read, unless a rule asks for it."""
RULE_SCORE = 0.7
"""The least score of an operation that the wording of the goal asks for."""
NEAR = 0.01
"""Of reads whose scores differ by less, the one with the shorter answer comes first."""
MARGIN = 0.03
"""How far the best must be before the next to have high confidence, unless a rule asks for it."""
CLEAR_SCORE, CLEAR_MARGIN = 0.40, 0.10
"""A read that scores so much, and so much more than the next, has high confidence too."""
NAMED_ENTRY_SCORE, NAMED_ENTRY_MARGIN = 0.30, 0.15
"""The same for an entry whose name is in the goal."""
OTHER_FORM = 0.10
"""Taken from an operation that has not the form that the goal asks for."""
STEP = 0.001
"""How much an operation is put above or below another to follow or precede it."""
SURE_FACT = 0.62
"""How well a field must fit a question for its read to come before chat."""
SHORT_ANSWER = 800
"""An answer up to this length is read as it is, before chat is asked. Units: tokens."""
HALF_KEYWORD_SCORE = 5.0
"""The BM25 score that is mapped to 0.5."""
NAMED_SCORE = 1.0
"""The score of an operation that the goal names."""
MAX_SCORE = 0.98
"""The maximum score of all others."""


@dataclass(frozen=True)
class ScoreWeights:
    """The weights and thresholds for one mode of embeddings, fitted to examples."""

    example: float
    """The weight of the nearest example goal; the rest is that of the operation's text."""
    shared: float
    """The weight of common words, by rarity, against that of the cosine."""
    known: float
    """Added if the goal names a value for the path; not less than `low`."""
    low: float
    """Scores below this have low confidence."""
    high: float
    """Scores from this on have high confidence."""
    asked: float
    """A question whose best read scores below this is asked in chat first."""


WEIGHTS = {
    "hybrid": ScoreWeights(example=0.6, shared=0.0, known=0.20, low=0.20, high=0.50, asked=0.40),
    "semantic": ScoreWeights(example=0.6, shared=0.0, known=0.20, low=0.20, high=0.50, asked=0.40),
    "lexical": ScoreWeights(example=0.3, shared=0.4, known=0.20, low=0.20, high=0.40, asked=0.30),
}
