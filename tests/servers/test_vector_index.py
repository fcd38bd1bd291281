"""What is on a shelf is found while the store is away, and the store is asked again in time."""

import socket
import threading
from pathlib import Path

import pytest
from stoppable_stores import until
from vector_servers import VECTORS, Hands, VectorServer, exact, shelf

from resolvers.search.chroma import http_store
from resolvers.search.vector_index import name_of


def test_a_store_that_is_gone_is_done_without_until_it_is_back(tmp_path: Path) -> None:
    clock = Hands()
    with VectorServer(tmp_path) as server:
        store = http_store(server.url, "", "studio")
        kept = shelf(store, clock=clock)
        assert not kept.is_away
        server.kill()
        for place in range(10):
            assert kept.nearest(VECTORS[place], 4) == exact(VECTORS[place], 4, None)
        assert kept.is_away
        server.start()
        clock.now += 1.5
        until(lambda: bool(kept.nearest(VECTORS[0], 1)) and not kept.is_away)
        assert kept.nearest(VECTORS[3], 4) == exact(VECTORS[3], 4, None)
        assert not kept.is_away
        store.close()


def test_a_store_that_is_not_there_is_asked_more_and_more_seldom(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock, asked = Hands(), []
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    kept = shelf(http_store(f"http://127.0.0.1:{port}", "secret-token", "away"), clock=clock)
    assert kept.is_away
    for _ in range(40):
        clock.now += 1
        threads = threading.active_count()
        assert kept.nearest(VECTORS[0], 3) == exact(VECTORS[0], 3, None)
        asked.append(threading.active_count() > threads)
        until(lambda: "vector-store" not in {one.name for one in threading.enumerate()})
    assert asked.count(True) == 5  # after 1, 2, 4, 8 and 16 seconds
    assert len(caplog.records) == 1
    assert "Fix" in caplog.text
    assert "secret-token" not in caplog.text


def test_a_name_is_for_these_parts_in_this_order_only() -> None:
    names = [name_of("a", "b"), name_of("b", "a"), name_of("ab"), name_of("a", "b", ""), name_of()]
    assert len(set(names)) == len(names)
    assert name_of("a", "b") == names[0]
