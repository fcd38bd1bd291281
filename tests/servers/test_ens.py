"""ENS records: name hashes, what a chain says of the claims, and nodes that answer badly."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from itertools import repeat
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from name_servers import Chain, dns_server, http, http_server, string, txt, word

from resolvers.identity.claims import ClaimVerifier
from resolvers.identity.records import namehash
from schema.services.signatures import Claim, ClaimStatus, ClaimType

NAME = "quillmere-sample.eth"
ADDRESS = "0x51f3A0c2b97E4d6608c1D2e35A7b94Fc0D6e8B21"
TEXT = "v=studiograph1; k=ed25519; kid=q-2026-11; p=x"
VERIFIED, MISMATCH, UNVERIFIED = ClaimStatus.VERIFIED, ClaimStatus.MISMATCH, ClaimStatus.UNVERIFIED
UNREADABLE = "The endpoint's answer could not be read."
BOTH = Chain({(NAME,): word(ADDRESS.lower()), (NAME, "studiograph"): string(TEXT)})

Pieces = Callable[[Any], Iterable[bytes | None]]


def claim(subject: str, expected: str, kind: ClaimType = ClaimType.ENS) -> Claim:
    """A claim that was not looked up yet."""
    return Claim(
        type=kind,
        subject=subject,
        expected=expected,
        status=UNVERIFIED,
        detail="Not yet looked up.",
        how="Ask.",
    )


OF_ADDRESS, OF_TEXT = claim(NAME, ADDRESS), claim(f"{NAME} studiograph", TEXT)
OF_DOMAIN = claim("_studiograph.quillmere.example", TEXT, ClaimType.DNS_TXT)


def asked(pieces: Pieces, *claims: Claim, pause_seconds: float = 0) -> tuple[Claim, ...]:
    """The claims, once a node was asked that answers so."""
    with http_server(pieces, pause_seconds) as served:
        inquiry = ClaimVerifier("", f"{served.address}/key", lambda: datetime.now(UTC))
        told = asyncio.run(inquiry.verify(claims))
    assert set(served.heard) <= {"/key"}
    return told


def always(body: object, status: str = "200 OK", *headers: str) -> Pieces:
    """A node that answers everything with this."""
    return lambda _: [http(body, status, *headers)]


def result(data: str) -> Pieces:
    """A node whose every call comes to this."""
    return always({"jsonrpc": "2.0", "id": 1, "result": data})


@pytest.mark.parametrize(
    ("name", "node"),
    [
        ("", "00" * 32),
        ("eth", "93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae"),
        ("foo.eth", "de9b09fd7c5f901e23a3f19fecc54828e9c848539801e86591bd9801b019f84f"),
    ],
)
def test_the_name_hashes_are_those_of_eip_137(name: str, node: str) -> None:
    assert namehash(name).hex() == node


def test_the_address_and_the_text_of_a_name_are_verified() -> None:
    told = asked(BOTH, OF_TEXT, OF_ADDRESS)
    assert [(c.subject, c.status, c.observed) for c in told] == [
        (OF_TEXT.subject, VERIFIED, TEXT),
        (NAME, VERIFIED, ADDRESS),
    ]


def test_another_address_and_another_text_are_mismatches() -> None:
    other = "0x" + "1f" * 20
    chain = Chain({(NAME,): word(other), (NAME, "studiograph"): string("<b>\n")})
    told = asked(chain, OF_ADDRESS, OF_TEXT)
    assert [(c.status, c.observed) for c in told] == [
        (MISMATCH, other),
        (MISMATCH, r'"\u003cb>\n"'),
    ]


@pytest.mark.parametrize(
    ("chain", "asked_for", "detail"),
    [
        (Chain({}), OF_ADDRESS, "The name has no resolver."),
        (result("0x"), OF_TEXT, "The name has no resolver."),
        (Chain({(NAME,): word("0x00")}), OF_ADDRESS, "The name has no addr record."),
        (Chain({(NAME,): "0x"}), OF_ADDRESS, "The name has no addr record."),
        (Chain({(NAME, "studiograph"): "0x"}), OF_TEXT, "The name has no text record."),
        (Chain({(NAME, "studiograph"): string("")}), OF_TEXT, "The name has no text record."),
    ],
)
def test_what_is_not_on_the_chain_is_unverified(
    chain: Pieces, asked_for: Claim, detail: str
) -> None:
    (told,) = asked(chain, asked_for)
    assert (told.status, told.detail, told.observed) == (UNVERIFIED, detail, None)


@pytest.mark.parametrize(
    "name",
    [
        "quill\u00e9.eth",
        "a b.eth",
        "xn--a.eth",
        "eth.",
    ],
)
def test_a_name_that_needs_normalisation_is_not_asked_for(name: str) -> None:
    (told,) = asked(BOTH, claim(name, ADDRESS))
    assert told.status is UNVERIFIED
    assert told.detail == "The name needs ENSIP-15 normalisation, which is not supported."


@pytest.mark.parametrize(
    ("pieces", "detail"),
    [
        (always(b"no JSON"), UNREADABLE),
        (always({"id": 2, "result": word(ADDRESS)}), UNREADABLE),
        (always({"id": 1, "result": None}), UNREADABLE),
        (always(b'{"id": 1, "result": "0x", "result": "0x"}'), UNREADABLE),
        (always(b"[" * 60_000), UNREADABLE),
        (result("0x1"), UNREADABLE),
        (result("0x" + "01" * 32), UNREADABLE),
        (result(f"{word(ADDRESS)[:40]} {word(ADDRESS)[41:]}"), UNREADABLE),
        (always({"id": 1, "error": {"code": -32000, "message": "key"}}), "JSON-RPC error -32000."),
        (always({}, "500 Internal Server Error"), "HTTP 500."),
        (always(b"\x1f\x8b", "200 OK", "Content-Encoding: gzip"), UNREADABLE),
        (always(b" " * 70_000), "too large."),
        (lambda _: [b"HTTP/1.1 200 OK\r\n\r\n", *[b" " * 999] * 99], "too large."),
        (lambda _: [b"SSH-2.0-server\r\n"], UNREADABLE),
        (lambda _: [b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"], UNREADABLE),
    ],
)
def test_a_node_that_answers_badly_leaves_the_claim_unverified_and_says_how(
    pieces: Pieces, detail: str
) -> None:
    for told in asked(pieces, OF_ADDRESS, OF_TEXT):
        assert told.status is UNVERIFIED
        assert told.detail.endswith(detail)
        assert "key" not in told.detail


@pytest.mark.parametrize(
    "data",
    [
        word(ADDRESS),
        string(TEXT)[:-2],
        string(TEXT) + "00" * 32,
        string(TEXT)[:-2] + "01",
        f"0x{64:064x}{string(TEXT)[66:]}",
        f"0x{32:064x}{'f' * 64}{string(TEXT)[130:]}",
        string(b"\xff\xfe"),
    ],
    ids=["an address", "cut", "longer", "filled otherwise", "offset", "length", "no UTF-8"],
)
def test_a_text_is_read_strictly(data: str) -> None:
    (told,) = asked(Chain({(NAME, "studiograph"): data}), OF_TEXT)
    assert (told.status, told.detail) == (UNVERIFIED, UNREADABLE)


@given(text=st.text(min_size=1, max_size=500))
def test_whatever_a_text_holds_is_shown_as_one_harmless_line(text: str) -> None:
    (told,) = asked(Chain({(NAME, "studiograph"): string(text)}), OF_TEXT)
    assert told.status is MISMATCH
    assert told.observed is not None
    assert told.observed.isprintable()


def test_a_redirect_is_not_followed() -> None:
    with http_server(BOTH) as other:
        (told,) = asked(always({}, "307 Temporary Redirect", f"Location: {other.address}"), OF_TEXT)
    assert told.detail == "The endpoint answered with HTTP 307."
    assert other.heard == []


def test_an_answer_that_drips_is_given_up_in_time() -> None:
    head = b"HTTP/1.1 200 OK\r\n\r\n"
    (told,) = asked(lambda _: [head, *repeat(b" ", 9_999)], OF_TEXT, pause_seconds=0.05)
    assert told.detail == "The endpoint did not answer within 3 s."


PROGRAM = """
import asyncio, sys
from datetime import UTC, datetime
from resolvers.identity.claims import ClaimVerifier
from schema.services.signatures import Claim

