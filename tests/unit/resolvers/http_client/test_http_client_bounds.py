"""Whatever a host answers, it is read within its bytes and its seconds, and as it is."""

import gzip

import pytest
from certificates import Authority
from guarded_requests import MOST, send
from webhook_hosts import (
    EVERY_LOOP,
    Loop,
    Manner,
    goes_on,
    http,
    says,
)

from resolvers.http_client.client import OutboundResponse
from resolvers.http_client.errors import InvalidResponseError

pytestmark = EVERY_LOOP

OK = http(b"fine")

HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Who issues the receivers' certificates."""
    return Authority(tmp_path_factory.mktemp("issuer"))


@pytest.mark.parametrize(
    ("said", "body", "is_whole"),
    [
        (http(b"x" * MOST), b"x" * MOST, True),
        (http(b"x" * (MOST + 1)), b"x" * MOST, False),
        (HEAD + b"1\r\nx\r\n" * MOST + b"0\r\n\r\n", b"x" * MOST, True),
        (HEAD + b"1\r\nx\r\n" * (MOST + 1) + b"0\r\n\r\n", b"x" * MOST, False),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 50 + OK, b"fine", True),
        (b"HTTP/1.0 200 OK\r\n\r\nto the end", b"to the end", True),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b"", True),
        (http(b"fine", "200 OK", "Content-Encoding: Identity"), b"fine", True),
    ],
)
def test_an_answer_is_read_up_to_its_limit(
    said: bytes,
    body: bytes,
    is_whole: bool,  # noqa: FBT001 - a case
    loop: Loop,
    issuer: Authority,
) -> None:
    came, _, _ = send(loop, issuer, says(said))
    assert isinstance(came, OutboundResponse)
    assert (came.body, came.is_complete) == (body, is_whole)


@pytest.mark.parametrize(
    "manner",
    [
        goes_on(b"HTTP/1.1 200 OK\r\nContent-Length: 268435456\r\n\r\n", b"x" * 65_536),
        goes_on(HEAD, b"1\r\nx\r\n" * 9_999),
        goes_on(HEAD, b"ffff\r\n" + b"x" * 65_535 + b"\r\n"),
    ],
    ids=["256 MB", "many chunks", "endless"],
)
def test_an_answer_without_end_is_left_at_its_limit(
    manner: Manner, loop: Loop, issuer: Authority
) -> None:
    came, _, _ = send(loop, issuer, manner)
    assert isinstance(came, OutboundResponse)
    assert (len(came.body), came.is_complete) == (MOST, False)


@pytest.mark.parametrize("coding", ["gzip", "GZIP", "deflate", "br", "zstd", "identity, gzip"])
def test_a_coded_answer_is_refused(coding: str, loop: Loop, issuer: Authority) -> None:
    bomb = gzip.compress(bytes(10_000_000))
    came, _, _ = send(loop, issuer, says(http(bomb, "200 OK", f"Content-Encoding: {coding}")))
    assert came is InvalidResponseError


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.9\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 99 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort",
        HEAD + b"zz\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 50_000 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000,
        b"\x00\xff" * 99,
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nmore",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_what_is_no_answer_is_unreadable(said: bytes, loop: Loop, issuer: Authority) -> None:
    came, _, _ = send(loop, issuer, says(said))
    assert came is InvalidResponseError
