"""Canonical bytes: what is hashed and signed. The profile is RFC 8785 without fractions.

Source: RFC 8785; integers within I-JSON's range, RFC 7493 section 2.2.
"""

from hashlib import sha256
from typing import Any

import rfc8785

from resolvers.signing.errors import ProofError
from sdl.scalar_types import Digest

JSON_LIMITS = "jcs-rfc8785-subset"


def canonical(value: Any) -> bytes:
    """The one way to write plain JSON. Raises: ProofFault for what has no such way."""
    try:
        if (place := _fraction(value)) is not None:
            raise ProofError(f"${place}: a signed payload holds no fractions. Fix: write a string.")
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeError, RecursionError) as error:
        raise ProofError(
            "a signed payload holds plain JSON with whole numbers of 53 bits"
        ) from error


def digest_of(data: bytes) -> Digest:
    """`sha256:<hex>` over the bytes."""
    return Digest(f"sha256:{sha256(data).hexdigest()}")


def _fraction(value: Any) -> str | None:
    """Where in the value a fraction stands."""
    if isinstance(value, float):
        return ""
    if isinstance(value, dict):
        for key, item in value.items():
            if (place := _fraction(item)) is not None:
                return f".{key}{place}"
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            if (place := _fraction(item)) is not None:
                return f"[{index}]{place}"
    return None
