"""The changelog as a Merkle tree.

Source: RFC 9162 section 2.1.1.
"""

import hashlib
from collections.abc import Sequence

import rfc8785

from schema.changelog import ChangelogEntry
from schema.words import Digest


def tree_head(entries: Sequence[ChangelogEntry]) -> Digest:
    """The tree head over the RFC 8785 bytes of the entries, oldest first."""
    oldest_first = sorted(entries, key=lambda entry: entry.published_at)
    leaves = [_hash(b"\x00", rfc8785.dumps(entry.plain())) for entry in oldest_first]
    return Digest(f"sha256:{_root(leaves).hex()}")


def _root(leaves: Sequence[bytes]) -> bytes:
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << ((len(leaves) - 1).bit_length() - 1)
    return _hash(b"\x01", _root(leaves[:split]), _root(leaves[split:]))


def _hash(prefix: bytes, *parts: bytes) -> bytes:
    return hashlib.sha256(prefix + b"".join(parts)).digest()
