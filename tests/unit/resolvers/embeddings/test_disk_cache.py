"""Vectors on the disk: each text embedded once, and nothing believed that is not as written."""

import logging
import multiprocessing
from pathlib import Path

import numpy as np
import pytest
from counted_embedder import Noting

from resolvers.embeddings import disk_cache
from resolvers.embeddings.disk_cache import BATCH, DiskVectorCache
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.hashing import HashingEmbedder

TEXTS = ["tide", "ledger", "", "tide"]
LATER = ["ledger", "audit", "tide"]


def asked_for(folder: Path, texts: list[str]) -> list[str]:
    """What a new process has to embed, once it has all the right vectors."""
    embedder = Noting()
    vectors = DiskVectorCache(folder, embedder).get_or_embed(texts)
    assert np.array_equal(vectors, HashingEmbedder().embed_documents(texts))
    assert vectors.dtype == np.float32
    return embedder.asked


def held(folder: Path) -> list[str]:
    """The files, without the locks."""
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".lock")


def test_a_text_is_embedded_once(tmp_path: Path) -> None:
    assert asked_for(tmp_path, TEXTS) == ["tide", "ledger", ""]
    assert asked_for(tmp_path, TEXTS) == []
    assert asked_for(tmp_path, [*reversed(TEXTS)]) == []
    assert held(tmp_path) == ["noting-1-768.vectors"]


def test_only_what_is_new_is_embedded_and_an_earlier_call_is_remembered(tmp_path: Path) -> None:
    asked_for(tmp_path, TEXTS)
    assert asked_for(tmp_path, LATER) == ["audit"]
    assert asked_for(tmp_path, TEXTS) == []


def test_the_oldest_texts_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_cache, "ROOM_BYTES", 4 * 768)
    asked_for(tmp_path, ["tide", "ledger", "audit"])
    size = (tmp_path / "noting-1-768.vectors").stat().st_size
    assert asked_for(tmp_path, ["harbour", "mast"]) == ["harbour", "mast"]
    assert (tmp_path / "noting-1-768.vectors").stat().st_size == size
    assert asked_for(tmp_path, ["mast", "harbour", "tide"]) == []
    assert asked_for(tmp_path, ["ledger"]) == ["ledger"]


def test_no_texts_have_no_vectors(tmp_path: Path) -> None:
    assert DiskVectorCache(tmp_path, Noting()).get_or_embed([]).shape == (0, 768)


def test_another_embedder_has_a_file_of_its_own(tmp_path: Path) -> None:
    asked_for(tmp_path, TEXTS)
    other = Noting(id="other-1-768")
    DiskVectorCache(tmp_path, other).get_or_embed(TEXTS)
    assert len(other.asked) == 3
    assert held(tmp_path) == ["noting-1-768.vectors", "other-1-768.vectors"]


@pytest.mark.parametrize("place", [0, 31, 32, 64, 1000, -1])
def test_a_changed_byte_drops_all_of_the_file(
    place: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    asked_for(tmp_path, TEXTS)
    file = tmp_path / "noting-1-768.vectors"
    data = bytearray(file.read_bytes())
    data[place] ^= 1
    file.write_bytes(data)
    assert asked_for(tmp_path, TEXTS) == ["tide", "ledger", ""]
    assert caplog.messages == [f"{file} is damaged and is made again."]
    assert asked_for(tmp_path, TEXTS) == []


@pytest.mark.parametrize("kept", [0, 10, 32, 100, 3136, -1])
def test_a_file_that_ends_too_early_is_dropped(kept: int, tmp_path: Path) -> None:
    asked_for(tmp_path, TEXTS)
    file = tmp_path / "noting-1-768.vectors"
    file.write_bytes(file.read_bytes()[:kept])
    assert asked_for(tmp_path, TEXTS) == ["tide", "ledger", ""]


def test_a_folder_that_cannot_be_written_costs_time_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    assert asked_for(tmp_path / "file" / "vectors", TEXTS) == ["tide", "ledger", ""]
    assert {record.levelno for record in caplog.records} == {logging.WARNING}
    assert "so texts are embedded at every start. Fix: " in caplog.text


def test_a_model_that_is_away_leaves_what_is_kept(tmp_path: Path) -> None:
    asked_for(tmp_path, TEXTS)
    with pytest.raises(ModelError):
        DiskVectorCache(tmp_path, Noting(is_away=True)).get_or_embed(LATER)
    kept = DiskVectorCache(tmp_path, Noting(is_away=True)).get_or_embed(TEXTS)
    assert np.array_equal(kept, HashingEmbedder().embed_documents(TEXTS))


def test_what_was_made_before_an_end_ahead_of_time_is_kept(tmp_path: Path) -> None:
    many = [f"text {number}" for number in range(2 * BATCH + 6)]

    def stop(done: int, _: int) -> None:
        if done == 2 * BATCH:
            raise ModelError("The service stops.")

    asked_for(tmp_path, TEXTS)
    with pytest.raises(ModelError):
        DiskVectorCache(tmp_path, Noting(), stop).get_or_embed(many)
    assert asked_for(tmp_path, [*TEXTS, *many]) == many[2 * BATCH :]
    assert asked_for(tmp_path, many) == []


def test_its_progress_begins_at_what_is_kept_and_ends_at_all(tmp_path: Path) -> None:
    asked_for(tmp_path, TEXTS)
    told: list[tuple[int, int]] = []
    many = [*TEXTS, *(f"text {number}" for number in range(BATCH + 6))]
    cached = DiskVectorCache(tmp_path, Noting(), lambda done, total: told.append((done, total)))
    cached.get_or_embed(many)
    total = 3 + BATCH + 6
    assert told == [(3, total), (3 + BATCH, total), (total, total)]
    told.clear()
    cached.get_or_embed(many)
    assert told == [(total, total)]


def test_half_a_surrogate_pair_is_a_text_too(tmp_path: Path) -> None:
    assert asked_for(tmp_path, ["\ud800"]) == ["\ud800"]
    assert asked_for(tmp_path, ["\ud800"]) == []


def write_often(folder: Path, number: int) -> None:
    """Vectors of other texts again and again; a wrong one ends the process with an error."""
    for turn in range(20):
        asked_for(folder, [f"text {number} {turn}", "tide", f"text {turn}"])


def test_processes_that_write_at_once_never_tear_a_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=write_often, args=(tmp_path, n)) for n in range(2)]
    for process in processes:
        process.start()
    write_often(tmp_path, 2)
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0]
    assert caplog.messages == []
    assert held(tmp_path) == ["noting-1-768.vectors"]
