"""The two key files of webhooks: one key signs deliveries, the other encrypts secrets.

They are created once, and replaced only while nobody is subscribed: secrets can be
decrypted with no other key, and subscribers know the one that signs. All processes that share the
state database need the same keys.
"""

import base64
import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection, text

from resolvers.db.database import Database
from resolvers.files import atomic_write
from resolvers.signing.keys import ProofError
from resolvers.signing.keystore import check_permissions
from resolvers.webhooks.signing import KEY_BYTES, WebhookKey

SIGNING, ENCRYPTION = "webhook.key", "webhook-secrets.key"
_SEED_BYTES = 32
_COPY_KEYS = (
    "Fix: copy it from the machine that has it, with `studiograph keys export` and `import`."
)


@dataclass(frozen=True)
class WebhookKeys:
    """The key that signs deliveries, and the one that encrypts secrets."""

    signing: WebhookKey
    encryption: bytes = field(repr=False)


def load_keys(folder: Path, database: Database) -> WebhookKeys:
    """Read the keys, or create them if there are none and nobody is subscribed.

    Raises: ProofError, DatabaseError.
    """
    with database.transaction() as rows:  # exclusive: only one of many processes creates keys
        signing = _load(rows, folder / SIGNING, lambda: WebhookKey(os.urandom(_SEED_BYTES)).text)
        encryption = _load(rows, folder / ENCRYPTION, _new_encryption_key)
    try:
        return WebhookKeys(WebhookKey.read(signing), _decode(encryption))
    except ValueError:
        raise ProofError(
            f"{folder}: {SIGNING} or {ENCRYPTION} does not contain a valid key. Fix: restore it"
            " with `studiograph keys import`."
        ) from None


def export_keys(folder: Path) -> dict[str, str]:
    """Return the existing keys by the names of their files."""
    return {
        name: _key_text(folder / name) for name in (SIGNING, ENCRYPTION) if (folder / name).exists()
    }


def import_keys(folder: Path, keys: Mapping[str, str]) -> list[str]:
    """Write the keys that are missing here; return their names. Raises: ProofError, OSError."""
    names = [name for name in (SIGNING, ENCRYPTION) if name in keys]
    for name in names:
        try:  # an invalid key would stop every start
            (WebhookKey.read if name == SIGNING else _decode)(keys[name])
        except ValueError:
            raise ProofError(
                f"{name}: the imported file does not contain a valid key. Fix: export it again"
                " with `studiograph keys export`."
            ) from None
    missing = [name for name in names if not (folder / name).exists()]
    for name in names:
        if name not in missing and _key_text(folder / name) != keys[name]:
            raise ProofError(
                f"{folder / name}: holds a different key. Fix: remove it, unless subscriptions were"
                " stored with it."
            )
    for name in missing:
        atomic_write(folder / name, f"{keys[name]}\n".encode())
    return missing


def _load(rows: Connection, file: Path, make: Callable[[], str]) -> str:
    """Return the key in a file, after a check that the database was used with this key."""
    name = {"name": file.name}
    known = rows.scalar(text("SELECT fingerprint FROM webhook_key WHERE name = :name"), name)
    if not file.exists():
        if known is not None:
            _require_no_subscription(rows, file)
        atomic_write(file, f"{make()}\n".encode())
    key = _key_text(file)
    fingerprint = hashlib.sha256(key.encode()).hexdigest()
    if known not in (None, fingerprint):
        if _subscriptions(rows):
            raise ProofError(
                f"{file}: is not the key that this database was used with. {_COPY_KEYS}"
            )
        rows.execute(text("DELETE FROM webhook_key WHERE name = :name"), name)
        known = None
    if known is None:
        insert = text("INSERT INTO webhook_key VALUES (:name, :fingerprint)")
        rows.execute(insert, {**name, "fingerprint": fingerprint})
    return key


def _subscriptions(rows: Connection) -> int:
    """Return how many subscriptions the database has."""
    count: int = rows.execute(text("SELECT count(*) FROM subscription")).scalar_one()
    return count


def _require_no_subscription(rows: Connection, file: Path) -> None:
    """Raise `ProofError` if somebody is subscribed with the key that was in the file."""
    if count := _subscriptions(rows):
        raise ProofError(
            f"{file}: is missing, and {count} subscriptions were stored with it. Fix: run"
            " `studiograph keys import FILE` with the exported keys, or, if it is lost for good,"
            " `studiograph subscribers remove` for each that `studiograph subscribers list` names:"
            " they have to subscribe again."
        )


def _key_text(file: Path) -> str:
    check_permissions(file)
    return file.read_text("ascii", errors="replace").strip()


def _new_encryption_key() -> str:
    return base64.b64encode(os.urandom(KEY_BYTES)).decode("ascii")


def _decode(text: str) -> bytes:
    key = base64.b64decode(text, validate=True)
    if len(key) != KEY_BYTES:
        raise ValueError("has another length")
    return key
