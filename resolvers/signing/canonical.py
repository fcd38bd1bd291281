"""Canonical JSON: the bytes that are hashed and signed. RFC 8785 without fractions.

Source: RFC 8785; integers within the range of I-JSON, RFC 7493 section 2.2.
"""

from typing import Any

import orjson
import rfc8785

from resolvers.signing.keys import ProofError
from sdl.tools.canonical_json import is_quick, quick_json

JSON_LIMITS = "jcs-rfc8785-subset"
"""Our name for these rules, as envelopes state it."""


_NOT_JSON = (
    rfc8785.CanonicalizationError,
    orjson.JSONEncodeError,
    UnicodeError,
    RecursionError,
)


def canonical(value: Any) -> bytes:
    """Return the canonical bytes of plain JSON.

    Raises: ProofError if the value holds a fraction or anything else that JSON cannot hold.
    """
    try:
        if is_quick(value):
            return quick_json(value)
        if (path := _path_of_fraction(value)) is not None:
            raise ProofError(
                f"${path}: fractions cannot be signed. Fix: write the number as a string."
            )
        return rfc8785.dumps(value)
    except _NOT_JSON as error:
        raise ProofError(
            "a signed payload must be plain JSON, with integers of at most 53 bits"
        ) from error


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
