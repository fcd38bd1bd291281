"""Answers of the GraphQL endpoint, kept for as long as one revision of the content is served.

An answer is kept under everything that it depends on: the input as it was sent (the body, or the
query string, with the document, its variables and the operation), and the headers that choose its
representation. Only answers are kept that are the same each time.
"""

from collections.abc import Hashable
from typing import TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from rest_bridge.http.responses import Representation
from sdl.byte_cache import ByteCache
from sdl.runner import Snapshot

MAX_BYTES = 8 * 2**20
"""What the answers of one revision may take."""
BYTES_BESIDES = 2_000
"""What an answer takes besides its body and its input: headers, keys, objects."""

Answer: TypeAlias = Representation | Response
"""A representation to a GET, which has an ETag; a response to a POST, which may not be cached."""

_CHOOSING = frozenset((b"content-type", b"accept", b"accept-encoding", b"cache-control"))


class AnswerCache:
    """The kept answers of one revision."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._answers: ByteCache[Answer] = snapshot.cached(
            "graphql answers", lambda: ByteCache(MAX_BYTES)
        )

    def get(self, key: Hashable) -> Answer | None:
        """Return the answer of a key; None if it is not kept."""
        return self._answers.get(key)

    def add(self, key: Hashable, answer: Answer, payload: bytes) -> None:
        """Keep an answer for an input, if it is asked for again soon enough."""
        body = len(answer.body)
        coded = body if isinstance(answer, Representation) else 0  # its codings are made later
        self._answers.add(key, answer, BYTES_BESIDES + len(payload) + body + coded)


def cache_key(request: Request, payload: bytes) -> Hashable | None:
    """Return the key of a request with this body or query string; None to run it in any case.

    `Cache-Control: no-cache` or `no-store` in a request says so.
    """
    chosen = tuple(header for header in request.scope["headers"] if header[0] in _CHOOSING)
    for name, value in chosen:
        if name == b"cache-control" and (b"no-cache" in value or b"no-store" in value):
            return None
    return (request.method == "POST", payload, chosen)
