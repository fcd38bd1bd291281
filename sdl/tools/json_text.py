"""JSON of any value that a resolver may return."""

import json
from typing import Any

import orjson


def to_json(value: Any) -> bytes:
    """Return a value as JSON, also one that orjson refuses.

    These are integers of over 64 bits, keys that are no texts, and halves of surrogate pairs.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()
