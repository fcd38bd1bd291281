"""Reads a JSON pointer (RFC 6901, sections 3 and 4)."""

import re
from typing import Any


def at(document: Any, pointer: str) -> Any:
    """The value at a pointer. Raises: LookupError, ValueError."""
    if not re.fullmatch(r"(?:/(?:[^~/]|~[01])*)*", pointer):
        raise ValueError(pointer)
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        document = document[int(key) if isinstance(document, list) else key]
    return document
