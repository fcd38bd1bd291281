"""What goes out goes over verified TLS, is not sent on elsewhere, and brings nothing with it."""

import asyncio
import ssl
from pathlib import Path
from typing import Any

import pytest
from certificates import HOST, Authority
from guarded_requests import BODY, HEADERS, MOST, attempt, run, send
from webhook_hosts import (
    EVERY_LOOP,
    Admitted,
    Loop,
    Receiver,
    cut,
    destination,
    http,
    receiver,
    says,
)

from resolvers.http_client.client import OutboundClient, OutboundResponse
from resolvers.http_client.errors import (
    ConnectionFailedError,
    InvalidResponseError,
    OutboundTimeoutError,
)

pytestmark = EVERY_LOOP

OK = http(b"fine")


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Who issues the receivers' certificates."""
    return Authority(tmp_path_factory.mktemp("issuer"))


def test_a_body_arrives_to_the_byte_and_the_answer_comes_back(
    loop: Loop, issuer: Authority
) -> None:
    said = http(b"fine", "202 Accepted", "X-A: 1", "x-a: 2", "Retry-After: 7")
    came, heard, _ = send(loop, issuer, says(said))
    assert came == OutboundResponse(
        202, {"content-length": "4", "x-a": "1, 2", "retry-after": "7"}, b"fine"
    )
    head, _, body = heard.heard[0].partition(b"\r\n\r\n")
    line, *fields = head.decode().split("\r\n")
    assert (line, body) == ("POST /in?a=b HTTP/1.1", BODY)
    assert sorted(field.lower() for field in fields) == [
        "accept-encoding: identity",
        "connection: close",
        f"content-length: {len(BODY)}",
        "content-type: application/json",
        f"host: {HOST}:{heard.port}",
        "user-agent: studio-webhooks/2",
    ]


def test_a_get_has_no_body(loop: Loop, issuer: Authority) -> None:
    async def work() -> Receiver:
        outbound = OutboundClient(Admitted(), issuer.trusting())
        async with receiver(says(OK), issuer.serving()) as heard:
            to = destination(heard.port)
            answer = await outbound.get(to, HEADERS, seconds=5, max_bytes=MOST)
            assert answer.body == b"fine"
            return heard

    assert run(loop, work()).heard[0].startswith(b"GET /in?a=b HTTP/1.1\r\n")


@pytest.mark.parametrize(
    "certificate",
    [
        {"host": "other.example.org"},
        {"host": "*.org"},
        {"ends_days": -1},
        {"alone": True},
    ],
    ids=["another host", "too wide", "expired", "self-signed"],
)
def test_a_certificate_that_does_not_hold_is_refused(
    certificate: dict[str, Any], loop: Loop, issuer: Authority
) -> None:
    came, heard, _ = send(loop, issuer, says(OK), issuer.serving(**certificate))
    assert (came, heard.heard) == (ConnectionFailedError, [])


def test_an_issuer_that_is_not_trusted_is_refused(
    loop: Loop, issuer: Authority, tmp_path: Path
) -> None:
    came, heard, _ = send(loop, issuer, says(OK), Authority(tmp_path).serving())
    assert (came, heard.heard) == (ConnectionFailedError, [])


def test_the_public_authorities_are_what_is_trusted_if_nothing_is_said(
    loop: Loop, issuer: Authority
) -> None:
    async def work() -> object:
        async with receiver(says(OK), issuer.serving()) as heard:
            return await attempt(OutboundClient(Admitted()), destination(heard.port)), heard.heard

    assert run(loop, work()) == (ConnectionFailedError, [])


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_old_tls_is_refused(loop: Loop, issuer: Authority) -> None:
    old = issuer.serving()
    old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    old.set_ciphers("ALL:@SECLEVEL=0")
    came, heard, _ = send(loop, issuer, says(OK), old)
    assert (came, heard.heard) == (ConnectionFailedError, [])


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_an_answer_and_is_not_followed(
    status: int, loop: Loop, issuer: Authority
) -> None:
    async def work() -> object:
        outbound = OutboundClient(Admitted(), issuer.trusting())
        tls = issuer.serving()
        async with receiver(says(OK), tls) as sink:
            place = f"Location: https://{HOST}:{sink.port}/latest/meta-data/"
            metadata = "Location: http://169.254.169.254/latest/meta-data/"
            for location in (place, metadata):
                async with receiver(says(http(b"", f"{status} Go", location)), tls) as heard:
                    came = await attempt(outbound, destination(heard.port))
                    assert isinstance(came, OutboundResponse)
                    assert (came.status, heard.connections) == (status, 1)
            return sink.connections

    assert run(loop, work()) == 0


def test_cookies_are_not_kept(loop: Loop, issuer: Authority) -> None:
    async def work() -> list[bytes]:
        outbound = OutboundClient(Admitted(), issuer.trusting())
        said = http(b"", "200 OK", "Set-Cookie: a=b; Path=/")
        async with receiver(says(said), issuer.serving()) as heard:
            for _ in range(2):
                await attempt(outbound, destination(heard.port))
            assert heard.connections == 2
            return heard.heard

    assert b"a=b;" not in run(loop, work())[1].lower()


def test_a_host_without_tls_is_unreachable_and_a_silent_one_too_slow(
    loop: Loop, issuer: Authority
) -> None:
    async def work() -> object:
        outbound = OutboundClient(Admitted(), issuer.trusting())
        left = asyncio.Event()

        async def plain(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(OK)
            await writer.drain()
            writer.close()

        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while await reader.read(1024):
                continue
            writer.transport.abort()
            left.set()

        found = []
        for manner in (plain, silent):
            async with await asyncio.start_server(manner, "127.0.0.1", 0) as server:
                port = server.sockets[0].getsockname()[1]
                found.append(await attempt(outbound, destination(port), 0.6))
        await asyncio.wait_for(left.wait(), 5)
        found.append(await attempt(outbound, destination(port)))  # nobody listens now
        return found

    assert run(loop, work()) == [ConnectionFailedError, OutboundTimeoutError, ConnectionFailedError]


@pytest.mark.parametrize("toward", ["host", "client"])
def test_a_host_that_leaves_at_any_byte_is_told_in_our_words(
    toward: str, loop: Loop, issuer: Authority
) -> None:
    async def work() -> set[object]:
        outbound = OutboundClient(Admitted(), issuer.trusting())
        found: set[object] = set()
        async with receiver(says(http(b"x" * 3000)), issuer.serving()) as heard:
            for most in range(0, 4000, 61):
                limits = (most, 1 << 20) if toward == "host" else (1 << 20, most)
                async with cut(heard.port, *limits) as port:
                    came = await attempt(outbound, destination(port))
                    found.add(type(came) if isinstance(came, OutboundResponse) else came)
        return found

    assert (
        {ConnectionFailedError}
        <= run(loop, work())
        <= {ConnectionFailedError, InvalidResponseError, OutboundResponse}
    )
