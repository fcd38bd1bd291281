"""Content codings: choose one that the caller accepts, and encode. Source: RFC 9110, 12.5.3."""

import gzip
import re
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MIN_BYTES = 512
_ELEMENT = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:;q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?")

CODERS: Mapping[str, Callable[[bytes], bytes]] = {
    "br": lambda body: brotli.compress(body, mode=brotli.MODE_TEXT, quality=5),
    "zstd": lambda body: zstd.compress(body, level=9),
    "gzip": lambda body: gzip.compress(body, compresslevel=6, mtime=0),
}
"""The supported codings, the preferred one first."""
QUICK_CODERS: Mapping[str, Callable[[bytes], bytes]] = {
    "br": lambda body: brotli.compress(body, mode=brotli.MODE_TEXT, quality=2),
    "zstd": lambda body: zstd.compress(body, level=3),
    "gzip": lambda body: gzip.compress(body, compresslevel=1, mtime=0),
}
"""The same for bodies that may never be sent again: a third of the time, a tenth more bytes."""


MAX_KEPT = 512
"""The longest value whose choice is kept."""


def choose_encoding(accept_encoding: str) -> str | None:
    """Return the coding to send, or None to send the bytes unencoded."""
    is_short = len(accept_encoding) <= MAX_KEPT
    return _kept_choice(accept_encoding) if is_short else _choice(accept_encoding)


def _choice(accept_encoding: str) -> str | None:
    qualities = _qualities(accept_encoding)
    default = qualities.get("*", 0.0)
    best = max(CODERS, key=lambda name: qualities.get(name, default))
    quality = qualities.get(best, default)
    unencoded = qualities.get("identity", 0.0)
    return best if quality > 0 and quality >= unencoded else None


_kept_choice = lru_cache(maxsize=1024)(_choice)


def encode(body: bytes, coding: str, *, once: bool = False) -> bytes:
    """Return the body in a coding, made quickly if it is sent `once`."""
    return (QUICK_CODERS if once else CODERS)[coding](body)


def _qualities(accept_encoding: str) -> dict[str, float]:
    elements = (part.replace(" ", "").replace("\t", "") for part in accept_encoding.split(",")[:20])
    matches = (_ELEMENT.fullmatch(element) for element in elements)
    return {match[1].lower(): float(match[2] or 1) for match in matches if match is not None}
