"""Canonical JSON: the bytes that are hashed and signed. RFC 8785 without fractions.

Source: RFC 8785; integers within the range of I-JSON, RFC 7493 section 2.2.
"""

from hashlib import sha256
from typing import Any

import orjson
import rfc8785

from resolvers.signing.keys import ProofError
from sdl.scalar_types import Digest

JSON_LIMITS = "jcs-rfc8785-subset"
"""Our name for these rules, as envelopes state it."""


_NOT_JSON = (
    rfc8785.CanonicalizationError,
    orjson.JSONEncodeError,
    UnicodeError,
    RecursionError,
)
_LEAVES = (str, int, bool, type(None))


def canonical(value: Any) -> bytes:
    """Return the canonical bytes of plain JSON.

    Raises: ProofError if the value holds a fraction or anything else that JSON cannot hold.
    """
    try:
        if (path := _path_of_fraction(value)) is not None:
            raise ProofError(
                f"${path}: fractions cannot be signed. Fix: write the number as a string."
            )
        if _is_sorted_alike(value):
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER)
        return rfc8785.dumps(value)
    except _NOT_JSON as error:
        raise ProofError(
            "a signed payload must be plain JSON, with integers of at most 53 bits"
        ) from error


def digest_of(data: bytes) -> Digest:
    """Return `sha256:<hex>` of the bytes."""
    return Digest(f"sha256:{sha256(data).hexdigest()}")


def _path_of_fraction(value: Any) -> str | None:
    """Return the path of the first fraction in the value, if there is one."""
    if isinstance(value, float):
        return ""
    if isinstance(value, dict):
        for key, item in value.items():
            if (path := _path_of_fraction(item)) is not None:
                return f".{key}{path}"
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            if (path := _path_of_fraction(item)) is not None:
                return f"[{index}]{path}"
    return None


def _is_sorted_alike(value: Any) -> bool:
    """Whether orjson writes the same bytes as RFC 8785, in a quarter of the time.

    It sorts keys by code points instead of UTF-16 units, which is the same for ASCII, and knows
    more types than JSON has.
    """
    kind = type(value)
    if kind is dict:
        return all(type(key) is str and key.isascii() for key in value) and all(
            map(_is_sorted_alike, value.values())
        )
    return all(map(_is_sorted_alike, value)) if kind in {list, tuple} else kind in _LEAVES
