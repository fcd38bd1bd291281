"""The identity claims of this process: asked in the background, never while somebody waits."""

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime

from resolvers.identity.claims import ClaimVerifier, claims_of
from resolvers.signing.keys import KeyRing
from schema.identity import Claim, ClaimStatus, Identity
from schema.site import Site
from studiograph.settings import Settings

POLL_SECONDS = 600
"""How long what was seen is shown before it is looked up again."""
RETRY_SECONDS = 120
"""The same where something could not be seen."""
CHECK_SECONDS = 1


class ClaimPoller:
    """What is claimed now and what was last seen of it."""

    def __init__(self, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._inquiry = ClaimVerifier(settings.dns_resolver, settings.eth_rpc_url, clock)
        self._claims: tuple[Claim, ...] = ()
        self._answers: dict[tuple[str, ...], Claim] = {}
        self._changed = False

    def identity(self, site: Site, standing: KeyRing, key_set_path: str) -> Identity:
        """Every claim, with what was last seen of it."""
        self._claims = claims_of(site, standing, key_set_path, self._inquiry)
        return Identity(claims=[self._answers.get(_key(c), c) for c in self._claims])

    @property
    def changed_at(self) -> datetime:
        """When something was last looked up."""
        checked = (claim.checked_at for claim in self._answers.values())
        return max((at for at in checked if at), default=datetime.min.replace(tzinfo=UTC))

    def refresh(self) -> bool:
        """Whether something was seen since this was last asked."""
        changed, self._changed = self._changed, False
        return changed

    async def run(self) -> None:
        """Look every claim up, again and again; returns at once where there is nobody to ask."""
        due = 0.0
        while self._inquiry.is_configured:
            claims = self._claims
            if time.monotonic() >= due or any(_key(c) not in self._answers for c in claims):
                answers = await self._inquiry.verify(claims)
                self._answers = {_key(claim): claim for claim in answers}
                self._changed = True
                seen = all(c.status is not ClaimStatus.UNVERIFIED for c in answers if c.checked_at)
                due = time.monotonic() + (POLL_SECONDS if seen else RETRY_SECONDS)
            await asyncio.sleep(CHECK_SECONDS)


def _key(claim: Claim) -> tuple[str, ...]:
    return claim.type.value, claim.subject, claim.expected
