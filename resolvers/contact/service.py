"""The contact service: delivers or refuses each message to the human at once, without a queue.

How many messages a caller may send is `contact_limit` of `studiograph/settings.py`; how long they
may be stands in `schema/services/contact.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from resolvers.contact.idempotency import IdempotencyStore, IdempotentCall
from resolvers.contact.message import ContactMessage, new_message_id, to_rfc822
from resolvers.contact.transport import MailTransport
from resolvers.rate_limits.limiter import RateLimiter, network_of
from schema.services.contact import ContactInput, Receipt
from sdl.caller import Caller
from sdl.types.scalar_types import IdempotencyKey

LIMIT_NAME = "contact"
RESPONSE_WITHIN = "24h"


@dataclass(frozen=True)
class ContactService:
    """Sends messages to the human, for HTTP, GraphQL and MCP."""

    transport: MailTransport
    mailbox: str
    """The agents' mailbox, the `From` of every message."""
    limits: RateLimiter
    idempotency: IdempotencyStore
    clock: Callable[[], datetime]

    async def send(
        self, arguments: ContactInput, key: IdempotencyKey | None, caller: Caller
    ) -> Receipt:
        """Send a message and return its receipt. Raises: ApiError.

        A dry run and a repeated Idempotency-Key do not count against the rate limit.
        """
        message = self._message(arguments, caller)
        if arguments.dry_run:
            return Receipt(ok=True, id=message.id, dry_run=True, response_within=RESPONSE_WITHIN)
        if key is None:
            await self.limits.consume(LIMIT_NAME, caller)
            return await self._deliver(message)
        call = IdempotentCall.of(key, network_of(caller.address), arguments.model_dump_json())
        receipt = await self.idempotency.find(call)
        if receipt is not None:
            return receipt
        await self.limits.consume(LIMIT_NAME, caller)
        return await self.idempotency.run_once(call, lambda: self._deliver(message))

    async def _deliver(self, message: ContactMessage) -> Receipt:
        mail = to_rfc822(message, self.mailbox, self.transport.to)
        await self.transport.deliver(mail, message.id, sender=self.mailbox)
        return Receipt(
            ok=True, id=message.id, delivered_at=self.clock(), response_within=RESPONSE_WITHIN
        )

    def _message(self, arguments: ContactInput, caller: Caller) -> ContactMessage:
        now = self.clock()
        content = arguments.model_dump_json(exclude={"dry_run"})
        return ContactMessage(
            id=new_message_id(content, now.date()),
            channel=caller.channel,
            agent=arguments.agent or None,
            name=arguments.name,
            email=arguments.email,
            company=arguments.company or None,
            message=arguments.message,
            received_at=now,
            signed_by=caller.agent.host if caller.agent is not None else None,
        )
