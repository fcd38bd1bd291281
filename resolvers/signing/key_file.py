"""The file of one key: its content and its permissions."""

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

from nacl.signing import SigningKey
from pydantic import TypeAdapter, ValidationError

from resolvers.signing.keys import KID, Key, ProofError, b64url_decode, b64url_encode
from sdl.scalar_types import Instant, format_instant

_GROUP_AND_OTHERS = 0o077
_INSTANT: TypeAdapter[datetime] = TypeAdapter(Instant)


def to_document(key: Key) -> dict[str, str]:
    """Return the content of a key's file: the seed, or for a revoked key the time instead."""
    document = {
        "kid": key.kid,
        "x": b64url_encode(key.x),
        "activeFrom": format_instant(key.active_from),
    }
    if key.revoked_at is not None:
        return {**document, "revokedAt": format_instant(key.revoked_at)}
    return {**document, "seed": b64url_encode(key.seed or b"")}


def read_key(file: Path) -> Key:
    """Read a key from its file; raise `ProofError` if it is damaged, misnamed or not private."""
    check_permissions(file)
    try:
        key = from_document(json.loads(file.read_bytes()))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ProofError(
            f"{file}: is not a valid key file. Fix: restore it with `studiograph keys import`."
        ) from None
    if f"{key.kid}.json" != file.name:
        raise ProofError(
            f"{file}: contains the key {key.kid}. Fix: rename the file to {key.kid}.json."
        )
    return key


def from_document(document: dict[str, Any]) -> Key:
    """Return the key that a file's content describes. Raises: ValueError, KeyError, TypeError."""
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
        revocation = None if revoked_at is None else _INSTANT.validate_python(revoked_at)
    except ValidationError:
        raise ValueError("activeFrom, revokedAt") from None
    return Key(kid, x, active_from, seed, revocation)


def check_permissions(path: Path) -> None:
    """Raise `ProofError` unless the path is ours and closed to everybody else."""
    status = path.stat()
    if status.st_mode & _GROUP_AND_OTHERS:
        mode = "700" if path.is_dir() else "600"
        raise ProofError(f"{path}: others can read it. Fix: chmod {mode} {path}")
    if status.st_uid != os.geteuid():
        raise ProofError(
            f"{path}: belongs to another user. Fix: chown it to the user that runs the server."
        )
