"""The work of one process that outlives it: one queue for mails and deliveries alike."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from resolvers.jobs.engine import Jobs
from resolvers.jobs.kind import Kind
from resolvers.letters import delivery
from resolvers.letters.fanout import Fanout
from resolvers.letters.post import Post
from resolvers.state.database import Database
from schema.errors import Unavailable
from studiograph import mailbox
from studiograph.settings import Settings
from studiograph.webhooks import cancelling, fanout_of

if TYPE_CHECKING:
    from studiograph.app import Assembly

_AGAIN_SECONDS = 5
_DRAIN_SECONDS = 5
"""What runs longer at a stop runs again: all of a stop may take ten seconds."""

log = logging.getLogger("studiograph.jobs")


@dataclass(frozen=True)
class Work:
    """The queue of a process, and who puts something in it."""

    jobs: Jobs
    post: Post
    fanout: Fanout


def jobs_url_of(settings: Settings) -> str:
    """Where jobs are kept: in the data folder, or in the PostgreSQL that is shared."""
    named = settings.jobs_url or settings.database_url
    if settings.jobs_url or named.startswith("postgresql"):
        return Database(named).url.replace("sqlite+aiosqlite:", "sqlite:")
    return f"sqlite:///{(settings.data / 'jobs.db').absolute()}"


def jobs_of(settings: Settings, kinds: list[Kind]) -> Jobs:
    """The jobs of these settings."""
    return Jobs(jobs_url_of(settings), kinds, settings.jobs_role)


@asynccontextmanager
async def working(whole: "Assembly") -> AsyncIterator[Work]:
    """The work, which is done in this process too, if its role says so."""

    def words() -> Mapping[str, str]:
        found: Mapping[str, str] = whole.current().read("GetAutoReply")
        return found

    post = mailbox.post_of(whole.settings, mailbox.studio_of(whole), whole.services, words)
    courier = whole.services.webhooks.courier(cancelling(lambda: jobs))
    jobs = jobs_of(whole.settings, [mailbox.kind_of(post), delivery.kind_of(courier.run)])
    try:
        yield Work(jobs, post, fanout_of(whole, jobs))
    finally:
        await jobs.close(_DRAIN_SECONDS)


@asynccontextmanager
async def delivering(whole: "Assembly", work: Work) -> AsyncIterator[None]:
    """While inside, new entries are fanned out, and what was left unfinished is worked on."""
    whole.services.webhooks.fanout = work.fanout
    tasks = [asyncio.create_task(work.fanout.follow())]
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


async def _resumed(whole: "Assembly", jobs: Jobs) -> None:
    """Nothing, once the queue is worked on, or nobody needs it yet: it costs much to load."""
    while True:
        try:
            if whole.settings.jobs_role == "worker" or await jobs.unfinished():
                await jobs.launch()
        except Unavailable:
            await asyncio.sleep(_AGAIN_SECONDS)
        except Exception:  # whatever it is, work that is under way must not wait for a restart
            log.exception("the queue of jobs was not launched; it is tried again")
            await asyncio.sleep(_AGAIN_SECONDS)
        else:
            return
