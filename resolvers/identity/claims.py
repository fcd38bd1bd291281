"""Identity claims: what the studio claims, the records to publish, and their verification.

Only the configured DNS resolver and Ethereum endpoint are asked; if they fail, the claim says so.
"""

import asyncio
import json
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from pydantic import TypeAdapter, ValidationError

from resolvers.signing.keys import Key, KeyRing, ProofError, b64url_encode, verify_signature
from schema.onchain import RegisteredName
from schema.services.signatures import Claim, ClaimStatus, ClaimType, Identity
from schema.site import Site
from sdl.types.scalar_types import Line

if TYPE_CHECKING:
    from resolvers.identity.records import Node

_VERSION = "v=studiograph1"
_TEXT_KEY = "studiograph"
_PROBE = b"studiograph: what the key signs, the published key verifies"
_LINE: TypeAdapter[str] = TypeAdapter(Line)
_LINE_CHARACTERS = 400


@dataclass(frozen=True)
class Record:
    """A record that the owner should publish."""

    where: Literal["DNS", "ENS"]
    name: str
    type: str
    """`TXT` in the DNS; `addr`, or `text` with its key, in ENS."""
    value: str


@dataclass(frozen=True)
class ClaimVerifier:
    """Verifies claims by DNS and ENS lookups, all at once; each makes at most two, of 3 s."""

    dns_resolver: str
    eth_rpc_url: str
    clock: Callable[[], datetime]

    @property
    def is_configured(self) -> bool:
        """Whether there is a resolver or an endpoint to ask."""
        return bool(self.dns_resolver or self.eth_rpc_url)

    def reason_unverified(self, kind: ClaimType) -> str:
        """Return why a claim is unverified before its first lookup."""
        server = self.dns_resolver if kind is ClaimType.DNS_TXT else self.eth_rpc_url
        return "Not yet looked up." if server else "Not looked up by this service."

    async def verify(self, claims: Iterable[Claim]) -> tuple[Claim, ...]:
        """Return the same claims in the same order, each with its result."""
        async with self._node() as node, asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._verify(claim, node)) for claim in claims]
        return tuple(task.result() for task in tasks)

    def _node(self) -> AbstractAsyncContextManager["Node | None"]:
        if not self.eth_rpc_url:
            return nullcontext()
        from resolvers.identity.records import node_at  # noqa: PLC0415 - httpx, 0.1 s

        return node_at(self.eth_rpc_url)

    async def _verify(self, claim: Claim, node: "Node | None") -> Claim:
        try:
            values = await self._look_up(claim, node)
        except ProofError as reason:
            return self._with_result(claim, ClaimStatus.UNVERIFIED, str(reason))
        if not values:
            return claim
        if claim.expected in values:
            detail = "The record matches the claim."
            return self._with_result(claim, ClaimStatus.VERIFIED, detail, claim.expected)
        detail = "The record differs from the claim."
        other = next((value for value in values if value.startswith(_VERSION)), values[0])
        return self._with_result(claim, ClaimStatus.MISMATCH, detail, _line(other))

    async def _look_up(self, claim: Claim, node: "Node | None") -> list[str]:
        """Return the values of the claim's record; none if no server is set. Raises: ProofError."""
        if claim.type is ClaimType.ENS and node is not None:
            return [await _ens_value(claim, node)]
        if claim.type is ClaimType.DNS_TXT and self.dns_resolver:
            from resolvers.identity.records import lookup_txt  # noqa: PLC0415 - dnspython, 0.05 s

            return await lookup_txt(self.dns_resolver, claim.subject)
        return []

    def _with_result(
        self, claim: Claim, status: ClaimStatus, detail: str, observed: str | None = None
    ) -> Claim:
        result = {"status": status, "detail": detail, "observed": observed}
        return Claim.model_validate({**dict(claim), **result, "checked_at": self.clock()})


def dns_records(site: Site, key_ring: KeyRing) -> list[Record]:
    """Return the records to publish, with a TXT record for every trusted key."""
    names = _names(site)
    return [
        *(Record("DNS", _domain(site), "TXT", _text_of(key)) for key in key_ring.trusted),
        *(Record("ENS", name.ens, "addr", name.address) for name in names),
        *(Record("ENS", n.ens, f"text {_TEXT_KEY}", _text_of(key_ring.active)) for n in names[:1]),
    ]


def claims_of(
    site: Site, key_ring: KeyRing, key_set_path: str, verifier: ClaimVerifier
) -> tuple[Claim, ...]:
    """Return every claim: those of the keys checked now, the others not yet looked up."""

    def claim(kind: ClaimType, subject: str, expected: str, how: str) -> Claim:
        return Claim(
            type=kind,
            subject=_line(subject),
            expected=expected,
            status=ClaimStatus.UNVERIFIED,
            detail=verifier.reason_unverified(kind),
            how=_line(how),
        )

    domain, names, text = _domain(site), _names(site), _text_of(key_ring.active)
    how = "Ask the ENS registry for the name's resolver, and the resolver for the"
    texts = [f"{name.ens} {_TEXT_KEY}" for name in names[:1]]
    return (
        claim(ClaimType.DNS_TXT, domain, text, f"dig +short TXT {domain}"),
        *(claim(ClaimType.ENS, name.ens, name.address, f"{how} addr record.") for name in names),
        *(
            claim(ClaimType.ENS, subject, text, f"{how} text record {_TEXT_KEY}.")
            for subject in texts
        ),
        *(_key_claim(key, key_ring, key_set_path) for key in key_ring.trusted),
    )


