"""A queue whose store was away at its first use works when the store is back."""

import asyncio
from pathlib import Path

import pytest

from resolvers.jobs.inspection import has_unfinished
from resolvers.jobs.job_type import JobType
from resolvers.jobs.queue import JobQueue
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
