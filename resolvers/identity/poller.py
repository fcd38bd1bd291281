"""The identity claims of this process, verified in the background so that no request waits."""

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime

from resolvers.identity.claims import ClaimVerifier, claims_of
from resolvers.signing.keys import KeyRing
from schema.services.signatures import Claim, ClaimStatus, Identity
from schema.site import Site

POLL_SECONDS = 600
"""How long a result is shown before the claim is verified again."""
RETRY_SECONDS = 120
"""The same if a record could not be looked up."""
CHECK_SECONDS = 1


class ClaimPoller:
    """The current claims and the last result for each."""

    def __init__(self, dns_resolver: str, eth_rpc_url: str, clock: Callable[[], datetime]) -> None:
        self._verifier = ClaimVerifier(dns_resolver, eth_rpc_url, clock)
        self._claims: tuple[Claim, ...] = ()
        self._results: dict[tuple[str, ...], Claim] = {}
        self._has_changed = False

    def identity(self, site: Site, key_ring: KeyRing, key_set_path: str) -> Identity:
        """Return every claim with its last result; the poller verifies these from now on."""
        self._claims = claims_of(site, key_ring, key_set_path, self._verifier)
        return Identity(claims=[self._results.get(_key(c), c) for c in self._claims])

    @property
    def changed_at(self) -> datetime:
        """When a claim was last verified."""
        times = (claim.checked_at for claim in self._results.values())
        return max((at for at in times if at), default=datetime.min.replace(tzinfo=UTC))

    def refresh(self) -> bool:
        """Return whether there are new results since the last call."""
        has_changed, self._has_changed = self._has_changed, False
        return has_changed

    async def run(self) -> None:
        """Verify the claims for ever; return at once if neither DNS nor ENS is configured."""
        due = 0.0
        while self._verifier.is_configured:
            claims = self._claims
            if time.monotonic() >= due or any(_key(c) not in self._results for c in claims):
                results = await self._verifier.verify(claims)
                self._results = {_key(claim): claim for claim in results}
                self._has_changed = True
                is_complete = all(
                    c.status is not ClaimStatus.UNVERIFIED for c in results if c.checked_at
                )
                due = time.monotonic() + (POLL_SECONDS if is_complete else RETRY_SECONDS)
            await asyncio.sleep(CHECK_SECONDS)


def _key(claim: Claim) -> tuple[str, ...]:
    return claim.type.value, claim.subject, claim.expected
