"""Readers of the files of test vectors."""

import json
from typing import Any

from repository import VECTORS

FOLDER = VECTORS


def vectors(name: str) -> dict[str, Any]:
    """The file of this name; it says where it comes from."""
    document: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_bytes())
    assert document["source"]
    return document


def cases(name: str) -> list[dict[str, Any]]:
    """The cases of a file."""
    found: list[dict[str, Any]] = vectors(name)["cases"]
    return found


def named(case: object) -> str | None:
    """The name of a case, for a test's name."""
    return str(case["name"]) if isinstance(case, dict) and "name" in case else None
