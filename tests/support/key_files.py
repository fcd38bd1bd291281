"""Helpers for a key folder under a clock that a test moves."""

import json
import stat
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from resolvers.signing.keys import Key, KeyState, ProofError, key_ring_at
from resolvers.signing.keystore import KeyStore, NullRegistry

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
START = datetime(2026, 1, 15, 12, tzinfo=UTC)
FIRST = "studio-2026-01"


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


class Remembered(NullRegistry):
    """A registry that knows these keys and records nothing."""

    def __init__(self, known: dict[str, bytes]) -> None:
        self.known = known

    def known_keys(self) -> dict[str, bytes]:
        """Return the keys it was made with."""
        return self.known


def mode(path: Path) -> int:
    """Return the permission bits of a file."""
    return stat.S_IMODE(path.stat().st_mode)


def kids(keys: Iterable[Key]) -> list[str]:
    """Return the kids of keys, in alphabetical order."""
    return sorted(key.kid for key in keys)


def where(folder: KeyStore, now: datetime) -> dict[str, KeyState]:
    """Return the state of each key of a folder."""
    return {key.kid: state for key, state in key_ring_at(folder.read(), now).states}


def file_of(folder: KeyStore, kid: str = FIRST) -> Path:
    """Return the file of a key."""
    return folder.path / f"{kid}.json"


def rewrite(path: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    """Change the document in a file."""
    document = json.loads(path.read_bytes())
    edit(document)
    path.write_text(json.dumps(document))


def fault_of(action: Callable[[], object]) -> str:
    """Return the text of the `ProofError` that an action raises."""
    with pytest.raises(ProofError) as error:
        action()
    return str(error.value)
