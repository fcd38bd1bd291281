"""Builds the agents' mailbox from the settings: its service, its type of jobs, its port."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from resolvers.jobs.job_type import JobType
from resolvers.jobs.queue import JobQueue
from resolvers.mailbox.rules import Policy
from resolvers.mailbox.service import Mailbox, ReplyText
from resolvers.mailbox.store import MailStore
from resolvers.signing.keys import derived_secret
from schema.studio import Studio
from sdl.arguments.json_arguments import read_arguments
from sdl.caller import Caller, Channel
from sdl.errors import AiUnavailableError, ApiError
from studiograph.application import Application
from studiograph.services import Services, mailbox_address
from studiograph.settings import Settings

if TYPE_CHECKING:
    from asyncio import Future


MAIL = "mail"
"""The name of the type of jobs."""
CHAT_OPERATION = "Ask"
"""The stored operation that answers a mail's questions."""
ATTEMPTS = 6
"""How often chat is asked while its models load; it waits five seconds each time."""
_LABEL = b"studiograph: senders that were answered"  # changing it would forget whom we answered

log = logging.getLogger("studiograph.mailbox")


def make_mailbox(
    settings: Settings, studio: Studio, services: Services, reply_text: ReplyText
) -> Mailbox:
    """Return the mailbox service of a studio."""
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
        reply_text=reply_text,
        clock=time.time,
    )


def job_type(mailbox: Mailbox) -> JobType:
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
        log.info("a mail is answered with addresses alone: %s", error.detail)
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

    task = asyncio.create_task(run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


def _warn_without_answers(settings: Settings) -> None:
    """Log why no mail can be answered, if so."""
    if settings.mail_auto_reply == "off":
        return
    if not settings.smtp_url.get_secret_value():
        log.warning("mails are not answered automatically: STUDIOGRAPH_SMTP_URL is not set")
    elif settings.mail_auto_reply == "authenticated" and not settings.mail_authserv_id:
        log.warning(
            "mails are not answered automatically: STUDIOGRAPH_MAIL_AUTHSERV_ID is not set. Fix:"
            " set it to the authserv-id that your mail server writes in Authentication-Results."
        )
