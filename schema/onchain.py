"""The studio's on-chain identity and artifacts."""

import enum
from typing import Annotated

from pydantic import Field

from sdl.types.declare import Output, enum_type
from sdl.types.marks import Citable, Heading, OtherName, Says
from sdl.types.scalar_types import (
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
    type: Annotated[ArtifactType, Says("{collection} is of the type {type}.")]
    """The kind of artifact."""
    standard: Annotated[Line, Says("{collection} follows {standard}.")]
    """The token or attestation standard, for example ERC-721."""
    network: Annotated[Line, Says("{collection} is on {network}.")]
    """The chain's name."""
    contract: Annotated[Line, Says("The contract of {collection} is {contract}.")]
    """The contract's address, or a marker for several contracts."""
    token_id: Annotated[Line, Says("The token id of {collection} is {tokenId}.")]
    """The token's id; of a cluster, the first one."""
    collection: Annotated[Line, Heading()]
    """The collection that the artifact belongs to."""
    symbol: Annotated[Line | None, OtherName(), Says("The symbol of {collection} is {symbol}.")] = (
        None
    )
    """The token's symbol, if it has one."""
    holder: Annotated[Address, Says("{collection} is held by {holder}.")]
    """The address of the wallet that holds it."""
    minted_at: Annotated[DateOrDateTime | None, Says("{collection} was minted on {mintedAt}.")] = (
        None
    )
    """When it was minted, if known."""
    signed_to: Annotated[Line | None, Says("{collection} is signed to {signedTo}.")] = None
    """The name that an attestation is signed to."""
    pledge_wei: Annotated[Wei | None, Says("The pledge with {collection} is {pledgeWei} wei.")] = (
        None
    )
    """The amount pledged with the artifact. Units: wei."""
    token_count: Annotated[Count | None, Says("{collection} has {tokenCount} tokens.")] = None
    """The number of tokens in a cluster."""
    additional_token_ids: list[Line] | None = None
    """The other token ids of a cluster."""
    external_url: Annotated[Url | None, Says("{collection} is shown at {externalUrl}.")] = None
    """A page that shows it."""
    significance: Annotated[Text, Says("{significance}")]
    """Why it matters to the studio."""
    verified_via: Annotated[Line, Says("{collection}: {verifiedVia} ({verifiedAt}).")]
    """How its existence and holder were verified."""
    verified_at: Annotated[Date, Says("{collection} was verified on {verifiedAt}.")]
    """The day of the last verification."""


class RegisteredName(Output):
    """An ENS name and the address behind it."""

    ens: Annotated[Line, Heading()]
    """The name."""
    address: Annotated[Address, Says("{ens} points to {address}.")]
    """The address it points to."""
    registered_at: Annotated[Date, Says("{ens} was registered on {registeredAt}.")]
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
    aliases: Annotated[list[RegisteredName], Says("Other ENS names: [{aliases.ens}].")] = Field(
        default_factory=list
    )
    """Other ENS names of the studio."""
    secondary_wallets: Annotated[
        list[Wallet],
        Says("[{secondaryWallets.label}: {secondaryWallets.address}, {secondaryWallets.role}]."),
    ] = Field(default_factory=list)
    """Wallets for particular uses."""
    stance: Annotated[Text, Says("{stance}")]
    """What the studio uses blockchains for, and what not."""
    artifacts: Annotated[
        list[Artifact],
        Citable("onchain"),
        Says("[{artifacts.collection} ({artifacts.type}, {artifacts.network})]."),
    ] = Field(default_factory=list)
    """Attestations, tokens and clusters of tokens."""
