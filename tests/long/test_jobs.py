"""Jobs: each is done at least once whatever dies, and twice only what was in hand.

The queue alone is tested on SQLite. On PostgreSQL, `faults/test_delivery_kills.py` makes the same
claims of deliveries, and `test_job_faults.py` those about the store.
"""

import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from job_program import CONCURRENCY, SWEEP_SECONDS, Crew, Member, hiring, until
from job_stores import a_store, rows, states

from resolvers.jobs.job_type import JobType

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


def test_what_the_dead_had_in_hand_runs_again_within_the_sweep(crew: Crew) -> None:
    three = hire(crew, 3)
    three[0].ask("put", "stay", *SOME)
    until(lambda: set(crew.effects("stay")) == set(SOME))
    for member in three[:2]:
        member.end()
    crew.ledger.with_name("open").touch()
    until(lambda: states(crew.url, "stay") == {"SUCCESS": len(SOME)}, SWEEP_SECONDS + 20)
    assert max(crew.effects("stay").values()) <= 2


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


def test_a_stop_under_load_loses_nothing_and_doubles_nothing(crew: Crew) -> None:
    two = hire(crew, 2, stops=True)
    two[0].ask("all", "note", *MANY)  # at once, or much is done before the last is in
    until(lambda: len(crew.effects()) >= 20)
    began = time.monotonic()
    for member in two:
        member.process.send_signal(signal.SIGTERM)
    assert [member.process.wait(20) for member in two] == [0, 0]
    assert time.monotonic() - began < 10
    done = len(crew.effects())
    assert done < len(MANY)
    assert states(crew.url) == {"SUCCESS": done, "ENQUEUED": len(MANY) - done}
    hire(crew, 1)
    until(lambda: all_is_done(crew, MANY))
    assert crew.effects() == dict.fromkeys(MANY, 1)


def test_a_job_longer_than_the_stop_runs_again_elsewhere(crew: Crew) -> None:
    first = crew.hire()
    first.ask("put", "stay", "long")
    until(lambda: crew.effects("stay") == {"long": 1})
    first.ask("close", "1")
    crew.hire().ask("launch")
    until(lambda: crew.effects("stay") == {"long": 2})
    assert len(crew.doers()) == 2


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


def test_the_waits_between_attempts_grow_to_their_longest() -> None:
    async def nothing(_: str, __: int) -> None: ...

    kind = JobType("note", nothing, longest_wait_seconds=1000)
    assert [kind.wait_seconds(attempt) for attempt in range(1, 7)] == [5, 20, 80, 320, 1000, 1000]


def test_a_job_fails_until_its_attempts_are_spent_or_it_gives_up(crew: Crew) -> None:
    member = crew.hire(stops=True)
    member.ask("put", "flaky", "nothing")
    member.ask("put", "hopeless", "letter")
    until(lambda: states(crew.url, "hopeless") == {"ERROR": 1})
    until(lambda: states(crew.url, "flaky") == {"SUCCESS": 2, "ERROR": 1})
    assert crew.effects("flaky") == {"nothing": 3}
    assert crew.effects("hopeless") == {"letter": 1}
    assert member.ask("unfinished") is False
    assert no_row_holds_more_than_ids(crew.url)
    assert member.end(signal.SIGTERM) == 0
    assert sorted(line.strip() for line in member.errors if "given up" in line) == [
        "studiograph.jobs: flaky nothing is given up after 3 attempts",
        "studiograph.jobs: hopeless letter is given up",
    ]
    assert not [line for line in member.errors if "GiveUp" in line or line.startswith("dbos")]


def no_row_holds_more_than_ids(url: str) -> bool:
    """Whether the store has plain JSON alone, of ids and of our own words."""
    held = rows(url, "SELECT inputs FROM TABLE.workflow_input")
    abouts = [("nothing", 1), ("nothing", 2), ("nothing", 3), ("letter", 1)]
    assert Counter(text for (text,) in held) == Counter(
        f'{{"namedArgs":{{}},"positionalArgs":["{about}",{number}]}}' for about, number in abouts
    )
    errors = rows(url, "SELECT error FROM TABLE.workflow_output WHERE error IS NOT NULL")
    assert sorted(text.count("OSError") + text.count("no nothing") for (text,) in errors) == [0, 0]
    kinds = rows(url, "SELECT DISTINCT serialization FROM TABLE.workflow_status")
    return kinds == [("portable_json",)]


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
