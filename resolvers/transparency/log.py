"""The changelog as a transparency log: its head, its checkpoint and its proofs.

Source: RFC 9162, C2SP tlog-checkpoint.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from resolvers.signing.canonical import canonical
from resolvers.signing.keys import Key
from resolvers.transparency.checkpoint import Checkpoint, signed_note, verifier_key
from resolvers.transparency.merkle import consistency_path, inclusion_path, leaf_hash, root
from resolvers.transparency.store import Leaf
from schema.changelog import ChangelogEntry
from schema.signatures import ConsistencyProof, InclusionProof, LogHead, TransparencyLog
from sdl.errors import FieldProblem, NotFoundError
from sdl.scalar_types import ChangeId, Digest


def leaves_of(entries: Sequence[ChangelogEntry]) -> list[Leaf]:
    """The leaves of the log, oldest first."""
    ordered = sorted(entries, key=lambda entry: entry.published_at)
    return [Leaf(entry.id, leaf_hash(canonical(entry.to_json()))) for entry in ordered]


@dataclass(frozen=True)
class Log:
    """The log of one revision, signed by one key."""

    origin: str
    leaves: Sequence[Leaf]
    key: Key
    former: list[LogHead] = field(default_factory=list)

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
        """The tree head as every surface writes it."""
        return _digest(self.head)

    @property
    def size(self) -> int:
        """How many entries there are."""
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
            former=self.former,
        )

    def inclusion(self, index: int) -> InclusionProof:
        """The proof that the entry at a place is in the log. Raises: NotFound."""
        _check("index", index, self.size - 1)
        return InclusionProof(
            origin=self.origin,
            tree_size=self.size,
            index=index,
            entry=ChangeId(self.leaves[index].id),
            leaf_hash=_digest(self.hashes[index]),
            path=[_digest(step) for step in inclusion_path(self.hashes, index)],
            rollup_hash=self.rollup_hash,
        )

    def consistency(self, size: int) -> ConsistencyProof:
        """The proof that the log still begins as it did at a size. Raises: NotFound."""
        _check("from", size, self.size)
        return ConsistencyProof(
            origin=self.origin,
            from_size=size,
            from_hash=_digest(root(self.hashes[:size])),
            tree_size=self.size,
            path=[_digest(step) for step in consistency_path(self.hashes, size)],
            rollup_hash=self.rollup_hash,
        )


def _check(name: str, number: int, most: int) -> None:
    if not 0 <= number <= most:
        rule = f"must be a whole number from 0 to {most}" if most >= 0 else "the log is empty"
        raise NotFoundError("The log has no such place.", [FieldProblem(name, rule)])


def _digest(data: bytes) -> Digest:
    return Digest(f"sha256:{data.hex()}")
