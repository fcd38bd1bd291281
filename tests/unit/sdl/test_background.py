"""Threads that give way to requests, and make much without full collections."""

import gc
import os
import sys
import threading
from collections.abc import Iterator
from weakref import ref

import pytest

from sdl.tools.background import NICE_STEPS, give_way, without_full_collections

USUAL = (700, 10, 10)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a priority for each thread")
def test_only_the_thread_that_gives_way_has_a_lower_priority() -> None:
    own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    found: list[int] = []

    def work() -> None:
        give_way()
        found.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    (thread := threading.Thread(target=work)).start()
    thread.join()
    assert found == [min(own + NICE_STEPS, 19)]
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == own


def full_collections() -> int:
    """How many there were."""
    count: int = gc.get_stats()[2]["collections"]
    return count


def make_many() -> list[list[int]]:
    """Make as many objects as lead to several full collections otherwise."""
    return [[number] for number in range(300_000)]


@pytest.fixture
def own_thresholds() -> Iterator[None]:
    """The thresholds that Python has by itself; the tests have higher ones."""
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="it collects in increments")
@pytest.mark.usefixtures("own_thresholds")
def test_no_thread_looks_through_everything_until_the_last_is_done() -> None:
    gc.freeze()  # what is there already, by which Python decides whether to look through all
    counted = full_collections()
    kept = make_many()
    assert full_collections() > counted
    counted = full_collections()
    with without_full_collections():
        with without_full_collections():
            kept += make_many()
        kept += make_many()
        assert full_collections() == counted
        young = gc.get_stats()[0]["collections"]
        kept += make_many()
        assert gc.get_stats()[0]["collections"] > young
    assert gc.get_threshold() == USUAL
    assert gc.get_freeze_count() >= len(kept)


@pytest.mark.usefixtures("own_thresholds")
def test_what_a_failed_attempt_leaves_is_collected() -> None:
    class Made:
        """Something that holds itself."""

    def make() -> ref[Made]:
        with without_full_collections():
            made = Made()
            made.itself = made  # type: ignore[attr-defined]
            known = ref(made)
            del made
            with pytest.raises(ValueError, match="broken"), without_full_collections():
                raise ValueError("broken")
            raise KeyError(known)

    with pytest.raises(KeyError) as failed:
        make()
    gc.collect()
    assert failed.value.args[0]() is None
    assert gc.get_threshold() == USUAL
