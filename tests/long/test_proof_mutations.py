"""Of two thousand documents in which something is altered, both verifiers refuse each."""

from pathlib import Path

import pytest
from verifier_mutations import KINDS as ALTERED
from verifier_mutations import not_refused

EACH = 2_000 // len(ALTERED)


@pytest.mark.parametrize("kind", ALTERED)
def test_two_thousand_alterations_are_refused_by_both(kind: str, tmp_path: Path) -> None:
    assert EACH * len(ALTERED) == 2_000
    assert not_refused(kind, EACH, tmp_path) == []
