"""Measures of single answers, and averages with confidence intervals."""

import math
import random
from collections.abc import Callable, Collection, Mapping, Sequence

RESAMPLES = 1_000
SEED = 20_261_102
CONFIDENCE = 0.95

Statistic = Callable[[Sequence[float]], float]


def ndcg(results: Sequence[str], relevant: Mapping[str, int], depth: int) -> float:
    """Return the graded nDCG of the first results, from 0 to 1; a duplicate counts once.

    Source: Järvelin and Kekäläinen 2002, with the gain 2^grade - 1 of Burges et al. 2005.
    """
    grades = [relevant.get(name, 0) for name in dict.fromkeys(results)][:depth]
    best = sorted(relevant.values(), reverse=True)[:depth]
    ideal = _gain(best)
    return _gain(grades) / ideal if ideal else 0.0


def _gain(grades: Sequence[int]) -> float:
    return sum((2.0**grade - 1) / math.log2(rank + 2) for rank, grade in enumerate(grades))


def hit(results: Sequence[str], right: Collection[str], depth: int) -> float:
    """Return 1 if a right result is among the first `depth`, else 0."""
    return float(any(name in right for name in results[:depth]))


def mean(values: Sequence[float]) -> float:
    """Return the mean; NaN if there are no values."""
    return sum(values) / len(values) if values else math.nan


def percentile(share: float) -> Statistic:
    """Return the statistic for this percentile, by the nearest rank."""

    def statistic(values: Sequence[float]) -> float:
        if not values:
            return math.nan
        rank = max(1, math.ceil(share * len(values)))
        return sorted(values)[rank - 1]

    return statistic


def interval(values: Sequence[float], statistic: Statistic = mean) -> tuple[float, float]:
    """Return the bootstrap interval of a statistic; a fixed seed makes it repeatable.

    Source: Efron 1979, the percentile method.
    """
    if not values:
        return math.nan, math.nan
    generator = random.Random(SEED)  # noqa: S311 - resampling is no secret
    resampled = sorted(
        statistic(generator.choices(values, k=len(values))) for _ in range(RESAMPLES)
    )
    outside = int((1 - CONFIDENCE) / 2 * RESAMPLES)
    return resampled[outside], resampled[-1 - outside]
