"""What runs beside the requests: the queue of jobs, webhook deliveries and the agents' mailbox."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from resolvers.jobs.job_type import JobType
from resolvers.jobs.queue import JobQueue
from resolvers.mailbox.rules import Policy
from resolvers.mailbox.service import Mailbox
from resolvers.mailbox.store import MailStore
from resolvers.signing.keys import derived_secret
from resolvers.webhooks import sender
from resolvers.webhooks.fanout import Fanout
from schema.studio import Studio
from sdl.arguments.values import read_arguments
from sdl.caller import Caller, Channel
from sdl.errors import AiUnavailableError, ApiError, UnavailableError
from studiograph.application import Application
from studiograph.reload import running
from studiograph.settings import Settings, jobs_url
from studiograph.wiring.services import CHANGELOG_OPERATION, mailbox_address

if TYPE_CHECKING:
    from asyncio import Future


_RETRY_SECONDS = 5
_DRAIN_SECONDS = 5
"""How long a stop waits for running jobs, after requests have ended."""

log = logging.getLogger("studiograph.jobs")
mail_log = logging.getLogger("studiograph.mailbox")


@dataclass(frozen=True)
class BackgroundJobs:
    """The job queue of a process, and the two services that enqueue jobs."""

    queue: JobQueue
    mailbox: Mailbox
    fanout: Fanout


@asynccontextmanager
async def working(app: Application) -> AsyncIterator[BackgroundJobs]:
    """Provide the job queue, and stop it at the end; nothing is loaded yet."""
    webhooks = app.services.webhooks
    mailbox = make_mailbox(app)
    job_types = [mail_jobs(mailbox), sender.job_type(webhooks.worker().run)]
    jobs = JobQueue(jobs_url(app.settings), job_types)
    fanout = Fanout(
        webhooks.subscriptions,
        webhooks.deliveries,
        jobs,
        entries=lambda: app.current().data.changelog,
        read=lambda name, **variables: app.current().read(name, **variables),
        changelog_url=f"{app.settings.public_url}{app.operations.path(CHANGELOG_OPERATION)}",
    )
    try:
        yield BackgroundJobs(jobs, mailbox, fanout)
    finally:
        await jobs.close(_DRAIN_SECONDS)


def delivering(background: BackgroundJobs) -> AbstractAsyncContextManager[None]:
    """Fan out new entries and resume unfinished jobs, until the end of the block."""
    return running(background.fanout.run(), _resume(background.queue))


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


MAIL = "mail"
"""The name of the type of jobs."""
CHAT_OPERATION = "Ask"
"""The stored operation that answers a mail's questions."""
ATTEMPTS = 6
"""How often chat is asked while its models load; it waits five seconds each time."""
_LABEL = b"studiograph: senders that were answered"  # changing it would forget whom we answered


def make_mailbox(app: Application) -> Mailbox:
    """Return the mailbox service of a studio."""
    settings, services, studio = app.settings, app.services, current_studio(app)
    transport, mailbox = services.transport(studio), mailbox_address(settings, studio)
    policy = Policy(
        mailbox,
        frozenset({*settings.mail_own, transport.to}),
        settings.mail_auto_reply,
        settings.mail_authserv_id,
    )
    return Mailbox(
        MailStore(services.database, derived_secret(services.proofs.key_ring, _LABEL), time.time),
        policy,
        transport,
        answer_transport=transport if settings.smtp_url.get_secret_value() else None,
        reply_text=partial(reply_text, app),
        clock=time.time,
    )


def mail_jobs(mailbox: Mailbox) -> JobType:
    """Return the jobs that handle mails, retried at least every hour for over five days."""

    async def handle(mail_id: str, _: int) -> None:
        await mailbox.handle(mail_id)

    return JobType(MAIL, handle, attempts=150, longest_wait_seconds=3600)


@asynccontextmanager
async def mail_service(
    app: Application, mailbox: Mailbox, jobs: JobQueue
) -> AsyncIterator["Future[int] | None"]:
    """Listen for mail, if that is configured, and handle accepted mails within the block.

    Yields a future of the port, or None. While another process has the port, that one handles
    mails.
    """
    if not app.settings.mail_listen:
        async with _enqueuing(mailbox, jobs, None):
            yield None
        return
    from resolvers.mailbox.mail_server import serve_mail  # noqa: PLC0415 - 0.04 s, only with a port

    _warn_without_answers(app.settings)
    address = mailbox_address(app.settings, current_studio(app))
    async with (
        serve_mail(app.settings.mail_listen, address, mailbox.accept) as port,
        _enqueuing(mailbox, jobs, port),
    ):
        yield port


async def reply_text(app: Application, questions: str, sender: str) -> Mapping[str, str]:
    """Return the automatic reply, with what chat answers to a mail's questions, if it can.

    `sender` is a digest.

    Mails count as one caller of chat, so they cannot use up its models.
    """
    published = await _answer(app, questions, sender) if questions else None
    reply: Mapping[str, str] = app.current().read("GetAutoReply", published=published)
    return reply


async def _answer(app: Application, questions: str, sender: str) -> str | None:
    """Return an answer with its sources; None where the content has none or chat has no time."""
    try:
        body = await _ask(app, questions, sender)
    except ApiError as error:
        mail_log.info("a mail is answered with addresses alone: %s", error.detail)
        return None
    if body["answered"] != "yes":
        return None
    url = app.settings.public_url
    sources = [f"[{c['n']}] {c['title']}: {url}{c['url']}" for c in body["citations"]]
    return "\n".join([body["answer"], "", *sources])


async def _ask(
    app: Application, questions: str, sender: str, attempts: int = ATTEMPTS
) -> Mapping[str, Any]:
    """Return what chat says, once its models are loaded. Raises: ApiError."""
    operation = app.operations.by_name[CHAT_OPERATION]
    variables = read_arguments(operation, {"query": questions})
    try:
        body: Mapping[str, Any] = await app.current().run_async(
            operation, variables, Caller("", Channel.MAIL, identity=sender)
        )
    except AiUnavailableError:
        if attempts == 1:
            raise
        return await _ask(app, questions, sender, attempts - 1)
    return body


def current_studio(app: Application) -> Studio:
    """Return the studio in the content that is served now."""
    return app.current().data.studio


@asynccontextmanager
async def _enqueuing(
    mailbox: Mailbox, jobs: JobQueue, port: "Future[int] | None"
) -> AsyncIterator[None]:
    """Enqueue jobs for waiting mails within the block, once the port is ours."""

    async def run() -> None:
        if port is not None:
            await asyncio.wait([port])
        await mailbox.run(partial(jobs.enqueue, MAIL))

    async with running(run()):
        yield


def _warn_without_answers(settings: Settings) -> None:
    """Log why no mail can be answered, if so."""
    if settings.mail_auto_reply == "off":
        return
    if not settings.smtp_url.get_secret_value():
        mail_log.warning("mails are not answered automatically: STUDIOGRAPH_SMTP_URL is not set")
    elif settings.mail_auto_reply == "authenticated" and not settings.mail_authserv_id:
        mail_log.warning(
            "mails are not answered automatically: STUDIOGRAPH_MAIL_AUTHSERV_ID is not set. Fix:"
            " set it to the authserv-id that your mail server writes in Authentication-Results."
        )
