"""Ready answers: what the application answered, kept as bytes for when the same is asked again.

An answer is kept under everything that it can depend on: the revision of the content, the method,
the target, the headers in `DECIDING` and the body of a POST, all exactly as they were sent. So a
request is judged once, by the application, and nothing here decides what an answer is: that it is
304, for example, is decided in `rest_bridge/http/responses.py`. Only answers are kept that an
endpoint calls `repeatable`, such as those to queries of GraphQL. The id of a message of JSON-RPC is
cut out of its body and set into the answer, as it is another one each time.

A request that could be answered differently for another reason is never looked up: a read with a
body, and one with a header in `ORDINARY` or with a header given twice. The caller sees to the rest:
HTTP/1.1, one request at a time, a connection that stays open.

An endpoint may also say how the body of another POST with the same head would be answered. Such an
answer has the headers that the application gave to one of them: see `Front`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from starlette.types import Message, Scope

from rest_bridge.http.loop_turn import LoopTurn
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

MAX_RUN = 16 * 1024
"""The longest body that is answered by a `Front`."""
FRONTS_BYTES, FRONT_BYTES = 512 * 1024, 4 * 1024
"""What all `Front`s may take, and what one takes: a head is shorter than `MAX_REQUEST`."""
RUN_SIZE = 250
"""What remains prepared for a body takes about so many times its length."""

KEY = "studiograph.ready_key"
REPEATABLE = "studiograph.repeatable"
FRONT = "studiograph.front"

_RPC, _ID_MEMBER = b'"jsonrpc"', b'"id"'
_ID = re.compile(rb'"id"\s*:\s*([0-9]{1,15})(?=[\s,}])')
_RPC_OPENING = b'{"jsonrpc":"2.0","id":'

Key: TypeAlias = tuple[bytes | None, ...]


class Lookup(NamedTuple):
    """The key of a request, and the id of its message."""

    key: Key
    id: bytes = b""
    """The id of a message, which is not in the key; empty for all other requests."""


class ReadyAnswer(NamedTuple):
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

    def to_message(self, own_id: bytes) -> "ReadyAnswer | None":
        """Return the answer without the id of its message; None if it does not begin with it."""
        if not self.body.startswith(b"%b%b," % (_RPC_OPENING, own_id)):
            return None
        rest = self.body[len(_RPC_OPENING) + len(own_id) :]
        return self._replace(body=rest, opening=_RPC_OPENING)


class MadeBody(NamedTuple):
    """The body of an answer that was made just now."""

    body: bytes
    coding: str | None
    """The content coding that it is in."""


class Work(NamedTuple):
    """What makes the body of the answer to one request."""

    make: Callable[[], MadeBody | None]
    """Makes it anew; None if the application must answer."""
    is_lasting: bool
    """Whether it is worth keeping for when the same is asked again."""


Prepare: TypeAlias = Callable[[Snapshot, bytes], Work | None]
"""Returns what answers the body of a request; None if the application must answer."""


class Offer(NamedTuple):
    """What an endpoint says of its answer to a POST: how to answer another with the same head."""

    prepare: Prepare
    may_keep: bool
    """Whether the answers may be kept, so that nothing is run when the same is asked again."""


_LENGTH = b"content-length: "


@dataclass
class Front:
    """How the POSTs with one head are answered from their bodies, below the application.

    It begins with an answer of the application, and changes in it the body and its length alone.
    """

    offer: Offer
    learned: dict[bool, ReadyAnswer] = field(default_factory=dict)
    """An answer of the application, with its body in a coding and without one."""

    def learn(self, answer: ReadyAnswer) -> None:
        """Take an answer of the application."""
        is_coded = b"content-encoding: " in answer.before
        before, _, after = answer.before.partition(_LENGTH)
        self.learned[is_coded] = answer._replace(
            before=before + _LENGTH, body=after[after.index(b"\r\n") :]
        )

    def answer(self, work: Work) -> ReadyAnswer | None:
        """Return the answer whose body is made now; None if the application must answer."""
        made = work.make()
        if made is None or (known := self.learned.get(made.coding is not None)) is None:
            return None
        body, between = made.body, known.body
        before = b"%b%d%b" % (known.before, len(body), between)
        return ReadyAnswer(known.status, before, known.after, body, known.route)


class Rerun(NamedTuple):
    """An answer that is made each time it is asked for."""

    front: Front
    work: Work


class ReadyTable:
    """The ready answers of one revision, and how others are made."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        is_cached = snapshot.modified is not None
        self._answers: ByteCache[ReadyAnswer | Rerun] = ByteCache(MAX_BYTES if is_cached else 0)
        self._fronts: ByteCache[Front] = ByteCache(min(MAX_BYTES, FRONTS_BYTES) * is_cached)

    def get(self, asked: Lookup) -> ReadyAnswer | None:
        """Return the ready answer to a request, or one that is made as it was made before."""
        found = self._answers.get(asked.key)
        return found.front.answer(found.work) if type(found) is Rerun else found  # type: ignore[return-value]

    def run(self, asked: Lookup) -> ReadyAnswer | None:
        """Return the answer to a POST that is made now; None if the application must answer."""
        *head, _, body = asked.key
        if body is None or asked.id or len(body) > MAX_RUN:
            return None
        front = self._fronts.get((*head,))
        work = front.offer.prepare(self.snapshot, body) if front is not None else None
        if front is None or work is None or (answer := front.answer(work)) is None:
            return None
        if front.offer.may_keep:
            self._keep(asked, answer, len(answer.before) + len(answer.body))
        elif work.is_lasting:
            self._keep(asked, Rerun(front, work), RUN_SIZE * len(body))
        return answer

    def keep(self, asked: Lookup, answer: ReadyAnswer) -> None:
        """Keep an answer of the application that can be repeated."""
        kept = answer.to_message(asked.id) if asked.id else answer
        if kept is not None:
            self._keep(asked, kept, len(kept.before) + len(kept.after) + len(kept.body))

    def _keep(self, asked: Lookup, answer: ReadyAnswer | Rerun, size: int) -> None:
        size += ENTRY_BYTES + sum(len(part) for part in asked.key if part is not None)
        self._answers.add(asked.key, answer, size)

    def learn(self, asked: Lookup, answer: ReadyAnswer, offer: Offer) -> None:
        """Remember how other POSTs with the same head are answered."""
        *head, _, _ = asked.key
        front = self._fronts.get((*head,))
        if front is None:
            front = Front(offer)
            self._fronts.add((*head,), front, FRONT_BYTES)
        front.learn(answer)


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


