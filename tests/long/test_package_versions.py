"""The engine's tests hold for the wheel, at the lowest and the locked versions, and it is quick."""

from pathlib import Path

import built_package as package
import pytest

TRIES = 7
MAX_RATIO = 1.5
SECONDS = "from time import process_time as now; began = now(); import {}; print(now() - began)"


@pytest.mark.parametrize("versions", ["lowest", "package"])
def test_the_engines_tests_hold_for_the_wheel(versions: str, tmp_path: Path) -> None:
    done = package.tested(tmp_path, versions)
    assert done.returncode == 0, done.stdout + done.stderr


def test_importing_it_takes_little_longer_than_strawberry(tmp_path: Path) -> None:
    python = package.environment(tmp_path / "environment", package.built(tmp_path))

    def seconds(name: str) -> float:
        return float(package.told(python, "-c", SECONDS.format(name)))

    times = [(seconds("strawberry"), seconds("strawberry_surfaces")) for _ in range(TRIES)]
    base, own = map(min, zip(*times, strict=True))
    assert own <= base * MAX_RATIO
