"""A URL is read as a public host of the web or not at all, and every range of others is denied."""

import asyncio
import string
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any
from unicodedata import normalize

import pytest
from hostile_addresses import ADDRESSES, PUBLIC, URLS
from hypothesis import given
from hypothesis import strategies as st
from name_servers import Answer, dns_server, refusal
from offenders import offenders
from webhook_hosts import addresses

from resolvers.http_client.errors import BlockedTargetError
from resolvers.http_client.targets import (
    MAX_LENGTH,
    NOT_PUBLIC,
    PublicHostsOnly,
    is_public_address,
    parse_target,
)
from sdl.errors import InvalidInputError

GUARDED = PublicHostsOnly(frozenset({"studio.example.com"}))

HOST = parse_target("https://hooks.example.org/in")

DENIED = [(network, address) for network, each in ADDRESSES.items() for address in each]


def found_by(answer: Answer, *own_hosts: str) -> list[str]:
    """The addresses of the host, where a DNS server answers so."""
    with dns_server(answer) as served:
        asking = PublicHostsOnly(frozenset(own_hosts), served.address)
        return [str(address) for address in asyncio.run(asking.addresses(HOST))]


def test_a_hostile_url_is_refused() -> None:
    def check(text: str) -> None:
        with pytest.raises(InvalidInputError) as refused:
            parse_target(text)
        assert [fault.path for fault in refused.value.problems] == ["url"]

    assert offenders(check, URLS) == []


def test_a_refusal_is_one_of_a_few_texts_whatever_was_sent() -> None:
    said = set()
    for text in URLS:
        with pytest.raises(InvalidInputError) as refused:
            parse_target(text)
        said.add((refused.value.detail, *refused.value.problems))
    assert len(said) == 5 + 5 + len(NOT_PUBLIC)


