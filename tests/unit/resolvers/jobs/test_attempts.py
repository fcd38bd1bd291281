"""A job that always fails has as many attempts as its type allows."""

import asyncio
from pathlib import Path

from running_server import eventually

from resolvers.jobs.job_type import JobType
from resolvers.jobs.queue import JobQueue
from resolvers.jobs.store import list_unfinished


def test_a_job_has_the_attempts_of_its_type_and_no_more(tmp_path: Path) -> None:
    url, numbers = f"sqlite:///{tmp_path / 'jobs.db'}", list[int]()

    async def fail(_key: str, number: int) -> None:
        numbers.append(number)
        raise OSError

    async def use() -> None:
        trial = JobType("trial", fail, attempts=2, first_wait_seconds=0, poll_seconds=0.05)
        queue = JobQueue(url, [trial])
        await queue.enqueue("trial", "first")
        await asyncio.to_thread(eventually, lambda: statuses() == ["dead"], 20)
        await queue.close()

    def statuses() -> list[str]:
        return [job.status for job in list_unfinished(url)]

    asyncio.run(use())
    assert numbers == [1, 2]
