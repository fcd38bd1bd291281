"""What changed between published revisions: the names of statements, and never their words."""

import difflib
import json
import re
from datetime import datetime

from resolvers.transparency.merkle import as_digest
from resolvers.transparency.words import PublishedWords, Words
from schema.signatures import StatementChanges, StatementHistory, StatementVersion
from sdl.errors import FieldProblem, NotFoundError
from sdl.scalar_types import Digest

_SIZE = re.compile(r"[0-9]{1,9}")
_REVISION = re.compile(Digest.pattern)


def changes_since(words: Words, since: str) -> StatementChanges:
    """Return the statements that were added, changed or removed since a revision.

    `since` is its digest, or the size that the log had then. Raises: NotFoundError.
    """
    log = words.entry.log
    size = _size_at(log, since)
    before, now = log.statements(size), log.statements()
    common = before.keys() & now.keys()
    return StatementChanges(
        revision=Digest(json.loads(log.leaves[-1])["revision"]),
        from_size=size,
        tree_size=len(log.leaves),
        added=sorted(now.keys() - before.keys()),
        changed=sorted(name for name in common if before[name] != now[name]),
        removed=sorted(before.keys() - now.keys()),
    )


def history_of(words: Words, name: str) -> StatementHistory:
    """Return the revisions that changed a statement, oldest first. Raises: NotFoundError."""
    log = words.entry.log
    versions = [version for version in log.versions if version.name == name]
    if not versions:
        known = dict.fromkeys(version.name for version in log.versions)
        similar = tuple(difflib.get_close_matches(name, known, n=5, cutoff=0.4))
        raise NotFoundError(
            "No statement ever had this name.", [FieldProblem("name", "is not known", similar)]
        )
    leaves = {version.place: json.loads(log.leaves[version.place]) for version in versions}
    return StatementHistory(
        name=name,
        versions=[
            StatementVersion(
                index=version.place,
                revision=Digest(leaves[version.place]["revision"]),
                published_at=datetime.fromisoformat(leaves[version.place]["publishedAt"]),
                leaf_hash=None if version.hash is None else as_digest(version.hash),
            )
            for version in versions
        ],
    )


def _size_at(log: PublishedWords, since: str) -> int:
    """Return the size of the log at a revision, or as it is named. Raises: NotFoundError."""
    most = len(log.leaves)
    if _SIZE.fullmatch(since) and int(since) <= most:
        return int(since)
    if _REVISION.fullmatch(since):
        member = f'"revision":"{since}"'  # as canonical JSON writes it
        place = next((place for place, leaf in enumerate(log.leaves) if member in leaf), None)
        if place is not None:
            return place + 1
    rule = f"must be the digest of a published revision, or a size of the log from 0 to {most}"
    raise NotFoundError("Nothing was published at this point.", [FieldProblem("since", rule)])
