"""Claims about who the studio is, each with what was asked, what was seen and what follows."""

import enum
from typing import Annotated

from sdl.declare import Output, enum_type
from sdl.marks import Heading
from sdl.scalar_types import Instant, Line


@enum_type
class ClaimType(enum.Enum):
    """Where a claim can be looked up."""

    DNS_TXT = "dns-txt"
    """A TXT record of the studio's domain."""
    ENS = "ens"
    """A record of an ENS name."""
    SIGNING_KEY = "signing-key"
    """A key of the published key set."""
    WEBHOOK_KEY = "webhook-key"
    """The key that signs webhook deliveries."""


@enum_type
class ClaimStatus(enum.Enum):
    """What came of looking a claim up."""

    VERIFIED = "verified"
    """What was seen is what is claimed."""
    MISMATCH = "mismatch"
    """Something else was seen."""
    UNVERIFIED = "unverified"
    """Nothing was seen: not asked, no answer, or no such record."""


class Claim(Output):
    """One claim about who the studio is."""

    type: ClaimType
    """Where it can be looked up."""
    subject: Annotated[Line, Heading()]
    """What it is about: a domain name, an ENS name, a key's identifier."""
    expected: Line
    """What the studio claims stands there."""
    observed: Line | None = None
    """What was seen there."""
    status: ClaimStatus
    """What follows."""
    detail: Line
    """The status in words, with the reason."""
    checked_at: Instant | None = None
    """When it was last looked up."""
    how: Line
    """How anybody can look it up."""


class Identity(Output):
    """Who the studio is, as far as it can be looked up elsewhere."""

    claims: list[Claim]
    """Every claim."""
