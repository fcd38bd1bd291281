"""A Merkle tree over leaf hashes: its head and its proofs.

Source: RFC 9162 section 2.1. Hashes are raw: 32 bytes.
"""

from collections.abc import Sequence
from hashlib import sha256

from sdl.types.scalar_types import Digest

Hashes = Sequence[bytes]
EMPTY = sha256().digest()
"""The head of a tree without leaves."""


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf. Source: RFC 9162 section 2.1.1."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node. Source: RFC 9162 section 2.1.1."""
    return sha256(b"\x01" + left + right).digest()


def as_digest(value: bytes) -> Digest:
    """Return a hash as it is written: `sha256:<hex>`."""
    return Digest(f"sha256:{value.hex()}")


class Tree:
    """A Merkle tree that keeps its inner nodes, so that a proof needs no hashing.

    A node hashes two nodes of the level below; a last node without a pair moves up unchanged.
    That makes the tree of RFC 9162 section 2.1.1.
    """

    def __init__(self, leaves: Hashes) -> None:
        """Hash the leaves level by level."""
        self._levels = [list(leaves)]
        while len(level := self._levels[-1]) > 1:
            pairs = zip(level[::2], level[1::2], strict=False)
            nodes = [node_hash(left, right) for left, right in pairs]
            self._levels.append([*nodes, *level[len(level) & ~1 :]])

    @property
    def size(self) -> int:
        """The number of leaves."""
        return len(self._levels[0])

    @property
    def head(self) -> bytes:
        """The tree head."""
        return self._levels[-1][0] if self._levels[-1] else EMPTY

    def head_at(self, size: int) -> bytes:
        """Return the head of the tree over the first leaves alone.

        Each power of two in the size is a whole tree, whose head is a node of this one.
        """
        head = b""
        for height, level in enumerate(self._levels):
            if size >> height & 1:
                node = level[(size >> height) - 1]
                head = node_hash(node, head) if head else node
        return head or EMPTY

    def path(self, index: int, height: int = 0) -> list[bytes]:
        """Return the path from a leaf, or a node at a height. Source: RFC 9162 section 2.1.3.1."""
        steps = []
        for level in self._levels[height:-1]:
            if (sibling := index ^ 1) < len(level):
                steps.append(level[sibling])
            index >>= 1
        return steps

    def consistency(self, size: int) -> list[bytes]:
        """Return PROOF(size, leaves) for 0 <= size. Source: RFC 9162 section 2.1.4.1.

        It leads to the head from the last whole tree within the size, which a verifier has already
        if it is all of it.
        """
        if not 0 < size < self.size:
            return []
        height = (size & -size).bit_length() - 1
        node = (size >> height) - 1
        return [self._levels[height][node]] * (node > 0) + self.path(node, height)


def root(leaves: Hashes) -> bytes:
    """Return the tree head over leaf hashes. Source: RFC 9162 section 2.1.1."""
    return Tree(leaves).head
