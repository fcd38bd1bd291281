"""What proves the studio's words in this process: its keys, its journal, its identity claims."""

import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from resolvers.identity.poller import ClaimPoller
from resolvers.signing.errors import ProofError
from resolvers.signing.keys import Key, KeyRing, key_ring_at
from resolvers.signing.keystore import Clock, KeyStore
from resolvers.transparency.log import Log, leaves_of
from resolvers.transparency.store import ProofStore
from schema.site import Site
from sdl.declare import slug_of
from studiograph.settings import Settings, database_of

LEARNING = timedelta(seconds=2)
"""How long a running service publishes what came to its keys before it signs with it: until then
every process has seen it."""

log = logging.getLogger("studiograph.keys")


def system_clock() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)


def proof_store(settings: Settings) -> ProofStore:
    """The journal of a studio. Raises: StateFault."""
    return ProofStore(database_of(settings), settings.data / "proofs.sqlite")


def key_store(settings: Settings, clock: Clock = system_clock) -> KeyStore:
    """The keys of a data folder, which are remembered in the journal."""
    return KeyStore(settings.data / "keys", clock, proof_store(settings))


class Proofs:
    """The keys, the journal and the claims of one data folder. Raises: ProofFault."""

    def __init__(self, settings: Settings, site: Site, clock: Clock = system_clock) -> None:
        self.clock = clock
        self.claims = ClaimPoller(settings, clock)
        self.journal = proof_store(settings)
        self.folder = KeyStore(settings.data / "keys", clock, self.journal)
        self._mark = self.folder.fingerprint()
        self._keys = self.folder.load_or_create(slug_of(site.studio.name) or "studio")
        self._fault = ""
        self._log: Log | None = None
        self._learnt_at = datetime.min.replace(tzinfo=UTC)
        self.standing = key_ring_at(self._keys, clock())
        self.signer = self.standing.active

    def refresh(self) -> bool:
        """Whether the keys stand otherwise than before, or a claim was looked up."""
        return any([self._keys_moved(), self.claims.refresh()])

    def _keys_moved(self) -> bool:
        """Whether the keys stand otherwise; a fault leaves them as they are and is logged once."""
        try:
            self._read()
            now = key_ring_at(self._keys, self.clock())
        except (ProofError, OSError) as fault:
            if str(fault) != self._fault:
                log.error("the keys were not read again, the last ones are used: %s", fault)  # noqa: TRY400 - the fault says it all
            self._fault = str(fault)
            return False
        signer = self._signer_of(now)
        if (now, signer) == (self.standing, self.signer):
            return False
        self.standing, self.signer = now, signer
        log.info("%s signs; published: %s", signer.kid, [key.kid for key in now.trusted])
        return True

    def _signer_of(self, now: KeyRing) -> Key:
        """The active key; one that only just came waits until every process publishes it."""
        settled = not timedelta() <= self.clock() - self._learnt_at < LEARNING
        held = (key for key in now.trusted if key.kid == self.signer.kid)
        return now.active if settled else next(held, now.active)

    def log(self, site: Site, key: Key) -> Log:
        """The log of a site, which must extend the published one. Raises: ProofFault."""
        leaves = leaves_of(site.changelog)
        if self._log is None or self._log.leaves != leaves:
            first = f"{urlsplit(site.studio.url).hostname}/changelog"
            origin = self.journal.append(first, leaves)
            self._log = Log(origin, leaves, key, self.journal.previous_heads())
        return replace(self._log, key=key)

    def _read(self) -> None:
        if (mark := self.folder.fingerprint()) == self._mark:
            return
        self._keys, self._learnt_at = self.folder.load_verified(), self.clock()
        self._mark, self._fault = mark, ""
