"""What was published, in the state database: the log of changes and the log of words.

Every check and the write that follows it share one transaction, so that of several processes and
machines the first writer wins.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from resolvers.db.database import Database, Transaction
from resolvers.signing.keys import Key, ProofError
from resolvers.signing.registry import exclusive, instant_after
from resolvers.transparency.log import Leaf
from resolvers.transparency.words import (
    ContentTree,
    PublishedWords,
    Words,
    packed_date,
    packed_version,
)
from schema.signatures import LogHead
from sdl.scalar_types import Digest, format_instant
from sdl.statements import INTERFACE

REPAIR_HINT = (
    "restore it and publish a further entry that corrects it, or begin a new log with"
    " `studiograph log restart`"
)

_WORDS = "SELECT origin, leaf, leaf_hash FROM words WHERE place >= ? ORDER BY place"
_LAST_WORDS = "SELECT leaf FROM words ORDER BY place DESC LIMIT 1"
_LEAVES_AFTER = "SELECT place, leaf FROM words WHERE place > ? ORDER BY place"
_STATEMENTS = "SELECT name, place, hash FROM statement WHERE place >= ? ORDER BY name, place"
_CURRENT_LOG = "SELECT number, origin FROM log ORDER BY number DESC"
_HEAD = "origin, tree_size, rollup_hash, checkpoint, ended_at, reason"


class ProofStore:
    """Both logs in the database. With `record=False` nothing is written: so a preview looks."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def append(self, origin: str, leaves: Sequence[Leaf], *, record: bool = True) -> str:
        """Record the new leaves of the current log, or begin the first log with this origin.

        Returns the origin of the log. Raises: ProofError, naming the entry, unless the leaves
        begin with the published ones.
        """
        with exclusive(self.database) as rows:
            number, current_origin = rows.execute(_CURRENT_LOG).fetchone() or (0, origin)
            published = _leaves(rows, number)
            if problem := history_violation(published, leaves):
                raise ProofError(f"changelog: {problem}. Fix: {REPAIR_HINT}.")
            if record and not number:
                number = 1
                rows.execute("INSERT INTO log (number, origin) VALUES (1, ?)", (origin,))
            new = enumerate(leaves[len(published) :], len(published)) if record else ()
            added = [(number, place, leaf.id, leaf.hash) for place, leaf in new]
            rows.executemany("INSERT INTO entry VALUES (?, ?, ?, ?)", added)
            return str(current_origin)

    def current_log(self) -> tuple[str, list[Leaf]] | None:
        """Return the origin and the leaves of the current log, if there is one."""
        with exclusive(self.database) as rows:
            log = rows.execute(_CURRENT_LOG).fetchone()
            return None if log is None else (str(log[1]), _leaves(rows, log[0]))

    def restart_log(self, ended: LogHead) -> str:
        """End the current log with this head; return the origin of the new, empty log.

        Raises: ProofError if the head is not that of the current log, or if that has no entry yet.
        """
        with exclusive(self.database) as rows:
            log = rows.execute(_CURRENT_LOG).fetchone()
            if log is None or log[1] != ended.origin:
                raise ProofError(f"{ended.origin}: this is not the current log.")
            if not _leaves(rows, log[0]):
                raise ProofError(
                    f"{ended.origin}: this log has no entry yet, so nothing ends with it. Fix: run"
                    " `studiograph serve`, which begins it."
                )
            values = (ended.tree_size, ended.rollup_hash, ended.checkpoint)
            rows.execute(
                "UPDATE log SET tree_size = ?, rollup_hash = ?, checkpoint = ?, ended_at = ?,"
                " reason = ? WHERE number = ?",
                (*values, format_instant(ended.ended_at), ended.reason, log[0]),
            )
            first = rows.execute("SELECT origin FROM log WHERE number = 1").fetchone()[0]
            row = (log[0] + 1, f"{first}/{log[0] + 1}")
            rows.execute("INSERT INTO log (number, origin) VALUES (?, ?)", row)
            return row[1]

    def previous_heads(self) -> list[LogHead]:
        """Return the heads of the logs that have ended, newest first."""
        query = f"SELECT {_HEAD} FROM log WHERE ended_at IS NOT NULL ORDER BY number DESC"  # noqa: S608 - our own words
        with exclusive(self.database) as rows:
            return [
                LogHead(
                    origin=origin,
                    tree_size=size,
                    rollup_hash=Digest(head),
                    checkpoint=checkpoint,
                    ended_at=datetime.fromisoformat(ended_at),
                    reason=reason,
                )
                for origin, size, head, checkpoint, ended_at, reason in rows.execute(query)
            ]

    def publish_words(  # noqa: PLR0913 - keywords name the others
        self,
        first_origin: str,
        content: ContentTree,
        key: Key,
        now: datetime,
        *,
        after: int | None = None,
        known: PublishedWords | None = None,
        record: bool = True,
    ) -> Words:
        """Record a revision as the next leaf of the words log, once; return where it stands.

        `after` is the place of the revision that this process served before: if another process
        has recorded the same since, its leaf is taken. A start looks at the last leaf alone.
        `known` is the log as it was read or recorded before; only what came since is read.
        Raises: ProofError if the clock is behind the last leaf.
        """
        with exclusive(self.database) as rows:
            words = _words(rows, first_origin, known)
            size = len(words.hashes)
            served = size - 2 if after is None else after
            for place, leaf in rows.execute(_LEAVES_AFTER, (served,)):
                if content.is_said_by(leaf):
                    return Words(content, words, place, leaf, key)
            last = words.dated(-1)["publishedAt"] if size and record else None
            at = instant_after(last, now, "revision was published")
            grown, leaf = words.with_revision(content, at)
            if record:
                row = (size, grown.origin, leaf, grown.hashes[size])
                rows.execute("INSERT INTO words VALUES (?, ?, ?, ?)", row)
                new = [(name, *version) for name, version in grown.last_versions()]
                added = [version for version in new if version[1] == size]
                rows.executemany("INSERT INTO statement VALUES (?, ?, ?)", added)
                _keep_texts(rows, content.texts, {name for name, *_ in added})
            return Words(content, grown, size, leaf, key, is_published=record)

    def published_words(self) -> PublishedWords:
        """Return the log of words."""
        with exclusive(self.database) as rows:
            return _words(rows, "")

    def published_texts(self) -> dict[str, str]:
        """Return what is kept of the last publication: the canonical JSON of what is content."""
        with exclusive(self.database) as rows:
            return dict(rows.execute("SELECT name, text FROM published_text"))

    def last_publication(self) -> dict[str, Any] | None:
        """Return what the words log says of the last published revision; None before the first."""
        with self.database.snapshot() as rows:
            leaf = rows.execute(_LAST_WORDS).fetchone()
            members: dict[str, Any] = {} if leaf is None else json.loads(leaf[0])
            return members or None


