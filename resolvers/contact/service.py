"""The desk where callers' messages to the human are taken: delivered or refused, never queued."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from resolvers.contact.idempotency import IdempotencyStore, IdempotentCall
from resolvers.contact.message import ContactMessage, new_message_id, to_rfc822
from resolvers.contact.transport import MailTransport
from resolvers.rate_limits.limiter import RateLimiter, network_of
from schema.contact import ContactInput, Receipt
from sdl.caller import Caller
from sdl.text_constraints import IdempotencyKey

LIMIT_NAME = "contact"
RESPONSE_WITHIN = "24h"


@dataclass(frozen=True)
class ContactService:
    """One desk for all channels on which a message is typed in."""

    transport: MailTransport
    mailbox: str
    """The agents' mailbox, which every message is from."""
    limits: RateLimiter
    idempotency: IdempotencyStore
    clock: Callable[[], datetime]

    async def send(
        self, given: ContactInput, key: IdempotencyKey | None, caller: Caller
    ) -> Receipt:
        """The receipt for a message. Raises: StudioError."""
        letter = self._letter(given, caller)
        if given.dry_run:
            return Receipt(ok=True, id=letter.id, dry_run=True, response_within=RESPONSE_WITHIN)
        if key is None:
            await self.limits.consume(LIMIT_NAME, caller)
            return await self._deliver(letter)
        call = IdempotentCall.of(key, network_of(caller.address), given.model_dump_json())
        known = await self.idempotency.find(call)
        if known is not None:
            return known
        await self.limits.consume(LIMIT_NAME, caller)
        return await self.idempotency.run_once(call, lambda: self._deliver(letter))

    async def _deliver(self, letter: ContactMessage) -> Receipt:
        message = to_rfc822(letter, self.mailbox, self.transport.to)
        await self.transport.deliver(message, letter.id, sender=self.mailbox)
        return Receipt(
            ok=True, id=letter.id, delivered_at=self.clock(), response_within=RESPONSE_WITHIN
        )

    def _letter(self, given: ContactInput, caller: Caller) -> ContactMessage:
        now = self.clock()
        said = given.model_dump_json(exclude={"dry_run"})
        return ContactMessage(
            id=new_message_id(said, now.date()),
            channel=caller.channel,
            agent=given.agent or None,
            name=given.name,
            email=given.email,
            company=given.company or None,
            message=given.message,
            received_at=now,
        )
