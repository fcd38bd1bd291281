"""The studio's on-chain identity and artifacts."""

import enum
from typing import Annotated

from sdl.declare import Output, enum_type
from sdl.marks import Citable, Heading
from sdl.scalar_types import (
    ConstrainedStr,
    Count,
    Date,
    DateOrDateTime,
    Line,
    Slug,
    Text,
    Url,
)


class Wei(ConstrainedStr):
    """An amount of wei, as a string because it can be too large for a JSON number."""

    rule = "a whole number of wei written as a string"
    example = "250000000000000000"
    pattern = r"0|[1-9][0-9]{0,77}"
    max_length = 78


class Address(ConstrainedStr):
    """An Ethereum address."""

    rule = "0x and 40 hexadecimal digits"
    example = f"0x{'0' * 40}"
    pattern = r"0x[0-9a-fA-F]{40}"


@enum_type
class ArtifactType(enum.Enum):
    """The kind of an on-chain artifact."""

    ATTESTATION = "attestation"
    """A signed statement about a person or a thing."""
    NFT = "nft"
    """A single token."""
    CLUSTER = "cluster"
    """Several related tokens, on one or more contracts."""


class Artifact(Output):
    """An on-chain artifact of the studio: an attestation, a token or a cluster of tokens."""

    slug: Slug
    """The artifact's slug, unique among artifacts."""
    type: ArtifactType
    """The kind of artifact."""
    standard: Line
    """The token or attestation standard, for example ERC-721."""
    network: Line
    """The chain's name."""
    contract: Line
    """The contract's address, or a marker for several contracts."""
    token_id: Line
    """The token's id; of a cluster, the first one."""
    collection: Annotated[Line, Heading()]
    """The collection it belongs to."""
    symbol: Line | None = None
    """The token's symbol, if it has one."""
    holder: Address
    """The address of the wallet that holds it."""
    minted_at: DateOrDateTime | None = None
    """When it was minted, if known."""
    signed_to: Line | None = None
    """The name that an attestation is signed to."""
    pledge_wei: Wei | None = None
    """The amount pledged with it. Units: wei."""
    token_count: Count | None = None
    """The number of tokens in a cluster."""
    additional_token_ids: list[Line] | None = None
    """The other token ids of a cluster."""
    external_url: Url | None = None
    """A page that shows it."""
    significance: Text
    """Why it matters to the studio."""
    verified_via: Line
    """How its existence and holder were verified."""
    verified_at: Date
    """The day of the last verification."""


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
    """On-chain identity: ENS names, wallets and artifacts of the studio."""

    primary: RegisteredName
    """The studio's main ENS name and address."""
    aliases: list[RegisteredName]
    """Other ENS names of the studio."""
    secondary_wallets: list[Wallet]
    """Wallets for particular uses."""
    stance: Text
    """What the studio uses blockchains for, and what not."""
    artifacts: Annotated[list[Artifact], Citable("onchain")]
    """Attestations, tokens and clusters of tokens."""
