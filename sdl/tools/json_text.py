"""JSON of any value that a resolver may return."""

import json
from typing import Any

import orjson


def to_json(value: Any) -> bytes:
    """Return a value as JSON, also one that orjson refuses.

    These are integers of over 64 bits, keys that are no texts, and halves of surrogate pairs, for
    which a question mark stands.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")
