"""A folder of keys under a clock that goes on when it is told to. No claims here."""

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
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


class Remembered(NullRegistry):
    """A memory of these keys, whatever becomes of them."""

    def __init__(self, known: dict[str, bytes]) -> None:
        self.known = known

    def known_keys(self) -> dict[str, bytes]:
        """These."""
        return self.known


def mode(path: Path) -> int:
    """Who can do what with a file."""
    return stat.S_IMODE(path.stat().st_mode)


def kids(found: Iterable[Key]) -> list[str]:
    """The names of keys, in alphabetical order."""
    return sorted(key.kid for key in found)


def where(folder: KeyStore, now: datetime) -> dict[str, KeyState]:
    """Where each key of a folder stands."""
    return {key.kid: state for key, state in key_ring_at(folder.read(), now).states}


def file_of(folder: KeyStore, kid: str = FIRST) -> Path:
    """The file of a key."""
    return folder.path / f"{kid}.json"


def rewrite(path: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    """Change the document in a file."""
    document = json.loads(path.read_bytes())
    edit(document)
    path.write_text(json.dumps(document))


def fault_of(action: Callable[[], object]) -> str:
    """What an action is refused with."""
    with pytest.raises(ProofError) as fault:
        action()
    return str(fault.value)
