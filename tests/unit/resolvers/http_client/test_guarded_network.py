"""Connections are begun to checked addresses alone, whatever a name says and when."""

import asyncio
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Any

import pytest
from certificates import HOST, Authority
from guarded_requests import attempt, run
from loopback import Loopback
from name_servers import dns_server
from webhook_hosts import (
    EVERY_LOOP,
    Admitted,
    Loop,
    addresses,
    destination,
    http,
    receiver,
    says,
)

from resolvers.http_client.client import GuardedNetworkBackend, OutboundClient, OutboundResponse
from resolvers.http_client.dns import resolve
from resolvers.http_client.errors import BlockedTargetError
from resolvers.http_client.targets import Address, PublicHostsOnly, TargetUrl, parse_target
from sdl.errors import InvalidInputError

OK = http(b"fine")


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Who issues the receivers' certificates."""
    return Authority(tmp_path_factory.mktemp("issuer"))


@EVERY_LOOP
def test_the_next_address_is_tried_where_nobody_listens(loop: Loop, issuer: Authority) -> None:
    async def work() -> object:
        at = [ip_address(f"127.0.0.{last}") for last in (7, 8, 1)]
        async with receiver(says(OK), issuer.serving()) as heard:
            came = await attempt(
                OutboundClient(Admitted(at), issuer.trusting()), destination(heard.port)
            )
            assert isinstance(came, OutboundResponse)
            return heard.connections

    assert run(loop, work()) == 1


class Rebound:
    """A policy by which 127.0.0.2 is the public network; names are looked up for real."""

    def __init__(self, resolver: str) -> None:
        self.resolver = resolver

    def parse(self, text: str) -> TargetUrl:
        """The destination that a URL names."""
        return parse_target(text)

    async def addresses(self, to: TargetUrl) -> Sequence[Address]:
        """Every address of the host, if all are the public one."""
        found = await resolve(to.host, self.resolver)
        if set(found) != {ip_address("127.0.0.2")}:
            raise BlockedTargetError
        return found


@EVERY_LOOP
def test_a_name_is_asked_once_and_what_was_checked_is_connected_to(
    loop: Loop, issuer: Authority
) -> None:
    now = ["127.0.0.2"]

    def rebinding(question: Any, by: str) -> Any:
        reply = addresses(now)(question, by)
        if question.q.qtype == 1:
            now[:] = ["127.0.0.1"]  # from the second question on
        return reply

    async def work(resolver: str, heard: list[str]) -> object:
        outbound = OutboundClient(Rebound(resolver), issuer.trusting())
        tls = issuer.serving()
        async with (
            receiver(says(OK), tls, "127.0.0.2") as public,
            receiver(says(OK), tls, "127.0.0.1", public.port) as sink,
        ):
            to = destination(public.port)
            first = await attempt(outbound, to)
            assert len(heard) == 2  # A and AAAA
            second = await attempt(outbound, to)
            assert isinstance(first, OutboundResponse)
            return public.connections, sink.connections, second

    with dns_server(rebinding) as served:
        assert run(loop, work(served.address, served.heard)) == (1, 0, BlockedTargetError)


@EVERY_LOOP
@pytest.mark.parametrize("at", ["127.0.0.1", "127.0.0.2", "::1"])
def test_a_receiver_on_the_loopback_never_hears_a_guarded_request(
    at: str, loop: Loop, issuer: Authority
) -> None:
    async def work(resolver: str) -> object:
        outbound = OutboundClient(PublicHostsOnly(frozenset(), resolver), issuer.trusting())
        async with receiver(says(OK), issuer.serving(), at) as sink:
            return await attempt(outbound, destination(sink.port)), sink.connections

    with dns_server(addresses([at])) as served:
        assert run(loop, work(served.address)) == (BlockedTargetError, 0)


@EVERY_LOOP
def test_the_policy_of_tests_admits_one_address_by_its_number_alone(
    loop: Loop, issuer: Authority
) -> None:
    async def work(resolver: str) -> object:
        policy = Loopback(PublicHostsOnly(frozenset(), resolver))
        outbound = OutboundClient(policy, issuer.trusting())
        found: list[object] = []
        async with receiver(says(OK)) as heard:
            for host in ("127.0.0.1", "127.0.0.2", "localhost", "127.1", "[::1]"):
                try:
                    found.append(
                        await attempt(outbound, policy.parse(f"http://{host}:{heard.port}"))
                    )
                except InvalidInputError:
                    found.append(InvalidInputError)
            named = await attempt(outbound, policy.parse(f"https://{HOST}:8443/"))
            return found[1:], named, heard.connections

    with dns_server(addresses(["127.0.0.1"])) as served:
        assert run(loop, work(served.address)) == ([InvalidInputError] * 4, BlockedTargetError, 1)


@EVERY_LOOP
def test_a_connection_that_ends_elsewhere_than_at_its_address_carries_nothing(
    loop: Loop, issuer: Authority
) -> None:
    async def work() -> object:
        anywhere = Admitted([ip_address(0)])  # the kernel takes 0.0.0.0 for 127.0.0.1
        async with receiver(says(OK), issuer.serving()) as heard:
            came = await attempt(
                OutboundClient(anywhere, issuer.trusting()), destination(heard.port)
            )
            return came, heard.heard

    assert run(loop, work()) == (BlockedTargetError, [])


def test_a_dial_is_for_one_host_and_port_alone() -> None:
    dial = GuardedNetworkBackend(Admitted(), destination(8443))
    for host, port in ((HOST, 443), ("other.example.org", 8443)):
        with pytest.raises(BlockedTargetError):
            asyncio.run(dial.connect_tcp(host, port))