inquiry = ClaimVerifier(*sys.argv[1:3], lambda: datetime.now(UTC))
claims = [Claim.model_validate_json(text) for text in sys.argv[3:]]
connects = {"socket.connect", "socket.sendto", "socket.getaddrinfo"}
sys.addaudithook(lambda event, given: event in connects and print(event, given))
assert inquiry.is_configured == any(sys.argv[1:3])
asyncio.run(inquiry.verify(claims))
print("imported", *sorted({"dns", "httpx"} & set(sys.modules)))
"""


def events(resolver: str, endpoint: str, **environment: str) -> list[str]:
    """What a process of its own did on the network, and what it imported."""
    claims = [each.model_dump_json() for each in (OF_DOMAIN, OF_ADDRESS, OF_TEXT)]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, resolver, endpoint, *claims],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, **environment},
    )
    return done.stdout.splitlines()


def test_where_nothing_is_configured_nobody_is_asked_and_nothing_imported() -> None:
    assert events("", "") == ["imported"]


def test_nobody_but_the_configured_is_asked() -> None:
    with (
        dns_server(txt(TEXT)) as names,
        http_server(BOTH) as node,
        http_server(lambda _: []) as proxy,
    ):
        proxies = dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY"), proxy.address)
        *found, imported = events(names.address, node.address, **proxies)
    ports = {address.rpartition(":")[2] for address in (names.address, node.address)}
    assert set(re.findall(r"127\.0\.0\.1', (\d+)", "".join(found))) == ports
    assert imported == "imported dns httpx"
    assert proxy.heard == []
