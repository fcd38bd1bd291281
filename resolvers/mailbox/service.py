"""What happens to a mail for the agents' mailbox: stored, sent on to the human, answered once.

A mail is on the disk before it is accepted, and stays there until it is done with, so that what a
kill interrupts is done again. The answer alone is not: it is claimed first and sent at most once.
No socket here, and no work of its own: jobs call `handle`.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime

from resolvers.contact.mail_parser import ReceivedMail, read_mail
from resolvers.contact.transport import MailTransport
from resolvers.db.database import DatabaseError
from resolvers.mailbox.replies import build_auto_reply, build_forward
from resolvers.mailbox.rules import Decision, Envelope, Policy, decide
from resolvers.mailbox.store import DAY_SECONDS, MailStore, StoredMail
from sdl.errors import StudioError

MAX_BYTES = 10 * 1024 * 1024
"""What a mail may have at most."""
RECONCILE_SECONDS = 60
TIMEOUT_SECONDS = 5 * DAY_SECONDS
"""How long a mail that cannot be forwarded is tried again."""

ReplyText = Callable[[], Mapping[str, str]]
"""The `subject` and `text` of the automatic answer."""

log = logging.getLogger("studiograph.mailbox")


class Mailbox:
    """The mailbox of one studio. Without a relay nobody is answered."""

    def __init__(  # noqa: PLR0913 - the roof names each
        self,
        ledger: MailStore,
        policy: Policy,
        target: MailTransport,
        *,
        relay: MailTransport | None,
        words: ReplyText,
        clock: Callable[[], float],
    ) -> None:
        self._ledger = ledger
        self._policy = policy
        self._target = target
        self._relay = relay
        self._words = words
        self._clock = clock
        self._accepted: asyncio.Queue[str] = asyncio.Queue()

    async def accept(self, data: bytes, envelope: Envelope) -> str:
        """The id of the mail, once it is on the disk. Raises: StateFault."""
        mail = await asyncio.to_thread(self._ledger.insert, data, envelope)
        self._accepted.put_nowait(mail)
        return mail

    async def handle(self, mail: str) -> None:
        """Nothing, once the mail is done with; whatever stands in the way is raised.

        A mail that could not be done with for five days is given up until the next start.
        """
        entry = await asyncio.to_thread(self._ledger.find, mail)
        if entry is None or entry.is_done:
            return
        try:
            await self._work(entry)
        except Exception:
            if self._clock() - entry.received_at < TIMEOUT_SECONDS:
                raise
            await asyncio.to_thread(self._ledger.mark_failed, mail)
            log.error(  # noqa: TRY400 - an exception's text might be the sender's
                "mail %s was tried for five days and is given up; it is kept."
                " Fix: see that %s works, then restart.",
                mail,
                self._target.describe(),
            )

    async def run(self, enqueue: Callable[[str], Awaitable[None]]) -> None:
        """Hand every mail that waits to the jobs, for ever; one that waits already is no new job.

        What a kill left between the disk and the jobs, and what was given up, comes first.
        """
        await self._tried(self._revive)
        while True:
            await self._tried(self._reconcile, enqueue)
            with suppress(TimeoutError):
                async with asyncio.timeout(RECONCILE_SECONDS):
                    while True:
                        await self._tried(enqueue, await self._accepted.get())

    async def _tried(self, action: Callable[..., Awaitable[None]], *given: object) -> None:
        try:
            await action(*given)
        except Exception as error:  # noqa: BLE001 - mails wait on the disk, the next round comes
            told = (
                str(error)
                if isinstance(error, DatabaseError | StudioError)
                else type(error).__name__
            )
            log.error("mails that were accepted must wait: %s", told)  # noqa: TRY400 - as above

    async def _revive(self) -> None:
        await asyncio.to_thread(self._ledger.requeue_failed)

    async def _reconcile(self, enqueue: Callable[[str], Awaitable[None]]) -> None:
        await asyncio.to_thread(self._ledger.purge_expired)
        for mail in await asyncio.to_thread(self._ledger.waiting):
            await enqueue(mail)

    async def _work(self, entry: StoredMail) -> None:
        mail, found = await asyncio.to_thread(self._read, entry)
        if found.forward and not entry.is_forwarded:
            await self._forward(entry, mail)
        answered = not entry.is_answered and await self._answer(entry, mail, found)
        await asyncio.to_thread(self._ledger.finish, entry.id, found.reason)
        told = (entry.id, found.reason, found.forward, answered)
        log.info("mail %s: %s, forwarded: %s, answered: %s", *told)

    def _read(self, entry: StoredMail) -> tuple[ReceivedMail, Decision]:
        mail = read_mail(entry.data)
        return mail, decide(mail, entry.envelope, self._policy)

    async def _forward(self, entry: StoredMail, mail: ReceivedMail) -> None:
        message = await asyncio.to_thread(
            build_forward,
            mail,
            entry.envelope,
            self._policy,
            to=self._target.to,
            moment=_moment(entry.received_at),
        )
        await self._target.deliver(message, f"mail-{entry.key}", sender="")
        await asyncio.to_thread(self._ledger.mark_forwarded, entry.id)

    async def _answer(self, entry: StoredMail, mail: ReceivedMail, found: Decision) -> bool:
        """Whether the sender was answered; once it is claimed, nothing is tried again."""
        if found.reply_to is None or self._relay is None:
            return False
        words, moment = self._words(), _moment(self._clock())
        message = build_auto_reply(
            mail, found, self._policy, subject=words["subject"], text=words["text"], moment=moment
        )
        if not await asyncio.to_thread(self._ledger.claim, entry.id, found):
            return False
        key = f"reply-{entry.key}"
        try:
            await self._relay.deliver(bytes(message), key, sender="", recipient=found.reply_to)
        except StudioError as error:
            log.warning("mail %s: its sender was not answered: %s", entry.id, error.detail)
            return False
        return True


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