@pytest.mark.parametrize(
    ("host", "rule"),
    [
        ("10.0.0.1", "must name a host; an IP address"),
        ("[::1]", "must name a host; an IP address"),
        ("b\u00fccher.example.com", "must name its host in ASCII"),
        ("intranet", "must have the whole name"),
        ("db.internal", "no name ends in .internal"),
        ("a_b.example.com", "letters, digits and hyphens"),
        ("-a.example.com", "none at the ends"),
        ("ab--cd.example.com", "must have no part like ab--cd"),
    ],
)
def test_a_refusal_says_which_rule_the_host_breaks(host: str, rule: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        parse_target(f"https://{host}/in")
    assert rule in refused.value.problems[0].rule


def test_there_are_more_than_a_hundred_of_them() -> None:
    assert len(set(URLS)) == len(URLS) > 200


@pytest.mark.parametrize(
    ("text", "url", "owner"),
    [
        ("https://a.example.com", "https://a.example.com/", "example.com"),
        ("HTTPS://A.Example.COM/Path", "https://a.example.com/Path", "example.com"),
        ("https://example.com:443/", "https://example.com/", "example.com"),
        ("https://example.com:8443/", "https://example.com:8443/", "example.com"),
        ("https://example.com?a=b&c", "https://example.com/?a=b&c", "example.com"),
        ("https://a.b.example.co.uk/x%2F..", "https://a.b.example.co.uk/x%2F..", "example.co.uk"),
        ("https://x.workers.dev/a/../b", "https://x.workers.dev/a/../b", "workers.dev"),
        ("https://t.co/", "https://t.co/", "t.co"),
        ("https://www.gov.uk/", "https://www.gov.uk/", "www.gov.uk"),
        (
            "https://xn--bcher-kva.example/",
            "https://xn--bcher-kva.example/",
            "xn--bcher-kva.example",
        ),
        ("https://a.xn--p1ai/", "https://a.xn--p1ai/", "a.xn--p1ai"),
        ("https://127.0.0.1.nip.io/", "https://127.0.0.1.nip.io/", "nip.io"),
        (
            "https://1and1.com/?q=http://127.0.0.1@/",
            "https://1and1.com/?q=http://127.0.0.1@/",
            "1and1.com",
        ),
    ],
)
def test_a_url_is_rebuilt_from_its_parts(text: str, url: str, owner: str) -> None:
    destination = parse_target(text)
    assert (destination.url, destination.owner) == (url, owner)
    assert parse_target(url) == destination


def test_the_longest_url_is_read_and_what_may_be_secret_is_not_shown() -> None:
    text = "https://example.com/".ljust(MAX_LENGTH, "s")
    destination = parse_target(text)
    assert destination.url == text
    assert "sss" not in repr(destination)


def test_a_host_of_our_own_is_refused() -> None:
    with pytest.raises(InvalidInputError):
        GUARDED.parse("https://Studio.example.com/api/contact")
    assert GUARDED.parse("https://other.example.com/").host == "other.example.com"


def test_an_address_that_is_not_public_is_denied() -> None:
    def check(network: str, address: str) -> None:
        assert not is_public_address(ip_address(address))
        assert "/" not in network or ip_address(address.partition("%")[0]) in ip_network(network)

    assert offenders(check, DENIED) == []


@pytest.mark.parametrize("address", PUBLIC)
def test_what_lies_beside_a_denied_range_is_public(address: str) -> None:
    assert is_public_address(ip_address(address))


def test_a_name_with_such_an_address_is_blocked_even_among_public_ones() -> None:
    def check(network: str, address: str) -> None:
        assert network
        now: list[str] = []
        with dns_server(addresses(now)) as served:
            for each in ([address], ["8.8.8.8", address], [address, "2606:4700:4700::1111"]):
                now[:] = each
                with pytest.raises(BlockedTargetError):
                    asyncio.run(PublicHostsOnly(frozenset(), served.address).addresses(HOST))

    assert offenders(check, [(network, each) for network, each in DENIED if "%" not in each]) == []


def test_a_public_name_has_all_its_addresses() -> None:
    assert found_by(addresses(["2606:4700:4700::1111", "1.1.1.1"])) == [
        "1.1.1.1",
        "2606:4700:4700::1111",
    ]


@pytest.mark.parametrize(
    "own", ["1.1.1.1", "2606:4700:4700::1111", "[2606:4700:4700::1111]", "studio.example.com"]
)
def test_a_name_with_an_address_of_our_own_is_blocked(own: str) -> None:
    with pytest.raises(BlockedTargetError):
        found_by(addresses(["1.1.1.1", "2606:4700:4700::1111"]), own)


def test_a_host_of_ours_that_has_no_address_forbids_nothing() -> None:
    def answer(question: Any, by: str) -> Any:
        is_ours = str(question.q.qname) == "studio.example.com."
        return (refusal("NXDOMAIN") if is_ours else addresses(["1.1.1.1"]))(question, by)

    assert found_by(answer, "studio.example.com") == ["1.1.1.1"]
    local = ("localhost", "127.0.0.1", "[::1]", "studio")
    assert found_by(addresses(["1.1.1.1"]), *local) == ["1.1.1.1"]


def test_a_name_that_changes_its_mind_is_asked_anew() -> None:
    now = ["1.1.1.1"]
    with dns_server(addresses(now)) as served:
        guarded = PublicHostsOnly(frozenset(), served.address)
        assert asyncio.run(guarded.addresses(HOST)) == [IPv4Address("1.1.1.1")]
        now[:] = ["127.0.0.1"]
        with pytest.raises(BlockedTargetError):
            asyncio.run(guarded.addresses(HOST))


@given(st.integers(0, 2**32 - 1))
def test_no_spelling_of_an_address_is_a_name(number: int) -> None:
    address = IPv4Address(number)
    parts = str(address).split(".")
    spellings = [
        str(address),
        str(number),
        hex(number),
        f"0{number:o}",
        ".".join(hex(int(part)) for part in parts),
        ".".join(f"0{int(part):o}" for part in parts),
        f"{parts[0]}.{number & 0xFFFFFF}",
        f"{parts[0]}.{parts[1]}.{number & 0xFFFF}",
        f"[{IPv6Address(number)}]",
        f"[::ffff:{address}]",
    ]
    for host in spellings:
        for text in (host, host.upper(), f"{host}."):
            with pytest.raises(InvalidInputError):
                parse_target(f"https://{text}/")


@given(
    st.text(st.characters(min_codepoint=0x80, exclude_categories=["Cs"]), min_size=1, max_size=8)
)
def test_no_coded_name_is_read_that_other_readers_would_change(label: str) -> None:
    coded = f"xn--{label.encode('punycode').decode('ascii')}"
    try:
        host = parse_target(f"https://{coded}.com/").host
    except InvalidInputError:
        return
    assert host == f"{coded.lower()}.com"
    assert normalize("NFKC", label).lower() == label


LETTERS = (
    string.ascii_letters + string.digits + ".-:@/?#[]%\\_~!$&'()*+,;= \x00\n\u3002\uff11\u00e4"
)


@given(st.text(LETTERS, max_size=40))
def test_what_is_read_is_a_name_and_reads_the_same_again(text: str) -> None:
    try:
        destination = parse_target(f"https://{text}")
    except InvalidInputError:
        return
    assert text.lower().startswith(destination.host)
    assert not destination.host.rpartition(".")[2][:1].isdigit()
    assert text[len(destination.host) :][:1] in {"", "/", "?", ":"}
    assert destination.port in {443, 8443}
    assert parse_target(destination.url) == destination
    with pytest.raises(ValueError, match="does not appear"):
        ip_address(destination.host)


@given(
    st.integers(0, 2**32 - 1), st.sampled_from(["::", "::ffff:0:0", "64:ff9b::", "::ffff:0:0:0"])
)
def test_no_address_inside_another_is_public(number: int, prefix: str) -> None:
    assert not is_public_address(IPv6Address(int(IPv6Address(prefix)) | number))


@given(st.integers(0, 2**128 - 1))
def test_what_is_public_is_given_out_and_global(number: int) -> None:
    address = IPv6Address(number)
    assert not is_public_address(address) or (
        address in ip_network("2000::/3") and address.is_global
    )


@given(st.integers(0, 2**32 - 1))
def test_what_is_public_of_the_older_kind_is_global(number: int) -> None:
    address = IPv4Address(number)
    assert not is_public_address(address) or address.is_global
