"""Content codings: which one a caller takes, and bytes in it.

Source: RFC 9110 section 12.5.3.
"""

import gzip
import re
from collections.abc import Callable, Mapping

import brotli
import zstandard

MIN_BYTES = 512
_ELEMENT = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:;q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?")

CODERS: Mapping[str, Callable[[bytes], bytes]] = {
    "br": lambda body: brotli.compress(body, mode=brotli.MODE_TEXT, quality=5),
    "zstd": lambda body: zstandard.ZstdCompressor(level=9).compress(body),
    "gzip": lambda body: gzip.compress(body, compresslevel=6, mtime=0),
}
"""The codings made here, the best first."""


def choose_encoding(accept_encoding: str) -> str | None:
    """The coding to send; None for the bytes as they are."""
    wishes = _wishes(accept_encoding)
    others = wishes.get("*", 0.0)
    best = max(CODERS, key=lambda name: wishes.get(name, others))
    quality = wishes.get(best, others)
    plain = wishes.get("identity", 0.0)
    return best if quality > 0 and quality >= plain else None


def encode(body: bytes, coding: str) -> bytes:
    """The body in a coding."""
    return CODERS[coding](body)


def _wishes(accept_encoding: str) -> dict[str, float]:
    found = (_ELEMENT.fullmatch(part.replace(" ", "")) for part in accept_encoding.split(",")[:20])
    return {part[1].lower(): float(part[2] or 1) for part in found if part is not None}
