"""Jobs that choose their own pace, run alone, or are taken out again; and how all are told."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from job_program import Crew, hiring, until
from job_stores import STORES, a_store, states

from resolvers.jobs.store import UnfinishedJob, count_unfinished, list_unfinished


@pytest.fixture(params=STORES[:1])
def crew(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Crew]:
    """Processes on one empty store."""
    with a_store(request.param, tmp_path) as url, hiring(url, tmp_path / "ledger") as crew:
        yield crew


def entered(crew: Crew, kind: str) -> list[tuple[str, str, float]]:
    """The effects of a kind: about what, which one, and when."""
    words = (effect.rsplit("-", 2) for effect in crew.effects(kind))
    return sorted(((about, which, float(at)) for about, which, at in words), key=lambda x: x[2])


def test_a_job_says_itself_when_it_wants_its_next_attempt(crew: Crew) -> None:
    crew.hire().ask("put", "paced", "it")
    until(lambda: states(crew.url, "paced") == {"SUCCESS": 3})
    first, second, third = entered(crew, "paced")
    assert [which for _, which, _ in (first, second, third)] == ["1", "2", "3"]
    assert min(second[2] - first[2], third[2] - second[2]) >= 0.5


def test_of_what_belongs_together_one_runs_at_a_time_in_all_processes(crew: Crew) -> None:
    for member in (two := [crew.hire(), crew.hire()]):
        member.ask("launch")
    jobs = [f"{owner}/{number}" for owner in "ab" for number in range(6)]
    two[0].ask("all", "lone", *jobs)
    until(lambda: states(crew.url, "lone") == {"SUCCESS": len(jobs)})
    for owner in "ab":
        which = [which for about, which, _ in entered(crew, "lone") if about[0] == owner]
        assert which == ["begins", "ends"] * 6


def test_what_waits_is_told_once(crew: Crew) -> None:
    web = crew.hire(runs=False)
    assert list_unfinished(crew.url) == []
    web.ask("all", "lone", "a/1", "a/2", "b/1")
    web.ask("all", "lone", "a/1", "a/2", "b/1")
    names = ("a/1", "a/2", "b/1")
    rows = [UnfinishedJob(f"lone:{name}:1", "lone", name, 1, "pending", None) for name in names]
    assert sorted(list_unfinished(crew.url), key=lambda row: row.id) == rows
    crew.hire().ask("launch")
    until(lambda: states(crew.url, "lone") == {"SUCCESS": 3})
    assert list_unfinished(crew.url) == []


def test_what_is_delayed_and_what_is_dead_are_told_as_such(crew: Crew) -> None:
    member = crew.hire()
    member.ask("put", "hopeless", "letter")
    member.ask("put", "flaky", "relay")
    until(lambda: {row.status for row in list_unfinished(crew.url)} == {"dead", "delayed"})
    assert count_unfinished(crew.url) == {"hopeless": 1, "flaky": 1}
    told = {row.kind: row for row in list_unfinished(crew.url)}
    assert (told["hopeless"].job_key, told["hopeless"].due_at) == ("letter", None)
    assert (told["flaky"].job_key, told["flaky"].attempt) == ("relay", 2)
    assert told["flaky"].due_at is not None
