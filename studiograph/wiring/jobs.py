"""The background jobs of a process: one queue for mails and webhook deliveries."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from resolvers.db.database import Database
from resolvers.jobs.queue import JobQueue
from resolvers.mailbox.service import Mailbox
from resolvers.webhooks import sender
from resolvers.webhooks.fanout import Fanout
from sdl.errors import UnavailableError
from studiograph.application import Application
from studiograph.settings import Settings
from studiograph.wiring import mail
from studiograph.wiring.webhooks import CHANGELOG_OPERATION

_RETRY_SECONDS = 5
_DRAIN_SECONDS = 5
"""How long a stop waits for running jobs, after requests have ended."""

log = logging.getLogger("studiograph.jobs")


@dataclass(frozen=True)
class BackgroundJobs:
    """The job queue of a process, and the two services that enqueue jobs."""

    queue: JobQueue
    mailbox: Mailbox
    fanout: Fanout


def jobs_url(settings: Settings) -> str:
    """Return where jobs are stored: in the data folder, or in a shared PostgreSQL."""
    url = settings.jobs_url or settings.database_url
    if settings.jobs_url or url.startswith("postgresql"):
        return Database(url).url
    return f"sqlite:///{(settings.data / 'jobs.db').absolute()}"


def make_fanout(app: Application, jobs: JobQueue) -> Fanout:
    """Return the fan-out of a process."""
    return Fanout(
        app.services.webhooks.subscriptions,
        app.services.webhooks.deliveries,
        jobs,
        entries=lambda: app.current().data.changelog,
        read=lambda name, **variables: app.current().read(name, **variables),
        changelog_url=f"{app.settings.public_url}{app.operations.path(CHANGELOG_OPERATION)}",
    )


@asynccontextmanager
async def working(app: Application) -> AsyncIterator[BackgroundJobs]:
    """Provide the job queue, and stop it at the end; nothing is loaded yet."""
    mailbox = mail.make_mailbox(
        app.settings,
        mail.current_studio(app),
        app.services,
        partial(mail.reply_text, app),
    )
    worker = app.services.webhooks.worker(
        lambda subscription: jobs.cancel(sender.JOB_NAME, f"{subscription}:")
    )
    job_types = [mail.job_type(mailbox), sender.job_type(worker.run)]
    jobs = JobQueue(jobs_url(app.settings), job_types)
    try:
        yield BackgroundJobs(jobs, mailbox, make_fanout(app, jobs))
    finally:
        await jobs.close(_DRAIN_SECONDS)


@asynccontextmanager
async def delivering(app: Application, background: BackgroundJobs) -> AsyncIterator[None]:
    """Fan out new entries and resume unfinished jobs, until the end of the block."""
    app.services.webhooks.fanout = background.fanout
    tasks = [
        asyncio.create_task(background.fanout.run()),
        asyncio.create_task(_resume(background.queue)),
    ]
    try:
        yield
    finally:
        app.services.webhooks.fanout = None
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _resume(jobs: JobQueue) -> None:
    """Launch the queue if it holds unfinished jobs; otherwise loading DBOS can wait."""
    while True:
        try:
            if await jobs.unfinished():
                await jobs.launch()
        except UnavailableError:
            await asyncio.sleep(_RETRY_SECONDS)  # it was logged when it was raised
        except Exception:  # unfinished jobs must not wait for a restart, whatever is wrong
            log.exception("the queue of jobs was not launched; it is tried again")
            await asyncio.sleep(_RETRY_SECONDS)
        else:
            return
