"""The table of ready answers: what the application answered, kept as bytes under what decides it.

A read is decided by its target, the media type and the coding that it gets, and whether the caller
has that body already. So the key has none of the bytes that only say it: a thousand clients with
their own headers share one answer. A POST is also decided by its body and the headers in `SAID`.

The table decides nothing. It keeps an answer if the endpoint said what decides it, by `keepable`,
and sends it as it was but for its request id. A request that could be answered differently for
another reason is never looked up: one with a header in `ORDINARY`, with
`Cache-Control: no-cache`, or with a header given twice.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from starlette.types import Message, Scope

from rest_bridge.http.negotiation import choose, choose_encoding
from sdl.running.runner import CurrentSnapshot, Snapshot
from sdl.tools.byte_cache import ByteCache

MAX_BYTES = 16 * 1024 * 1024
"""What the answers of one revision may take, with a body counted for each answer that has it."""
TARGETS_BYTES = 2 * 1024 * 1024
"""The most that the media types of all targets may take."""
MAX_HEAD = 8 * 1024
"""The longest head that is looked up: below every limit for an address and for headers."""
MAX_BODY = 16 * 1024
"""The longest body of a POST that is looked up."""
ENTRY_BYTES = 500
"""What an entry takes besides the bytes that it holds, about."""
MAX_HOSTS = 256
"""How many spellings of this service's names are remembered."""

ORDINARY = frozenset(
    (
        *(b"if-match", b"if-modified-since", b"if-unmodified-since"),
        *(b"content-encoding", b"transfer-encoding", b"expect", b"upgrade"),
    )
)
"""The headers of requests that are not looked up."""
LENGTH, _TAGS = b"content-length", b"if-none-match"
SAID = (b"content-type", b"accept")
"""The headers that decide what a POST is answered, besides its coding."""
OK = 200
KEEPABLE = "studiograph.keepable"

Offered: TypeAlias = tuple[str, ...]
"""The media types of a path, the default first."""
Key: TypeAlias = tuple[object, ...]
Headers: TypeAlias = Sequence[tuple[bytes, bytes]]

_REQUEST_ID = b"x-request-id: "
_TAG = re.compile(rb"^etag: ([^\r]*)\r\n", re.MULTILINE)


def keepable(scope: Scope, offered: Offered = (), body: bytes = b"") -> None:
    """Say that the key has all that decides the answer: of what a path offers, or by a body."""
    scope[KEEPABLE] = (offered, body)


class ReadyAnswer(NamedTuple):
    """An answer as bytes: the headers before and after the request id, and the body."""

    status: int
    before: bytes
    after: bytes
    body: bytes
    route: str
    """The route in the log."""
    tag: bytes
    """The entity tag; empty if there is none."""

    @classmethod
    def of(cls, start: Message, body: bytes, route: str) -> "ReadyAnswer":
        """Return the answer that these ASGI messages make."""
        block = b"".join(b"%s: %s\r\n" % header for header in start["headers"])
        before, name, after = block.partition(_REQUEST_ID)
        found = _TAG.search(block)
        after = after[after.index(b"\r\n") :]
        return cls(start["status"], before + name, after, body, route, found[1] if found else b"")

    def unmodified(self) -> "ReadyAnswer":
        """Return the answer to a caller who has this body: 304, without a length."""
        line = b"content-length: %d\r\n" % len(self.body)
        before, after = self.before.replace(line, b"", 1), self.after.replace(line, b"", 1)
        return self._replace(status=304, before=before, after=after, body=b"")


class ReadyAnswers:
    """The answers that are ready for the current revision."""

    def __init__(self, current: CurrentSnapshot) -> None:
        self.current = current
        self._table: Table | None = None

    @property
    def table(self) -> "Table":
        """The table; a new revision begins with an empty one.

        A request takes it before it is answered and its answer is kept there, so an answer is
        never found in the table of a newer revision.
        """
        snapshot, table = self.current(), self._table
        if table is None or snapshot is not table.snapshot:
            table = self._table = Table(snapshot)
        return table


