"""The studio's on-chain identity and artifacts."""

import enum
from typing import Annotated

from pydantic import Field

from sdl.types.declare import Output, asked, enum_type
from sdl.types.marks import Citable, Heading, OtherName
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

    slug: Annotated[Slug, asked()]
    """The artifact's slug, unique among artifacts."""
    type: Annotated[
        ArtifactType,
        asked(
            "what type of artifact is it",
            "is the artifact an NFT or an attestation",
            says="{collection} is of the type {type}.",
        ),
    ]
    """The kind of artifact."""
    standard: Annotated[
        Line,
        asked(
            "which token standard does the artifact follow", says="{collection} follows {standard}."
        ),
    ]
    """The token or attestation standard, for example ERC-721."""
    network: Annotated[
        Line,
        asked(
            "on which chain is the artifact",
            "which blockchain network holds the artifact",
            says="{collection} is on {network}.",
        ),
    ]
    """The chain's name."""
    contract: Annotated[
        Line,
        asked(
            "what is the contract address of the artifact",
            says="The contract of {collection} is {contract}.",
        ),
    ]
    """The contract's address, or a marker for several contracts."""
    token_id: Annotated[
        Line,
        asked(
            "what is the token id of the artifact",
            says="The token id of {collection} is {tokenId}.",
        ),
    ]
    """The token's id; of a cluster, the first one."""
    collection: Annotated[Line, Heading(), asked()]
    """The collection it belongs to."""
    symbol: Annotated[
        Line | None,
        OtherName(),
        asked("what is the symbol of the artifact", says="The symbol of {collection} is {symbol}."),
    ] = None
    """The token's symbol, if it has one."""
    holder: Annotated[
        Address,
        asked(
            "who holds the artifact",
            "which wallet holds the artifact",
            says="{collection} is held by {holder}.",
        ),
    ]
    """The address of the wallet that holds it."""
    minted_at: Annotated[
        DateOrDateTime | None,
        asked("when was the artifact minted", says="{collection} was minted on {mintedAt}."),
    ] = None
    """When it was minted, if known."""
    signed_to: Annotated[
        Line | None,
        asked("who is the attestation signed to", says="{collection} is signed to {signedTo}."),
    ] = None
    """The name that an attestation is signed to."""
    pledge_wei: Annotated[
        Wei | None,
        asked(
            "how much is pledged with the artifact",
            says="The pledge with {collection} is {pledgeWei} wei.",
        ),
    ] = None
    """The amount pledged with it. Units: wei."""
    token_count: Annotated[
        Count | None,
        asked("how many tokens are in the artifact", says="{collection} has {tokenCount} tokens."),
    ] = None
    """The number of tokens in a cluster."""
    additional_token_ids: Annotated[list[Line] | None, asked()] = None
    """The other token ids of a cluster."""
    external_url: Annotated[
        Url | None,
        asked("where can I see the artifact", says="{collection} is shown at {externalUrl}."),
    ] = None
    """A page that shows it."""
    significance: Annotated[
        Text,
        asked("why does the artifact matter", "what is the artifact about", says="{significance}"),
    ]
    """Why it matters to the studio."""
    verified_via: Annotated[
        Line,
        asked("how was the artifact verified", says="{collection}: {verifiedVia} ({verifiedAt})."),
    ]
    """How its existence and holder were verified."""
    verified_at: Annotated[
        Date,
        asked(
            "when was the artifact last verified", says="{collection} was verified on {verifiedAt}."
        ),
    ]
    """The day of the last verification."""


class RegisteredName(Output):
    """An ENS name and the address behind it."""

    ens: Annotated[Line, Heading(), asked()]
    """The name."""
    address: Annotated[
        Address,
        asked(
            "which address does the ENS name point to",
            "what is the wallet address of the studio",
            says="{ens} points to {address}.",
        ),
    ]
    """The address it points to."""
    registered_at: Annotated[
        Date,
        asked("when was the ENS name registered", says="{ens} was registered on {registeredAt}."),
    ]
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

    primary: Annotated[RegisteredName, asked()]
    """The studio's main ENS name and address."""
    aliases: Annotated[
        list[RegisteredName],
        asked(
            "which other ENS names does the studio have", says="Other ENS names: [{aliases.ens}]."
        ),
    ] = Field(default_factory=list)
    """Other ENS names of the studio."""
    secondary_wallets: Annotated[
        list[Wallet],
        asked(
            "which wallets does the studio have",
            "what are the secondary wallets for",
            says="[{secondaryWallets.label}: {secondaryWallets.address}, {secondaryWallets.role}].",
        ),
    ] = Field(default_factory=list)
    """Wallets for particular uses."""
    stance: Annotated[
        Text,
        asked(
            "what does the studio use blockchains for",
            "what is their stance on crypto and tokens",
            says="{stance}",
        ),
    ]
    """What the studio uses blockchains for, and what not."""
    artifacts: Annotated[
        list[Artifact],
        Citable("onchain"),
        asked(
            "which on-chain artifacts does the studio hold",
            "which NFTs and attestations do they have",
            says="[{artifacts.collection} ({artifacts.type}, {artifacts.network})].",
        ),
    ] = Field(default_factory=list)
    """Attestations, tokens and clusters of tokens."""
