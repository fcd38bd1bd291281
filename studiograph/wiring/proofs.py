"""The keys, what was published, and the identity claims of this process."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from resolvers.identity.claims import ClaimPoller
from resolvers.signing.envelopes import EnvelopeSigner
from resolvers.signing.keys import Key, KeyRing, ProofError, key_ring_at, new_key
from resolvers.signing.keystore import Clock, KeyRegistry, KeyStore
from resolvers.transparency.log import Log, leaves_of
from resolvers.transparency.statements import Statement, content_statements, operation_statements
from resolvers.transparency.store import ProofStore
from resolvers.transparency.words import ContentTree, Words
from schema.site import Site
from sdl.running.runner import Snapshot
from sdl.types.declare import slug_of
from sdl.types.scalar_types import Digest, format_instant
from studiograph.settings import Settings, database_of

_PREVIEW = "preview-"
SETTLE_TIME = timedelta(seconds=2)
"""How long a running service publishes changed keys before it signs with a new one: by then every
process has read them."""

log = logging.getLogger("studiograph.keys")


def is_preview_key(kid: str) -> bool:
    """Whether a key signs what a preview shows, and is in no key set."""
    return kid.startswith(_PREVIEW)


def system_clock() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def proof_store(settings: Settings) -> ProofStore:
    """Return the proof store of a studio. Raises: DatabaseError."""
    return ProofStore(database_of(settings))


def key_store(settings: Settings, clock: Clock = system_clock) -> KeyStore:
    """Return the key files of a data folder, and what the database knows of them."""
    return KeyStore(settings.data / "keys", clock, KeyRegistry(database_of(settings)))


class Proofs:
    """The keys, the proof store and the claims of one data folder. Raises: ProofError."""

    def __init__(
        self,
        settings: Settings,
        site: Site,
        clock: Clock = system_clock,
        *,
        publishes: bool = True,
    ) -> None:
        """Read the keys; unless it `publishes`, record nothing and sign with a key of its own.

        That key is in no key set and ends with the process, so nobody can hold up what a preview
        signed as something that the studio has said.
        """
        self.clock, self._publishes = clock, publishes
        self._preview_key = None if publishes else new_key(f"{_PREVIEW}{clock():%Y-%m}", clock())
        self.claims = ClaimPoller(settings.dns_resolver, settings.eth_rpc_url, clock)
        self.key_store = key_store(settings, clock)
        self.store = ProofStore(self.key_store.registry.database)
        self._fingerprint = self.key_store.fingerprint()
        self._keys = self.key_store.load_or_create(slug_of(site.studio.name) or "studio")
        self._last_error = ""
        self._log: Log | None = None
        self._words: Words | None = None
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
            origin = self.store.append(first_origin, leaves, record=self._publishes)
            self._log = Log(origin, leaves, key, self.store.previous_heads())
        return replace(self._log, key=self._preview_key or key)

    def words(
        self, snapshot: Snapshot[Site], key: Key, declarations: Callable[[], Iterable[Statement]]
    ) -> Words:
        """Return everything that a snapshot says, in its log; publish it if that is new.

        `declarations` returns what the service declares of itself beside its stored documents.
        """
        revision, words = Digest(snapshot.revision or ""), self._words
        if words is None or words.content.revision != revision:
            interface = (*operation_statements(snapshot.operations), *declarations())
            statements = (*content_statements(snapshot), *interface)
            now = self.clock()
            words = self._words = self.store.publish_words(
                f"{urlsplit(snapshot.data.studio.url).hostname}/words/{now:%Y%m%dT%H%M%SZ}",
                ContentTree(revision, statements),
                key,
                now,
                after=words.index if words is not None and self._publishes else None,
                record=self._publishes,
            )
        # What was published may be signed by the published key in a preview too: it says no more.
        return replace(words, key=key if words.is_published else self._preview_key or key)

    @property
    def is_content_published(self) -> bool:
        """Whether the log of words holds the revision that was read last."""
        return self._words is not None and self._words.is_published

    def envelope_signer(self, log: Log, revision: Digest, key_set_path: str) -> EnvelopeSigner:
        """Return the signer of a revision's envelopes, with the key of its log."""
        return EnvelopeSigner(
            key=log.key,
            first_signed_at=lambda payloads: self._first_signed_at(payloads, log.key),
            revision=revision,
            log_head=log.rollup_hash,
            log_size=log.size,
            key_set_path=key_set_path,
        )

    def _first_signed_at(self, payloads: Sequence[Digest], key: Key) -> Mapping[Digest, str]:
        """Return when each payload was first signed, and record the new ones if this publishes."""
        if not self._publishes:
            return dict.fromkeys(payloads, format_instant(self.clock()))
        return self.key_store.registry.first_signed_at(payloads, key.kid, self.clock())

    def _read_keys(self) -> None:
        """Read the key files again if they have changed. Raises: ProofError, OSError."""
        if (fingerprint := self.key_store.fingerprint()) == self._fingerprint:
            return
        self._keys, self._keys_read_at = self.key_store.load_verified(), self.clock()
        self._fingerprint, self._last_error = fingerprint, ""
