"""Whom a request is counted for, whatever it says of itself."""

from ipaddress import ip_network
from typing import Any

import pytest
from offenders import offenders

from rest_bridge.http.client_address import caller_of
from sdl.caller import Caller, Channel

TRUSTED = [ip_network(text) for text in ("127.0.0.1/32", "10.0.0.0/8", "fd00::/8")]
PROXY = "127.0.0.1"
STRANGER = "203.0.113.9"
ALICE = "192.0.2.1"


def found(peer: str | None, *headers: tuple[str, str]) -> str:
    """The address that the caller of a request has."""
    scope: dict[str, Any] = {
        "type": "http",
        "client": (peer, 40000) if peer is not None else None,
        "headers": [(name.lower().encode(), text.encode("latin-1")) for name, text in headers],
    }
    caller = caller_of(scope, TRUSTED)
    assert caller == Caller(caller.address, Channel.HTTP)
    return caller.address


def forwarded(*values: str) -> list[tuple[str, str]]:
    """Headers of proxies."""
    return [("X-Forwarded-For", value) for value in values]


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        (STRANGER, STRANGER),
        (PROXY, PROXY),
        ("::1", "::1"),
        (f"::ffff:{STRANGER}", STRANGER),
        ("2001:DB8:0:0::1", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
        (None, ""),
        ("", ""),
        ("testclient", ""),
    ],
)
def test_without_proxies_the_caller_is_the_peer(peer: str | None, address: str) -> None:
    assert found(peer) == address


@pytest.mark.parametrize("peer", [STRANGER, "11.0.0.1", "127.0.0.2", "fe00::1", "2001:db8::1"])
@pytest.mark.parametrize(
    "values", [(ALICE,), (f"{ALICE}, {PROXY}",), (ALICE, PROXY), ("10.0.0.1",), ("",), ("::1",)]
)
def test_a_peer_that_is_not_trusted_says_nothing_of_others(
    peer: str, values: tuple[str, ...]
) -> None:
    assert found(peer, *forwarded(*values)) == peer


def test_behind_trusted_proxies_it_is_the_nearest_address_that_is_none_of_theirs() -> None:
    def check(peer: str, values: tuple[str, ...], address: str) -> None:
        assert found(peer, *forwarded(*values)) == address

    assert (
        offenders(
            check,
            [PROXY, "::ffff:127.0.0.1", "10.255.0.1", "fd12::1", "FD12::1%e0"],
            [
                ((ALICE,), ALICE),
                ((f" \t{ALICE} ",), ALICE),
                ((f"{ALICE}, 10.0.0.1, fd00::1",), ALICE),
                ((ALICE, "10.0.0.1"), ALICE),
                (("10.0.0.1", ALICE), ALICE),
                (("", ALICE), ALICE),
                ((f"{ALICE}, ::ffff:10.0.0.1",), ALICE),
                # What a caller writes stands to the left of what the proxy saw.
                ((f"8.8.8.8, {ALICE}",), ALICE),
                (("8.8.8.8, 10.0.0.1", ALICE), ALICE),
                ((f"nonsense, , {ALICE}",), ALICE),
                ((f"10.0.0.1, {STRANGER}, {ALICE}, 10.0.0.2",), ALICE),
                # However it is written.
                ((f"{ALICE}:555",), ALICE),
                ((f"{ALICE}:0",), ALICE),
                (("2001:DB8::A",), "2001:db8::a"),
                (("[2001:db8::a]",), "2001:db8::a"),
                (("[2001:db8::A]:55",), "2001:db8::a"),
                (("[fe80::a%25eth0]:55",), "fe80::a"),
                (("fe80::a%eth0",), "fe80::a"),
                ((f"::FFFF:{ALICE}",), ALICE),
                ((f"[::ffff:{ALICE}]:1",), ALICE),
                ((f"{ALICE}, [::ffff:10.0.0.1]:9, 10.0.0.1:80",), ALICE),
            ],
        )
        == []
    )


@pytest.mark.parametrize(
    "value",
    [
        "",
        ",",
        "10.0.0.1",
        "10.0.0.1, fd00::1, 127.0.0.1",
        f"{ALICE},",
        f"{ALICE}, unknown",
        f"{ALICE}, _hidden",
        f"{ALICE}, nonsense, 10.0.0.1",
        f"for={ALICE}",
        f'"{ALICE}"',
        f"[{ALICE}]",
        f"[{ALICE}]:55",
        f"{ALICE}:",
        f"{ALICE}:http",
        f"{ALICE}:555555",
        f"{ALICE}%eth0",
        f"{ALICE} 8.8.8.8",
        f"\xa0{ALICE}",
        "192.0.2",
        "192.0.2.1.1",
        "192.0.2.256",
        "192.0.2.01",
        "0xc0000201",
        "3221225985",
        "192.0.2.\xb2",
        "2001:db8:::1",
        "[2001:db8::1",
        "2001:db8::1]",
        "[2001:db8::1]55",
        "[[2001:db8::1]]",
        "2001:db8::1%",
        "a" * 4000,
        ":" * 4000,
        "10.0.0.1," * 1500,
    ],
)
def test_what_cannot_be_read_or_is_used_up_leaves_the_peer(value: str) -> None:
    assert found(PROXY, *forwarded(value)) == PROXY


@pytest.mark.parametrize("peer", [PROXY, STRANGER])
@pytest.mark.parametrize(
    "name",
    [
        *("Forwarded", "X-Forwarded", "Forwarded-For", "X_Forwarded_For", "X-Forwarded-Host"),
        *("X-Real-IP", "CF-Connecting-IP", "True-Client-IP", "X-Client-IP", "Fly-Client-IP"),
        *("Fastly-Client-IP", "X-Cluster-Client-IP", "X-Originating-IP", "X-Remote-IP"),
        *("Via", "Host", "From", "User-Agent", "X-Agent"),
    ],
)
def test_no_other_header_says_who_calls(peer: str, name: str) -> None:
    assert found(peer, (name, ALICE), (name, f"for={ALICE}")) == peer
    if peer == PROXY:
        assert found(peer, (name, "8.8.8.8"), *forwarded(ALICE)) == ALICE


def test_nobody_is_trusted_who_is_not_named() -> None:
    scope = {"type": "http", "client": (PROXY, 1), "headers": [(b"x-forwarded-for", b"8.8.8.8")]}
    assert caller_of(scope, []).address == PROXY
