"""The agents' mailbox, put together: the post, its kind of jobs, its port. Reads no mail."""

import asyncio
import hmac
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from resolvers.jobs.job_type import JobType
from resolvers.mailbox.rules import Policy, sender_digest
from resolvers.mailbox.service import Mailbox, ReplyText
from resolvers.mailbox.store import MailStore
from resolvers.signing.keys import KeyRing, by_age
from schema.studio import Studio
from studiograph.services import Services, mailbox_of, target_of
from studiograph.settings import Settings, SettingsError

if TYPE_CHECKING:
    from asyncio import Future

    from studiograph.app import Application
    from studiograph.wiring.jobs import BackgroundJobs

MAIL = "mail"
"""The name of the jobs."""
_LABEL = b"studiograph: senders that were answered"

log = logging.getLogger("studiograph.mailbox")


def make_mailbox(
    settings: Settings, studio: Studio, services: Services, words: ReplyText
) -> Mailbox:
    """The post of a studio."""
    target, mailbox = target_of(settings, studio), mailbox_of(settings, studio)
    policy = Policy(
        mailbox,
        frozenset({*settings.mail_own, target.to}),
        settings.mail_auto_reply,
        settings.mail_authserv_id,
    )
    ledger = MailStore(services.database, secret_of(services.proofs.key_ring), time.time)
    relay = target if settings.smtp_url.get_secret_value() else None
    return Mailbox(ledger, policy, target, relay=relay, words=words, clock=time.time)


def check_no_loop(settings: Settings, studio: Studio) -> None:
    """Nothing, where mails do not go on to the mailbox itself. Raises: SettingsError."""
    mailbox = mailbox_of(settings, studio)
    if settings.smtp_url.get_secret_value() and sender_digest(mailbox) == sender_digest(
        target_of(settings, studio).to
    ):
        raise SettingsError(
            f"{mailbox} is the agents' mailbox and the human's address. Fix: set"
            " STUDIOGRAPH_MAIL_TO to an address that a person reads."
        )


def secret_of(standing: KeyRing) -> bytes:
    """The key under which senders are remembered, the same on every machine of a key set.

    It is made of the oldest key that is not revoked: new keys do not change it.
    """
    seeds = [key.seed for key, _ in sorted(standing.states, key=lambda pair: by_age(pair[0]))]
    return hmac.digest(next(seed for seed in seeds if seed is not None), _LABEL, "sha256")


def job_type(post: Mailbox) -> JobType:
    """What is done with a mail: tried again at least every hour, for over five days."""

    async def handle(mail: str, _: int) -> None:
        await post.handle(mail)

    return JobType(MAIL, handle, attempts=150, longest_wait_seconds=3600)


@asynccontextmanager
async def mail_service(
    whole: "Application", work: "BackgroundJobs"
) -> AsyncIterator["Future[int] | None"]:
    """While inside, mails are taken, if there is a port for them, and those taken are worked on.

    The port is known once it is ours; until then another process works. Raises: SettingsError.
    """
    if not whole.settings.mail_listen:
        async with _followed(work, None):
            yield None
        return
    from resolvers.mailbox.lmtp_server import serve_mail  # noqa: PLC0415 - only with a port

    _tell(whole.settings)
    mailbox = mailbox_of(whole.settings, current_studio(whole))
    async with (
        serve_mail(whole.settings.mail_listen, mailbox, work.post.accept) as port,
        _followed(work, port),
    ):
        yield port


def current_studio(whole: "Application") -> Studio:
    """The studio that is served."""
    return whole.current().data.studio


@asynccontextmanager
async def _followed(work: "BackgroundJobs", port: "Future[int] | None") -> AsyncIterator[None]:
    async def follow() -> None:
        if port is not None:
            await asyncio.wait([port])
        await work.post.run(partial(work.jobs.enqueue, MAIL))

    following = asyncio.create_task(follow())
    try:
        yield
    finally:
        following.cancel()
        await asyncio.wait([following])


def _tell(settings: Settings) -> None:
    """Say why nobody is answered, where that is so."""
    if settings.mail_auto_reply == "off":
        return
    if not settings.smtp_url.get_secret_value():
        log.warning("mails are not answered automatically: STUDIOGRAPH_SMTP_URL is not set")
    elif settings.mail_auto_reply == "authenticated" and not settings.mail_authserv_id:
        log.warning(
            "mails are not answered automatically: STUDIOGRAPH_MAIL_AUTHSERV_ID does not say under"
            " which name your mail server writes what it found out about a sender"
        )
