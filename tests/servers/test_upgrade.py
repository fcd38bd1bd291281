"""A data folder that version 353633c left is served: nothing that was published is lost."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import KINDS
from left_folder import FOLDER, Old, check_all, kill_starts, left

from studiograph.settings import PREFIX, REMOVED, Settings, SettingsError, read_settings

STEPS_BETWEEN_KILLS = 90
SETTINGS: list[str] = json.loads((FOLDER / "sqlite" / "published.json").read_text())["settings"]
"""The settings of that version."""
GONE = [f"{PREFIX}{name.upper()}" for name in SETTINGS if name not in Settings.model_fields]


@pytest.fixture(params=KINDS)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Old]:
    """The folder with a kind of store."""
    with left(request.param, tmp_path) as found:
        yield found


def test_nothing_published_is_lost_and_what_waited_goes_out_once_after_kills(old: Old) -> None:
    assert kill_starts(old, STEPS_BETWEEN_KILLS) > 1
    check_all(old)


def test_each_setting_of_that_version_is_known_or_removed_with_what_to_do() -> None:
    assert {f"{PREFIX}{name}" for name in REMOVED} == set(GONE)
    for name in GONE:
        with pytest.raises(SettingsError) as caught:
            read_settings({name: "x"})
        (line,) = str(caught.value).splitlines()
        assert line.startswith(f"{name}: removed in 0.3.0: ")
        assert " Fix: " in line


def test_the_start_names_every_removed_setting_at_once(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "studiograph", "serve"],
        env={**os.environ, **dict.fromkeys(GONE, "x")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert sum(": removed in 0.3.0: " in line for line in done.stderr.splitlines()) == len(GONE) > 0
