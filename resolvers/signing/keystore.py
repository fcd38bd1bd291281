"""The folder of signing keys: one file for each key, readable by its owner alone.

Processes and machines that share the folder agree on its content: only the holder of the folder's
lock writes, in two phases. New files first get the suffix `.new`, then the registry records the
keys, then the files get their names. If a writer is killed, the next process finishes its work.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from nacl.signing import SigningKey
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, text

from resolvers.db.database import Database, DatabaseError
from resolvers.files import locked, sync
from resolvers.signing.keys import (
    KID,
    PUBLISHED_BEFORE_SIGNING,
    Key,
    ProofError,
    b64url_decode,
    b64url_encode,
    by_age,
    key_ring_at,
    new_key,
)
from sdl.types.scalar_types import Digest, Instant, format_instant

CLOCK_BACKWARDS = timedelta(minutes=5)
"""How far the clock may be behind the last recorded time, since two machines may differ."""

_UNKNOWN_KEY = (
    ": this key is in the key folder, but the database knows only other keys, so it is from another"
    " machine. Fix: run `studiograph keys import FILE` with the keys exported there, or, if there"
    " is no other machine, with those exported here."
)


@contextmanager
def exclusive(database: Database) -> Iterator[Connection]:
    """Run one transaction while nobody else writes. Raises: ProofError."""
    try:
        with database.transaction() as transaction:
            yield transaction
    except DatabaseError as error:
        raise ProofError(str(error)) from error


def instant_after(last: str | None, now: datetime, event: str) -> str:
    """Return the time to record, which is never before that of the last event.

    Raises: ProofError if the clock is further behind than two machines may differ.
    """
    at = format_instant(now)
    if last is not None and now + CLOCK_BACKWARDS < datetime.fromisoformat(last):
        raise ProofError(
            f"the clock says {at}, and the last {event} at {last}. Fix: set the clock."
        )
    return max(at, last or "")


class KeyRegistry:
    """The published keys and their signing times, in the database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def known_keys(self) -> dict[str, bytes]:
        """Return every public key that was ever published, by kid. Raises: ProofError."""
        with exclusive(self.database) as rows:
            return _known_keys(rows)

    def revoked_keys(self) -> set[str]:
        """Return the kids of all keys that were ever revoked. Raises: ProofError."""
        with exclusive(self.database) as rows:
            return _revoked_keys(rows)

    def require_known_keys(self, keys: Iterable[Key]) -> None:
        """Raise `ProofError` unless these are the known keys; record them if none was known.

        They are not if a known key is missing, has other bytes or is no longer revoked, or if one
        of them is unknown.
        """
        by_kid = {key.kid: key for key in keys}
        with exclusive(self.database) as rows:
            known = _known_keys(rows)
            if problem := _revocation_problem(rows, by_kid) or _key_problem(known, by_kid):
                raise ProofError(problem)
            _record_keys(rows, by_kid.values())

    def merge_keys(self, keys: Iterable[Key]) -> None:
        """Record the new keys if all known ones are among them, and revocations in any case."""
        by_kid = {key.kid: key for key in keys}
        with exclusive(self.database) as rows:
            known = _known_keys(rows)
            is_complete = all(kid in by_kid and by_kid[kid].x == x for kid, x in known.items())
            _record_keys(rows, [k for k in by_kid.values() if is_complete or k.kid in known])

    def first_signed_at(
        self, payloads: Sequence[Digest], kid: str, now: datetime
    ) -> dict[Digest, str]:
        """Return when each payload was first signed with this key, and record the new ones.

        Raises: ProofError if there is a new one and the clock is behind the last signing time.
        """
        query = text("SELECT signed_at FROM signing WHERE payload = :payload AND kid = :kid")
        with exclusive(self.database) as rows:
            known = {each: rows.scalar(query, {"payload": each, "kid": kid}) for each in payloads}
            signed_at = {each: str(at) for each, at in known.items() if at is not None}
            if new := [each for each in known if each not in signed_at]:
                last = rows.scalar(text("SELECT MAX(signed_at) FROM signing"))
                at = instant_after(last, now, "signing was")
                rows.execute(
                    text("INSERT INTO signing VALUES (:payload, :kid, :at)"),
                    [{"payload": each, "kid": kid, "at": at} for each in new],
                )
                signed_at |= dict.fromkeys(new, at)
            return signed_at


