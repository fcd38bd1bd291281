"""The studio's on-chain identity and artifacts."""

import enum
from typing import Annotated

from schema.ethereum import Address, Wei
from sdl.declare import Output, enum_type
from sdl.marks import Citable, Heading
from sdl.scalar_types import Count, Date, DateOrDateTime, Line, Slug, Text, Url


@enum_type
class ArtifactType(enum.Enum):
    """What kind of thing an on-chain artifact is."""

    ATTESTATION = "attestation"
    """A signed statement about somebody or something."""
    NFT = "nft"
    """A single token."""
    CLUSTER = "cluster"
    """Several tokens, over one or more contracts, that belong together."""


class Artifact(Output):
    """Something on a chain that the studio holds or made."""

    slug: Slug
    """The artifact's slug, unique among artifacts."""
    type: ArtifactType
    """What kind of thing it is."""
    standard: Line
    """The token or attestation standard."""
    network: Line
    """The chain's name."""
    contract: Line
    """The contract's address, or a marker for several contracts."""
    token_id: Line
    """The token's id, or the first one of a cluster."""
    collection: Annotated[Line, Heading()]
    """The collection it belongs to."""
    symbol: Line | None = None
    """The token's symbol, where it has one."""
    holder: Address
    """The wallet that holds it."""
    minted_at: DateOrDateTime | None = None
    """When it was minted, where that is known."""
    signed_to: Line | None = None
    """Whom an attestation is signed to."""
    pledge_wei: Wei | None = None
    """The amount pledged with it. Units: wei."""
    token_count: Count | None = None
    """How many tokens a cluster has."""
    additional_token_ids: list[Line] | None = None
    """The further token ids of a cluster."""
    external_url: Url | None = None
    """Where it can be looked at."""
    significance: Text
    """Why it matters to the studio."""
    verified_via: Line
    """How its existence and holder were checked."""
    verified_at: Date
    """The day on which that was last checked."""


class RegisteredName(Output):
    """An ENS name and the address behind it."""

    ens: Annotated[Line, Heading()]
    """The name."""
    address: Address
    """The address it points to."""
    registered_at: Date
    """The day on which it was registered."""


class Wallet(Output):
    """A wallet besides the primary one."""

    address: Address
    """The wallet's address."""
    label: Annotated[Line, Heading()]
    """The wallet's name within the studio."""
    role: Line
    """What the wallet is used for."""


class OnChain(Output):
    """The studio's identity on public chains."""

    primary: RegisteredName
    """The name and address that stand for the studio."""
    aliases: list[RegisteredName]
    """Further names of the studio."""
    secondary_wallets: list[Wallet]
    """Wallets for particular uses."""
    stance: Text
    """What the studio uses public chains for, and what not."""
    artifacts: Annotated[list[Artifact], Citable("onchain")]
    """Attestations, tokens and clusters of tokens."""
