"""The folder of signing keys: one file a key, readable by its owner alone.

A file is written whole or not at all, and only by whoever holds the folder's lock, so processes
and machines that share the folder agree on what is in it.
"""

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nacl.signing import SigningKey
from pydantic import TypeAdapter, ValidationError

from resolvers.proofs.faults import ProofFault
from resolvers.proofs.keys import KID, ROTATION, Key, age, decoded, encoded, standing
from schema.words import Instant, instant_text

Clock = Callable[[], datetime]

_OTHERS = 0o077
_LOCK = ".lock"
_INSTANT: TypeAdapter[datetime] = TypeAdapter(Instant)


class KeyFolder:
    """The keys of one studio.

    `known` gives the public keys that were ever published, by kid, wherever that is remembered.
    """

    def __init__(
        self, path: Path, clock: Clock, known: Callable[[], Mapping[str, bytes]] = dict
    ) -> None:
        self.path = path
        self._clock = clock
        self._known = known

    def read(self) -> tuple[Key, ...]:
        """Every key. Raises: ProofFault, naming the file and the fix."""
        if not self.path.is_dir():
            return ()
        _refuse_shared(self.path)
        return tuple(_read(file) for file in self._files())

    def mark(self) -> tuple[object, ...]:
        """Something that differs whenever the folder's files do."""
        found = [(file.name, file.stat()) for file in self._files()]
        return tuple((name, s.st_mtime_ns, s.st_size, s.st_ino, s.st_mode) for name, s in found)

    def begin(self, name: str) -> tuple[Key, ...]:
        """Every key; the first one is made where there is none and none is known."""
        with self._locked():
            keys = self.read()
            if keys or self._known():
                return keys
            return (self._make(name, keys, self._now),)

    def rotate(self, *, at_once: bool = False) -> Key:
        """A new key, published now and signing after an hour, or at once. Raises: ProofFault."""
        with self._locked():
            keys = self._some()
            return self._make(_name_of(keys[-1]), keys, self._now + (not at_once) * ROTATION)

    def revoke(self, kid: str) -> Key | None:
        """Take a key out of use for ever; the key that signs instead, if it was the active one.

        A key that is known and whose file is lost can be revoked too. Raises: ProofFault.
        """
        with self._locked():
            keys = self._some(lost=kid)
            key = next((key for key in keys if key.kid == kid), None)
            if key is None:
                known = ", ".join(key.kid for key in keys)
                raise ProofFault(f"{kid}: there is no such key. Fix: name one of: {known}.")
            if key.revoked_at is not None:
                raise ProofFault(f"{kid}: the key is revoked already.")
            now = self._now
            able = [other for other in keys if other.revoked_at is None and other != key]
            active = standing(keys, now).active == key
            replacement = self._replacement(able, keys, now) if active else None
            self._write(replace(key, seed=None, revoked_at=now))
            return replacement

    def export(self, target: Path) -> int:
        """How many keys were written to a new file that its owner alone can read."""
        keys = self._some()
        with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump({"keys": [_document(key) for key in keys]}, file, indent=2)
        return len(keys)

    def take_in(self, source: Path) -> list[Key]:
        """The keys of an exported file that were not here. Raises: ProofFault, OSError."""
        _refuse_shared(source)
        try:
            documents = json.loads(source.read_bytes())["keys"]
            given = [_key(document) for document in documents]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ProofFault(
                f"{source}: is no file of keys. Fix: make one with `studiograph keys export`."
            ) from None
        with self._locked():
            here = {key.kid: key for key in self.read()}
            for key in given:
                if key.kid in here and here[key.kid].x != key.x:
                    raise ProofFault(
                        f"{key.kid}: another key has this name here. Fix: remove"
                        f" {self._file(key.kid)} if nothing was published with it."
                    )
            changed = [key for key in given if _newer(key, here.get(key.kid))]
            for key in changed:
                self._write(key)
        return changed

    @property
    def _now(self) -> datetime:
        return self._clock().astimezone(UTC).replace(microsecond=0)

    def _some(self, lost: str = "") -> tuple[Key, ...]:
        keys = tuple(sorted(self.read(), key=age))
        x = self._known().get(lost)
        if x is not None and all(key.kid != lost for key in keys):
            keys = (Key(lost, x, datetime(1970, 1, 1, tzinfo=UTC)), *keys)
        if not keys:
            raise ProofFault(
                f"{self.path}: there are no keys yet. Fix: `studiograph serve` makes the first."
            )
        return keys

    def _replacement(self, able: list[Key], keys: tuple[Key, ...], now: datetime) -> Key:
        """The key that is next anyway, from now on, or a new one."""
        if upcoming := [key for key in able if key.active_from > now]:
            made = replace(upcoming[0], active_from=now)
            self._write(made)
            return made
        return self._make(_name_of(keys[-1]), keys, now)

    def _make(self, name: str, keys: Sequence[Key], active_from: datetime) -> Key:
        month = f"{name}-{self._now:%Y-%m}"
        taken = {*self._known(), *(key.kid for key in keys)}
        number = 1
        while (kid := month if number == 1 else f"{month}-{number}") in taken:
            number += 1
        signing = SigningKey.generate()
        key = Key(kid, bytes(signing.verify_key), active_from, bytes(signing))
        self._write(key)
        return key

    def _write(self, key: Key) -> None:
        target = self._file(key.kid)
        beside = target.with_suffix(".new")
        beside.unlink(missing_ok=True)  # what an interrupted write left
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(_document(key), file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _files(self) -> list[Path]:
        return sorted(self.path.glob("*.json"))

    def _file(self, kid: str) -> Path:
        return self.path / f"{kid}.json"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Alone with the folder. Raises: ProofFault when it cannot be used."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            with os.fdopen(lock):
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
        except OSError as error:
            raise ProofFault(
                f"{self.path}: cannot be used ({error.strerror}). Fix: see that it is a folder that"
                " can be written and has space, or name another one in STUDIOGRAPH_DATA."
            ) from error


def _name_of(key: Key) -> str:
    found = KID.fullmatch(key.kid)
    return found[1] if found else key.kid


def _newer(given: Key, here: Key | None) -> bool:
    """Whether a given key says more: it is not here, or has been revoked or put forward since."""
    if here is None or here.revoked_at is not None:
        return here is None
    return given.revoked_at is not None or given.active_from < here.active_from


def _document(key: Key) -> dict[str, str]:
    document = {"kid": key.kid, "x": encoded(key.x), "activeFrom": instant_text(key.active_from)}
    if key.revoked_at is not None:
        return {**document, "revokedAt": instant_text(key.revoked_at)}
    return {**document, "seed": encoded(key.seed or b"")}


def _read(file: Path) -> Key:
    _refuse_shared(file)
    try:
        key = _key(json.loads(file.read_bytes()))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ProofFault(
            f"{file}: is no key. Fix: restore it with `studiograph keys import`."
        ) from None
    if f"{key.kid}.json" != file.name:
        raise ProofFault(f"{file}: holds the key {key.kid}. Fix: name the file {key.kid}.json.")
    return key


def _key(document: dict[str, Any]) -> Key:
    """The key a file describes. Raises: ValueError, KeyError, TypeError."""
    kid, x = document["kid"], decoded(document["x"], 32)
    revoked_at, seed = document.get("revokedAt"), None
    if not KID.fullmatch(kid):
        raise ValueError("kid")
    if revoked_at is None:
        seed = decoded(document["seed"], 32)
        if bytes(SigningKey(seed).verify_key) != x:
            raise ValueError("x")
    try:
        active_from = _INSTANT.validate_python(document["activeFrom"])
        ended = None if revoked_at is None else _INSTANT.validate_python(revoked_at)
    except ValidationError:
        raise ValueError("activeFrom, revokedAt") from None
    return Key(kid, x, active_from, seed, ended)


def _refuse_shared(path: Path) -> None:
    """Nothing, for what its owner alone can read. Raises: ProofFault."""
    status = path.stat()
    if status.st_mode & _OTHERS:
        mode = "700" if path.is_dir() else "600"
        raise ProofFault(f"{path}: others can read it. Fix: chmod {mode} {path}")
    if status.st_uid != os.geteuid():
        raise ProofFault(f"{path}: belongs to another user. Fix: chown it to the one that serves.")
