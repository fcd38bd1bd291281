"""The changelog as a transparency log: its head, its checkpoint and its proofs.

Source: RFC 9162, C2SP tlog-checkpoint.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from resolvers.signing.canonical import canonical
from resolvers.signing.keys import Key
from resolvers.transparency.checkpoint import Checkpoint, signed_note, verifier_key
from resolvers.transparency.merkle import (
    as_digest,
    consistency_path,
    inclusion_path,
    leaf_hash,
    root,
)
from resolvers.transparency.store import Leaf
from schema.changelog import ChangelogEntry
from schema.signatures import ConsistencyProof, InclusionProof, LogHead, TransparencyLog
from sdl.errors import FieldProblem, NotFoundError
from sdl.scalar_types import ChangeId, Digest


def leaves_of(entries: Sequence[ChangelogEntry]) -> list[Leaf]:
    """Return the leaves of the log, oldest first."""
    ordered = sorted(entries, key=lambda entry: entry.published_at)
    return [Leaf(entry.id, leaf_hash(canonical(entry.to_json()))) for entry in ordered]


@dataclass(frozen=True)
class Log:
    """The log of one revision, signed by one key."""

    origin: str
    leaves: Sequence[Leaf]
    key: Key
    previous_heads: list[LogHead] = field(default_factory=list)
    """The heads of the logs that ended before this one began, newest first."""

    @cached_property
    def hashes(self) -> list[bytes]:
        """The leaf hashes, oldest first."""
        return [leaf.hash for leaf in self.leaves]

    @cached_property
    def head(self) -> bytes:
        """The tree head."""
        return root(self.hashes)

    @property
    def rollup_hash(self) -> Digest:
        """The tree head in its published form."""
        return as_digest(self.head)

    @property
    def size(self) -> int:
        """The number of entries."""
        return len(self.leaves)

    @cached_property
    def checkpoint(self) -> str:
        """The signed head."""
        return signed_note(Checkpoint(self.origin, self.size, self.head), self.key)

    @property
    def summary(self) -> TransparencyLog:
        """The log as it is published."""
        return TransparencyLog(
            origin=self.origin,
            tree_size=self.size,
            rollup_hash=self.rollup_hash,
            verifier_key=verifier_key(self.origin, self.key.x),
            former=self.previous_heads,
        )

    def inclusion(self, index: int) -> InclusionProof:
        """Return the proof that the log contains the entry at this index. Raises: NotFoundError."""
        _check_range("index", index, self.size - 1)
        return InclusionProof(
            origin=self.origin,
            tree_size=self.size,
            index=index,
            entry=ChangeId(self.leaves[index].id),
            leaf_hash=as_digest(self.hashes[index]),
            path=[as_digest(step) for step in inclusion_path(self.hashes, index)],
            rollup_hash=self.rollup_hash,
        )

    def consistency(self, size: int) -> ConsistencyProof:
        """Return the proof that the log of this size is a prefix. Raises: NotFoundError."""
        _check_range("from", size, self.size)
        return ConsistencyProof(
            origin=self.origin,
            from_size=size,
            from_hash=as_digest(root(self.hashes[:size])),
            tree_size=self.size,
            path=[as_digest(step) for step in consistency_path(self.hashes, size)],
            rollup_hash=self.rollup_hash,
        )


def _check_range(name: str, number: int, maximum: int) -> None:
    if not 0 <= number <= maximum:
        rule = f"must be a whole number from 0 to {maximum}" if maximum >= 0 else "the log is empty"
        raise NotFoundError(
            "The log has no entry or size with this number.", [FieldProblem(name, rule)]
        )
