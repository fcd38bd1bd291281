"""What lets a reader check the studio's words: its keys, and the log of its changes."""

from typing import Annotated

from sdl.declare import Output
from sdl.marks import Heading
from sdl.scalar_types import ChangeId, Count, Digest, Instant, Line


class PublicKey(Output):
    """A public key as a JSON Web Key. Source: RFC 8037."""

    kty: Line
    """The key's type, always OKP."""
    crv: Line
    """The curve, always Ed25519."""
    x: Line
    """The public key in base64url: 32 bytes."""
    use: Line
    """What it is for, always sig."""
    alg: Line
    """The algorithm, always EdDSA."""
    kid: Annotated[Line, Heading()]
    """The key's identifier, which embeds a year and a month; unique for ever."""


class RevokedKey(Output):
    """A key that nobody may trust any more, whatever it signed."""

    kid: Annotated[Line, Heading()]
    """The key's identifier."""
    thumbprint: Line
    """The key's SHA-256 thumbprint in base64url. Source: RFC 7638."""
    revoked_at: Instant
    """When it was revoked."""


class KeySet(Output):
    """The keys that signatures are checked with. Source: RFC 7517."""

    keys: list[PublicKey]
    """The keys to trust: the one that signs now, then the next one, then those that signed before
    and are still good for checking."""
    revoked: list[RevokedKey]
    """Keys not to trust."""


class LogHead(Output):
    """A log of the changelog's entries as it stood when the next log began."""

    origin: Annotated[Line, Heading()]
    """The log's name."""
    tree_size: Count
    """How many entries it holds."""
    rollup_hash: Digest
    """The RFC 9162 tree head over its entries, oldest first."""
    checkpoint: str
    """The signed head, a C2SP checkpoint."""
    ended_at: Instant
    """When it ended."""


class TransparencyLog(Output):
    """The changelog as an append-only log. Source: RFC 9162, C2SP tlog-checkpoint."""

    origin: Annotated[Line, Heading()]
    """The log's name."""
    tree_size: Count
    """How many entries it holds."""
    rollup_hash: Digest
    """The RFC 9162 tree head over its entries, oldest first."""
    verifier_key: Line
    """The key that signs checkpoints, in the form that verifiers of signed notes take."""
    former: list[LogHead]
    """The heads of the logs before this one, newest first."""


class InclusionProof(Output):
    """The proof that an entry stands in the log. Source: RFC 9162 section 2.1.3."""

    origin: Line
    """The log's name."""
    tree_size: Count
    """How many entries the log holds."""
    index: Count
    """The entry's place, counted from 0, oldest first."""
    entry: Annotated[ChangeId, Heading()]
    """The entry's id."""
    leaf_hash: Digest
    """The hash of the entry: SHA-256 over a zero byte and its RFC 8785 bytes."""
    path: list[Digest]
    """The hashes that lead from the leaf to the tree head, lowest first."""
    rollup_hash: Digest
    """The tree head."""


class ConsistencyProof(Output):
    """The proof that the log still begins as it once was. Source: RFC 9162 section 2.1.4."""

    origin: Annotated[Line, Heading()]
    """The log's name."""
    from_size: Count
    """How many entries the log held then."""
    from_hash: Digest
    """The tree head of that time."""
    tree_size: Count
    """How many entries it holds now."""
    path: list[Digest]
    """The hashes that lead from the old head to the new one."""
    rollup_hash: Digest
    """The tree head now."""
