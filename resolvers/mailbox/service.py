"""The mailbox service: stores a mail, forwards it to the human, and answers it at most once.

A mail is on disk before it is accepted and stays there until all its work is done, so work that a
crash interrupts is done again. Only the answer is not repeated: it is claimed before it is sent.
Background jobs call `handle`.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from itertools import takewhile

from resolvers.contact.mail_parser import ReceivedMail, read_mail
from resolvers.contact.transport import MailTransport
from resolvers.db.database import DatabaseError
from resolvers.mailbox.replies import build_auto_reply, build_forward
from resolvers.mailbox.rules import Decision, Envelope, Policy, decide
from resolvers.mailbox.store import DAY_SECONDS, MailStore, StoredMail
from resolvers.search.sentences import split_sentences
from sdl.errors import ApiError

MAX_QUESTIONS = 3
MAX_CHARACTERS = 500
"""The length of all questions together; a longer text is a letter for a person."""
SIGNATURE = "--"
"""The line that begins a signature. Source: RFC 3676 section 4.3, without its trailing space."""


def questions_of(mail: ReceivedMail) -> str:
    """Return the first questions of a mail's subject and own words; empty if there are none.

    Quoted lines and the signature are not the sender's question.
    """
    lines = takewhile(lambda line: line.rstrip() != SIGNATURE, mail.text.splitlines())
    own = "\n".join(line for line in lines if not line.startswith(">"))
    sentences = [mail.display_value("subject"), *split_sentences(own)]
    asked = [" ".join(text.split()) for text in sentences if text.rstrip().endswith("?")]
    text = " ".join(list(dict.fromkeys(asked))[:MAX_QUESTIONS])
    return text if len(text) <= MAX_CHARACTERS else ""


MAX_BYTES = 10 * 1024 * 1024
"""The largest mail that is accepted."""
RECONCILE_SECONDS = 60
TIMEOUT_SECONDS = 5 * DAY_SECONDS
"""How long a mail that cannot be forwarded is retried."""

ReplyText = Callable[[str, str], Awaitable[Mapping[str, str]]]
"""Returns the `subject` and `text` of the automatic answer.

Its arguments are the mail's questions, or "", and the digest of its sender.
"""

log = logging.getLogger("studiograph.mailbox")


class Mailbox:
    """The mailbox of one studio. Without a mail server for outgoing mail, it sends no answers."""

    def __init__(  # noqa: PLR0913 - three are named in the call
        self,
        store: MailStore,
        policy: Policy,
        transport: MailTransport,
        *,
        answer_transport: MailTransport | None,
        reply_text: ReplyText,
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._policy = policy
        self._transport = transport
        self._answer_transport = answer_transport
        self._reply_text = reply_text
        self._clock = clock
        self._accepted: asyncio.Queue[str] = asyncio.Queue()

    async def accept(self, data: bytes, envelope: Envelope) -> str:
        """Write a mail to disk and return its id. Raises: DatabaseError."""
        mail_id = await asyncio.to_thread(self._store.insert, data, envelope)
        self._accepted.put_nowait(mail_id)
        return mail_id

    async def handle(self, mail_id: str) -> None:
        """Forward and answer a mail; raise any error, so that the job is retried.

        A mail that fails for five days is given up until the next start.
        """
        stored = await asyncio.to_thread(self._store.find, mail_id)
        if stored is None or stored.is_done:
            return
        try:
            await self._process(stored)
        except Exception:
            if self._clock() - stored.received_at < TIMEOUT_SECONDS:
                raise
            await asyncio.to_thread(self._store.mark_failed, mail_id)
            log.error(  # noqa: TRY400 - the error's text may come from the sender
                "mail %s failed for five days and is not tried again; it stays stored."
                " Fix: see that %s works, then restart.",
                mail_id,
                self._transport.describe(),
            )

    async def run(self, enqueue: Callable[[str], Awaitable[None]]) -> None:
        """Enqueue a job for every waiting mail, until cancelled.

        Begins with mails that were given up, and with those that a crash left without a job.
        Enqueuing a mail twice makes one job.
        """
        await self._try(self._requeue_failed)
        while True:
            await self._try(self._reconcile, enqueue)
            with suppress(TimeoutError):
                async with asyncio.timeout(RECONCILE_SECONDS):
                    while True:
                        await self._try(enqueue, await self._accepted.get())

    async def _try(self, action: Callable[..., Awaitable[None]], *arguments: object) -> None:
        try:
            await action(*arguments)
        except Exception as error:  # noqa: BLE001 - the mails are on disk, the next round tries again
            is_ours = isinstance(error, DatabaseError | ApiError)
            reason = str(error) if is_ours else type(error).__name__
            log.error("accepted mails must wait: %s", reason)  # noqa: TRY400 - the reason is enough

    async def _requeue_failed(self) -> None:
        await asyncio.to_thread(self._store.requeue_failed)

    async def _reconcile(self, enqueue: Callable[[str], Awaitable[None]]) -> None:
        await asyncio.to_thread(self._store.purge_expired)
        for mail_id in await asyncio.to_thread(self._store.waiting):
            await enqueue(mail_id)

    async def _process(self, stored: StoredMail) -> None:
        mail, decision = await asyncio.to_thread(self._parse, stored)
        if decision.forward and not stored.is_forwarded:
            await self._forward(stored, mail)
        answered = not stored.is_answered and await self._answer(stored, mail, decision)
        await asyncio.to_thread(self._store.finish, stored.id, decision.reason)
        values = (stored.id, decision.reason, decision.forward, answered)
        log.info("mail %s: %s, forwarded: %s, answered: %s", *values)

    def _parse(self, stored: StoredMail) -> tuple[ReceivedMail, Decision]:
        mail = read_mail(stored.data)
        return mail, decide(mail, stored.envelope, self._policy)

    async def _forward(self, stored: StoredMail, mail: ReceivedMail) -> None:
        message = await asyncio.to_thread(
            build_forward,
            mail,
            stored.envelope,
            self._policy,
            to=self._transport.to,
            moment=_moment(stored.received_at),
        )
        await self._transport.deliver(message, f"mail-{stored.key}", sender="")
        await asyncio.to_thread(self._store.mark_forwarded, stored.id)

    async def _answer(self, stored: StoredMail, mail: ReceivedMail, decision: Decision) -> bool:
        """Answer the sender if allowed; return whether it was sent. Never retried once claimed."""
        if decision.reply_to is None or self._answer_transport is None:
            return False
        reply = await self._reply_text(questions_of(mail), decision.sender_digest or "")
        moment = _moment(self._clock())
        message = build_auto_reply(
            mail,
            decision,
            self._policy,
            subject=reply["subject"],
            text=reply["text"],
            moment=moment,
        )
        if not await asyncio.to_thread(self._store.claim, stored.id, decision):
            return False
        key = f"reply-{stored.key}"
        try:
            await self._answer_transport.deliver(
                bytes(message), key, sender="", recipient=decision.reply_to
            )
        except ApiError as error:
            log.warning("mail %s: its sender got no answer: %s", stored.id, error.detail)
            return False
        return True


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
