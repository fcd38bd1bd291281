"""A queue whose store was away at its first use works when the store is back."""

import asyncio
import logging
from pathlib import Path

import pytest

from resolvers.jobs.job_type import JobType
from resolvers.jobs.queue import JobQueue
from resolvers.jobs.store import STORE, has_unfinished
from sdl.errors import UnavailableError


async def nothing(_key: str, _attempt: int) -> None:
    """A job that does nothing."""


def test_a_start_that_failed_is_tried_again_at_the_next_use(tmp_path: Path) -> None:
    folder = tmp_path / "var"
    folder.write_text("no folder")
    url = f"sqlite:///{folder / 'jobs.db'}"

    async def use() -> None:
        queue = JobQueue(url, [JobType("trial", nothing)], runs=False)
        for _ in range(2):
            with pytest.raises(UnavailableError):
                await queue.enqueue("trial", "first")
        folder.unlink()
        folder.mkdir()
        await queue.enqueue("trial", "first")
        await queue.close()

    asyncio.run(use())
    assert has_unfinished(url)


def test_a_damaged_store_is_told_once_with_its_fix_and_again_after_it_answered(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "studiograph.jobs")
    file = tmp_path / "jobs.db"
    for _ in range(2):
        file.write_bytes(b"no database " * 1000)
        for _ in range(3):
            with pytest.raises(UnavailableError):
                has_unfinished(f"sqlite:///{file}")
        assert STORE.fault
        file.write_bytes(b"")  # which SQLite takes for a new one
        assert not has_unfinished(f"sqlite:///{file}")
        assert not STORE.fault
    told, again, *twice = (record.getMessage() for record in caplog.records)
    assert "file is not a database. Fix: stop the service, move the file jobs.db" in told
    assert again == "The store of jobs answers again"
    assert twice == [told, again]
