"""Jobs: each is done at least once whatever dies, and twice only what was in hand.

The queue alone is tested on SQLite. On PostgreSQL, `faults/test_delivery_kills.py` makes the same
claims of deliveries, and `test_job_faults.py` those about the store.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from job_program import CONCURRENCY, Crew, Member, hiring, until
from job_stores import a_store, rows, states

MANY = [f"n{number}" for number in range(300)]
SOME = MANY[:12]


@pytest.fixture
def crew(tmp_path: Path) -> Iterator[Crew]:
    """Processes on one empty store."""
    with a_store("sqlite", tmp_path) as url, hiring(url, tmp_path / "ledger") as crew:
        yield crew


def hire(crew: Crew, number: int, *, stops: bool = False) -> list[Member]:
    """Start so many processes and launch them at the same moment."""
    members = [crew.hire(stops=stops) for _ in range(number)]
    for member in members:
        member.tell("launch")
    for member in members:
        assert member.answer() == "done"
    return members


def extra(crew: Crew) -> int:
    """How many effects there are beyond one for each job."""
    return sum(crew.effects().values()) - len(crew.effects())


def all_is_done(crew: Crew, jobs: list[str]) -> bool:
    """Whether every one of the jobs is in the store, and finished."""
    return states(crew.url) == {"SUCCESS": len(jobs)}


def test_killed_processes_lose_nothing_and_double_at_most_what_they_had_in_hand(
    crew: Crew,
) -> None:
    four = hire(crew, 4)
    four[3].ask("put", "note", *MANY)
    until(lambda: len(crew.effects()) >= 20)
    for member in four[:2]:
        member.end()
    until(lambda: len(crew.effects()) >= 80)
    for member in four[2:]:
        member.end()
    assert len(crew.effects()) < len(MANY)
    two = [crew.hire(), crew.hire()]
    assert two[0].ask("unfinished") is True
    for member in two:
        member.tell("launch")
    until(lambda: all_is_done(crew, MANY))
    assert set(crew.effects()) == set(MANY)
    assert extra(crew) <= 4 * CONCURRENCY
    assert two[1].answer() == "done"
    assert two[1].ask("unfinished") is False


def test_the_same_job_put_in_by_all_at_once_is_done_once(crew: Crew) -> None:
    three = hire(crew, 3)
    for member in three:
        member.tell("race", "note", *SOME)
    for member in three:
        assert member.answer() == "done"
    until(lambda: all_is_done(crew, SOME))
    assert three[0].ask("put", "note", *SOME) == "done"
    assert all_is_done(crew, SOME)
    assert crew.effects() == dict.fromkeys(SOME, 1)


def test_a_queue_that_runs_nothing_only_puts_in(crew: Crew) -> None:
    web = crew.hire(runs=False)
    web.ask("put", "note", *SOME)
    web.ask("launch")
    assert states(crew.url) == {"ENQUEUED": len(SOME)}
    worker = crew.hire()
    worker.ask("launch")
    until(lambda: all_is_done(crew, SOME))
    assert crew.doers() == {worker.process.pid}
    assert web.ask("close", "1") == "done"


def test_the_wait_before_a_retry_survives_a_restart(crew: Crew) -> None:
    first = crew.hire()
    first.ask("put", "flaky", "relay")
    until(lambda: states(crew.url, "flaky").get("DELAYED"))
    first.end()
    crew.ledger.with_name("relay").touch()
    second = crew.hire()
    assert second.ask("unfinished") is True
    second.ask("launch")
    until(lambda: states(crew.url, "flaky") == {"SUCCESS": 2})
    assert crew.effects("flaky")["relay"] >= 2  # more if the first ended slowly
    ((due,),) = rows(
        crew.url,
        "SELECT delay_until_epoch_ms FROM TABLE.workflow_status"
        " WHERE delay_until_epoch_ms IS NOT NULL",
    )
    assert due / 1000 <= crew.ledger.stat().st_mtime


def test_a_process_loads_late_runs_on_its_own_loop_and_starts_again_after_a_stop(
    crew: Crew,
) -> None:
    member = crew.hire()
    assert member.ask("unfinished") is False
    assert "dbos" not in member.ask("loaded")
    member.ask("put", "where", "one")
    until(lambda: states(crew.url, "where") == {"SUCCESS": 1})
    member.ask("close", "1")
    member.ask("close", "1")
    member.ask("put", "where", "two")
    until(lambda: states(crew.url, "where") == {"SUCCESS": 2})
    assert crew.effects("where") == {"one-MainThread": 1, "two-MainThread": 1}
