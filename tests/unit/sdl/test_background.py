"""Threads that make much beside requests."""

import gc
import os
import sys
import threading

import pytest

from sdl.background import NICE_STEPS, give_way, without_full_collections


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


def test_no_thread_looks_through_everything_until_the_last_is_done() -> None:
    before, counted = gc.get_threshold(), full_collections()
    with without_full_collections():
        with without_full_collections():
            kept = make_many()
        kept += make_many()
        assert full_collections() == counted
        young = gc.get_stats()[0]["collections"]
        kept += make_many()
        assert gc.get_stats()[0]["collections"] > young
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() >= len(kept)
    gc.unfreeze()


def test_all_is_as_before_after_work_that_failed() -> None:
    before = gc.get_threshold()
    with pytest.raises(ValueError, match="broken"), without_full_collections():
        raise ValueError("broken")
    assert gc.get_threshold() == before
    gc.unfreeze()
