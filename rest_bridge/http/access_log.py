"""The access log: one JSON line for each request, written several lines at a time.

A line waits at most `FLUSH_SECONDS` while the event loop runs, and fewer than `MAX_WAITING` lines
wait. What waits is written when the service stops and when the interpreter exits, so only a process
that is killed loses any.
"""

import asyncio
import atexit
import hmac
import logging
import random
import secrets
import time
from collections.abc import Callable, Sequence
from functools import lru_cache

import orjson

from rest_bridge.http.client_address import Network, RawHeaders, logged_address

MAX_AGENT = 120
FLUSH_SECONDS = 0.1
MAX_WAITING = 256
MAX_ADDRESSES = 1024
"""How many pseudonyms are remembered."""
DAY_SECONDS = 24 * 60 * 60

request_observers: list[Callable[..., None]] = []
"""What measures this process: each is called when a request is logged, with `route`, `status`,
`seconds`, `agent` (what the caller says it is), `path` (what was asked for; empty for a ready
answer) and `is_verified` (whether an agent signed the request)."""


def new_request_id() -> str:
    """Return the name of a request in its answer and in the log; it is no secret."""
    return f"{random.getrandbits(64):016x}"


class AddressHasher:
    """Hashes addresses with HMAC-SHA256 under a key that changes daily and is never stored."""

    def __init__(self) -> None:
        self._day = -1
        self._key = b""
        self._known: dict[str, str] = {}

    def hash(self, address: str) -> str:
        """Return the first 8 bytes of the hash in hexadecimal."""
        today = int(time.time()) // DAY_SECONDS
        if today != self._day:
            self._day, self._key = today, secrets.token_bytes(32)
            self._known.clear()
        known = self._known.get(address)
        if known is None:
            if len(self._known) >= MAX_ADDRESSES:
                self._known.clear()
            known = hmac.digest(self._key, address.encode(), "sha256")[:8].hex()
            self._known[address] = known
        return known


class AccessLog:
    """Writes lines to a logger, several in one record."""

    def __init__(self, logger: logging.Logger) -> None:
        self.trusted: Sequence[Network] = ()
        """The proxies whose word about a caller's address is believed."""
        self._logger = logger
        self._hasher = AddressHasher()
        self._lines: list[bytes] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        """The event loop that will write the lines that wait."""
        self._second = -1
        self._time = b""

    def write(  # noqa: PLR0913 - the parts of a line
        self,
        *,
        route: str,
        status: int,
        began: float,
        size: int,
        request_id: str,
        peer: str,
        headers: RawHeaders,
        caller: str = "",
        path: str = "",
        verified: str = "",
    ) -> None:
        """Add the line of a request that began at `began`, a time of `time.perf_counter`.

        Its address is that of the peer, or the one that a trusted proxy names in `headers`.
        `caller` is the name that an agent gives itself in a body, if it does. `path` is not logged:
        it is for those who count what was not found. `verified` is the host of the agent that
        signed the request.
        """
        agent = b""
        for header, value in headers:
            if header == b"user-agent":
                agent = value
                break
        seconds, name = time.perf_counter() - began, _escaped(agent[:MAX_AGENT])
        address = self._hasher.hash(logged_address(peer, headers, self.trusted))
        answer = _answer_members(route, status)
        sender = _caller_members(address, name, caller, verified)
        for observer in request_observers:
            observer(
                route=route,
                status=status,
                seconds=seconds,
                agent=caller or name,
                path=path,
                is_verified=bool(verified),
            )
        self._lines.append(
            b'{"time":"%b",%b,"ms":%.2f,"bytes":%d,"request_id":"%b",%b}'
            % (self._now(), answer, seconds * 1000, size, request_id.encode(), sender)
        )
        if len(self._lines) >= MAX_WAITING:
            self.flush()
        elif len(self._lines) == 1 or self._loop is None or self._loop.is_closed():
            self._schedule()

    def flush(self) -> None:
        """Write the lines that wait."""
        lines, self._lines, self._loop = self._lines, [], None
        if lines:
            self._logger.info(b"\n".join(lines).decode())

    def _schedule(self) -> None:
        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:  # nothing would write it later
            self.flush()
        else:
            self._loop.call_later(FLUSH_SECONDS, self.flush)

    def _now(self) -> bytes:
        now = time.time()
        second = int(now)
        if second != self._second:
            self._second, self._time = second, time.strftime("%FT%T", time.gmtime(second)).encode()
        return b"%b.%03d+00:00" % (self._time, (now - second) * 1000)


# Most of a line is the same as in lines before; what JSON needs is done once.


@lru_cache(maxsize=1024)
def _answer_members(route: str, status: int) -> bytes:
    """Return the members of a line that say what was answered."""
    return orjson.dumps({"route": route, "status": status})[1:-1]


@lru_cache(maxsize=4096)
def _caller_members(address: str, agent: str, caller: str, verified: str) -> bytes:
    """Return the members of a line that say who asked."""
    members = {"address": address, "agent": agent}
    if caller:
        members["caller"] = caller.encode("unicode_escape").decode()[:MAX_AGENT]
    if verified:
        members["verified"] = verified
    return orjson.dumps(members)[1:-1]


@lru_cache(maxsize=4096)
def _escaped(agent: bytes) -> str:
    """Return printable ASCII; `agent` has at most `MAX_AGENT` bytes, each is one character."""
    return agent.decode("latin-1").encode("unicode_escape").decode()[:MAX_AGENT]


access_log = AccessLog(logging.getLogger("studiograph.access"))
"""The access log of this process."""

atexit.register(access_log.flush)
