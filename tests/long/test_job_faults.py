"""A store of jobs that is gone, broken or old: what is said, and what heals by itself."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from job_program import Crew, hiring, until
from job_stores import STORES, a_store, age, reopen, rows, shut, states
from small_disk import small_disk

SILENT = {"unavailable": "The job queue does not answer."}


@pytest.fixture
def crew(tmp_path: Path) -> Iterator[Crew]:
    """Processes on an empty PostgreSQL store."""
    with a_store("postgresql", tmp_path) as url, hiring(url, tmp_path / "ledger") as crew:
        yield crew


def test_a_store_that_is_gone_is_unavailable_and_heals_when_it_is_back(crew: Crew) -> None:
    member = crew.hire()
    member.ask("put", "note", "before")
    shut(crew.url)
    began = time.monotonic()
    assert member.ask("put", "note", "during") == SILENT
    assert member.ask("unfinished") == SILENT
    assert time.monotonic() - began < 10
    reopen(crew.url)
    assert member.ask("put", "note", "after") == "done"
    until(lambda: states(crew.url) == {"SUCCESS": 2})
    assert set(crew.effects()) == {"before", "after"}


def test_a_job_that_ends_while_the_store_is_gone_is_not_run_again(crew: Crew) -> None:
    crew.hire().ask("put", "stay", "it")
    until(lambda: crew.effects("stay") == {"it": 1})
    shut(crew.url)
    crew.ledger.with_name("open").touch()
    assert crew.members[0].ask("put", "note", "during") == SILENT
    reopen(crew.url)
    until(lambda: states(crew.url, "stay") == {"SUCCESS": 1})
    assert crew.effects("stay") == {"it": 1}


@pytest.mark.parametrize("broken", ["a folder", "no database"])
def test_a_file_that_is_no_store_is_unavailable_until_it_is_put_right(
    broken: str, tmp_path: Path
) -> None:
    file = tmp_path / "jobs.db"
    if broken == "a folder":
        file.mkdir()
    else:
        file.write_bytes(b"no database " * 500)
    with hiring(f"sqlite:///{file}", tmp_path / "ledger") as crew:
        member = crew.hire()
        assert member.ask("unfinished") == SILENT
        assert member.ask("put", "note", "early") == SILENT
        file.rmdir() if broken == "a folder" else file.unlink()
        assert member.ask("put", "note", "late") == "done"
        until(lambda: crew.effects() == {"late": 1})


@pytest.mark.parametrize(
    ("kind", "ends"), [("stay", {"SUCCESS": 1}), ("flaky_stay", {"SUCCESS": 2})]
)
def test_a_job_that_ends_while_the_disk_is_full_is_not_forgotten(
    kind: str, ends: dict[str, int], tmp_path: Path
) -> None:
    with (
        small_disk(tmp_path / "disk") as disk,
        hiring(f"sqlite:///{disk.folder / 'jobs.db'}", tmp_path / "ledger") as crew,
    ):
        member = crew.hire()
        member.ask("put", kind, "it")
        until(lambda: crew.effects(kind) == {"it": 1})
        disk.fill()
        crew.ledger.with_name("open").touch()
        until(lambda: "disk is full" in "".join(member.errors))
        disk.empty()
        until(lambda: states(crew.url, kind) == ends)
        assert crew.effects(kind)["it"] > 1
        assert "sqlalchemy" not in "".join(member.errors)


@pytest.mark.parametrize("name", STORES)
def test_what_was_finished_a_month_ago_is_forgotten(name: str, tmp_path: Path) -> None:
    with a_store(name, tmp_path) as url, hiring(url, tmp_path / "ledger") as crew:
        first = crew.hire()
        first.ask("put", "note", "old", "new")
        until(lambda: states(url) == {"SUCCESS": 2})
        first.end()
        age(url, "note:old:1")
        crew.hire().ask("launch")
        until(lambda: states(url) == {"SUCCESS": 1})
        left = [("note:new:1",)]
        assert rows(url, "SELECT workflow_uuid FROM TABLE.workflow_status") == left
        assert rows(url, "SELECT workflow_uuid FROM TABLE.workflow_input") == left
