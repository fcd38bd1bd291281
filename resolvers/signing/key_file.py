"""The file of one key: what it holds, and who may read it. Knows no folder and no lock."""

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

from nacl.signing import SigningKey
from pydantic import TypeAdapter, ValidationError

from resolvers.signing.errors import ProofError
from resolvers.signing.keys import KID, Key, b64url_decode, b64url_encode
from sdl.scalar_types import Instant, format_instant

_OTHERS = 0o077
_INSTANT: TypeAdapter[datetime] = TypeAdapter(Instant)


def to_document(key: Key) -> dict[str, str]:
    """What the file of a key holds."""
    document = {
        "kid": key.kid,
        "x": b64url_encode(key.x),
        "activeFrom": format_instant(key.active_from),
    }
    if key.revoked_at is not None:
        return {**document, "revokedAt": format_instant(key.revoked_at)}
    return {**document, "seed": b64url_encode(key.seed or b"")}


def read_key(file: Path) -> Key:
    """The key in its file. Raises: ProofFault."""
    check_permissions(file)
    try:
        key = from_document(json.loads(file.read_bytes()))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ProofError(
            f"{file}: is no key. Fix: restore it with `studiograph keys import`."
        ) from None
    if f"{key.kid}.json" != file.name:
        raise ProofError(f"{file}: holds the key {key.kid}. Fix: name the file {key.kid}.json.")
    return key


def from_document(document: dict[str, Any]) -> Key:
    """The key a file describes. Raises: ValueError, KeyError, TypeError."""
    kid, x = document["kid"], b64url_decode(document["x"], 32)
    revoked_at, seed = document.get("revokedAt"), None
    if not KID.fullmatch(kid):
        raise ValueError("kid")
    if revoked_at is None:
        seed = b64url_decode(document["seed"], 32)
        if bytes(SigningKey(seed).verify_key) != x:
            raise ValueError("x")
    try:
        active_from = _INSTANT.validate_python(document["activeFrom"])
        ended = None if revoked_at is None else _INSTANT.validate_python(revoked_at)
    except ValidationError:
        raise ValueError("activeFrom, revokedAt") from None
    return Key(kid, x, active_from, seed, ended)


def check_permissions(path: Path) -> None:
    """Nothing, for what its owner alone can read. Raises: ProofFault."""
    status = path.stat()
    if status.st_mode & _OTHERS:
        mode = "700" if path.is_dir() else "600"
        raise ProofError(f"{path}: others can read it. Fix: chmod {mode} {path}")
    if status.st_uid != os.geteuid():
        raise ProofError(f"{path}: belongs to another user. Fix: chown it to the one that serves.")
