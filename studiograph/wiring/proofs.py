"""The keys, the proof store and the identity claims of this process."""

import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from resolvers.identity.poller import ClaimPoller
from resolvers.signing.envelopes import EnvelopeSigner
from resolvers.signing.keys import Key, KeyRing, ProofError, key_ring_at
from resolvers.signing.keystore import Clock, KeyStore
from resolvers.transparency.log import Log, leaves_of
from resolvers.transparency.store import ProofStore
from schema.site import Site
from sdl.declare import slug_of
from sdl.scalar_types import Digest
from studiograph.settings import Settings, database_of

SETTLE_TIME = timedelta(seconds=2)
"""How long a running service publishes changed keys before it signs with a new one: by then every
process has read them."""

log = logging.getLogger("studiograph.keys")


def system_clock() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


def proof_store(settings: Settings) -> ProofStore:
    """Return the proof store of a studio. Raises: DatabaseError."""
    return ProofStore(database_of(settings))


def key_store(settings: Settings, clock: Clock = system_clock) -> KeyStore:
    """Return the key files of a data folder, with the proof store as their registry."""
    return KeyStore(settings.data / "keys", clock, proof_store(settings))


class Proofs:
    """The keys, the proof store and the claims of one data folder. Raises: ProofError."""

    def __init__(self, settings: Settings, site: Site, clock: Clock = system_clock) -> None:
        self.clock = clock
        self.claims = ClaimPoller(settings.dns_resolver, settings.eth_rpc_url, clock)
        self.store = proof_store(settings)
        self.key_store = KeyStore(settings.data / "keys", clock, self.store)
        self._fingerprint = self.key_store.fingerprint()
        self._keys = self.key_store.load_or_create(slug_of(site.studio.name) or "studio")
        self._last_error = ""
        self._log: Log | None = None
        self._keys_read_at = datetime.min.replace(tzinfo=UTC)
        self.key_ring = key_ring_at(self._keys, clock())
        self.signing_key = self.key_ring.active

    def refresh(self) -> bool:
        """Read the keys and the claims again; return whether any of them changed."""
        return any([self._refresh_keys(), self.claims.refresh()])

    def _refresh_keys(self) -> bool:
        """Return whether the keys changed; an error keeps the last keys and is logged once."""
        try:
            self._read_keys()
            key_ring = key_ring_at(self._keys, self.clock())
        except (ProofError, OSError) as error:
            if str(error) != self._last_error:
                log.error("the keys were not read again, the last ones are used: %s", error)  # noqa: TRY400 - the text is complete
            self._last_error = str(error)
            return False
        signing_key = self._signing_key_of(key_ring)
        if (key_ring, signing_key) == (self.key_ring, self.signing_key):
            return False
        self.key_ring, self.signing_key = key_ring, signing_key
        log.info("%s signs; published: %s", signing_key.kid, [key.kid for key in key_ring.trusted])
        return True

    def _signing_key_of(self, key_ring: KeyRing) -> Key:
        """Return the active key; for `SETTLE_TIME` after a change, still the previous one."""
        is_settled = not timedelta() <= self.clock() - self._keys_read_at < SETTLE_TIME
        same = (key for key in key_ring.trusted if key.kid == self.signing_key.kid)
        return key_ring.active if is_settled else next(same, key_ring.active)

    def log(self, site: Site, key: Key) -> Log:
        """Return the log of a site; raise `ProofError` unless it extends the published one."""
        leaves = leaves_of(site.changelog)
        if self._log is None or self._log.leaves != leaves:
            first_origin = f"{urlsplit(site.studio.url).hostname}/changelog"
            origin = self.store.append(first_origin, leaves)
            self._log = Log(origin, leaves, key, self.store.previous_heads())
        return replace(self._log, key=key)

    def envelope_signer(self, log: Log, revision: Digest, key_set_path: str) -> EnvelopeSigner:
        """Return the signer of a revision's envelopes, with the key of its log."""
        return EnvelopeSigner(
            key=log.key,
            first_signed_at=lambda payloads: self.store.first_signed_at(
                payloads, log.key.kid, self.clock()
            ),
            revision=revision,
            log_head=log.rollup_hash,
            log_size=log.size,
            key_set_path=key_set_path,
        )

    def _read_keys(self) -> None:
        """Read the key files again if they have changed. Raises: ProofError, OSError."""
        if (fingerprint := self.key_store.fingerprint()) == self._fingerprint:
            return
        self._keys, self._keys_read_at = self.key_store.load_verified(), self.clock()
        self._fingerprint, self._last_error = fingerprint, ""
