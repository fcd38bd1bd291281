"""A URL is read as a public host of the web or not at all, and every range of others is denied."""

import asyncio

import pytest
from name_servers import Answer, dns_server, never, refusal
from webhook_hosts import addresses

from resolvers.http_client.errors import ConnectionFailedError
from resolvers.http_client.targets import PublicHostsOnly, parse_target

HOST = parse_target("https://hooks.example.org/in")


def found_by(answer: Answer, *own_hosts: str) -> list[str]:
    """The addresses of the host, where a DNS server answers so."""
    with dns_server(answer) as served:
        asking = PublicHostsOnly(frozenset(own_hosts), served.address)
        return [str(address) for address in asyncio.run(asking.addresses(HOST))]


@pytest.mark.parametrize(
    "answer",
    [
        addresses([]),
        refusal("NXDOMAIN"),
        refusal("SERVFAIL"),
        refusal("REFUSED"),
        lambda *_: b"\x00",
    ],
    ids=["nothing", "no such name", "failure", "refusal", "garbage"],
)
def test_a_name_without_an_address_is_unreachable(answer: Answer) -> None:
    with pytest.raises(ConnectionFailedError):
        found_by(answer)


def test_a_silent_resolver_is_left_after_two_seconds() -> None:
    async def look() -> float:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        with pytest.raises(ConnectionFailedError):
            await PublicHostsOnly(frozenset(), served.address).addresses(HOST)
        return loop.time() - begun

    with dns_server(never) as served:
        assert asyncio.run(look()) > 1.8


def test_a_closed_resolver_is_unreachable() -> None:
    with pytest.raises(ConnectionFailedError):
        asyncio.run(PublicHostsOnly(frozenset(), "127.0.0.1:1").addresses(HOST))
