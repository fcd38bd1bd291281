"""Canonical JSON after RFC 8785: the bytes that stand for a value, wherever it is written."""

from enum import Enum
from hashlib import sha256
from typing import Any

import orjson
import rfc8785

from sdl.types.scalar_types import Digest

_PLAIN = frozenset((str, int, bool, type(None)))


def canonical_json(value: Any) -> bytes:
    """Return the canonical bytes of plain JSON; raise an error of rfc8785 for all else."""
    return quick_json(value) if is_quick(value) else rfc8785.dumps(value)


def quick_json(value: Any) -> bytes:
    """Return a value as JSON with sorted keys: the canonical bytes of one that `is_quick`."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER)


def is_quick(value: Any) -> bool:
    """Whether orjson writes the same bytes as RFC 8785, in a quarter of the time.

    It sorts keys by code points instead of UTF-16 units, which is the same for ASCII, knows more
    types than JSON has, and writes fractions in another way. A quick value has none of these.
    """
    waiting = [value]
    for each in waiting:  # which grows meanwhile
        kind = type(each)
        if kind in _PLAIN:
            continue
        if kind is dict:
            for key in each:
                if type(key) is not str or not key.isascii():
                    return False
            waiting += each.values()
        elif kind is list or kind is tuple:
            waiting += each
        elif not isinstance(each, str) or isinstance(each, Enum):
            return False
    return True


def digest_of(data: bytes) -> Digest:
    """Return `sha256:<hex>` of the bytes."""
    return Digest(f"sha256:{sha256(data).hexdigest()}")
