"""The proofs' record in the state database: known keys, signing times and the published log.

Every check and the write that follows it share one transaction, so that of several processes and
machines the first writer wins.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from resolvers.db.database import Database, DatabaseError, Transaction
from resolvers.signing.keys import Key, ProofError
from resolvers.transparency.words import Publication, PublishedWords, Version, WordsEntry
from schema.signatures import LogHead
from sdl.scalar_types import Digest, format_instant

CLOCK_BACKWARDS = timedelta(minutes=5)
"""How far the clock may be behind the last signing time, since two machines may differ."""

REPAIR_HINT = (
    "restore it and publish a further entry that corrects it, or begin a new log with"
    " `studiograph log restart`"
)
_UNKNOWN_KEY = (
    ": this key is in the key folder, but the database knows only other keys, so it is from another"
    " machine. Fix: run `studiograph keys import FILE` with the keys exported there, or, if there"
    " is no other machine, with those exported here."
)

_WORDS = "SELECT origin, leaf, leaf_hash FROM words ORDER BY place"
_LAST_WORDS = "SELECT leaf FROM words ORDER BY place DESC LIMIT 1"
_STATEMENTS = "SELECT name, place, hash FROM statement ORDER BY place, name"
_CURRENT_LOG = "SELECT number, origin FROM log ORDER BY number DESC"


@dataclass(frozen=True)
class Leaf:
    """An entry of the log."""

    id: str
    hash: bytes


class ProofStore:
    """The published keys, log entries and signing times, stored in the database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def is_initialised(self) -> bool:
        """Return whether the database has its tables. Raises: ProofError."""
        with _proof_errors():
            return self.database.is_initialised()

    def known_keys(self) -> dict[str, bytes]:
        """Return every public key that was ever published, by kid. Raises: ProofError."""
        with self._transaction() as transaction:
            return _known_keys(transaction)

    def revoked_keys(self) -> set[str]:
        """Return the kids of all keys that were ever revoked. Raises: ProofError."""
        with self._transaction() as transaction:
            return {kid for (kid,) in transaction.execute("SELECT kid FROM revoked")}

    def require_known_keys(self, keys: Iterable[Key]) -> None:
        """Raise `ProofError` unless these are the known keys; record them if none was known.

        They are not if a known key is missing, has other bytes or is no longer revoked, or if one
        of them is unknown.
        """
        by_kid = {key.kid: key for key in keys}
        with self._transaction() as transaction:
            known = _known_keys(transaction)
            if problem := _revocation_problem(transaction, by_kid) or _key_problem(known, by_kid):
                raise ProofError(problem)
            _record_keys(transaction, by_kid.values())

    def merge_keys(self, keys: Iterable[Key]) -> None:
        """Record the new keys if all known ones are among them, and revocations in any case."""
        by_kid = {key.kid: key for key in keys}
        with self._transaction() as transaction:
            known = _known_keys(transaction)
            is_complete = all(kid in by_kid and by_kid[kid].x == x for kid, x in known.items())
            mergeable = [key for key in by_kid.values() if is_complete or key.kid in known]
            _record_keys(transaction, mergeable)

    def first_signed_at(
        self, payloads: Sequence[Digest], kid: str, now: datetime
    ) -> dict[Digest, str]:
        """Return when each payload was first signed with this key, and record the new ones.

        Raises: ProofError if there is a new one and the clock is behind the last signing time.
        """
        with self._transaction() as transaction:
            known = {payload: _signed_at(transaction, payload, kid) for payload in payloads}
            signed_at = {payload: at for payload, at in known.items() if at is not None}
            if new := [payload for payload in known if payload not in signed_at]:
                (last,) = transaction.execute("SELECT MAX(signed_at) FROM signing").fetchone()
                if last is not None and now + CLOCK_BACKWARDS < datetime.fromisoformat(last):
                    raise ProofError(
                        f"the clock says {format_instant(now)}, and the last signing was at {last}."
                        " Fix: set the clock."
                    )
                at = max(format_instant(now), last or "")
                rows = [(payload, kid, at) for payload in new]
                transaction.executemany("INSERT INTO signing VALUES (?, ?, ?)", rows)
                signed_at |= dict.fromkeys(new, at)
            return signed_at

    def append(self, origin: str, leaves: Sequence[Leaf]) -> str:
        """Record the new leaves of the current log, or begin the first log with this origin.

        Returns the origin of the log. Raises: ProofError, naming the entry, unless the leaves
        begin with the published ones.
        """
        with self._transaction() as transaction:
            log = transaction.execute(_CURRENT_LOG).fetchone()
            if log is None:
                transaction.execute("INSERT INTO log (number, origin) VALUES (1, ?)", (origin,))
                log = (1, origin)
            number, current_origin = log
            published = _leaves(transaction, number)
            _check_growth(published, leaves)
            new = enumerate(leaves[len(published) :], len(published))
            transaction.executemany(
                "INSERT INTO entry VALUES (?, ?, ?, ?)",
                [(number, place, leaf.id, leaf.hash) for place, leaf in new],
            )
            return str(current_origin)

    def check_growth(self, origin: str, leaves: Sequence[Leaf]) -> str:
        """Return the origin that `append` would return, and record nothing. Raises: ProofError."""
        current_origin, published = self.current_log() or (origin, [])
        _check_growth(published, leaves)
        return current_origin

    def publish_words(
        self,
        first_origin: str,
        publication: Publication,
        now: datetime,
        *,
        after: int | None = None,
    ) -> WordsEntry:
        """Record a revision as the next leaf of the words log, once; return where it stands.

        `after` is the place of the revision that this process served before: if another process
        has recorded the same since, its leaf is taken. A start looks at the last leaf alone.
        Raises: ProofError if the clock is behind the last leaf.
        """
        with self._transaction() as rows:
            words = _words(rows, first_origin)
            first = len(words.leaves) - 1 if after is None else after + 1
            for place in range(max(0, first), len(words.leaves)):
                if publication.is_said_by(words.leaves[place]):
                    return WordsEntry(words, place)
            at = format_instant(now)
            if words.leaves:
                last_at = json.loads(words.leaves[-1])["publishedAt"]
                if now + CLOCK_BACKWARDS < datetime.fromisoformat(last_at):
                    raise ProofError(
                        f"the clock says {at}, and the last revision was published at {last_at}."
                        " Fix: set the clock."
                    )
                at = max(at, last_at)
            grown = words.with_revision(publication, at)
            place = len(words.leaves)
            row = (place, grown.origin, grown.leaves[place], grown.hashes[place])
            rows.execute("INSERT INTO words VALUES (?, ?, ?, ?)", row)
            new = grown.versions[len(words.versions) :]
            rows.executemany(
                "INSERT INTO statement VALUES (?, ?, ?)", [(v.name, v.place, v.hash) for v in new]
            )
            return WordsEntry(grown, place)

    def preview_words(
        self, first_origin: str, publication: Publication, now: datetime
    ) -> WordsEntry:
        """Return what `publish_words` would return at a start, and record nothing."""
        words = PublishedWords(first_origin)
        if self.is_initialised():
            with self._transaction() as rows:
                words = _words(rows, first_origin)
        place = len(words.leaves)
        if words.leaves and publication.is_said_by(words.leaves[-1]):
            return WordsEntry(words, place - 1)
        grown = words.with_revision(publication, format_instant(now))
        return WordsEntry(grown, place, is_published=False)

    def published_statements(self) -> dict[str, bytes]:
        """Return the leaf hash of each statement of the revision that was published last."""
        with self._transaction() as rows:
            return _words(rows, "").statements()

    def published_leaves(self) -> list[str]:
        """Return the leaves of the log of words, oldest first."""
        with self._transaction() as rows:
            return [str(leaf) for _, leaf, _ in rows.execute(_WORDS)]

    def last_publication(self) -> dict[str, Any] | None:
        """Return what the words log says of the last published revision; None before the first."""
        with self.database.snapshot() as rows:
            leaf = rows.execute(_LAST_WORDS).fetchone()
            members: dict[str, Any] = {} if leaf is None else json.loads(leaf[0])
            return members or None

    def current_log(self) -> tuple[str, list[Leaf]] | None:
        """Return the origin and the leaves of the current log, if there is one."""
        with self._transaction() as transaction:
            log = transaction.execute(_CURRENT_LOG).fetchone()
            return None if log is None else (str(log[1]), _leaves(transaction, log[0]))

    def restart_log(self, ended: LogHead) -> str:
        """End the current log with this head; return the origin of the new, empty log.

        Raises: ProofError if the head is not that of the current log, or if that has no entry yet.
        """
        with self._transaction() as transaction:
            log = transaction.execute(_CURRENT_LOG).fetchone()
            if log is None or log[1] != ended.origin:
                raise ProofError(f"{ended.origin}: this is not the current log.")
            number = log[0]
            if not _leaves(transaction, number):
                raise ProofError(
                    f"{ended.origin}: this log has no entry yet, so nothing ends with it. Fix: run"
                    " `studiograph serve`, which begins it."
                )
            transaction.execute(
                "UPDATE log SET tree_size = ?, rollup_hash = ?, checkpoint = ?, ended_at = ?,"
                " reason = ? WHERE number = ?",
                (
                    ended.tree_size,
                    ended.rollup_hash,
                    ended.checkpoint,
                    format_instant(ended.ended_at),
                    ended.reason,
                    number,
                ),
            )
            first = transaction.execute("SELECT origin FROM log WHERE number = 1").fetchone()[0]
            row = (number + 1, f"{first}/{number + 1}")
            transaction.execute("INSERT INTO log (number, origin) VALUES (?, ?)", row)
            return row[1]

    def previous_heads(self) -> list[LogHead]:
        """Return the heads of the logs that have ended, newest first."""
        with self._transaction() as transaction:
            rows = transaction.execute(
                "SELECT origin, tree_size, rollup_hash, checkpoint, ended_at, reason FROM log"
                " WHERE ended_at IS NOT NULL ORDER BY number DESC"
            )
            return [
                LogHead(
                    origin=origin,
                    tree_size=size,
                    rollup_hash=Digest(head),
                    checkpoint=checkpoint,
                    ended_at=datetime.fromisoformat(ended_at),
                    reason=reason,
                )
                for origin, size, head, checkpoint, ended_at, reason in rows
            ]

    @contextmanager
    def _transaction(self) -> Iterator[Transaction]:
        """Run one exclusive transaction. Raises: ProofError."""
        with _proof_errors(), self.database.transaction() as transaction:
            yield transaction


