"""The agents' mailbox, put together: the post, its kind of jobs, its port. Reads no mail."""

import asyncio
import hmac
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, cast

from resolvers.jobs.kind import Kind
from resolvers.letters.ledger import Ledger
from resolvers.letters.post import Post, Words
from resolvers.letters.verdict import Policy, sender_key
from resolvers.proofs.keys import Standing, age
from schema.studio import Studio
from studiograph.services import Services, mailbox_of, target_of
from studiograph.settings import Settings, SettingsError

if TYPE_CHECKING:
    from asyncio import Future

    from schema.site import Site
    from studiograph.app import Assembly
    from studiograph.work import Work

MAIL = "mail"
"""The name of the jobs."""
_LABEL = b"studiograph: senders that were answered"

log = logging.getLogger("studiograph.mailbox")


def post_of(settings: Settings, studio: Studio, services: Services, words: Words) -> Post:
    """The post of a studio."""
    target, mailbox = target_of(settings, studio), mailbox_of(settings, studio)
    policy = Policy(
        mailbox,
        frozenset({*settings.mail_own, target.to}),
        settings.mail_auto_reply,
        settings.mail_authserv_id,
    )
    ledger = Ledger(services.database, secret_of(services.proofs.standing), time.time)
    relay = target if settings.smtp_url.get_secret_value() else None
    return Post(ledger, policy, target, relay=relay, words=words, clock=time.time)


def refuse_circle(settings: Settings, studio: Studio) -> None:
    """Nothing, where mails do not go on to the mailbox itself. Raises: SettingsError."""
    mailbox = mailbox_of(settings, studio)
    if settings.smtp_url.get_secret_value() and sender_key(mailbox) == sender_key(
        target_of(settings, studio).to
    ):
        raise SettingsError(
            f"{mailbox} is the agents' mailbox and the human's address. Fix: set"
            " STUDIOGRAPH_MAIL_TO to an address that a person reads."
        )


def secret_of(standing: Standing) -> bytes:
    """The key under which senders are remembered, the same on every machine of a key set.

    It is made of the oldest key that is not revoked: new keys do not change it.
    """
    seeds = [key.seed for key, _ in sorted(standing.states, key=lambda pair: age(pair[0]))]
    return hmac.digest(next(seed for seed in seeds if seed is not None), _LABEL, "sha256")


def kind_of(post: Post) -> Kind:
    """What is done with a mail: tried again at least every hour, for over five days."""

    async def handle(mail: str, _: int) -> None:
        await post.handle(mail)

    return Kind(MAIL, handle, attempts=150, longest_wait_seconds=3600)


@asynccontextmanager
async def mailroom(whole: "Assembly", work: "Work") -> AsyncIterator["Future[int] | None"]:
    """While inside, mails are taken, if there is a port for them, and those taken are worked on.

    The port is known once it is ours; until then another process works. Raises: SettingsError.
    """
    if not whole.settings.mail_listen:
        async with _followed(work, None):
            yield None
        return
    from resolvers.letters.listener import listening  # noqa: PLC0415 - only with a port

    _tell(whole.settings)
    mailbox = mailbox_of(whole.settings, studio_of(whole))
    async with (
        listening(whole.settings.mail_listen, mailbox, work.post.accept) as port,
        _followed(work, port),
    ):
        yield port


def studio_of(whole: "Assembly") -> Studio:
    """The studio that is served."""
    return cast("Site", whole.current().root).studio


@asynccontextmanager
async def _followed(work: "Work", port: "Future[int] | None") -> AsyncIterator[None]:
    async def follow() -> None:
        if port is not None:
            await asyncio.wait([port])
        await work.post.follow(partial(work.jobs.enqueue, MAIL))

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