def _known_keys(rows: Connection) -> dict[str, bytes]:
    return dict(rows.execute(text("SELECT kid, x FROM key")).all())


def _revoked_keys(rows: Connection) -> set[str]:
    return set(rows.scalars(text("SELECT kid FROM revoked")))


def _revocation_problem(rows: Connection, keys: Mapping[str, Key]) -> str:
    """Return what is wrong if a revoked key is usable again, or an empty text."""
    for kid in _revoked_keys(rows):
        if kid in keys and keys[kid].revoked_at is None:
            return (
                f"{kid}: this key was revoked, and an older copy of its file is back in the key"
                " folder. Fix: run `studiograph keys import FILE` with the keys exported since, or"
                f" `studiograph keys revoke {kid}`."
            )
    return ""


def _key_problem(known: Mapping[str, bytes], keys: Mapping[str, Key]) -> str:
    """Return how the keys differ from the known ones, if any are known, or an empty text."""
    for kid, x in known.items():
        if kid not in keys or keys[kid].x != x:
            problem = "is missing from" if kid not in keys else "is a different one in"
            return (
                f"{kid}: this key was published from here and {problem} the key folder."
                " Fix: run `studiograph keys import FILE` with the exported keys, or, if it is"
                f" lost for good, `studiograph keys revoke {kid}`."
            )
    unknown = [kid for kid in keys if known and kid not in known]
    return unknown[0] + _UNKNOWN_KEY if unknown else ""


def _record_keys(rows: Connection, keys: Iterable[Key]) -> None:
    known = text("INSERT INTO key VALUES (:kid, :x) ON CONFLICT DO NOTHING")
    revoked = text("INSERT INTO revoked VALUES (:kid) ON CONFLICT DO NOTHING")
    for key in keys:
        rows.execute(known, {"kid": key.kid, "x": key.x})
        if key.revoked_at is not None:
            rows.execute(revoked, {"kid": key.kid})


Clock = Callable[[], datetime]

_LOCK = ".lock"
_GROUP_AND_OTHERS = 0o077
_INSTANT: TypeAdapter[datetime] = TypeAdapter(Instant)