@contextmanager
def _proof_errors() -> Iterator[None]:
    """Raise a `DatabaseError` of the block as a `ProofError`."""
    try:
        yield
    except DatabaseError as error:
        raise ProofError(str(error)) from error


def _leaves(transaction: Transaction, log: int) -> list[Leaf]:
    rows = transaction.execute("SELECT id, leaf FROM entry WHERE log = ? ORDER BY place", (log,))
    return [Leaf(*row) for row in rows]


def _signed_at(transaction: Transaction, payload: Digest, kid: str) -> str | None:
    row = transaction.execute(
        "SELECT signed_at FROM signing WHERE payload = ? AND kid = ?", (payload, kid)
    ).fetchone()
    return None if row is None else str(row[0])


def _known_keys(transaction: Transaction) -> dict[str, bytes]:
    return dict(transaction.execute("SELECT kid, x FROM key"))


def _revocation_problem(transaction: Transaction, keys: Mapping[str, Key]) -> str:
    """Return what is wrong if a revoked key is usable again, or an empty text."""
    for (kid,) in transaction.execute("SELECT kid FROM revoked"):
        if kid in keys and keys[kid].revoked_at is None:
            return (
                f"{kid}: this key was revoked, and an older copy of its file is back in the key"
                " folder. Fix: run `studiograph keys import FILE` with the keys exported since, or"
                f" `studiograph keys revoke {kid}`."
            )
    return ""


