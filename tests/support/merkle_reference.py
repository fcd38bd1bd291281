"""A second implementation of Merkle trees, from RFC 9162 section 2.1 alone.

It checks proofs by the definitions of PATH and PROOF read backwards, not by the loops of sections
2.1.3.2 and 2.1.4.2.
"""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache

Path = Sequence[bytes]


class MalformedProofError(Exception):
    """A proof has too many hashes, or too few."""


def split(n: int) -> int:
    """The largest power of two smaller than n."""
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def leaf(data: bytes) -> bytes:
    """The hash of a leaf."""
    return hashlib.sha256(b"\x00" + data).digest()


def node(left: bytes, right: bytes) -> bytes:
    """The hash of a node."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Tree:
    """Leaves 0, 1, 2 ... of which any number makes a tree; every hash is made once."""

    def __init__(self, data: Sequence[bytes]) -> None:
        self.leaves = [leaf(each) for each in data]
        self.head = cache(self._head)

    def _head(self, low: int, high: int) -> bytes:
        """MTH(D[low:high]), section 2.1.1."""
        if low == high:
            return hashlib.sha256().digest()
        if high - low == 1:
            return self.leaves[low]
        middle = low + split(high - low)
        return node(self.head(low, middle), self.head(middle, high))

    def path(self, m: int, low: int, high: int) -> list[bytes]:
        """PATH(m, D[low:high]), section 2.1.3.1."""
        if high - low == 1:
            return []
        middle = low + split(high - low)
        if m < middle - low:
            return [*self.path(m, low, middle), self.head(middle, high)]
        return [*self.path(m - (middle - low), middle, high), self.head(low, middle)]

    def proof(self, m: int, n: int) -> list[bytes]:
        """PROOF(m, D[0:n]), section 2.1.4.1."""
        return self._subproof(m, 0, n, known=True)

    def _subproof(self, m: int, low: int, high: int, *, known: bool) -> list[bytes]:
        if m == high - low:
            return [] if known else [self.head(low, high)]
        middle = low + split(high - low)
        if m <= middle - low:
            return [*self._subproof(m, low, middle, known=known), self.head(middle, high)]
        rest = self._subproof(m - (middle - low), middle, high, known=False)
        return [*rest, self.head(low, middle)]


def leads(found: bytes, m: int, n: int, path: Path, head: bytes) -> bool:
    """Whether PATH(m, D[0:n]) could be this path."""
    try:
        return 0 <= m < n and _head_of(found, m, n, path) == head
    except MalformedProofError:
        return False


def _head_of(found: bytes, m: int, n: int, path: Path) -> bytes:
    if n == 1:
        if path:
            raise MalformedProofError
        return found
    if not path:
        raise MalformedProofError
    k = split(n)
    if m < k:
        return node(_head_of(found, m, k, path[:-1]), path[-1])
    return node(path[-1], _head_of(found, m - k, n - k, path[:-1]))


def grows(m: int, old: bytes, n: int, new: bytes, path: Path) -> bool:
    """Whether PROOF(m, D[0:n]) could be this path, for 0 < m <= n."""
    try:
        return 0 < m <= n and _heads_of(m, n, path, old) == (old, new)
    except MalformedProofError:
        return False


def _heads_of(m: int, n: int, path: Path, known: bytes | None) -> tuple[bytes, bytes]:
    """The head of the first m and that of all n; the former may be known already."""
    if m == n:
        if len(path) != (known is None):
            raise MalformedProofError
        found = path[0] if known is None else known
        return found, found
    if not path:
        raise MalformedProofError
    k = split(n)
    if m <= k:
        old, new = _heads_of(m, k, path[:-1], known)
        return old, node(new, path[-1])
    old, new = _heads_of(m - k, n - k, path[:-1], None)
    return node(path[-1], old), node(path[-1], new)


def altered(path: Path) -> Iterator[list[bytes]]:
    """Every path that is one slip away: a hash changed, dropped, added, doubled, swapped."""
    other = hashlib.sha256(b"another").digest()
    for place, step in enumerate(path):
        before, after = path[:place], path[place + 1 :]
        for wrong in (
            other,
            bytes(32),
            step[::-1],
            bytes([step[0] ^ 1]) + step[1:],
            step[:31],
            b"",
        ):
            yield [*before, wrong, *after]
        yield [*before, *after]
        yield [*before, step, step, *after]
        for further in range(place + 1, len(path)):
            swapped = list(path)
            swapped[place], swapped[further] = path[further], step
            yield swapped
    yield [other, *path]
    yield [*path, other]
    yield [*path, b""]
