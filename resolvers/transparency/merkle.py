"""A Merkle tree over leaf hashes: its head, its proofs, and their verification.

Source: RFC 9162 section 2.1. Hashes are raw: 32 bytes.
"""

from collections.abc import Sequence
from hashlib import sha256

from sdl.scalar_types import Digest

Hashes = Sequence[bytes]


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf. Source: RFC 9162 section 2.1.1."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node. Source: RFC 9162 section 2.1.1."""
    return sha256(b"\x01" + left + right).digest()


def as_digest(value: bytes) -> Digest:
    """Return a hash as it is written: `sha256:<hex>`."""
    return Digest(f"sha256:{value.hex()}")


def root(leaves: Hashes) -> bytes:
    """Return the tree head. Source: RFC 9162 section 2.1.1."""
    if not leaves:
        return sha256().digest()
    if len(leaves) == 1:
        return leaves[0]
    split = _split(len(leaves))
    return node_hash(root(leaves[:split]), root(leaves[split:]))


def inclusion_path(leaves: Hashes, index: int) -> list[bytes]:
    """Return PATH(index, leaves) for 0 <= index < len(leaves). Source: RFC 9162 section 2.1.3.1."""
    if len(leaves) == 1:
        return []
    split = _split(len(leaves))
    if index < split:
        return [*inclusion_path(leaves[:split], index), root(leaves[split:])]
    return [*inclusion_path(leaves[split:], index - split), root(leaves[:split])]


class Tree:
    """A tree whose inner nodes are kept, so that a path takes no hashing.

    A level pairs the nodes below it; one that is left over at the end goes up as it is, which
    makes the tree of RFC 9162 section 2.1.1.
    """

    def __init__(self, leaves: Hashes) -> None:
        self._levels = [list(leaves)]
        while len(level := self._levels[-1]) > 1:
            pairs = zip(level[::2], level[1::2], strict=False)
            above = [node_hash(left, right) for left, right in pairs]
            self._levels.append(above + level[len(level) & ~1 :])

    @property
    def head(self) -> bytes:
        """The tree head."""
        return self._levels[-1][0] if self._levels[-1] else root(())

    def path(self, index: int) -> list[bytes]:
        """Return PATH(index, leaves). Source: RFC 9162 section 2.1.3.1."""
        steps = []
        for level in self._levels[:-1]:
            if (sibling := index ^ 1) < len(level):
                steps.append(level[sibling])
            index >>= 1
        return steps


def consistency_path(leaves: Hashes, size: int) -> list[bytes]:
    """Return PROOF(size, leaves) for 0 <= size <= len(leaves). Source: RFC 9162 section 2.1.4.1."""
    return _subproof(leaves, size, is_complete=True) if 0 < size < len(leaves) else []


def _subproof(leaves: Hashes, size: int, *, is_complete: bool) -> list[bytes]:
    if size == len(leaves):
        return [] if is_complete else [root(leaves)]
    split = _split(len(leaves))
    if size <= split:
        return [*_subproof(leaves[:split], size, is_complete=is_complete), root(leaves[split:])]
    return [*_subproof(leaves[split:], size - split, is_complete=False), root(leaves[:split])]


def verify_inclusion(leaf: bytes, index: int, size: int, path: Hashes, head: bytes) -> bool:
    """Return whether the path leads from the leaf to the head. Source: RFC 9162 section 2.1.3.2."""
    if not 0 <= index < size:
        return False
    node, last, digest = index, size - 1, leaf
    for step in path:
        if last == 0:
            return False
        if node % 2 or node == last:
            digest = node_hash(step, digest)
            while node % 2 == 0 and node:
                node, last = node >> 1, last >> 1
        else:
            digest = node_hash(digest, step)
        node, last = node >> 1, last >> 1
    return last == 0 and digest == head


def verify_consistency(old: tuple[int, bytes], new: tuple[int, bytes], path: Hashes) -> bool:
    """Return whether the path proves that the old (size, head) is a prefix of the new one.

    Source: RFC 9162 section 2.1.4.2.
    """
    (old_size, old_head), (new_size, new_head) = old, new
    if old_size in (0, new_size):
        expected = new_head if old_size == new_size else root(())
        return old_head == expected and not path and new_size >= 0
    if not 0 < old_size < new_size or not path:
        return False
    steps = list(path)
    if old_size & (old_size - 1) == 0:
        steps.insert(0, old_head)
    node, last = old_size - 1, new_size - 1
    while node % 2:
        node, last = node >> 1, last >> 1
    left = right = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if node % 2 or node == last:
            left, right = node_hash(step, left), node_hash(step, right)
            while node % 2 == 0 and node:
                node, last = node >> 1, last >> 1
        else:
            right = node_hash(right, step)
        node, last = node >> 1, last >> 1
    return last == 0 and left == old_head and right == new_head


def _split(size: int) -> int:
    """Return the largest power of two below the size."""
    return 1 << ((size - 1).bit_length() - 1)
