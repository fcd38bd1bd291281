"""The work of one process that outlives it: one queue for mails and deliveries alike."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from resolvers.db.database import Database
from resolvers.jobs.job_type import JobType
from resolvers.jobs.queue import JobQueue
from resolvers.mailbox.service import Mailbox
from resolvers.webhooks import sender as delivery
from resolvers.webhooks.fanout import Fanout
from sdl.errors import UnavailableError
from studiograph.settings import Settings
from studiograph.wiring import mail as mailbox
from studiograph.wiring.webhooks import canceller, make_fanout

if TYPE_CHECKING:
    from studiograph.app import Application

_AGAIN_SECONDS = 5
_DRAIN_SECONDS = 5
"""What runs longer at a stop runs again: all of a stop may take ten seconds."""

log = logging.getLogger("studiograph.jobs")


@dataclass(frozen=True)
class BackgroundJobs:
    """The queue of a process, and who puts something in it."""

    jobs: JobQueue
    post: Mailbox
    fanout: Fanout


def jobs_url_of(settings: Settings) -> str:
    """Where jobs are kept: in the data folder, or in the PostgreSQL that is shared."""
    named = settings.jobs_url or settings.database_url
    if settings.jobs_url or named.startswith("postgresql"):
        return Database(named).url.replace("sqlite+aiosqlite:", "sqlite:")
    return f"sqlite:///{(settings.data / 'jobs.db').absolute()}"


def jobs_of(settings: Settings, kinds: list[JobType]) -> JobQueue:
    """The jobs of these settings."""
    return JobQueue(jobs_url_of(settings), kinds, settings.jobs_role)


@asynccontextmanager
async def working(whole: "Application") -> AsyncIterator[BackgroundJobs]:
    """The work, which is done in this process too, if its role says so."""

    def words() -> Mapping[str, str]:
        found: Mapping[str, str] = whole.current().read("GetAutoReply")
        return found

    post = mailbox.make_mailbox(
        whole.settings, mailbox.current_studio(whole), whole.services, words
    )
    courier = whole.services.webhooks.courier(canceller(lambda: jobs))
    jobs = jobs_of(whole.settings, [mailbox.job_type(post), delivery.job_type(courier.run)])
    try:
        yield BackgroundJobs(jobs, post, make_fanout(whole, jobs))
    finally:
        await jobs.close(_DRAIN_SECONDS)


@asynccontextmanager
async def delivering(whole: "Application", work: BackgroundJobs) -> AsyncIterator[None]:
    """While inside, new entries are fanned out, and what was left unfinished is worked on."""
    whole.services.webhooks.fanout = work.fanout
    tasks = [asyncio.create_task(work.fanout.run())]
    if whole.settings.jobs_role == "web":
        log.info(
            "jobs are only put in the queue here: deliveries and mails wait until a process with"
            " STUDIOGRAPH_JOBS_ROLE=worker does them"
        )
    if whole.settings.jobs_role != "web":
        tasks.append(asyncio.create_task(_resumed(whole, work.jobs)))
    try:
        yield
    finally:
        whole.services.webhooks.fanout = None
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _resumed(whole: "Application", jobs: JobQueue) -> None:
    """Nothing, once the queue is worked on, or nobody needs it yet: it costs much to load."""
    while True:
        try:
            if whole.settings.jobs_role == "worker" or await jobs.unfinished():
                await jobs.launch()
        except UnavailableError:
            await asyncio.sleep(_AGAIN_SECONDS)
        except Exception:  # whatever it is, work that is under way must not wait for a restart
            log.exception("the queue of jobs was not launched; it is tried again")
            await asyncio.sleep(_AGAIN_SECONDS)
        else:
            return
