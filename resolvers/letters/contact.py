"""The desk where callers' messages to the human are taken: delivered or refused, never queued."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from resolvers.letters.letter import Letter, letter_bytes, letter_id
from resolvers.letters.receipts import NamedCall, Receipts
from resolvers.letters.target import Target
from resolvers.limits import Limits, network_of
from schema.caller import Caller
from schema.contact import ContactInput, Receipt
from schema.texts import IdempotencyKey

BUDGET = "contact"
RESPONSE_WITHIN = "24h"


@dataclass(frozen=True)
class Desk:
    """One desk for all channels on which a message is typed in."""

    target: Target
    mailbox: str
    """The agents' mailbox, which every message is from."""
    limits: Limits
    receipts: Receipts
    clock: Callable[[], datetime]

    async def send(
        self, given: ContactInput, key: IdempotencyKey | None, caller: Caller
    ) -> Receipt:
        """The receipt for a message. Raises: StudioError."""
        letter = self._letter(given, caller)
        if given.dry_run:
            return Receipt(ok=True, id=letter.id, dry_run=True, response_within=RESPONSE_WITHIN)
        if key is None:
            await self.limits.spend(BUDGET, caller)
            return await self._deliver(letter)
        call = NamedCall.of(key, network_of(caller.address), given.model_dump_json())
        known = await self.receipts.find(call)
        if known is not None:
            return known
        await self.limits.spend(BUDGET, caller)
        return await self.receipts.once(call, lambda: self._deliver(letter))

    async def _deliver(self, letter: Letter) -> Receipt:
        message = letter_bytes(letter, self.mailbox, self.target.to)
        await self.target.deliver(message, letter.id, sender=self.mailbox)
        return Receipt(
            ok=True, id=letter.id, delivered_at=self.clock(), response_within=RESPONSE_WITHIN
        )

    def _letter(self, given: ContactInput, caller: Caller) -> Letter:
        now = self.clock()
        said = given.model_dump_json(exclude={"dry_run"})
        return Letter(
            id=letter_id(said, now.date()),
            channel=caller.channel,
            agent=given.agent or None,
            name=given.name,
            email=given.email,
            company=given.company or None,
            message=given.message,
            received_at=now,
        )
