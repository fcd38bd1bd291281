"""What proves the studio's words in this process: its keys, its journal, its identity claims."""

import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from resolvers.proofs.faults import ProofFault
from resolvers.proofs.journal import Journal
from resolvers.proofs.key_folder import Clock, KeyFolder
from resolvers.proofs.keys import Key, Standing, standing
from resolvers.proofs.log import Log, leaves_of
from schema.declare import slug_of
from schema.site import Site
from studiograph.claims import Claims
from studiograph.settings import Settings
from studiograph.state import database_of

LEARNING = timedelta(seconds=2)
"""How long a running service publishes what came to its keys before it signs with it: until then
every process has seen it."""

log = logging.getLogger("studiograph.keys")


def system_clock() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)


def journal_of(settings: Settings) -> Journal:
    """The journal of a studio. Raises: StateFault."""
    return Journal(database_of(settings), settings.data / "proofs.sqlite")


def key_folder_of(settings: Settings, clock: Clock = system_clock) -> KeyFolder:
    """The keys of a data folder, which are remembered in the journal."""
    return KeyFolder(settings.data / "keys", clock, journal_of(settings))


class Proofs:
    """The keys, the journal and the claims of one data folder. Raises: ProofFault."""

    def __init__(self, settings: Settings, site: Site, clock: Clock = system_clock) -> None:
        self.clock = clock
        self.claims = Claims(settings, clock)
        self.journal = journal_of(settings)
        self.folder = KeyFolder(settings.data / "keys", clock, self.journal)
        self._mark = self.folder.mark()
        self._keys = self.folder.begin(slug_of(site.studio.name) or "studio")
        self._fault = ""
        self._log: Log | None = None
        self._learnt_at = datetime.min.replace(tzinfo=UTC)
        self.standing = standing(self._keys, clock())
        self.signer = self.standing.active

    def refresh(self) -> bool:
        """Whether the keys stand otherwise than before, or a claim was looked up."""
        return any([self._keys_moved(), self.claims.refresh()])

    def _keys_moved(self) -> bool:
        """Whether the keys stand otherwise; a fault leaves them as they are and is logged once."""
        try:
            self._read()
            now = standing(self._keys, self.clock())
        except (ProofFault, OSError) as fault:
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

    def _signer_of(self, now: Standing) -> Key:
        """The active key; one that only just came waits until every process publishes it."""
        settled = not timedelta() <= self.clock() - self._learnt_at < LEARNING
        held = (key for key in now.trusted if key.kid == self.signer.kid)
        return now.active if settled else next(held, now.active)

    def log(self, site: Site, key: Key) -> Log:
        """The log of a site, which must extend the published one. Raises: ProofFault."""
        leaves = leaves_of(site.changelog)
        if self._log is None or self._log.leaves != leaves:
            first = f"{urlsplit(site.studio.url).hostname}/changelog"
            origin = self.journal.extend(first, leaves)
            self._log = Log(origin, leaves, key, self.journal.former())
        return replace(self._log, key=key)

    def _read(self) -> None:
        if (mark := self.folder.mark()) == self._mark:
            return
        self._keys, self._learnt_at = self.folder.agreed(), self.clock()
        self._mark, self._fault = mark, ""
