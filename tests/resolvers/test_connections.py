"""Connections are begun to checked addresses alone, whatever a name says and when."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from hostile import ADDRESSES
from loopback import Loopback
from name_servers import dns_server
from receivers import (
    EVERY_LOOP,
    HOST,
    Admitted,
    Issuer,
    Loop,
    addresses,
    destination,
    http,
    receiver,
    says,
)
from sending import attempt, run

from resolvers.dial import Dial
from resolvers.letters.destinations import Address, Destination, Guarded, read_destination
from resolvers.letters.faults import Blocked
from resolvers.letters.names import addresses_of
from resolvers.outbound import Answer, Outbound
from schema.errors import InvalidInput

OK = http(b"fine")
HERE = Path(__file__).parent
HOSTS = {
    f"h{number}.example.org": address
    for number, address in enumerate(
        address for each in ADDRESSES.values() for address in each if "%" not in address
    )
}


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Issuer:
    """Who issues the receivers' certificates."""
    return Issuer(tmp_path_factory.mktemp("issuer"))


def answer(question: Any, by: str) -> Any:
    """The address of a hostile name; every third one has a public address beside it."""
    host = str(question.q.qname).rstrip(".")
    beside = ["1.1.1.1"] if int(host[1:].partition(".")[0]) % 3 == 0 else []
    return addresses([*beside, HOSTS[host]])(question, by)


def test_no_connection_is_begun_to_a_denied_address_even_with_a_proxy_in_the_environment() -> None:
    path = os.pathsep.join(map(str, (HERE, HERE.parent, HERE.parents[1])))
    names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
    proxies = dict.fromkeys(names, "http://127.0.0.9:1")
    with dns_server(answer) as served:
        done = subprocess.run(
            [sys.executable, str(HERE / "connecting.py"), served.address, *HOSTS],
            env={**os.environ, **proxies, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
    assert len(HOSTS) > 80
    assert {str(ip_address(address)) for address in HOSTS.values()} > {"169.254.169.254", "::1"}
    assert json.loads(done.stdout) == {
        "came": {"Blocked": len(HOSTS)},
        "before": [],
        "after": ["127.0.0.1"],
        "status": 200,
    }


@EVERY_LOOP
def test_the_next_address_is_tried_where_nobody_listens(loop: Loop, issuer: Issuer) -> None:
    async def work() -> object:
        at = [ip_address(f"127.0.0.{last}") for last in (7, 8, 1)]
        async with receiver(says(OK), issuer.serving()) as heard:
            came = await attempt(Outbound(Admitted(at), issuer.trusting()), destination(heard.port))
            assert isinstance(came, Answer)
            return heard.connections

    assert run(loop, work()) == 1


class Rebound:
    """A policy by which 127.0.0.2 is the public network; names are looked up for real."""

    def __init__(self, resolver: str) -> None:
        self.resolver = resolver

    def read(self, text: str) -> Destination:
        """The destination that a URL names."""
        return read_destination(text)

    async def addresses(self, to: Destination) -> Sequence[Address]:
        """Every address of the host, if all are the public one."""
        found = await addresses_of(to.host, self.resolver)
        if set(found) != {ip_address("127.0.0.2")}:
            raise Blocked
        return found


@EVERY_LOOP
def test_a_name_is_asked_once_and_what_was_checked_is_connected_to(
    loop: Loop, issuer: Issuer
) -> None:
    now = ["127.0.0.2"]

    def rebinding(question: Any, by: str) -> Any:
        reply = addresses(now)(question, by)
        if question.q.qtype == 1:
            now[:] = ["127.0.0.1"]  # from the second question on
        return reply

    async def work(resolver: str, heard: list[str]) -> object:
        outbound = Outbound(Rebound(resolver), issuer.trusting())
        tls = issuer.serving()
        async with (
            receiver(says(OK), tls, "127.0.0.2") as public,
            receiver(says(OK), tls, "127.0.0.1", public.port) as sink,
        ):
            to = destination(public.port)
            first = await attempt(outbound, to)
            assert len(heard) == 2  # A and AAAA
            second = await attempt(outbound, to)
            assert isinstance(first, Answer)
            return public.connections, sink.connections, second

    with dns_server(rebinding) as served:
        assert run(loop, work(served.address, served.heard)) == (1, 0, Blocked)


@EVERY_LOOP
@pytest.mark.parametrize("at", ["127.0.0.1", "127.0.0.2", "::1"])
def test_a_receiver_on_the_loopback_never_hears_a_guarded_request(
    at: str, loop: Loop, issuer: Issuer
) -> None:
    async def work(resolver: str) -> object:
        outbound = Outbound(Guarded(frozenset(), resolver), issuer.trusting())
        async with receiver(says(OK), issuer.serving(), at) as sink:
            return await attempt(outbound, destination(sink.port)), sink.connections

    with dns_server(addresses([at])) as served:
        assert run(loop, work(served.address)) == (Blocked, 0)


@EVERY_LOOP
def test_the_policy_of_tests_admits_one_address_by_its_number_alone(
    loop: Loop, issuer: Issuer
) -> None:
    async def work(resolver: str) -> object:
        policy = Loopback(Guarded(frozenset(), resolver))
        outbound = Outbound(policy, issuer.trusting())
        found: list[object] = []
        async with receiver(says(OK)) as heard:
            for host in ("127.0.0.1", "127.0.0.2", "localhost", "127.1", "[::1]"):
                try:
                    found.append(
                        await attempt(outbound, policy.read(f"http://{host}:{heard.port}"))
                    )
                except InvalidInput:
                    found.append(InvalidInput)
            named = await attempt(outbound, policy.read(f"https://{HOST}:8443/"))
            return found[1:], named, heard.connections

    with dns_server(addresses(["127.0.0.1"])) as served:
        assert run(loop, work(served.address)) == ([InvalidInput] * 4, Blocked, 1)


@EVERY_LOOP
def test_a_connection_that_ends_elsewhere_than_at_its_address_carries_nothing(
    loop: Loop, issuer: Issuer
) -> None:
    async def work() -> object:
        anywhere = Admitted([ip_address(0)])  # the kernel takes 0.0.0.0 for 127.0.0.1
        async with receiver(says(OK), issuer.serving()) as heard:
            came = await attempt(Outbound(anywhere, issuer.trusting()), destination(heard.port))
            return came, heard.heard

    assert run(loop, work()) == (Blocked, [])


def test_a_dial_is_for_one_host_and_port_alone() -> None:
    dial = Dial(Admitted(), destination(8443))
    for host, port in ((HOST, 443), ("other.example.org", 8443)):
        with pytest.raises(Blocked):
            asyncio.run(dial.connect_tcp(host, port))