class KeyStore:
    """The key files of one studio."""

    def __init__(self, path: Path, clock: Clock, registry: KeyRegistry) -> None:
        self.path = path
        self._clock = clock
        self.registry = registry

    def read(self) -> tuple[Key, ...]:
        """Return every key; raise `ProofError` with the file and the fix if one is damaged."""
        if not self.path.is_dir():
            return ()
        check_permissions(self.path)
        return tuple(read_key(file) for file in self._files())

    def fingerprint(self) -> tuple[object, ...]:
        """Return a value that differs whenever the folder's files have changed."""
        files = [(file.name, file.stat()) for file in self._files()]
        return tuple((name, s.st_mtime_ns, s.st_size, s.st_ino, s.st_mode) for name, s in files)

    def load_or_create(self, name: str) -> tuple[Key, ...]:
        """Return every key; make the first one if there is none and none was ever published.

        Raises: ProofError if these are not the keys of the registry.
        """
        with self._locked():
            keys = self.read()
            if keys or self.registry.known_keys():
                self.registry.require_known_keys(keys)
                return keys
            key = self._new_key(name, keys, self._now)
            self._write([key], self.registry.require_known_keys)
            return (key,)

    def load_verified(self) -> tuple[Key, ...]:
        """Return every key; raise `ProofError` unless they are the keys of the registry."""
        if not self.path.is_dir():
            self.registry.require_known_keys(())
            return ()
        with self._locked():
            keys = self.read()
            self.registry.require_known_keys(keys)
            return keys

    def rotate(self, *, at_once: bool = False) -> Key:
        """Make a key that is published now and signs in an hour, or at once. Raises: ProofError."""
        with self._locked():
            keys = self._existing_keys()
            key = self._new_key(
                _name_of(keys[-1]), keys, self._now + (not at_once) * PUBLISHED_BEFORE_SIGNING
            )
            self._write([key], self.registry.merge_keys, keys)
            return key

    def revoke(self, kid: str) -> Key | None:
        """Revoke a key for ever; return the key that signs instead if it was the active one.

        A published key whose file is lost can be revoked too. Raises: ProofError.
        """
        with self._locked():
            keys = self._existing_keys(lost=kid)
            key = next((key for key in keys if key.kid == kid), None)
            if key is None:
                kids = ", ".join(key.kid for key in keys)
                raise ProofError(f"{kid}: there is no such key. Fix: name one of: {kids}.")
            if key.revoked_at is not None:
                raise ProofError(f"{kid}: the key is already revoked.")
            now = self._now
            usable_keys = [other for other in keys if other.revoked_at is None and other != key]
            is_active = key_ring_at(keys, now).active == key
            replacement = self._replacement(usable_keys, keys, now) if is_active else None
            revoked = replace(key, seed=None, revoked_at=now)
            self._write([*filter(None, [replacement]), revoked], self.registry.merge_keys, keys)
            return replacement

    def export(self, target: Path, other_keys: Mapping[str, str] | None = None) -> int:
        """Write all keys to a new private file and return how many they are.

        `other_keys` are keys of other kinds, by name, to be saved with them.
        Raises: ProofError, OSError.
        """
        keys, other_keys = self._existing_keys(), other_keys or {}
        with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            documents = [to_document(key) for key in keys]
            json.dump({"keys": documents, "beside": dict(other_keys)}, file, indent=2)
        return len(keys) + len(other_keys)

    @staticmethod
    def other_keys_in(source: Path) -> dict[str, str]:
        """Return the keys of other kinds in a file that `import_keys` accepted."""
        other_keys = json.loads(source.read_bytes()).get("beside", {})
        items = other_keys.items() if isinstance(other_keys, dict) else ()
        return {name: key for name, key in items if isinstance(key, str)}

    def import_keys(self, source: Path) -> list[Key]:
        """Import an exported file; return the keys that were new or changed.

        Raises: ProofError, OSError.
        """
        check_permissions(source)
        try:
            documents = json.loads(source.read_bytes())["keys"]
            imported = {key.kid: key for key in map(from_document, documents)}
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ProofError(
                f"{source}: is not an exported key file. Fix: make one with"
                " `studiograph keys export`."
            ) from None
        with self._locked():
            existing = {key.kid: key for key in self.read()}
            for key in imported.values():
                if key.kid in existing and existing[key.kid].x != key.x:
                    raise ProofError(
                        f"{key.kid}: this data folder has another key of this name. Fix: remove"
                        f" {self._file(key.kid)} if nothing was published with it."
                    )
            changed = [key for key in imported.values() if _is_newer(key, existing.get(key.kid))]
            self._write(changed, self.registry.merge_keys, existing.values())
        return changed

    @property
    def _now(self) -> datetime:
        return self._clock().astimezone(UTC).replace(microsecond=0)

    def _existing_keys(self, lost: str = "") -> tuple[Key, ...]:
        """Return every key, oldest first, and the published key `lost` even if it has no file."""
        keys = tuple(sorted(self.read(), key=by_age))
        x = self.registry.known_keys().get(lost)
        if x is not None and all(key.kid != lost for key in keys):
            keys = (Key(lost, x, datetime(1970, 1, 1, tzinfo=UTC)), *keys)
        if not keys:
            raise ProofError(
                f"{self.path}: there are no keys yet. Fix: run `studiograph serve`, which makes"
                " the first key."
            )
        return keys

    def _replacement(self, usable: list[Key], keys: tuple[Key, ...], now: datetime) -> Key:
        """Return the next key, active from now, or a new one if none is published yet."""
        if upcoming := [key for key in usable if key.active_from > now]:
            return replace(upcoming[0], active_from=now)
        return self._new_key(_name_of(keys[-1]), keys, now)

    def _new_key(self, name: str, keys: Sequence[Key], active_from: datetime) -> Key:
        """Return a new key, which is not written yet.

        Its identifier contains its thumbprint, so that none is given twice, even if the folder and
        the database are lost and begun again.
        """
        month = f"{self._now:%Y-%m}"
        used_kids = {*self.registry.known_keys(), *(key.kid for key in keys)}
        matches = [match for kid in used_kids if (match := KID.fullmatch(kid))]
        number = max((int(match[3] or 1) for match in matches if match[2] == month), default=0) + 1
        key = new_key(name, active_from)
        kid = f"{name}-{key.thumbprint_digits}-{month}" + f"-{number}" * (number > 1)
        return replace(key, kid=kid)

    def _write(
        self,
        keys: Sequence[Key],
        record: Callable[[Iterable[Key]], None],
        existing: Iterable[Key] = (),
    ) -> None:
        """Write keys to new files, record the keys, then rename the files to their final names."""
        for key in keys:
            self._write_new(key)
        sync(self.path)
        record({key.kid: key for key in (*existing, *keys)}.values())
        for key in keys:
            self._new_file(key.kid).replace(self._file(key.kid))
        sync(self.path)

    def _write_new(self, key: Key) -> None:
        """Write the key to a file that `read` ignores."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(self._new_file(key.kid), flags, 0o600), "w") as file:
            json.dump(to_document(key), file, indent=2)
            file.flush()
            os.fsync(file.fileno())

    def _recover_interrupted(self) -> None:
        """Rename the new files of a killed writer if their keys were recorded, else remove them."""
        for file in sorted(self.path.glob("*.new")):
            if self._is_recorded(file):
                file.replace(file.with_suffix(".json"))
                sync(self.path)
            else:
                file.unlink()

    def _is_recorded(self, new_file: Path) -> bool:
        try:
            key = from_document(json.loads(new_file.read_bytes()))
        except (ValueError, KeyError, TypeError, RecursionError):
            return False
        if self._new_file(key.kid) != new_file:
            return False
        if key.revoked_at is not None:
            return key.kid in self.registry.revoked_keys()
        x = self.registry.known_keys().get(key.kid)
        return x == key.x and not self._file(key.kid).exists()

    def _files(self) -> list[Path]:
        return sorted(self.path.glob("*.json"))

    def _file(self, kid: str) -> Path:
        return self.path / f"{kid}.json"

    def _new_file(self, kid: str) -> Path:
        return self.path / f"{kid}.new"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the folder's lock; raise `ProofError` if the folder cannot be used."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            with locked(self.path / _LOCK):
                self._recover_interrupted()
                yield
        except OSError as error:
            raise ProofError(
                f"{self.path}: cannot be used ({error.strerror}). Fix: make sure that it is a"
                " writable folder with free space, or set STUDIOGRAPH_DATA to another one."
            ) from error


def _name_of(key: Key) -> str:
    """Return the studio's name in the key's identifier."""
    match = KID.fullmatch(key.kid)
    return match[1].removesuffix(f"-{key.thumbprint_digits}") if match else key.kid


def _is_newer(imported: Key, existing: Key | None) -> bool:
    """Return whether the imported key is new here, revoked since, or active earlier."""
    if existing is None or existing.revoked_at is not None:
        return existing is None
    return imported.revoked_at is not None or imported.active_from < existing.active_from


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
