"""Helpers for a key folder under a clock that a test moves."""

import json
import re
import stat
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from resolvers.db.database import Database
from resolvers.signing.keys import Key, KeyState, ProofError, key_ring_at
from resolvers.signing.keystore import KeyRegistry, KeyStore

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


def key_store(path: Path, clock: Callable[[], datetime], **known: bytes) -> KeyStore:
    """Return the key files of a folder, with a database beside it that knows these keys."""
    registry = KeyRegistry(Database(f"sqlite:///{path.with_suffix('.db')}"))
    folder = KeyStore(path, clock, registry)
    if known:
        lost = (Key(kid, x, START) for kid, x in known.items())
        registry.merge_keys([*folder.read(), *lost])
    return folder


def mode(path: Path) -> int:
    """Return the permission bits of a file."""
    return stat.S_IMODE(path.stat().st_mode)


def short(kid: str) -> str:
    """Return a kid without its thumbprint, which a test cannot know before."""
    return re.sub(r"-[0-9a-f]{8}(?=-\d{4}-\d\d)", "", kid)


def kid_of(folder: KeyStore, name: str = FIRST) -> str:
    """Return the whole kid of the key with this short one, by the names of the files."""
    (kid,) = (file.stem for file in folder.path.glob("*.json") if short(file.stem) == name)
    return kid


def kids(keys: Iterable[Key]) -> list[str]:
    """Return the short kids of keys, in alphabetical order."""
    return sorted(short(key.kid) for key in keys)


def where(folder: KeyStore, now: datetime) -> dict[str, KeyState]:
    """Return the state of each key of a folder, by its short kid."""
    return {short(key.kid): state for key, state in key_ring_at(folder.read(), now).states}


def file_of(folder: KeyStore, name: str = FIRST) -> Path:
    """Return the file of the key with this short kid."""
    return folder.path / f"{kid_of(folder, name)}.json"


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