_OTHER_SIGNS = "Consistent: the service publishes the key; another key signs now."
_SIGNS = (
    "Consistent: the service signs with the key that it publishes. That does not prove who runs it."
)
_DIFFERS = "A test signature does not verify with the published key."


def _key_claim(key: Key, key_ring: KeyRing, key_set_path: str) -> Claim:
    status, detail = ClaimStatus.VERIFIED, _SIGNS
    if key != key_ring.active:
        detail = _OTHER_SIGNS
    elif not verify_signature(key.x, key.sign(_PROBE), _PROBE):
        status, detail = ClaimStatus.MISMATCH, _DIFFERS
    return Claim(
        type=ClaimType.SIGNING_KEY,
        subject=key.kid,
        expected=key.thumbprint,
        observed=key.thumbprint if status is ClaimStatus.VERIFIED else None,
        status=status,
        detail=detail,
        how=f"Find the key with this kid in {key_set_path} and compute its RFC 7638 thumbprint.",
    )


def _domain(site: Site) -> str:
    return f"_studiograph.{urlsplit(site.studio.url).hostname}"


def _names(site: Site) -> list[RegisteredName]:
    """Return the ENS names, the primary one first."""
    chain = site.studio.on_chain
    return [chain.primary, *chain.aliases] if chain is not None else []


def _text_of(key: Key) -> str:
    return f"{_VERSION}; k=ed25519; kid={key.kid}; p={b64url_encode(key.x)}"


async def _ens_value(claim: Claim, node: "Node") -> str:
    """Return the record's value; an address that matches is spelt as in the claim."""
    name = claim.subject.removesuffix(f" {_TEXT_KEY}")
    if name != claim.subject:
        return await node.text_record(name, _TEXT_KEY)
    address = await node.address(name)
    return claim.expected if address == claim.expected.lower() else address


def _line(text: str) -> str:
    """Return the text if it is a plain line, else as a JSON string; cut it if it is too long."""
    try:
        return _LINE.validate_python(_cut(text) if text.isprintable() else "")
    except ValidationError:
        return _cut(json.dumps(text).replace("<", r"\u003c"))


def _cut(text: str) -> str:
    return text if len(text) <= _LINE_CHARACTERS else f"{text[: _LINE_CHARACTERS - 1]}…"


POLL_SECONDS = 600
"""How long a result is shown before the claim is verified again."""
RETRY_SECONDS = 120
"""The same if a record could not be looked up."""
CHECK_SECONDS = 1


class ClaimPoller:
    """The current claims and the last result for each."""

    def __init__(self, dns_resolver: str, eth_rpc_url: str, clock: Callable[[], datetime]) -> None:
        self._verifier = ClaimVerifier(dns_resolver, eth_rpc_url, clock)
        self._claims: tuple[Claim, ...] = ()
        self._results: dict[tuple[str, ...], Claim] = {}
        self._has_changed = False

    def identity(self, site: Site, key_ring: KeyRing, key_set_path: str) -> Identity:
        """Return every claim with its last result; the poller verifies these from now on."""
        self._claims = claims_of(site, key_ring, key_set_path, self._verifier)
        return Identity(claims=[self._results.get(_key(c), c) for c in self._claims])

    @property
    def changed_at(self) -> datetime:
        """When a claim was last verified."""
        times = (claim.checked_at for claim in self._results.values())
        return max((at for at in times if at), default=datetime.min.replace(tzinfo=UTC))

    def refresh(self) -> bool:
        """Return whether there are new results since the last call."""
        has_changed, self._has_changed = self._has_changed, False
        return has_changed

    async def run(self) -> None:
        """Verify the claims for ever; return at once if neither DNS nor ENS is configured."""
        due = 0.0
        while self._verifier.is_configured:
            claims = self._claims
            if time.monotonic() >= due or any(_key(c) not in self._results for c in claims):
                results = await self._verifier.verify(claims)
                self._results = {_key(claim): claim for claim in results}
                self._has_changed = True
                is_complete = all(
                    c.status is not ClaimStatus.UNVERIFIED for c in results if c.checked_at
                )
                due = time.monotonic() + (POLL_SECONDS if is_complete else RETRY_SECONDS)
            await asyncio.sleep(CHECK_SECONDS)


def _key(claim: Claim) -> tuple[str, ...]:
    return claim.type.value, claim.subject, claim.expected
