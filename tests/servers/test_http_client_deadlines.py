"""Whatever a host answers, it is read within its bytes and its seconds, and as it is."""

import pytest
import uvloop
from certificates import Authority
from guarded_requests import send
from webhook_hosts import (
    Loop,
    Manner,
    goes_on,
)

from resolvers.http_client.errors import OutboundTimeoutError

pytestmark = pytest.mark.parametrize("loop", [uvloop.new_event_loop])

HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Who issues the receivers' certificates."""
    return Authority(tmp_path_factory.mktemp("issuer"))


@pytest.mark.parametrize(
    "manner",
    [
        goes_on(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b"x", 0.05),
        goes_on(HEAD, b"1\r\nx\r\n", 0.05),
        goes_on(HEAD + b"1;", b"x", 0.05),
        goes_on(b"HTTP/1.1 200 OK\r\nX-", b"x", 0.05),
        goes_on(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.05),
        goes_on(b"", b"", 0.05),
        goes_on(HEAD + b"0\r\n", b"x-a: b\r\n", 0.05),
    ],
    ids=["body", "chunks", "chunk", "header", "information", "nothing", "trailers"],
)
def test_an_answer_in_drops_ends_at_the_deadline(
    manner: Manner, loop: Loop, issuer: Authority
) -> None:
    came, _, took = send(loop, issuer, manner, seconds=0.6)
    assert came is OutboundTimeoutError
    assert took > 0.59
