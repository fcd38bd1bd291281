"""Public keys, and the changelog as a transparency log with its proofs."""

from typing import Annotated

from sdl.declare import Output
from sdl.marks import Heading
from sdl.scalar_types import ChangeId, Count, Digest, Instant, Line


class PublicKey(Output):
    """A public key as a JSON Web Key. Source: RFC 8037."""

    kty: Line
    """The key type, always OKP."""
    crv: Line
    """The curve, always Ed25519."""
    x: Line
    """The public key: 32 bytes in base64url."""
    use: Line
    """The key use, always sig."""
    alg: Line
    """The algorithm, always EdDSA."""
    kid: Annotated[Line, Heading()]
    """The key identifier; it contains a year and a month, and is never used again."""


class RevokedKey(Output):
    """A revoked key: do not trust any signature by it."""

    kid: Annotated[Line, Heading()]
    """The key identifier."""
    thumbprint: Line
    """The key's SHA-256 thumbprint in base64url. Source: RFC 7638."""
    revoked_at: Instant
    """When it was revoked."""


class KeySet(Output):
    """Public keys to verify signatures with, and revoked keys. Source: RFC 7517."""

    keys: list[PublicKey]
    """The keys to trust: the active signing key first, then the next one, then older keys, which
    only verify."""
    revoked: list[RevokedKey]
    """Revoked keys, which must not be trusted."""


class LogHead(Output):
    """The final state of an earlier log of the changelog."""

    origin: Annotated[Line, Heading()]
    """The log's name."""
    tree_size: Count
    """The number of entries in the log."""
    rollup_hash: Digest
    """The RFC 9162 Merkle tree head over its entries, oldest first."""
    checkpoint: str
    """The signed tree head, a C2SP checkpoint."""
    ended_at: Instant
    """When the log ended and the next one began."""


class TransparencyLog(Output):
    """The changelog as an append-only transparency log. Source: RFC 9162, C2SP tlog-checkpoint."""

    origin: Annotated[Line, Heading()]
    """The log's name."""
    tree_size: Count
    """The number of entries in the log."""
    rollup_hash: Digest
    """The RFC 9162 Merkle tree head over its entries, oldest first."""
    verifier_key: Line
    """The public key that verifies checkpoints, as a C2SP signed-note verifier key."""
    former: list[LogHead]
    """The final states of earlier logs, newest first."""


class InclusionProof(Output):
    """The proof that an entry is in the log. Source: RFC 9162 section 2.1.3."""

    origin: Line
    """The log's name."""
    tree_size: Count
    """The number of entries in the log."""
    index: Count
    """The position of the entry in the log, from 0, oldest first."""
    entry: Annotated[ChangeId, Heading()]
    """The entry's id."""
    leaf_hash: Digest
    """The leaf hash: SHA-256 over a zero byte and the entry's RFC 8785 bytes."""
    path: list[Digest]
    """The hashes from the leaf to the tree head, lowest first."""
    rollup_hash: Digest
    """The tree head that the proof leads to."""


class ConsistencyProof(Output):
    """The proof that the log only grew since an earlier size. Source: RFC 9162 section 2.1.4."""

    origin: Annotated[Line, Heading()]
    """The log's name."""
    from_size: Count
    """The number of entries in the earlier log."""
    from_hash: Digest
    """The tree head of the earlier log."""
    tree_size: Count
    """The number of entries in the log now."""
    path: list[Digest]
    """The hashes that connect the earlier tree head with the current one."""
    rollup_hash: Digest
    """The current tree head."""
