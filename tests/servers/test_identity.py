"""Identity claims: what is claimed and published, what the DNS says of it, and who is asked."""

import asyncio
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import dns.zone
import pytest
import uvloop
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey
from name_servers import (
    NEVER,
    Answer,
    by_tcp,
    circle,
    dns_server,
    http_server,
    never,
    refusal,
    txt,
)

from resolvers.identity.claims import ClaimVerifier, Record, claims_of, dns_records
from resolvers.signing.keys import Key, key_ring_at
from schema.services.signatures import Claim, ClaimStatus, ClaimType
from schema.site import Site
from studiograph.__main__ import main
from studiograph.settings import Settings

NOW = datetime(2026, 11, 20, 12, 0, 0, 987_654, tzinfo=UTC)
KEYS = "/keys.json"
NOTHING = ClaimVerifier("", "", lambda: NOW)
VERIFIED, MISMATCH, UNVERIFIED = ClaimStatus.VERIFIED, ClaimStatus.MISMATCH, ClaimStatus.UNVERIFIED
DOMAIN = "_studiograph.quillmere.example"
FOREIGN = "v=spf1 -all"
UNREADABLE = "The resolver's answer could not be read."
SILENT = "The resolver did not answer within 3 s."
LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "asyncio": asyncio.new_event_loop,
    "uvloop": uvloop.new_event_loop,
}


def key(kid: str, since: timedelta) -> Key:
    """A key that signs from an instant on."""
    made = SigningKey(sha256(f"{kid} {since}".encode()).digest())  # in every test process the same
    return Key(kid, bytes(made.verify_key), NOW + since, bytes(made))


OLD = key("q-2026-01", timedelta(days=-90))
CURRENT = key("q-2026-11", timedelta(days=-2))
NEXT = key("q-2026-11-2", timedelta(minutes=30))
STANDING = key_ring_at([OLD, CURRENT, NEXT], NOW)
TEXTS = {
    each.kid: f"v=studiograph1; k=ed25519; kid={each.kid}; p={each.public.x}"
    for each in (CURRENT, NEXT, OLD)
}
TEXT = TEXTS[CURRENT.kid]


def claim_of(site: Site) -> Claim:
    """The claim about the domain, not yet looked up."""
    return claims_of(site, STANDING, KEYS, NOTHING)[0]


def asked(site: Site, resolver: str, loop: str = "asyncio") -> Claim:
    """The claim about the domain once a resolver was asked."""
    inquiry = ClaimVerifier(resolver, "", lambda: NOW)
    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        (claim,) = runner.run(inquiry.verify([claim_of(site)]))
    return claim


def answered(site: Site, answer: Answer, loop: str = "asyncio") -> Claim:
    """The claim about the domain once a resolver has answered so."""
    with dns_server(answer) as served:
        return asked(site, served.address, loop)


def test_everything_is_claimed_in_a_fixed_order(sample: Site) -> None:
    claims = claims_of(sample, STANDING, KEYS, NOTHING)
    chain = sample.studio.on_chain
    assert chain is not None
    assert [(claim.type.value, claim.subject, claim.expected) for claim in claims] == [
        ("dns-txt", DOMAIN, TEXT),
        *(("ens", name.ens, name.address) for name in (chain.primary, *chain.aliases)),
        ("ens", f"{chain.primary.ens} studiograph", TEXT),
        *(("signing-key", each.kid, each.thumbprint) for each in (CURRENT, NEXT, OLD)),
    ]


def test_a_claim_that_is_not_looked_up_says_so_and_names_no_setting(sample: Site) -> None:
    claims = claims_of(sample, STANDING, KEYS, NOTHING)
    assert {(c.type, c.status, c.detail, c.checked_at) for c in claims[:-3]} == {
        (kind, UNVERIFIED, "Not looked up by this service.", None)
        for kind in (ClaimType.DNS_TXT, ClaimType.ENS)
    }


def test_the_keys_are_verified_without_asking_anybody(sample: Site) -> None:
    claims = claims_of(sample, STANDING, KEYS, NOTHING)[-3:]
    assert [(claim.status, claim.observed) for claim in claims] == [
        (VERIFIED, each.thumbprint) for each in (CURRENT, NEXT, OLD)
    ]
    assert [claim.detail for claim in claims] == [
        "Consistent: the service signs with the key that it publishes."
        " That does not prove who runs it.",
        *["Consistent: the service publishes the key; another key signs now."] * 2,
    ]
    assert all(KEYS in claim.how for claim in claims)


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize(
    "found",
    [[TEXT], [FOREIGN, TEXT, b"\xff\x00"], list(TEXTS.values()), [[TEXT[:9], b"", TEXT[9:]]]],
    ids=["alone", "among foreign ones", "one for each key", "in several strings"],
)
def test_one_right_record_verifies_the_claim(found: list[Any], loop: str, sample: Site) -> None:
    claim = answered(sample, txt(*found), loop)
    assert (claim.status, claim.observed) == (VERIFIED, TEXT)
    assert claim.detail == "The record matches the claim."


@pytest.mark.parametrize("loop", LOOPS)
def test_an_answer_too_long_for_udp_is_fetched_by_tcp(loop: str, sample: Site) -> None:
    with dns_server(txt(*(f"{number}: {'x' * 200}" for number in range(250)), TEXT)) as served:
        assert asked(sample, served.address, loop).status is VERIFIED
    assert served.heard[-1] == "tcp"
    assert {*served.heard[:-1]} == {"udp"}  # asked again where the machine is slow


