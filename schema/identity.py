"""Identity claims of the studio, each with the expected value, the observed one and a status."""

import enum
from typing import Annotated

from sdl.types.declare import Output, enum_type
from sdl.types.marks import Heading
from sdl.types.scalar_types import Instant, Line


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
