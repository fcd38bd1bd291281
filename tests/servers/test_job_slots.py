"""Slots: a number is one process's alone, and nobody's once that process is dead."""

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from job_program import hiring, until
from job_stores import STORES, a_store, end_sessions, rows

from resolvers.jobs.dbos_backend import WorkerSlots, claim_lowest, make_slots
from resolvers.jobs.store import make_engine

HOLDER = """
import sys
from resolvers.jobs.store import make_engine
from resolvers.jobs.dbos_backend import make_slots, claim_lowest
slots = make_slots(make_engine(sys.argv[1]))
print(claim_lowest(slots), flush=True)
sys.stdin.read()
"""


@pytest.fixture(params=STORES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty store."""
    with a_store(request.param, tmp_path) as url:
        yield url


@pytest.fixture
def two(url: str) -> Iterator[tuple[WorkerSlots, WorkerSlots]]:
    """The slots of two holders, which exclude each other as two processes do."""
    first, second = make_slots(make_engine(url)), make_slots(make_engine(url))
    yield first, second
    first.close()
    second.close()


def test_a_number_is_held_once(two: tuple[WorkerSlots, WorkerSlots]) -> None:
    first, second = two
    assert first.claim(3)
    assert not second.claim(3)
    assert not first.claim(3)
    first.release(3)
    assert second.claim(3)


def test_the_lowest_free_number_is_taken(two: tuple[WorkerSlots, WorkerSlots]) -> None:
    first, second = two
    assert [claim_lowest(first), claim_lowest(second), claim_lowest(first)] == [1, 2, 3]
    first.release(1)
    assert claim_lowest(second) == 1


def test_processes_at_the_same_moment_get_different_numbers_and_death_frees_them(
    url: str,
) -> None:
    holders = [
        subprocess.Popen(
            [sys.executable, "-c", HOLDER, url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    try:
        numbers = [int(holder.stdout.readline()) for holder in holders if holder.stdout]
        assert sorted(numbers) == [1, 2, 3]
    finally:
        for holder in holders:
            holder.kill()
            holder.communicate()
    mine = make_slots(make_engine(url))
    for number in numbers:
        until(partial(mine.claim, number))
    mine.close()


def test_slots_are_lost_with_their_session(tmp_path: Path) -> None:
    with a_store("postgresql", tmp_path) as url:
        first, second = make_slots(make_engine(url)), make_slots(make_engine(url))
        assert first.claim(1)
        assert first.is_held()
        end_sessions(url)
        assert not first.is_held()
        assert second.claim(1)
        assert not first.claim(1)
        assert claim_lowest(first) == 2
        first.close()
        second.close()


def test_a_process_whose_slot_another_one_took_goes_on_under_a_new_one(tmp_path: Path) -> None:
    with a_store("postgresql", tmp_path) as url, hiring(url, tmp_path / "ledger") as crew:
        member = crew.hire()
        member.ask("put", "note", "before")
        until(lambda: crew.effects() == {"before": 1})
        thief = make_slots(make_engine(url))

        def stolen() -> bool:
            end_sessions(url, "studiograph-slots")
            return thief.claim(1)

        until(stolen)
        until(lambda: "taking a new slot" in "".join(member.errors))
        member.ask("put", "note", "after")
        until(lambda: crew.effects() == {"before": 1, "after": 1})
        owners = "SELECT executor_id FROM TABLE.workflow_status ORDER BY created_at"
        assert rows(url, owners) == [("slot-1",), ("slot-2",)]
        thief.close()