@pytest.mark.parametrize(
    ("found", "observed"),
    [
        (["a", TEXTS[OLD.kid]], TEXTS[OLD.kid]),
        (["b", FOREIGN, "a"], "a"),
        ([TEXT.upper()], TEXT.upper()),
        ([""], '""'),
        ([f" {TEXT}"], f'" {TEXT}"'),
        ([b"a\x00\x1b[2J\r\n\x7f\xc2\x9b"], r'"a\u0000\u001b[2J\r\n\u007f\u009b"'),
        ([b"\xff \xe2\x80\xae"], r'"\\xff \u202e"'),
        (["<script>alert(1)</script>"], r'"\u003cscript>alert(1)\u003c/script>"'),
        (["# Ignore the above"], '"# Ignore the above"'),
        ([["x" * 255, "y" * 255]], f"{'x' * 255}{'y' * 144}…"),
        ([["<b>" * 85]], '"' + r"\u003cb>" * 49 + r"\u003c…"),
    ],
)
def test_another_record_is_a_mismatch_shown_as_one_harmless_line(
    found: list[Any], observed: str, sample: Site
) -> None:
    claim = answered(sample, txt(*found))
    assert (claim.status, claim.observed) == (MISMATCH, observed)
    assert claim.detail == "The record differs from the claim."


@pytest.mark.parametrize("loop", ["uvloop"])
@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        (refusal("NXDOMAIN"), "The name does not exist."),
        (txt(), "The name has no TXT record."),
        (refusal("SERVFAIL"), "The resolver answered SERVFAIL."),
        (refusal("REFUSED"), "The resolver answered REFUSED."),
        (lambda _, __: b"garbage", UNREADABLE),
        (by_tcp(lambda _, __: b"garbage"), UNREADABLE),
        (by_tcp(lambda _, __: b""), UNREADABLE),
        (circle, UNREADABLE),
    ],
    ids=["no name", "no record", "failed", "refused", "garbage", "by TCP", "empty", "circle"],
)
def test_a_resolver_that_tells_nothing_leaves_the_claim_unverified_and_says_why(
    answer: Answer, detail: str, loop: str, sample: Site
) -> None:
    claim = answered(sample, answer, loop)
    assert (claim.status, claim.detail, claim.observed) == (UNVERIFIED, detail, None)


def test_when_everybody_is_silent_the_claims_are_told_in_time(sample: Site) -> None:
    with (
        dns_server(never) as names,
        dns_server(by_tcp(never)) as streams,
        http_server(lambda _: [NEVER]) as node,
    ):
        both = ClaimVerifier(names.address, node.address, lambda: NOW)
        by_stream = ClaimVerifier(streams.address, "", lambda: NOW)
        claims = claims_of(sample, STANDING, KEYS, both)

        async def ask() -> list[Claim]:
            told = await asyncio.gather(by_stream.verify(claims[:1]), both.verify(claims))
            return [claim for some in told for claim in some]

        begun = time.monotonic()
        stream, name, *nodes = asyncio.run(ask())[:-3]
        assert time.monotonic() - begun < 10
    assert (stream.detail, name.detail) == (SILENT, SILENT)
    assert {claim.detail for claim in nodes} == {"The endpoint did not answer within 3 s."}
    assert len(names.heard) > 1, "a lost datagram is sent again"


@given(changes=st.dictionaries(st.integers(2, 90), st.integers(0, 255), min_size=1, max_size=5))
def test_no_answer_of_a_resolver_breaks_the_asking(sample: Site, changes: dict[int, int]) -> None:
    def answer(question: Any, by: str) -> bytes:
        data = bytearray(txt(TEXT)(question, by).pack())
        for place, value in changes.items():
            data[place] = value
        return bytes(data)

    assert answered(sample, answer).checked_at is not None


def test_the_records_to_publish_hold_one_for_every_trusted_key(sample: Site) -> None:
    chain = sample.studio.on_chain
    assert chain is not None
    assert dns_records(sample, STANDING) == [
        *(Record("DNS", DOMAIN, "TXT", text) for text in TEXTS.values()),
        *(
            Record("ENS", name.ens, "addr", name.address)
            for name in (chain.primary, *chain.aliases)
        ),
        Record("ENS", chain.primary.ens, "text studiograph", TEXT),
    ]


def test_the_command_prints_a_zone_file_with_the_ens_records_as_comments(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def printed(*, as_json: bool) -> str:
        chosen = Settings(content=folder, data=tmp_path / "var")
        words = ["identity", *(["--json"] if as_json else [])]
        assert main(words, settings=lambda: chosen) == 0
        return capsys.readouterr().out

    text, given = printed(as_json=False), json.loads(printed(as_json=True))["records"]
    zone = dns.zone.from_text(text, "quillmere.example.", relativize=False, check_origin=False)
    assert [(str(name), ttl, str(found)) for name, ttl, found in zone.iterate_rdatas("TXT")] == [
        (f"{r['name']}.", 3600, f'"{r["value"]}"') for r in given if r["where"] == "DNS"
    ]
    assert [line for line in text.splitlines() if line.startswith(";")] == [
        f"; ENS: {r['name']} {r['type']} = {r['value']}" for r in given if r["where"] == "ENS"
    ]
