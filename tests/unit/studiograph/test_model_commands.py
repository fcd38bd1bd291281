"""`studiograph models`: where the weights are."""

import json
from pathlib import Path

import pytest
from command_runs import Run, runs
from model_weights import RUNG

from resolvers.embeddings.weights import INSTALL, MINILM, MODEL, models_folder
from studiograph.commands import dev
from studiograph.settings import Settings

PACKAGE = f"packages {MINILM.packages}"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings with a data folder of their own."""
    return Settings(data=tmp_path / "var")


@pytest.fixture
def run(settings: Settings, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("list")`: the exit code of `studiograph models list`, its output and its errors."""

    return runs(capsys, "models", settings=settings)


def states(run: Run) -> dict[str, str]:
    """Each place and how it stands there."""
    return {row["place"]: row["state"] for row in json.loads(run("list", "--json")[1])}


def test_every_place_is_listed_with_how_it_stands(settings: Settings, run: Run) -> None:
    packaged = "ready" if RUNG == PACKAGE else "absent"
    code, out, err = run("list")
    first, second = out.splitlines()
    assert code == 0
    assert first.split() == ["data", "folder", "absent", str(models_folder(settings.data))]
    assert second.startswith(f"{PACKAGE}  {packaged}")
    assert err == ("" if packaged == "ready" else f"{dev.NONE}\n")
    assert states(run) == {"data folder": "absent", PACKAGE: packaged}


def test_a_damaged_file_is_named_with_what_to_do(settings: Settings, run: Run) -> None:
    folder = models_folder(settings.data)
    folder.mkdir(parents=True)
    for name in MINILM.pins:
        (folder / name).write_text("damaged")
    assert states(run)["data folder"] == "refused"
    err = run("list")[2]
    assert err.startswith(f"{folder / MODEL} is not the file that was published")
    assert f"Fix: remove it, and {INSTALL}." in err
    assert run("list", "--quiet")[2] == ""
