"""Vectors are found wherever they are kept, and found as well while their store is away."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import numpy as np
import pytest
from fuzz import resident
from http_service import http_service
from stoppable_stores import Wire, until
from vector_servers import (
    COUNT,
    VECTORS,
    Hands,
    VectorServer,
    exact,
    random_vectors,
    shelf,
)

from resolvers.ai.memory import release_freed_memory
from resolvers.embeddings.errors import ModelError
from resolvers.search.chroma import (
    ChromaStore,
    StoreUnavailableError,
    VectorStore,
    ephemeral_store,
    http_store,
    path_store,
)
from resolvers.search.vector_index import VectorIndex

REVISIONS = 40
MAX_GROWTH = 20 * 2**20
"""Thirty indexes that are kept are twice as much. Units: bytes."""
SECOND = """
import sys
from pathlib import Path
from resolvers.embeddings.errors import ModelError
from resolvers.search.chroma import path_store
try:
    path_store(Path(sys.argv[1]), "studio")
except ModelError as fault:
    print(fault)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VectorServer]:
    """A server that is left alone."""
    with VectorServer(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(params=["ephemeral", "path", "http"])
def store(
    request: pytest.FixtureRequest, server: VectorServer, tmp_path: Path
) -> Iterator[VectorStore]:
    """A store of each kind, empty."""
    kinds: dict[str, Callable[[], VectorStore]] = {
        "ephemeral": lambda: ephemeral_store(str(tmp_path)),
        "path": lambda: path_store(tmp_path / "chroma", "studio"),
        "http": lambda: http_store(server.url, "", str(tmp_path)),
    }
    made = kinds[request.param]()
    yield made
    made.close()


def put(store: VectorStore, name: str, vectors: np.ndarray = VECTORS) -> None:
    """The vectors, under a name."""
    ids = [str(place) for place in range(len(vectors))]
    store.upsert(name, ids, vectors)


def test_the_nearest_are_found(store: VectorStore) -> None:
    kept = shelf(store)
    assert not kept.is_away
    for vector in random_vectors(5, seed=2):
        assert kept.nearest(vector, 7) == exact(vector, 7)
    assert not kept.is_away


def test_a_score_is_the_cosine(store: VectorStore) -> None:
    put(store, "aa")
    (vector,) = random_vectors(1, seed=3)
    found = store.query("aa", vector, 5)
    expected = [float(VECTORS[int(place)] @ vector) for place, _ in found]
    assert [score for _, score in found] == pytest.approx(expected, abs=1e-5)
    assert expected == sorted(expected, reverse=True)


def test_no_vectors_at_all_are_no_fault(store: VectorStore) -> None:
    empty = VectorIndex(store, "ee", VECTORS[:0])
    empty.build()
    assert empty.nearest(VECTORS[0], 5) == []


def test_this_name_and_the_one_before_stay_and_older_ones_go(store: VectorStore) -> None:
    for name in ("aa", "bb", "cc"):
        put(store, name)
        store.prune(name)
    assert store.query("bb", VECTORS[0], 1)[0][0] == "0"
    assert store.query("cc", VECTORS[0], 1)[0][0] == "0"
    with pytest.raises(StoreUnavailableError):
        store.query("aa", VECTORS[0], 1)


def test_an_index_that_has_left_the_store_finds_the_same_and_does_not_return(
    store: VectorStore,
) -> None:
    clock = Hands()
    left, follower, same = (shelf(store, name, clock) for name in ("aa", "bb", "bb"))
    follower.leave_store(same)
    assert not follower.is_away
    left.leave_store(follower)
    clock.now += 3600
    assert left.nearest(VECTORS[9], 3) == exact(VECTORS[9], 3)
    assert left.is_away
    assert follower.nearest(VECTORS[9], 3) == exact(VECTORS[9], 3)
    assert not follower.is_away
    if not isinstance(store, ChromaStore):  # other processes may use those of a server
        with pytest.raises(StoreUnavailableError):
            store.query("aa", VECTORS[9], 1)


@pytest.mark.parametrize("store", ["ephemeral", "path"], indirect=True)
def test_what_goes_gives_its_memory_back(store: VectorStore) -> None:
    held = []
    for number in range(REVISIONS):
        put(store, f"revision-{number}")
        store.prune(f"revision-{number}")
        release_freed_memory()
        held.append(resident(os.getpid()))
    assert held[-1] - held[REVISIONS // 4] < MAX_GROWTH, held


def test_what_was_written_by_half_is_completed(store: VectorStore) -> None:
    put(store, "aa", VECTORS[:20])
    put(store, "aa")
    assert store.query("aa", VECTORS[41], 1)[0][0] == "41"


def test_two_studios_on_one_server_leave_each_other_alone(server: VectorServer) -> None:
    one, other = (http_store(server.url, "", name) for name in ("one studio", "another"))
    put(one, "aa")
    for name in ("bb", "cc", "dd"):
        put(other, name)
        other.prune(name)
    assert one.query("aa", VECTORS[5], 1)[0][0] == "5"
    one.close()
    other.close()


def test_processes_of_one_revision_share_what_one_of_them_wrote(server: VectorServer) -> None:
    stores = [http_store(server.url, "", "shared") for _ in range(4)]
    start = threading.Barrier(len(stores))

    def begin(store: VectorStore) -> None:
        start.wait()
        put(store, "aa")
        store.prune("aa")

    threads = [threading.Thread(target=begin, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for store in stores:
        assert store.query("aa", VECTORS[7], 1)[0][0] == "7"
        assert len(store.query("aa", VECTORS[7], COUNT)) == COUNT
        store.close()


def test_a_reader_whose_collection_vanished_finds_all_the_same_and_makes_it_anew(
    server: VectorServer,
) -> None:
    clock = Hands()
    slow, quick = (http_store(server.url, "", "vanishing") for _ in range(2))
    kept = shelf(slow, "aa", clock)
    for name in ("bb", "cc"):
        put(quick, name)
        quick.prune(name)
    assert kept.nearest(VECTORS[9], 3) == exact(VECTORS[9], 3)
    assert kept.is_away
    clock.now += 2
    until(lambda: kept.nearest(VECTORS[9], 3) == exact(VECTORS[9], 3) and not kept.is_away)
    assert quick.query("cc", VECTORS[9], 1)[0][0] == "9"
    slow.close()
    quick.close()


def test_a_folder_belongs_to_one_process(tmp_path: Path) -> None:
    folder = tmp_path / "chroma"
    store = path_store(folder, "studio")

    def second() -> str:
        program = [sys.executable, "-c", SECOND, str(folder)]
        return subprocess.check_output(program, text=True)

    assert "Another process uses the vector store" in second()
    assert "STUDIOGRAPH_VECTOR_STORE" in second()
    with pytest.raises(ModelError, match="Fix"):
        path_store(folder, "studio")
    store.close()
    assert not second()
    path_store(folder, "studio").close()


def test_a_folder_keeps_its_vectors(tmp_path: Path) -> None:
    first = path_store(tmp_path, "studio")
    put(first, "aa")
    first.close()
    again = path_store(tmp_path, "studio")
    put(again, "aa")
    assert again.query("aa", VECTORS[11], 1)[0][0] == "11"
    again.close()


def test_a_folder_holds_two_revisions_and_nothing_of_earlier_ones(tmp_path: Path) -> None:
    (tmp_path / "chroma.sqlite3").write_text("of an earlier version")
    (tmp_path / "0f0e").mkdir()
    for names in ("ab", "cde"):
        store = path_store(tmp_path, "studio")
        for name in names:
            put(store, name)
            store.prune(name)
        store.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d", "e"]


def test_a_server_that_takes_and_never_answers_is_done_without(server: VectorServer) -> None:
    wire = Wire(("127.0.0.1", server.port))
    store = http_store(f"http://127.0.0.1:{wire.port}", "", "frozen")
    kept = shelf(store)
    assert not kept.is_away
    wire.flows.clear()
    assert kept.nearest(VECTORS[8], 3) == exact(VECTORS[8], 3)
    assert kept.is_away
    wire.flows.set()
    store.close()
    wire.cut()


def test_the_token_goes_with_every_call(server: VectorServer) -> None:
    seen: list[str | None] = []

    class Door(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Nobody is let in."""
            seen.append(self.headers["Authorization"])
            self.send_response(401)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - theirs
            """Nothing."""

    with http_service(Door) as address:
        store = http_store(f"{address}/", "a-token", "studio")
        with pytest.raises(StoreUnavailableError):
            put(store, "aa")
    assert seen == ["Bearer a-token"]
    with_token = http_store(server.url, "a-token", "tokens")
    put(with_token, "aa")
    with_token.close()


def test_many_threads_read_while_others_write(store: VectorStore) -> None:
    kept, wrong = shelf(store), []
    over = threading.Event()

    def read() -> None:
        while not over.is_set():
            if kept.nearest(VECTORS[30], 2) != exact(VECTORS[30], 2) or kept.is_away:
                wrong.append(1)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    try:
        for name in ("bb", "cc", "dd"):
            put(store, name)
    finally:
        over.set()
    for reader in readers:
        reader.join()
    assert not wrong
