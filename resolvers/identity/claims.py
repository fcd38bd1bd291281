"""Who the studio claims to be: the claims, what to publish for them, and looking them up.

Asks nobody but the configured resolver and endpoint, and raises for nothing that they do.
"""

import asyncio
import json
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from pydantic import TypeAdapter, ValidationError

from resolvers.signing.errors import ProofError
from resolvers.signing.keys import Key, KeyRing, b64url_encode, verify_signature
from schema.identity import Claim, ClaimStatus, ClaimType
from schema.onchain import RegisteredName
from schema.site import Site
from sdl.scalar_types import Line

if TYPE_CHECKING:
    from resolvers.identity.ens import Node

_VERSION = "v=studiograph1"
_TEXT_KEY = "studiograph"
_PROBE = b"studiograph: what the key signs, the published key verifies"
_LINE: TypeAdapter[str] = TypeAdapter(Line)
_LINE_CHARACTERS = 400


@dataclass(frozen=True)
class Record:
    """A record for the owner to publish."""

    where: Literal["DNS", "ENS"]
    name: str
    type: str
    """`TXT` in the DNS; in ENS `addr`, or `text` and its key."""
    value: str


@dataclass(frozen=True)
class ClaimVerifier:
    """Looks claims up, all at once; each takes at most two questions of 3 s."""

    dns_resolver: str
    eth_rpc_url: str
    clock: Callable[[], datetime]

    @property
    def is_configured(self) -> bool:
        """Whether there is anybody to ask."""
        return bool(self.dns_resolver or self.eth_rpc_url)

    def reason_unverified(self, kind: ClaimType) -> str:
        """Why nothing has been seen before the first asking."""
        peer, setting = self.eth_rpc_url, "STUDIOGRAPH_ETH_RPC_URL"
        if kind is ClaimType.DNS_TXT:
            peer, setting = self.dns_resolver, "STUDIOGRAPH_DNS_RESOLVER"
        return "Not yet looked up." if peer else f"Not looked up: {setting} is not set."

    async def verify(self, claims: Iterable[Claim]) -> tuple[Claim, ...]:
        """The same claims in the same order, with what was seen."""
        async with self._node() as node, asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._asked(claim, node)) for claim in claims]
        return tuple(task.result() for task in tasks)

    def _node(self) -> AbstractAsyncContextManager["Node | None"]:
        if not self.eth_rpc_url:
            return nullcontext()
        from resolvers.identity.ens import node_at  # noqa: PLC0415 - brings httpx

        return node_at(self.eth_rpc_url)

    async def _asked(self, claim: Claim, node: "Node | None") -> Claim:
        try:
            found = await self._found(claim, node)
        except ProofError as reason:
            return self._told(claim, ClaimStatus.UNVERIFIED, str(reason))
        if not found:
            return claim
        if claim.expected in found:
            said = "What was seen is what is claimed."
            return self._told(claim, ClaimStatus.VERIFIED, said, claim.expected)
        said = "What was seen is not what is claimed."
        other = next((text for text in found if text.startswith(_VERSION)), found[0])
        return self._told(claim, ClaimStatus.MISMATCH, said, _line(other))

    async def _found(self, claim: Claim, node: "Node | None") -> list[str]:
        """What stands there, or nothing where there is nobody to ask. Raises: ProofFault."""
        if claim.type is ClaimType.ENS and node is not None:
            return [await _ens_value(claim, node)]
        if claim.type is ClaimType.DNS_TXT and self.dns_resolver:
            from resolvers.identity.dns_txt import lookup_txt  # noqa: PLC0415 - brings dnspython

            return await lookup_txt(self.dns_resolver, claim.subject)
        return []

    def _told(
        self, claim: Claim, status: ClaimStatus, detail: str, observed: str | None = None
    ) -> Claim:
        told = {"status": status, "detail": detail, "observed": observed}
        return Claim.model_validate({**dict(claim), **told, "checked_at": self.clock()})


def dns_records(site: Site, standing: KeyRing) -> list[Record]:
    """What to publish for the claims, with a TXT record for every trusted key."""
    names = _names(site)
    return [
        *(Record("DNS", _domain(site), "TXT", _text_of(key)) for key in standing.trusted),
        *(Record("ENS", name.ens, "addr", name.address) for name in names),
        Record("ENS", names[0].ens, f"text {_TEXT_KEY}", _text_of(standing.active)),
    ]


def claims_of(
    site: Site, standing: KeyRing, key_set_path: str, inquiry: ClaimVerifier
) -> tuple[Claim, ...]:
    """Every claim: those of the keys checked here and now, the others not yet looked up."""

    def claim(kind: ClaimType, subject: str, expected: str, how: str) -> Claim:
        return Claim(
            type=kind,
            subject=_line(subject),
            expected=expected,
            status=ClaimStatus.UNVERIFIED,
            detail=inquiry.reason_unverified(kind),
            how=_line(how),
        )

    domain, names, text = _domain(site), _names(site), _text_of(standing.active)
    how = "Ask the ENS registry for the name's resolver, and that for its"
    text_subject = f"{names[0].ens} {_TEXT_KEY}"
    return (
        claim(ClaimType.DNS_TXT, domain, text, f"dig +short TXT {domain}"),
        *(claim(ClaimType.ENS, name.ens, name.address, f"{how} addr record.") for name in names),
        claim(ClaimType.ENS, text_subject, text, f"{how} text record {_TEXT_KEY}."),
        *(_key_claim(key, standing, key_set_path) for key in standing.trusted),
    )


def _key_claim(key: Key, standing: KeyRing, key_set_path: str) -> Claim:
    if key != standing.active:
        status, detail = ClaimStatus.VERIFIED, "The key is published; another one signs now."
    elif verify_signature(key.x, key.sign(_PROBE), _PROBE):
        status, detail = ClaimStatus.VERIFIED, "What the key signs, the published key verifies."
    else:
        status, detail = ClaimStatus.MISMATCH, "What the key signs, the published key refuses."
    return Claim(
        type=ClaimType.SIGNING_KEY,
        subject=key.kid,
        expected=key.thumbprint,
        observed=key.thumbprint if status is ClaimStatus.VERIFIED else None,
        status=status,
        detail=detail,
        how=f"Take the key with this kid from {key_set_path} and hash it as RFC 7638 says.",
    )


def _domain(site: Site) -> str:
    return f"_studiograph.{urlsplit(site.studio.url).hostname}"


def _names(site: Site) -> list[RegisteredName]:
    """The ENS names, the primary one first."""
    return [site.studio.on_chain.primary, *site.studio.on_chain.aliases]


def _text_of(key: Key) -> str:
    return f"{_VERSION}; k=ed25519; kid={key.kid}; p={b64url_encode(key.x)}"


async def _ens_value(claim: Claim, node: "Node") -> str:
    """The record that the claim is about; the claimed address is written as the claim writes it."""
    name = claim.subject.removesuffix(f" {_TEXT_KEY}")
    if name != claim.subject:
        return await node.text_record(name, _TEXT_KEY)
    address = await node.address(name)
    return claim.expected if address == claim.expected.lower() else address


def _line(text: str) -> str:
    """The text as one plain line, in the quotes and escapes of JSON where it is none."""
    try:
        return _LINE.validate_python(_cut(text) if text.isprintable() else "")
    except ValidationError:
        return _cut(json.dumps(text).replace("<", r"\u003c"))


def _cut(text: str) -> str:
    return text if len(text) <= _LINE_CHARACTERS else f"{text[: _LINE_CHARACTERS - 1]}…"
