"""Ready answers: what the application answered, kept as bytes for when the same is asked again.

An answer is kept under everything that it can depend on: the revision of the content, the method,
the target, the headers in `DECIDING` and the body of a POST, all exactly as they were sent. So a
request is judged once, by the application, and nothing here decides what an answer is. Only answers
are kept that an endpoint calls `repeatable`, such as those to queries of GraphQL. The id of a
message of JSON-RPC is cut out of its body and set into the answer, as it is another one each time.

A request that could be answered differently for another reason is never looked up: a read with a
body, and one with a header in `ORDINARY` or with a header given twice. The caller sees to the rest:
HTTP/1.1, one request at a time, a connection that stays open.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from starlette.types import Message, Scope

from sdl.byte_cache import ByteCache
from sdl.runner import CurrentSnapshot, Snapshot

MAX_BYTES = 16 * 1024 * 1024
"""What the answers of one revision may take, with a body counted for each answer that has it."""
MAX_REQUEST = 8 * 1024
"""The longest request that is looked up: below every limit for an address and for headers."""
ENTRY_BYTES = 500
"""What an entry takes besides the bytes that it holds, about."""

DECIDING = (
    b"host",
    b"accept",
    b"accept-encoding",
    b"if-none-match",
    b"if-modified-since",
    b"origin",
    b"cache-control",
    b"content-type",
    b"mcp-protocol-version",
    b"mcp-method",
    b"mcp-name",
    b"content-length",
)
"""The headers that a repeatable answer depends on; the last one says whether there is a body."""
ORDINARY = frozenset((b"content-encoding", b"transfer-encoding", b"expect", b"upgrade"))
"""The headers of requests that are not looked up."""
CACHEABLE_METHODS = (b"GET", b"HEAD")
REQUEST_ID = b"x-request-id"
REQUESTS_BYTES = 2 * 1024 * 1024
"""What the requests whose bytes are known may take."""

KEY = "studiograph.ready_key"
REPEATABLE = "studiograph.repeatable"

_RPC, _ID_MEMBER = b'"jsonrpc"', b'"id"'
_ID = re.compile(rb'"id"\s*:\s*([0-9]{1,15})(?=[\s,}])')
_RPC_OPENING = b'{"jsonrpc":"2.0","id":'

Key: TypeAlias = tuple[bytes | None, ...]
ReadyTable: TypeAlias = "ByteCache[ReadyAnswer]"
"""The ready answers of one revision."""


class Lookup(NamedTuple):
    """The key of a request, and the id of its message."""

    key: Key
    id: bytes = b""
    """The id of a message, which is not in the key; empty for all other requests."""


@dataclass(frozen=True, slots=True)
class ReadyAnswer:
    """An answer as bytes: the headers before and after the request id, and the body."""

    status: int
    before: bytes
    after: bytes
    body: bytes
    route: str
    """The route in the log."""
    opening: bytes = b""
    """What comes before the id of a message, which the body follows; empty without an id."""

    @classmethod
    def of(cls, start: Message, body: bytes, route: str) -> "ReadyAnswer":
        """Return the answer that these ASGI messages make."""
        block = b"".join(b"%s: %s\r\n" % header for header in start["headers"])
        before, name, after = block.partition(REQUEST_ID + b": ")
        end = after.index(b"\r\n")
        return cls(start["status"], before + name, after[end:] + b"\r\n", body, route)

    def keep_in(self, table: "ReadyTable", asked: Lookup) -> None:
        """Keep it for what was asked, unless it does not begin with the id of the message."""
        answer = self
        if asked.id:
            if not self.body.startswith(b"%b%b," % (_RPC_OPENING, asked.id)):
                return
            rest = self.body[len(_RPC_OPENING) + len(asked.id) :]
            answer = replace(self, body=rest, opening=_RPC_OPENING)
        parts = (*asked.key, self.before, self.after, self.body)
        size = ENTRY_BYTES + sum(len(part) for part in parts if part is not None)
        table.add(asked.key, answer, size)


def key_of(method: bytes, target: bytes, headers: Sequence[tuple[bytes, bytes]]) -> Key | None:
    """Return the key of a request; None if it is not one to look up. Names are in lower case.

    The key of a POST is to be completed by `with_body`.
    """
    named = dict(headers)
    has_body = b"content-length" in named
    if (
        not (method == b"POST" if has_body else method in CACHEABLE_METHODS)
        or not target.startswith(b"/")
        or len(named) != len(headers)
        or not ORDINARY.isdisjoint(named)
    ):
        return None
    return (method, target, *map(named.get, DECIDING))


def with_body(key: Key, body: bytes) -> Lookup | None:
    """Return what a POST asks with this part of its body; None if that is not all of it.

    A body with an escape or with several members `id` keeps its id, as only a parser could say
    which of them is the message's. The length stays in the key, and so does that of the id.
    """
    if key[-1] != b"%d" % len(body):
        return None
    if _RPC in body and b"\\" not in body and body.count(_ID_MEMBER) == 1:
        found = _ID.search(body)
        if found is not None:
            start, end = found.span(1)
            return Lookup((*key, body[:start], body[end:]), found[1])
    return Lookup((*key, body))


def repeatable(scope: Scope) -> None:
    """Say that the answer to a request depends on its key and the content alone."""
    scope[REPEATABLE] = True


class ParsedRequest(NamedTuple):
    """What the parser makes of certain bytes, which are one request and no more."""

    key: Key
    headers: list[tuple[bytes, bytes]]


class ReadyReads:
    """The table of the current revision."""

    def __init__(self, current: CurrentSnapshot) -> None:
        self.current = current
        self.requests: ByteCache[ParsedRequest] = ByteCache(REQUESTS_BYTES)
        """Requests with a ready answer by their bytes, which most callers repeat to the letter."""
        self._of: Snapshot | None = None
        self._table: ReadyTable = ByteCache(0)

    def remember(self, data: bytes, request: ParsedRequest) -> None:
        """Remember what the parser made of the bytes of one request."""
        self.requests.add(data, request, ENTRY_BYTES + 4 * len(data))

    @property
    def table(self) -> ReadyTable:
        """The table; a new revision begins with an empty one.

        A request takes it before it is answered and keeps the answer there, so an answer is never
        found in the table of a newer revision. A snapshot that is not cached keeps nothing.
        """
        snapshot = self.current()
        if snapshot is not self._of:
            self._of = snapshot
            self._table = ByteCache(0 if snapshot.modified is None else MAX_BYTES)
        return self._table