class Table:
    """The ready answers of one revision; one that may change at any time keeps none."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._is_keeping = is_cached = snapshot.modified is not None
        self._hosts: set[bytes] = set()
        """The values of Host that the application takes."""
        self._offered: ByteCache[Offered] = ByteCache(TARGETS_BYTES * is_cached)
        """What each target offers."""
        self._posts: set[bytes] = set()
        """The targets whose answers to POSTs are kept, which are few."""
        self._answers: ByteCache[ReadyAnswer] = ByteCache(MAX_BYTES * is_cached)

    def read(self, target: bytes, headers: Headers) -> ReadyAnswer | None:
        """Return the answer to a GET or HEAD; None if the application must answer."""
        if not (offered := self._offered.get(target)):
            return None
        named = self._named(headers)
        if named is None or LENGTH in named:
            return None
        answer, tags = self._answers.get(_read_key(target, offered, named)), named.get(_TAGS)
        if answer is None or tags is None:
            return answer
        return answer.unmodified() if _has(tags, answer.tag) else answer

    def has_posts(self, target: bytes) -> bool:
        """Whether answers to POSTs are kept for a target."""
        return target in self._posts

    def post(self, target: bytes, headers: Headers, body: bytes) -> ReadyAnswer | None:
        """Return the answer to a POST; None if the application must answer."""
        named = self._named(headers)
        return self._answers.get(_post_key(target, named, body)) if named else None

    def _named(self, headers: Headers) -> dict[bytes, bytes] | None:
        """Return the headers by name; None if the request is to be answered by the application."""
        named = _decisive(headers)
        return named if named is not None and named.get(b"host") in self._hosts else None

    def keep(self, scope: Scope, start: Message, sent: bytes, route: str) -> None:
        """Keep a whole answer of the application to a request whose host it takes."""
        (offered, body), query = scope[KEEPABLE], scope["query_string"]
        target = scope["raw_path"] + (b"?" + query if query else b"")
        named, method = _decisive(scope["headers"]), scope["method"]
        if named is None or start["status"] != OK or not self._is_keeping:
            return
        if len(self._hosts) == MAX_HOSTS:
            self._hosts.clear()
        self._hosts.add(named[b"host"])
        answer, size = ReadyAnswer.of(start, sent, route), ENTRY_BYTES + len(target)
        if method == "GET" and LENGTH not in named:
            if self._offered.get(target) != offered:
                self._offered.add(target, offered, size)
            key = _read_key(target, offered, named)
        elif method == "POST" and not query and len(body) <= MAX_BODY:
            self._posts.add(target)
            key, size = _post_key(target, named, body), size + len(body)
        else:
            return
        if self._answers.get(key) is None:  # what is asked again must not be on trial again
            size += len(answer.before) + len(answer.after) + len(sent)
            self._answers.add(key, answer, size)


def _decisive(headers: Headers) -> dict[bytes, bytes] | None:
    """Return headers by name; None if one stands there twice or asks for an answer of its own."""
    named = dict(headers)
    if len(named) != len(headers) or not ORDINARY.isdisjoint(named):
        return None
    return None if b"no-" in named.get(b"cache-control", b"") else named


def _read_key(target: bytes, offered: Offered, named: Mapping[bytes, bytes]) -> Key:
    """Return the key of a read; a path that offers one form serves it whatever Accept says."""
    accept = named.get(b"accept", b"").decode("latin-1")
    return (target, choose(accept, offered), _coding(named))


def _post_key(target: bytes, named: Mapping[bytes, bytes], body: bytes) -> Key:
    return (target, body, _coding(named), *map(named.get, SAID))


def _coding(named: Mapping[bytes, bytes]) -> str | None:
    return choose_encoding(named.get(b"accept-encoding", b"").decode("latin-1"))


def _has(tags: bytes, own: bytes) -> bool:
    """Whether `If-None-Match` has an entity tag."""
    if not own:
        return False
    parts = [tag.strip(b" \t").removeprefix(b"W/") for tag in tags.split(b",")]
    return b"*" in parts or own in parts