def _leaves(rows: Transaction, log: int) -> list[Leaf]:
    found = rows.execute("SELECT id, leaf FROM entry WHERE log = ? ORDER BY place", (log,))
    return [Leaf(*row) for row in found]


def _words(
    rows: Transaction, first_origin: str, known: PublishedWords | None = None
) -> PublishedWords:
    """Return the words log, of which what is `known` is not read again.

    `first_origin` names it if nothing was published yet.
    """
    known = known or PublishedWords(first_origin)
    start = len(known.hashes)
    found = rows.execute(_WORDS, (max(start - 1, 0),))
    if start and [row[2] for row in islice(found, 1)] != [known.hashes[-1]]:
        return _words(rows, first_origin)  # another database has taken the place of the known one
    origin, hashes, dates = known.origin, list[bytes](), bytearray()
    for own, leaf, value in found:
        origin = own
        hashes.append(value)
        dates += packed_date(leaf)
    if not hashes:
        return known
    versions = {
        name: b"".join(packed_version(place, value) for _, place, value in own)
        for name, own in groupby(rows.execute(_STATEMENTS, (start,)), itemgetter(0))
    }
    return known.with_leaves(origin, hashes, bytes(dates), versions)


def _keep_texts(rows: Transaction, texts: Mapping[str, bytes], changed: set[str]) -> None:
    """Keep the words of the content that is published, so that a diff can say the earlier ones."""
    rows.executemany("DELETE FROM published_text WHERE name = ?", [(name,) for name in changed])
    kept = {name for (name,) in rows.execute("SELECT name FROM published_text")}
    new = {n: text for n, text in texts.items() if n not in kept and not n.startswith(INTERFACE)}
    values = [(name, text.decode()) for name, text in new.items()]
    rows.executemany("INSERT INTO published_text VALUES (?, ?)", values)


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