def answers_others(scope: Scope, prepare: Prepare, *, may_keep: bool) -> None:
    """Say how another POST with the same head would be answered, with the same headers."""
    scope[FRONT] = Offer(prepare, may_keep)


def repeatable(scope: Scope) -> None:
    """Say that the answer to a request depends on its key and the content alone."""
    scope[REPEATABLE] = True


class ParsedRequest(NamedTuple):
    """What the parser makes of certain bytes, which are one request or its head."""

    asked: Lookup
    """What it asks; the key of a head is to be completed by `with_body`."""
    headers: list[tuple[bytes, bytes]]


_END = b"\r\n\r\n"


class ReadyReads:
    """The table of the current revision, and what is known of the bytes of requests."""

    def __init__(self, current: CurrentSnapshot) -> None:
        self.current = current
        self.requests: ByteCache[ParsedRequest] = ByteCache(REQUESTS_BYTES)
        """Requests with a ready answer by their bytes, which most callers repeat to the letter."""
        self.heads: ByteCache[ParsedRequest] = ByteCache(REQUESTS_BYTES)
        """The heads of POSTs by their bytes; their keys are to be completed by `with_body`."""
        self.turn = LoopTurn()
        self._table: ReadyTable | None = None

    def remember(self, data: bytes, request: ParsedRequest) -> None:
        """Remember what the parser made of the bytes of one request."""
        self.requests.add(data, request, ENTRY_BYTES + 4 * len(data))

    def remember_head(self, data: bytes, head: ParsedRequest) -> None:
        """Remember what the parser made of the head in the bytes of one request."""
        start = data[: data.index(_END)]
        self.heads.add(start, head, ENTRY_BYTES + 4 * len(start))

    @property
    def table(self) -> ReadyTable:
        """The table; a new revision begins with an empty one.

        A request takes it before it is answered and keeps the answer there, so an answer is never
        found in the table of a newer revision. A snapshot that is not cached keeps nothing.
        """
        snapshot, table = self.current(), self._table
        if table is None or snapshot is not table.snapshot:
            table = self._table = ReadyTable(snapshot)
        return table

    def answer(self, data: bytes) -> tuple[ReadyAnswer, ParsedRequest] | None:
        """Return the answer to bytes that are one request, ready or made now, and what they are.

        None if neither they nor their head are known, or if the application must answer.
        """
        table = self.table
        if (known := self.requests.get(data)) is not None:
            answer = table.get(known.asked) or table.run(known.asked)
        elif (known := self._behind_head(data)) is None:
            return None
        elif (answer := table.get(known.asked)) is None:
            answer = table.run(known.asked)
        elif not known.asked.id:
            self.remember(data, known)
        return (answer, known) if answer is not None else None

    def _behind_head(self, data: bytes) -> ParsedRequest | None:
        """Return what certain bytes ask if they are one request whose head is known."""
        head, _, body = data.partition(_END)
        if not body or len(data) > MAX_REQUEST + MAX_RUN:
            return None
        if (begun := self.heads.get(head)) is None:
            return None
        asked = with_body(begun.asked.key, body)
        return ParsedRequest(asked, begun.headers) if asked is not None else None
