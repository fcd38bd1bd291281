"""The first starts on a data folder of an older version, killed at each of their steps."""

from pathlib import Path

import pytest
from databases import KINDS
from left_folder import check_all, kill_starts, left


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_lost_if_starts_are_killed_at_each_step_before(
    kind: str, tmp_path: Path
) -> None:
    with left(kind, tmp_path) as old:
        assert kill_starts(old, 1) > 100
        check_all(old)
