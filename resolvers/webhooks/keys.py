"""The two keys of webhooks as files: the one that signs, the one under which secrets are sealed.

They are made once and never exchanged, for what was sealed under one opens under no other. Every
process that shares the state database must have the same.
"""

import base64
import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from resolvers.db.database import Database, Transaction
from resolvers.files import atomic_write
from resolvers.signing.key_file import check_permissions
from resolvers.signing.keys import ProofError
from resolvers.webhooks.secrets import KEY_BYTES
from resolvers.webhooks.signing import WebhookKey

SIGNING, SEALING = "webhook.key", "webhook-secrets.key"
_SEED_BYTES = 32


@dataclass(frozen=True)
class WebhookKeys:
    """What signs deliveries, and what seals secrets."""

    signing: WebhookKey
    sealing: bytes = field(repr=False)


def load_keys(folder: Path, database: Database) -> WebhookKeys:
    """The keys, made where there never were any. Raises: ProofFault, StateFault."""
    with database.transaction() as books:  # alone: of many processes one makes them
        signing = _agreed(books, folder / SIGNING, lambda: WebhookKey(os.urandom(_SEED_BYTES)).text)
        sealing = _agreed(books, folder / SEALING, lambda: _text(os.urandom(KEY_BYTES)))
    try:
        return WebhookKeys(WebhookKey.read(signing), _bytes(sealing))
    except ValueError:
        raise ProofError(
            f"{folder}: {SIGNING} or {SEALING} is no key. Fix: restore it with"
            " `studiograph keys import`."
        ) from None


def export_keys(folder: Path) -> dict[str, str]:
    """The keys that are there, by the names of their files."""
    return {name: _read(folder / name) for name in (SIGNING, SEALING) if (folder / name).exists()}


def import_keys(folder: Path, given: Mapping[str, str]) -> list[str]:
    """Which of the keys given were not there; now they are. Raises: ProofFault, OSError."""
    missing = [name for name in (SIGNING, SEALING) if name in given]
    for name in missing:
        _refuse_odd(name, given[name])
    for name in list(missing):
        if (folder / name).exists():
            if _read(folder / name) != given[name]:
                raise ProofError(
                    f"{folder / name}: another key has this name here. Fix: remove it, if no"
                    " subscription was stored with it."
                )
            missing.remove(name)
    for name in missing:
        _write(folder / name, given[name])
    return missing


def _refuse_odd(name: str, key: str) -> None:
    """Nothing, for a key: what is none would be refused at every start. Raises: ProofFault."""
    try:
        (WebhookKey.read if name == SIGNING else _bytes)(key)
    except ValueError:
        raise ProofError(
            f"{name}: what is to be taken in is no key. Fix: make the file anew with"
            " `studiograph keys export`."
        ) from None


def _agreed(books: Transaction, file: Path, make: Callable[[], str]) -> str:
    """The key in a file, which is the one that the database knows. Raises: ProofFault."""
    sql = "SELECT fingerprint FROM webhook_key WHERE name = ?"
    row = books.execute(sql, (file.name,)).fetchone()
    if not file.exists():
        if row is not None:
            raise ProofError(
                f"{file}: is missing, and subscriptions were stored with it. Fix: take it from the"
                " machine that has it, with `studiograph keys export` and `import`."
            )
        _write(file, make())
    key = _read(file)
    fingerprint = hashlib.sha256(key.encode()).hexdigest()
    if row is None:
        books.execute("INSERT INTO webhook_key VALUES (?, ?)", (file.name, fingerprint))
    elif row[0] != fingerprint:
        raise ProofError(
            f"{file}: is not the key that this database was used with. Fix: take it from the"
            " machine that has it, with `studiograph keys export` and `import`."
        )
    return key


def _read(file: Path) -> str:
    check_permissions(file)
    return file.read_text("ascii", errors="replace").strip()


def _write(file: Path, key: str) -> None:
    atomic_write(file, f"{key}\n".encode())


def _text(key: bytes) -> str:
    return base64.b64encode(key).decode("ascii")


def _bytes(text: str) -> bytes:
    key = base64.b64decode(text, validate=True)
    if len(key) != KEY_BYTES:
        raise ValueError("has another length")
    return key