def _key_problem(known: Mapping[str, bytes], keys: Mapping[str, Key]) -> str:
    """Return how the keys differ from the known ones, if any are known, or an empty text."""
    for kid, x in known.items():
        if kid not in keys or keys[kid].x != x:
            problem = "is missing from" if kid not in keys else "is a different one in"
            return (
                f"{kid}: this key was published from here and {problem} the key folder."
                " Fix: run `studiograph keys import FILE` with the exported keys, or, if it is"
                f" lost for good, `studiograph keys revoke {kid}`."
            )
    unknown = [kid for kid in keys if known and kid not in known]
    return unknown[0] + _UNKNOWN_KEY if unknown else ""


def _record_keys(transaction: Transaction, keys: Iterable[Key]) -> None:
    for key in keys:
        row = (key.kid, key.x)
        transaction.execute("INSERT INTO key VALUES (?, ?) ON CONFLICT DO NOTHING", row)
        if key.revoked_at is not None:
            sql = "INSERT INTO revoked VALUES (?) ON CONFLICT DO NOTHING"
            transaction.execute(sql, (key.kid,))


def _words(rows: Transaction, first_origin: str) -> PublishedWords:
    """Return the words log; `first_origin` names it if nothing was published yet."""
    origin, leaves, hashes = first_origin, list[str](), list[bytes]()
    for own, leaf, value in rows.execute(_WORDS):
        origin = str(own)
        leaves.append(str(leaf))
        hashes.append(bytes(value))
    versions = [
        Version(str(name), int(place), None if value is None else bytes(value))
        for name, place, value in rows.execute(_STATEMENTS)
    ]
    return PublishedWords(origin, leaves, hashes, versions)


def _check_growth(published: Sequence[Leaf], leaves: Sequence[Leaf]) -> None:
    """Raise `ProofError`, naming the entry, unless the leaves begin with the published ones."""
    if problem := history_violation(published, leaves):
        raise ProofError(f"changelog: {problem}. Fix: {REPAIR_HINT}.")


def history_violation(published: Sequence[Leaf], leaves: Sequence[Leaf]) -> str | None:
    """Return how the leaves contradict the published ones; None if they only add new ones."""
    hashes = {leaf.id: leaf.hash for leaf in leaves}
    published_ids = {leaf.id for leaf in published}
    for place, leaf in enumerate(published):
        if leaf.id not in hashes:
            return f"the published entry {leaf.id} has been dropped"
        if hashes[leaf.id] != leaf.hash:
            return f"the published entry {leaf.id} has been changed"
        if leaves[place] != leaf:
            other = leaves[place].id
            if other not in published_ids:
                return f"the entry {other} is dated before {leaf.id}, which is published already"
            return f"the published entry {leaf.id} has moved"
    return None
