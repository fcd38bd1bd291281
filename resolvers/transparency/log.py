"""Transparency logs: what every log answers, and the changelog as a log.

Source: RFC 9162, C2SP tlog-checkpoint.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from resolvers.signing.canonical import canonical
from resolvers.signing.keys import Key
from resolvers.transparency.checkpoint import Checkpoint, signed_note, verifier_key
from resolvers.transparency.merkle import Tree, as_digest, leaf_hash
from schema.changelog import ChangelogEntry
from schema.services.signatures import ConsistencyProof, InclusionProof, LogHead, TransparencyLog
from sdl.errors import FieldProblem, NotFoundError
from sdl.types.scalar_types import ChangeId, Digest


class SignedLog(ABC):
    """A log whose head is signed by one key."""

    origin: str
    """Its name."""
    key: Key
    missing = "The log has no entry or size with this number."

    @cached_property
    @abstractmethod
    def tree(self) -> Tree:
        """The tree over its leaf hashes."""

    @property
    def size(self) -> int:
        """The number of leaves."""
        return self.tree.size

    @property
    def rollup_hash(self) -> Digest:
        """The tree head in its published form."""
        return as_digest(self.tree.head)

    @cached_property
    def checkpoint(self) -> str:
        """The signed head."""
        return signed_note(Checkpoint(self.origin, self.size, self.tree.head), self.key)

    @property
    def verifier_key(self) -> str:
        """The key for verifiers of signed notes."""
        return verifier_key(self.origin, self.key.x)

    def path(self, index: int) -> list[Digest]:
        """Return the path of the inclusion proof of a leaf."""
        return [as_digest(step) for step in self.tree.path(index)]

    def consistency(self, size: int) -> ConsistencyProof:
        """Return the proof that the log of this size is a prefix. Raises: NotFoundError."""
        self.check_range("from", size, self.size)
        return ConsistencyProof(
            origin=self.origin,
            from_size=size,
            from_hash=as_digest(self.tree.head_at(size)),
            tree_size=self.size,
            path=[as_digest(step) for step in self.tree.consistency(size)],
            rollup_hash=self.rollup_hash,
        )

    def check_range(self, name: str, number: int, maximum: int) -> None:
        """Raise `NotFoundError` unless the number is one from 0 to the maximum."""
        if not 0 <= number <= maximum:
            rule = f"must be a whole number from 0 to {maximum}"
            rule = rule if maximum >= 0 else "the log is empty"
            raise NotFoundError(self.missing, [FieldProblem(name, rule)])


@dataclass(frozen=True)
class Leaf:
    """An entry of the changelog's log."""

    id: str
    hash: bytes


def leaves_of(entries: Sequence[ChangelogEntry]) -> list[Leaf]:
    """Return the leaves of the changelog's log, oldest first."""
    ordered = sorted(entries, key=lambda entry: entry.published_at)
    return [Leaf(entry.id, leaf_hash(canonical(entry.to_json()))) for entry in ordered]


@dataclass(frozen=True)
class Log(SignedLog):
    """The changelog of one revision as a log."""

    origin: str
    leaves: Sequence[Leaf]
    key: Key
    previous_heads: list[LogHead] = field(default_factory=list)
    """The heads of the logs that ended before this one began, newest first."""

    @cached_property
    def tree(self) -> Tree:
        """The tree over the hashes of the entries."""
        return Tree([leaf.hash for leaf in self.leaves])

    @property
    def summary(self) -> TransparencyLog:
        """The log as it is published."""
        return TransparencyLog(
            origin=self.origin,
            tree_size=self.size,
            rollup_hash=self.rollup_hash,
            verifier_key=self.verifier_key,
            former=self.previous_heads,
        )

    def inclusion(self, index: int) -> InclusionProof:
        """Return the proof that the log contains the entry at this index. Raises: NotFoundError."""
        self.check_range("index", index, self.size - 1)
        return InclusionProof(
            origin=self.origin,
            tree_size=self.size,
            index=index,
            entry=ChangeId(self.leaves[index].id),
            leaf_hash=as_digest(self.leaves[index].hash),
            path=self.path(index),
            rollup_hash=self.rollup_hash,
        )
