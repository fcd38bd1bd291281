"""What was published, in the state database: the log of changes and the log of words.

Every check and the write that follows it share one transaction, so that of several processes and
machines the first writer wins.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, text

from resolvers.db.database import Database
from resolvers.signing.keys import Key, ProofError
from resolvers.signing.keystore import exclusive, instant_after
from resolvers.transparency.log import Leaf
from resolvers.transparency.statements import INTERFACE
from resolvers.transparency.words import (
    ContentTree,
    Publication,
    PublishedWords,
    Version,
    Words,
)
from schema.services.signatures import LogHead
from sdl.types.scalar_types import Digest, format_instant

REPAIR_HINT = (
    "restore it and publish a further entry that corrects it, or begin a new log with"
    " `studiograph log restart`"
)

_WORDS = text("SELECT origin, leaf, leaf_hash FROM words ORDER BY place")
_LAST_WORDS = text("SELECT leaf FROM words ORDER BY place DESC LIMIT 1")
_LEAVES_AFTER = text("SELECT place, leaf FROM words WHERE place > :served ORDER BY place")
_STATEMENTS = text("SELECT name, place, hash FROM statement ORDER BY name, place")
_CURRENT_LOG = text("SELECT number, origin FROM log ORDER BY number DESC")
_NEW_LOG = text("INSERT INTO log (number, origin) VALUES (:number, :origin)")
_ENDED_LOGS = text(
    "SELECT origin, tree_size, rollup_hash, checkpoint, ended_at, reason FROM log"
    " WHERE ended_at IS NOT NULL ORDER BY number DESC"
)
_END_LOG = text(
    "UPDATE log SET tree_size = :size, rollup_hash = :hash, checkpoint = :checkpoint,"
    " ended_at = :ended_at, reason = :reason WHERE number = :number"
)


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
            number, current_origin = rows.execute(_CURRENT_LOG).first() or (0, origin)
            published = _leaves(rows, number)
            if problem := history_violation(published, leaves):
                raise ProofError(f"changelog: {problem}. Fix: {REPAIR_HINT}.")
            if record and not number:
                number = 1
                rows.execute(_NEW_LOG, {"number": number, "origin": origin})
            new = enumerate(leaves[len(published) :], len(published)) if record else ()
            added = [
                {"log": number, "place": place, "id": leaf.id, "hash": leaf.hash}
                for place, leaf in new
            ]
            _run_many(rows, "INSERT INTO entry VALUES (:log, :place, :id, :hash)", added)
            return str(current_origin)

    def current_log(self) -> tuple[str, list[Leaf]] | None:
        """Return the origin and the leaves of the current log, if there is one."""
        with exclusive(self.database) as rows:
            log = rows.execute(_CURRENT_LOG).first()
            return None if log is None else (str(log[1]), _leaves(rows, log[0]))

    def restart_log(self, ended: LogHead) -> str:
        """End the current log with this head; return the origin of the new, empty log.

        Raises: ProofError if the head is not that of the current log, or if that has no entry yet.
        """
        with exclusive(self.database) as rows:
            log = rows.execute(_CURRENT_LOG).first()
            if log is None or log[1] != ended.origin:
                raise ProofError(f"{ended.origin}: this is not the current log.")
            if not _leaves(rows, log[0]):
                raise ProofError(
                    f"{ended.origin}: this log has no entry yet, so nothing ends with it. Fix: run"
                    " `studiograph serve`, which begins it."
                )
            values = {
                "size": ended.tree_size,
                "hash": ended.rollup_hash,
                "checkpoint": ended.checkpoint,
                "ended_at": format_instant(ended.ended_at),
                "reason": ended.reason,
            }
            rows.execute(_END_LOG, {**values, "number": log[0]})
            first = rows.scalar(text("SELECT origin FROM log WHERE number = 1"))
            origin = f"{first}/{log[0] + 1}"
            rows.execute(_NEW_LOG, {"number": log[0] + 1, "origin": origin})
            return origin

    def previous_heads(self) -> list[LogHead]:
        """Return the heads of the logs that have ended, newest first."""
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
                for origin, size, head, checkpoint, ended_at, reason in rows.execute(_ENDED_LOGS)
            ]

    def publish_words(  # noqa: PLR0913 - keywords name the others
        self,
        first_origin: str,
        content: ContentTree,
        key: Key,
        now: datetime,
        *,
        after: int | None = None,
        record: bool = True,
    ) -> Words:
        """Record a revision as the next leaf of the words log, once; return where it stands.

        `after` is the place of the revision that this process served before: if another process
        has recorded the same since, its leaf is taken. A start looks at the last leaf alone.
        Raises: ProofError if the clock is behind the last leaf.
        """
        with exclusive(self.database) as rows:
            words = _words(rows, first_origin)
            size = len(words.hashes)
            served = size - 2 if after is None else after
            for place, leaf in rows.execute(_LEAVES_AFTER, {"served": served}):
                if content.is_said_by(leaf):
                    return Words(content, words, place, leaf, key)
            last = words.publications[-1].published_at if size and record else None
            at = instant_after(last, now, "revision was published")
            grown, leaf = words.with_revision(content, at)
            if record:
                rows.execute(
                    text("INSERT INTO words VALUES (:place, :origin, :leaf, :hash)"),
                    {
                        "place": size,
                        "origin": grown.origin,
                        "leaf": leaf,
                        "hash": grown.hashes[size],
                    },
                )
                last_versions = ((name, own[-1]) for name, own in grown.versions.items())
                added = {name: own.hash for name, own in last_versions if own.place == size}
                _run_many(
                    rows,
                    "INSERT INTO statement VALUES (:name, :place, :hash)",
                    [{"name": n, "place": size, "hash": value} for n, value in added.items()],
                )
                _keep_texts(rows, content.texts, added)
            return Words(content, grown, size, leaf, key, is_published=record)

    def published_words(self) -> PublishedWords:
        """Return the log of words."""
        with exclusive(self.database) as rows:
            return _words(rows, "")

    def published_texts(self) -> dict[str, str]:
        """Return what is kept of the last publication: the canonical JSON of what is content."""
        with exclusive(self.database) as rows:
            return dict(rows.execute(text("SELECT name, text FROM published_text")).all())

    def last_publication(self) -> dict[str, Any] | None:
        """Return the members of the last leaf in the words log; None if the log is empty.

        It is the leaf of the last published revision: `{revision, publishedAt, ...}`.
        """
        with self.database.snapshot() as rows:
            leaf = rows.scalar(_LAST_WORDS)
            members: dict[str, Any] = {} if leaf is None else json.loads(leaf)
            return members or None


def _run_many(rows: Connection, statement: str, values: Sequence[Mapping[str, object]]) -> None:
    """Run a statement once for each of the values, of which there may be none."""
    if values:
        rows.execute(text(statement), values)


def _leaves(rows: Connection, log: int) -> list[Leaf]:
    query = text("SELECT id, leaf FROM entry WHERE log = :log ORDER BY place")
    return [Leaf(*row) for row in rows.execute(query, {"log": log})]


def _words(rows: Connection, first_origin: str) -> PublishedWords:
    """Return the words log; `first_origin` names it if nothing was published yet."""
    leaves = rows.execute(_WORDS).all()
    versions = {
        name: tuple(Version(place, value) for _, place, value in own)
        for name, own in groupby(rows.execute(_STATEMENTS), itemgetter(0))
    }
    return PublishedWords(
        leaves[-1][0] if leaves else first_origin,
        tuple(value for _, _, value in leaves),
        tuple(Publication.of(leaf) for _, leaf, _ in leaves),
        versions,
    )


def _keep_texts(rows: Connection, texts: Mapping[str, bytes], changed: Iterable[str]) -> None:
    """Keep the words of the content that is published, so that a diff can say the earlier ones."""
    forget = "DELETE FROM published_text WHERE name = :name"
    _run_many(rows, forget, [{"name": name} for name in changed])
    kept = set(rows.scalars(text("SELECT name FROM published_text")))
    new = [
        {"name": name, "words": words.decode()}
        for name, words in texts.items()
        if name not in kept and not name.startswith(INTERFACE)
    ]
    _run_many(rows, "INSERT INTO published_text VALUES (:name, :words)", new)


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
