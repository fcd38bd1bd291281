"""The agents' mailbox on a store of its own, with a real mail server."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from mail_samples import ALICE, HUMAN, MAILBOX, NOW, TRUSTED
from mail_servers import Sink, sink

from resolvers.contact.smtp import SmtpTransport
from resolvers.contact.transport import MailTransport
from resolvers.db.database import Database
from resolvers.mailbox.rules import Envelope, Policy
from resolvers.mailbox.service import Mailbox
from resolvers.mailbox.store import MailStore, StoredMail

T = TypeVar("T")
SECRET = bytes(range(32))
WORDS = {"subject": "How to reach us", "text": "See https://studio.example/llms.txt"}
HOUR, DAY = 3600, 24 * 3600


async def reply_text(questions: str, _: str) -> Mapping[str, str]:
    """The same words for every mail."""
    del questions
    return WORDS


@dataclass
class Clock:
    """A clock that stands until it is moved."""

    seconds: float = NOW.timestamp()

    def __call__(self) -> float:
        return self.seconds


@dataclass
class Office:
    """A post with its ledger, and what its mail server was given."""

    post: Mailbox
    ledger: MailStore
    database: Database
    given: Sink
    clock: Clock

    async def take(self, data: bytes, sender: str | None = ALICE) -> StoredMail:
        """What became of a mail that was accepted and worked on."""
        mail = await self.post.accept(data, Envelope(sender, (MAILBOX,)))
        await self.post.handle(mail)
        return self.entry(mail)

    def entry(self, mail: str) -> StoredMail:
        """A mail and how far it has come."""
        found = self.ledger.find(mail)
        assert found is not None
        return found

    @property
    def forwards(self) -> list[bytes]:
        """What the human was sent."""
        return self.sent_to(HUMAN)

    @property
    def answered(self) -> list[str]:
        """Who was answered, in turn."""
        every = [one for envelope in self.given.taken for one in envelope.rcpt_tos]
        return [recipient for recipient in every if recipient != HUMAN]

    def sent_to(self, recipient: str) -> list[bytes]:
        """What a recipient was sent."""
        found = [one for one in self.given.taken if one.rcpt_tos == [recipient]]
        return [one.original_content or b"" for one in found]

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """What stands in the database."""
        with self.database.transaction() as books:
            return [tuple(row) for row in books.exec_driver_sql(sql)]


@asynccontextmanager
async def office(
    url: str,
    policy: Policy = TRUSTED,
    *,
    target: MailTransport | None = None,
    relay_port: int = 0,
    clock: Clock | None = None,
) -> AsyncIterator[Office]:
    """A post on a store; its letters and answers go to a mail server, or to the places named."""
    database, time = Database(url), clock or Clock()
    ledger = MailStore(database, SECRET, time)
    async with sink() as (port, given):
        relay = SmtpTransport(f"smtp://127.0.0.1:{relay_port or port}", policy.mailbox, HUMAN)
        post = Mailbox(
            *(ledger, policy, target or relay),
            answer_transport=relay,
            reply_text=reply_text,
            clock=time,
        )
        yield Office(post, ledger, database, given, time)


def with_office(url: str, work: Callable[[Office], Coroutine[Any, Any, T]], **options: Any) -> T:
    """What some work with an office comes to."""

    async def worked() -> T:
        async with office(url, **options) as made:
            return await work(made)

    return asyncio.run(worked())
