"""What must not be forgotten between two starts: known keys, first signings, the published log.

One SQLite file in the data folder. Whoever writes first wins, from any process.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from resolvers.proofs.faults import ProofFault
from resolvers.proofs.keys import Key
from schema.signed import LogHead
from schema.words import Digest, instant_text

BACKWARDS = timedelta(minutes=5)
"""How far a clock may stand behind the last signing: as far as two machines may disagree."""

REPAIR = (
    "restore it and publish a further entry that corrects it, or begin a new log with"
    " `studiograph log restart`"
)

_WAIT_SECONDS = 10
_TABLES = """
CREATE TABLE IF NOT EXISTS key (kid TEXT PRIMARY KEY, x BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS revoked (kid TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS signing (
    payload TEXT, kid TEXT, signed_at TEXT NOT NULL, PRIMARY KEY (payload, kid)
);
CREATE TABLE IF NOT EXISTS log (
    number INTEGER PRIMARY KEY, origin TEXT NOT NULL UNIQUE,
    tree_size INTEGER, rollup_hash TEXT, checkpoint TEXT, ended_at TEXT
);
CREATE TABLE IF NOT EXISTS entry (
    log INTEGER, place INTEGER, id TEXT NOT NULL, leaf BLOB NOT NULL, PRIMARY KEY (log, place)
);
"""


@dataclass(frozen=True)
class Leaf:
    """An entry of the log."""

    id: str
    hash: bytes


class Journal:
    """The file, opened for each use, so that it can be shared by processes that fork."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def known_keys(self) -> dict[str, bytes]:
        """The public keys that were ever published, by kid."""
        with self._open() as file:
            return dict(file.execute("SELECT kid, x FROM key"))

    def know(self, keys: Iterable[Key]) -> None:
        """Remember the keys. Raises: ProofFault when a known one is missing, another or revived."""
        known = tuple(keys)
        here = {key.kid: key.x for key in known}
        gone = [(key.kid,) for key in known if key.revoked_at is not None]
        with self._open() as file:
            for row in file.execute("SELECT kid FROM revoked"):
                if row not in gone and row[0] in here:
                    raise ProofFault(
                        f"{row[0]}: this key was revoked, and an older copy of its file is back in"
                        f" the folder of keys. Fix: run `studiograph keys revoke {row[0]}`."
                    )
            file.executemany("INSERT OR IGNORE INTO revoked VALUES (?)", gone)
            for kid, x in file.execute("SELECT kid, x FROM key"):
                if here.get(kid) != x:
                    wrong = "is missing" if kid not in here else "is another one"
                    raise ProofFault(
                        f"{kid}: this key was published from here and {wrong} in the folder of"
                        " keys. Fix: run `studiograph keys import FILE` with the exported keys, or,"
                        f" if it is lost for good, `studiograph keys revoke {kid}`."
                    )
            file.executemany("INSERT OR IGNORE INTO key VALUES (?, ?)", here.items())

    def signed_at(self, payload: Digest, kid: str, now: datetime) -> str:
        """When this payload was first signed with this key. Raises: ProofFault."""
        with self._open() as file:
            (last,) = file.execute("SELECT MAX(signed_at) FROM signing").fetchone()
            known = file.execute(
                "SELECT signed_at FROM signing WHERE payload = ? AND kid = ?", (payload, kid)
            ).fetchone()
            if known is not None:
                return str(known[0])
            if last is not None and now + BACKWARDS < datetime.fromisoformat(last):
                raise ProofFault(
                    f"the clock says {instant_text(now)}, and the last signing was at {last}."
                    " Fix: set the clock."
                )
            first = max(instant_text(now), last or "")
            file.execute("INSERT INTO signing VALUES (?, ?, ?)", (payload, kid, first))
            return first

    def extend(self, origin: str, leaves: Sequence[Leaf]) -> str:
        """The origin of the log that these leaves extend; one of this origin, if it is the first.

        Raises: ProofFault, naming the entry, when they are not what was published and more.
        """
        with self._open() as file:
            log = file.execute("SELECT number, origin FROM log ORDER BY number DESC").fetchone()
            if log is None:
                file.execute("INSERT INTO log (number, origin) VALUES (1, ?)", (origin,))
                log = (1, origin)
            number, origin = log
            rows = file.execute("SELECT id, leaf FROM entry WHERE log = ? ORDER BY place", log[:1])
            published = [Leaf(*row) for row in rows]
            if fault := rewriting(published, leaves):
                raise ProofFault(f"changelog: {fault}. Fix: {REPAIR}.")
            more = enumerate(leaves[len(published) :], len(published))
            file.executemany(
                "INSERT INTO entry VALUES (?, ?, ?, ?)",
                [(number, place, leaf.id, leaf.hash) for place, leaf in more],
            )
            return str(origin)

    def published(self) -> tuple[str, list[Leaf]] | None:
        """The origin and the leaves of the current log."""
        with self._open() as file:
            log = file.execute("SELECT number, origin FROM log ORDER BY number DESC").fetchone()
            if log is None:
                return None
            rows = file.execute("SELECT id, leaf FROM entry WHERE log = ? ORDER BY place", log[:1])
            return str(log[1]), [Leaf(*row) for row in rows]

    def restart(self, ended: LogHead) -> str:
        """The origin of a new log that begins with nothing; the head is that of the one before."""
        with self._open() as file:
            log = file.execute("SELECT number, origin FROM log ORDER BY number DESC").fetchone()
            if log is None or log[1] != ended.origin:
                raise ProofFault(f"{ended.origin}: this log does not run.")
            number = log[0]
            file.execute(
                "UPDATE log SET tree_size = ?, rollup_hash = ?, checkpoint = ?, ended_at = ?"
                " WHERE number = ?",
                (
                    ended.tree_size,
                    ended.rollup_hash,
                    ended.checkpoint,
                    instant_text(ended.ended_at),
                    number,
                ),
            )
            first = file.execute("SELECT origin FROM log WHERE number = 1").fetchone()[0]
            following = f"{first}/{number + 1}"
            file.execute("INSERT INTO log (number, origin) VALUES (?, ?)", (number + 1, following))
            return following

    def former(self) -> list[LogHead]:
        """The heads of the logs that have ended, newest first."""
        with self._open() as file:
            rows = file.execute(
                "SELECT origin, tree_size, rollup_hash, checkpoint, ended_at FROM log"
                " WHERE ended_at IS NOT NULL ORDER BY number DESC"
            )
            return [
                LogHead(
                    origin=origin,
                    tree_size=size,
                    rollup_hash=Digest(head),
                    checkpoint=checkpoint,
                    ended_at=datetime.fromisoformat(ended_at),
                )
                for origin, size, head, checkpoint, ended_at in rows
            ]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """One transaction, alone. Raises: ProofFault when the file cannot be used."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch(mode=0o600)
            connection = sqlite3.connect(self.path, timeout=_WAIT_SECONDS, isolation_level=None)
            with closing(connection) as file:
                file.executescript(_TABLES)
                file.execute("BEGIN IMMEDIATE")
                yield file
                file.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            raise ProofFault(
                f"{self.path}: cannot be used. Fix: see that its folder can be written and has"
                " space, or name another one in STUDIOGRAPH_DATA."
            ) from error


def rewriting(published: Sequence[Leaf], given: Sequence[Leaf]) -> str | None:
    """How the given history differs from the published one; nothing where it only grows."""
    hashes = {leaf.id: leaf.hash for leaf in given}
    known = {leaf.id for leaf in published}
    for place, leaf in enumerate(published):
        if leaf.id not in hashes:
            return f"the published entry {leaf.id} has been dropped"
        if hashes[leaf.id] != leaf.hash:
            return f"the published entry {leaf.id} has been changed"
        if given[place] != leaf:
            late = given[place].id
            if late not in known:
                return f"the entry {late} is dated before {leaf.id}, which is published already"
            return f"the published entry {leaf.id} has moved"
    return None
