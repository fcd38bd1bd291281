"""The measures against values that were worked out by hand."""

import math

import pytest

from evals.measures import (
    Statistic,
    hit,
    interval,
    mean,
    ndcg,
    percentile,
)

RELEVANT = {"a": 2, "b": 1}
IDEAL = 3 + 1 / math.log2(3)


@pytest.mark.parametrize(
    ("found", "value"),
    [
        (["a", "b"], 1.0),
        (["b", "a"], (1 + 3 / math.log2(3)) / IDEAL),
        (["a"], 3 / IDEAL),
        (["x", "x2", "a"], 3 / 2 / IDEAL),
        (["x", "b"], (1 / math.log2(3)) / IDEAL),
        (["x", "y", "z", "u", "v", "a"], 0.0),
        (["a", "a", "b"], 1.0),
        ([], 0.0),
    ],
    ids=["ideal", "swapped", "one", "third", "related", "too-deep", "repeated", "nothing"],
)
def test_ndcg_is_what_the_formula_gives(found: list[str], value: float) -> None:
    assert ndcg(found, RELEVANT, 5) == pytest.approx(value)


def test_ndcg_expects_no_more_than_fits_into_its_depth() -> None:
    many = dict.fromkeys("abcdefg", 2)
    assert ndcg(list("gfedc"), many, 5) == pytest.approx(1.0)


def test_ndcg_of_a_question_without_an_answer_is_nothing() -> None:
    assert ndcg(["a"], {}, 5) == 0.0


@pytest.mark.parametrize(
    ("depth", "value"), [(1, 0.0), (2, 0.0), (3, 1.0), (9, 1.0)], ids=["1", "2", "3", "9"]
)
def test_a_hit_is_one_among_the_first(depth: int, value: float) -> None:
    assert hit(["x", "y", "a", "b"], {"a"}, depth) == value


@pytest.mark.parametrize(
    ("share", "value"), [(0.5, 50.0), (0.95, 95.0), (0.99, 99.0), (0.0, 1.0), (1.0, 100.0)]
)
def test_a_percentile_is_the_nearest_of_the_values(share: float, value: float) -> None:
    assert percentile(share)([float(number) for number in range(100, 0, -1)]) == value


@pytest.mark.parametrize("statistic", [mean, percentile(0.5)], ids=["mean", "median"])
def test_what_was_never_asked_has_no_value(
    statistic: Statistic,
) -> None:
    assert math.isnan(statistic([]))
    assert all(math.isnan(end) for end in interval([], statistic))


def test_an_interval_of_equal_values_is_a_point() -> None:
    assert interval([0.25] * 30) == (0.25, 0.25)


def test_an_interval_is_the_same_whenever_it_is_drawn() -> None:
    values = [0.0] * 20 + [1.0] * 30
    assert interval(values) == interval(values)


def test_an_interval_of_shares_is_near_what_theory_gives() -> None:
    low, high = interval([0.0] * 50 + [1.0] * 50)
    off = 1.96 * math.sqrt(0.5 * 0.5 / 100)
    assert low == pytest.approx(0.5 - off, abs=0.02)
    assert high == pytest.approx(0.5 + off, abs=0.02)


def test_an_interval_is_wider_where_less_was_asked() -> None:
    few, many = interval([0.0, 1.0] * 8), interval([0.0, 1.0] * 200)
    assert few[1] - few[0] > 2 * (many[1] - many[0])
