"""Of two thousand documents in which something is altered, both verifiers refuse each."""

from pathlib import Path

import pytest
from verifier_mutations import REASONS, not_refused

EACH = 2_000 // len(REASONS)


@pytest.mark.parametrize("kind", REASONS)
def test_two_thousand_alterations_are_refused_by_both(kind: str, tmp_path: Path) -> None:
    assert EACH * len(REASONS) == 2_000
    assert not_refused(kind, EACH, tmp_path) == []
