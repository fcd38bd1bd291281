"""The measures: what one answer is worth, and how sure an average of many is. Asks nothing."""

import math
import random
from collections.abc import Callable, Collection, Mapping, Sequence

RESAMPLES = 1_000
SEED = 20_261_102
CONFIDENCE = 0.95

Statistic = Callable[[Sequence[float]], float]


def ndcg(found: Sequence[str], relevant: Mapping[str, int], depth: int) -> float:
    """The graded nDCG of the first entries found, from 0 to 1; an entry found twice counts once.

    Source: Järvelin and Kekäläinen 2002, with the gain 2^grade - 1 of Burges et al. 2005.
    """
    grades = [relevant.get(name, 0) for name in dict.fromkeys(found)][:depth]
    best = sorted(relevant.values(), reverse=True)[:depth]
    ideal = _gain(best)
    return _gain(grades) / ideal if ideal else 0.0


def _gain(grades: Sequence[int]) -> float:
    return sum((2.0**grade - 1) / math.log2(rank + 2) for rank, grade in enumerate(grades))


def hit(found: Sequence[str], right: Collection[str], depth: int) -> float:
    """1 when a right one is among the first found, else 0."""
    return float(any(name in right for name in found[:depth]))


def reciprocal_rank(found: Sequence[str], right: Collection[str]) -> float:
    """1 over the rank of the first right one, 0 without one."""
    return next((1 / rank for rank, name in enumerate(found, 1) if name in right), 0.0)


def precision(cited: Sequence[str], right: Collection[str]) -> float:
    """The share of the cited entries that are right; 0 where nothing is cited."""
    return sum(name in right for name in cited) / len(cited) if cited else 0.0


def mean(values: Sequence[float]) -> float:
    """The average; not a number where there is nothing to average."""
    return sum(values) / len(values) if values else math.nan


def percentile(share: float) -> Statistic:
    """The function that gives the value below which this share of values lies, the nearest one."""

    def of(values: Sequence[float]) -> float:
        if not values:
            return math.nan
        rank = max(1, math.ceil(share * len(values)))
        return sorted(values)[rank - 1]

    return of


def interval(values: Sequence[float], statistic: Statistic = mean) -> tuple[float, float]:
    """The bootstrap interval of a statistic, the same for the same values in every run.

    Source: Efron 1979, the percentile method.
    """
    if not values:
        return math.nan, math.nan
    chance = random.Random(SEED)  # noqa: S311 - resampling needs repeatability, no secrecy
    drawn = sorted(statistic(chance.choices(values, k=len(values))) for _ in range(RESAMPLES))
    outside = int((1 - CONFIDENCE) / 2 * RESAMPLES)
    return drawn[outside], drawn[-1 - outside]
