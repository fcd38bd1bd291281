"""Public keys, the logs with their proofs, and what the studio claims of its identity."""

import enum
from typing import Annotated

from sdl.types.declare import Output, enum_type
from sdl.types.marks import Heading
from sdl.types.scalar_types import ChangeId, Count, Digest, Instant, Line


@enum_type
class ClaimType(enum.Enum):
    """Where an identity claim can be checked."""

    DNS_TXT = "dns-txt"
    """A TXT record of the studio's domain."""
    ENS = "ens"
    """A record of an ENS name."""
    SIGNING_KEY = "signing-key"
    """A key in the published key set."""
    WEBHOOK_KEY = "webhook-key"
    """The key that signs webhook deliveries."""


@enum_type
class ClaimStatus(enum.Enum):
    """The result of checking a claim."""

    VERIFIED = "verified"
    """The observed value is the expected one."""
    MISMATCH = "mismatch"
    """The observed value is another one."""
    UNVERIFIED = "unverified"
    """No value was observed: not checked yet, no answer, or no such record."""


class Claim(Output):
    """An identity claim and the result of checking it."""

    type: ClaimType
    """Where it can be checked."""
    subject: Annotated[Line, Heading()]
    """What the claim is about: a domain name, an ENS name or a key identifier."""
    expected: Line
    """The value that the studio claims."""
    observed: Line | None = None
    """The value that was found."""
    status: ClaimStatus
    """The result of the check."""
    detail: Line
    """The result in words, with the reason."""
    checked_at: Instant | None = None
    """When it was last checked."""
    how: Line
    """How you can check it yourself."""


class Identity(Output):
    """Proof of identity: domain, names and signing keys, each with what was found."""

    claims: list[Claim]
    """All claims."""


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
    """The keys to trust: the active one, the next one, then older ones, which only verify."""
    revoked: list[RevokedKey]
    """Revoked keys, which must not be trusted."""


class LogHead(Output):
    """The final state of an earlier log of the changelog."""

    origin: Annotated[Line, Heading()]
    """The log's name."""
    tree_size: Count
    """The number of entries in the log."""
    rollup_hash: Digest
    """The RFC 9162 Merkle tree head over its entries."""
    checkpoint: str
    """The signed tree head, a C2SP checkpoint."""
    ended_at: Instant
    """When the log ended and the next one began."""
    reason: Line | None = None
    """Why, in the owner's words."""


class TransparencyLog(Output):
    """The changelog as an append-only transparency log. Source: RFC 9162, C2SP tlog-checkpoint."""

    origin: Annotated[Line, Heading()]
    """The log's name."""
    tree_size: Count
    """The number of entries in the log."""
    rollup_hash: Digest
    """The RFC 9162 Merkle tree head over its entries."""
    verifier_key: Line
    """The key of its checkpoints, a C2SP signed-note verifier key."""
    former: list[LogHead]
    """Earlier logs, newest first."""


class InclusionProof(Output):
    """The proof that an entry is in the log. Source: RFC 9162 section 2.1.3."""

    origin: Line
    """The log's name."""
    tree_size: Count
    """The number of entries in the log."""
    index: Count
    """The position of the entry in the log, from 0."""
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
    """The hashes that connect the two tree heads."""
    rollup_hash: Digest
    """The current tree head."""


class StatementHash(Output):
    """One statement of the published revision, by its hash."""

    name: Annotated[Line, Heading()]
    """The statement's name: the path of its read without `/api/`."""
    leaf_hash: Digest
    """SHA-256 over a zero byte and the statement's RFC 8785 bytes."""


class WordsLog(Output):
    """The log of everything that was published, one entry a revision, and the latest revision."""

    origin: Annotated[Line, Heading()]
    """The log's name."""
    tree_size: Count
    """The number of published revisions."""
    rollup_hash: Digest
    """The RFC 9162 Merkle tree head over their leaves, oldest first."""
    verifier_key: Line
    """The key of its checkpoints, a C2SP signed-note verifier key."""
    content_root: Digest
    """The Merkle tree head over the statements, by name."""
    revision_leaf: str
    """What was logged for this revision, as RFC 8785 JSON."""
    statements: list[StatementHash]
    """All statements of this revision, by name."""


class StatementChanges(Output):
    """The statements that changed between two published revisions, by name."""

    revision: Annotated[Digest, Heading()]
    """The latest revision."""
    from_size: Count
    """The number of revisions in the log of words at the earlier one."""
    tree_size: Count
    """Their number now."""
    added: list[Line]
    """Statements that the earlier revision did not have."""
    changed: list[Line]
    """Statements that it had in other words."""
    removed: list[Line]
    """Statements that it alone had."""


class StatementVersion(Output):
    """A revision that added, changed or removed a statement."""

    index: Count
    """The position of the revision in the log of words, from 0."""
    revision: Annotated[Digest, Heading()]
    """The SHA-256 digest of the revision's content."""
    published_at: Instant
    """When it was published."""
    leaf_hash: Digest | None
    """The statement's hash from then on; null if the revision removed it."""


class StatementHistory(Output):
    """When a statement changed."""

    name: Annotated[Line, Heading()]
    """Its name."""
    versions: list[StatementVersion]
    """The revisions that added, changed or removed it, oldest first."""


class LoggedRevision(Output):
    """The proof that a revision is in the log of words."""

    origin: Annotated[Line, Heading()]
    """The log's name."""
    index: Count
    """The position of the revision in the log, from 0."""
    size: Count
    """The number of revisions in the log."""
    path: list[Digest]
    """The hashes from its leaf to the head of the log, lowest first."""
    checkpoint: str
    """The signed head of the log, a C2SP checkpoint."""


class StatementProof(Output):
    """The proof that the studio published a statement. Source: RFC 9162 section 2.1.3."""

    name: Annotated[Line, Heading()]
    """The statement's name: the path of its read without `/api/`."""
    statement: str
    """The statement as RFC 8785 JSON: `name`, and `data`, which is what its read answers."""
    leaf_hash: Digest
    """SHA-256 over a zero byte and the bytes of `statement`."""
    index: Count
    """The statement's position among those of the revision, by name, from 0."""
    size: Count
    """The number of statements of the revision."""
    path: list[Digest]
    """The hashes from there to `contentRoot`, lowest first."""
    content_root: Digest
    """The Merkle tree head over the statements."""
    revision_leaf: str
    """What was logged for the revision, as RFC 8785 JSON; it holds `contentRoot`."""
    log: LoggedRevision
    """The proof that the log holds `revisionLeaf`."""
