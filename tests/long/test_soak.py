"""How a soak judges: what a fault explains, what it does not, and what drifts."""

from typing import Any

import pytest
from soak import MAX_DRIFT, Sample, Soak, drift, unexplained

STOPPED = (60.0, 75.0, "store stopped")


class Logged(Soak):
    """A run that has ended, with what was logged."""

    def __init__(self, text: str) -> None:
        nothing: Any = None
        super().__init__(nothing, nothing, nothing, nothing)
        self.text = text

    def log(self) -> str:
        """Return what was logged."""
        return self.text


@pytest.mark.parametrize(
    ("at", "kind", "status", "count"),
    [
        (10, "reads", 200, 0),
        (10, "subscribe", 201, 0),
        (10, "chat", 503, 1),
        (65, "chat", 503, 0),
        (65, "reads", 503, 1),
        (65, "chat", 500, 1),
        (90, "contact", 503, 1),
        (10, "reads", 0, 1),
    ],
)
def test_a_refusal_is_explained_by_a_store_that_is_away_and_by_nothing_else(
    at: float, kind: str, status: int, count: int
) -> None:
    soak = Logged("")
    soak.faults, soak.answers = [STOPPED], [(at, kind, status, 0.1)]
    assert len(unexplained(soak)) == count


def test_a_line_at_level_error_is_explained_by_its_fault_alone() -> None:
    day = "2026-11-23 04:00:00,000"
    kept = f"{day} ERROR studiograph.content: the content was not reloaded; the last good one"
    store = f"{day} ERROR studiograph.faults: request a: unavailable, ConnectionError"
    soak = Logged("\n".join([kept, store, f"{day} INFO studiograph: started", "Traceback (most"]))
    assert len(unexplained(soak)) == 3
    soak.faults = [STOPPED, (1.0, 9.0, "invalid content")]
    assert unexplained(soak) == ["1 x logged Traceback (most"]


def test_drift_is_what_a_straight_line_gains() -> None:
    level = [Sample(at, 300 * 2**20 + at % 2 * 2**20, 30) for at in range(300)]
    rising = [Sample(at, 300 * 2**20 + at * 2**17, 30) for at in range(300)]
    assert abs(drift(level, lambda sample: sample.memory)) < MAX_DRIFT / 16
    assert drift(rising, lambda sample: sample.memory) > MAX_DRIFT
    assert drift(level[:1], lambda sample: sample.files) == 0
