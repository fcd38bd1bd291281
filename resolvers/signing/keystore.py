"""The folder of signing keys: one file a key, readable by its owner alone.

A file is written whole or not at all, and only by whoever holds the folder's lock, so processes
and machines that share the folder agree on what is in it. What is to stand in it is remembered
first: whoever is killed in between is finished by the next one.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from nacl.signing import SigningKey

from resolvers.files import locked
from resolvers.signing.errors import ProofError
from resolvers.signing.key_file import check_permissions, from_document, read_key, to_document
from resolvers.signing.keys import KID, ROTATION, Key, key_ring_at, retire_expired

Clock = Callable[[], datetime]

_LOCK = ".lock"


class KeyRegistry(Protocol):
    """What is remembered of the keys, beside their folder."""

    def known_keys(self) -> dict[str, bytes]:
        """The public keys that were ever published, by kid."""
        ...

    def revoked_keys(self) -> set[str]:
        """The kids of those that were ever revoked."""
        ...

    def require_known_keys(self, keys: Iterable[Key]) -> None:
        """Nothing, when these are the keys. Raises: ProofFault."""
        ...

    def merge_keys(self, keys: Iterable[Key]) -> None:
        """Nothing, once these are the keys. Raises: ProofFault."""
        ...


class NullRegistry:
    """The memory of a folder that stands alone."""

    def known_keys(self) -> dict[str, bytes]:
        """None."""
        return {}

    def revoked_keys(self) -> set[str]:
        """None."""
        return set()

    def require_known_keys(self, keys: Iterable[Key]) -> None:
        """Nothing."""

    def merge_keys(self, keys: Iterable[Key]) -> None:
        """Nothing."""


class KeyStore:
    """The keys of one studio."""

    def __init__(self, path: Path, clock: Clock, memory: KeyRegistry | None = None) -> None:
        self.path = path
        self._clock = clock
        self._memory = memory or NullRegistry()

    def read(self) -> tuple[Key, ...]:
        """Every key. Raises: ProofFault, naming the file and the fix."""
        if not self.path.is_dir():
            return ()
        check_permissions(self.path)
        return tuple(read_key(file) for file in self._files())

    def fingerprint(self) -> tuple[object, ...]:
        """Something that differs whenever the folder's files do."""
        found = [(file.name, file.stat()) for file in self._files()]
        return tuple((name, s.st_mtime_ns, s.st_size, s.st_ino, s.st_mode) for name, s in found)

    def load_or_create(self, name: str) -> tuple[Key, ...]:
        """Every key; the first one is made where there is none and none is known."""
        with self._locked():
            keys = self.read()
            if keys or self._memory.known_keys():
                self._memory.require_known_keys(keys)
                return keys
            made = self._made(name, keys, self._now)
            self._write([made], self._memory.require_known_keys)
            return (made,)

    def load_verified(self) -> tuple[Key, ...]:
        """Every key, when they are those that are remembered. Raises: ProofFault."""
        if not self.path.is_dir():
            self._memory.require_known_keys(())
            return ()
        with self._locked():
            keys = self.read()
            self._memory.require_known_keys(keys)
            return keys

    def rotate(self, *, at_once: bool = False) -> Key:
        """A new key, published now and signing after an hour, or at once. Raises: ProofFault."""
        with self._locked():
            keys = self._some()
            made = self._made(_name_of(keys[-1]), keys, self._now + (not at_once) * ROTATION)
            self._write([made], self._memory.merge_keys, keys)
            return made

    def revoke(self, kid: str) -> Key | None:
        """Take a key out of use for ever; the key that signs instead, if it was the active one.

        A key that is known and whose file is lost can be revoked too. Raises: ProofFault.
        """
        with self._locked():
            keys = self._some(lost=kid)
            key = next((key for key in keys if key.kid == kid), None)
            if key is None:
                known = ", ".join(key.kid for key in keys)
                raise ProofError(f"{kid}: there is no such key. Fix: name one of: {known}.")
            if key.revoked_at is not None:
                raise ProofError(f"{kid}: the key is revoked already.")
            now = self._now
            able = [other for other in keys if other.revoked_at is None and other != key]
            active = key_ring_at(keys, now).active == key
            replacement = self._replacement(able, keys, now) if active else None
            revoked = replace(key, seed=None, revoked_at=now)
            self._write([*filter(None, [replacement]), revoked], self._memory.merge_keys, keys)
            return replacement

    def export(self, target: Path, beside: Mapping[str, str] | None = None) -> int:
        """How many keys were written to a new file that its owner alone can read.

        `beside` are keys of other kinds, by name, which go with them.
        """
        keys, beside = self._some(), beside or {}
        with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            documents = [to_document(key) for key in keys]
            json.dump({"keys": documents, "beside": dict(beside)}, file, indent=2)
        return len(keys) + len(beside)

    @staticmethod
    def other_keys_in(source: Path) -> dict[str, str]:
        """The keys of other kinds in an exported file that was taken in."""
        found = json.loads(source.read_bytes()).get("beside", {})
        named = found.items() if isinstance(found, dict) else ()
        return {name: key for name, key in named if isinstance(key, str)}

    def import_keys(self, source: Path) -> list[Key]:
        """The keys of an exported file that were not here. Raises: ProofFault, OSError."""
        check_permissions(source)
        try:
            documents = json.loads(source.read_bytes())["keys"]
            given = {key.kid: key for key in map(from_document, documents)}
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ProofError(
                f"{source}: is no file of keys. Fix: make one with `studiograph keys export`."
            ) from None
        with self._locked():
            here = {key.kid: key for key in self.read()}
            for key in given.values():
                if key.kid in here and here[key.kid].x != key.x:
                    raise ProofError(
                        f"{key.kid}: another key has this name here. Fix: remove"
                        f" {self._file(key.kid)} if nothing was published with it."
                    )
            changed = [key for key in given.values() if _newer(key, here.get(key.kid))]
            self._write(changed, self._memory.merge_keys, here.values())
        return changed

    @property
    def _now(self) -> datetime:
        return self._clock().astimezone(UTC).replace(microsecond=0)

    def _some(self, lost: str = "") -> tuple[Key, ...]:
        keys = tuple(sorted(self.read(), key=retire_expired))
        x = self._memory.known_keys().get(lost)
        if x is not None and all(key.kid != lost for key in keys):
            keys = (Key(lost, x, datetime(1970, 1, 1, tzinfo=UTC)), *keys)
        if not keys:
            raise ProofError(
                f"{self.path}: there are no keys yet. Fix: `studiograph serve` makes the first."
            )
        return keys

    def _replacement(self, able: list[Key], keys: tuple[Key, ...], now: datetime) -> Key:
        """The key that is next anyway, from now on, or a new one."""
        if upcoming := [key for key in able if key.active_from > now]:
            return replace(upcoming[0], active_from=now)
        return self._made(_name_of(keys[-1]), keys, now)

    def _made(self, name: str, keys: Sequence[Key], active_from: datetime) -> Key:
        """A new key, not yet written."""
        month = f"{name}-{self._now:%Y-%m}"
        taken = {*self._memory.known_keys(), *(key.kid for key in keys)}
        number = 1
        while (kid := month if number == 1 else f"{month}-{number}") in taken:
            number += 1
        signing = SigningKey.generate()
        return Key(kid, bytes(signing.verify_key), active_from, bytes(signing))

    def _write(
        self,
        made: Sequence[Key],
        remember: Callable[[Iterable[Key]], None],
        here: Iterable[Key] = (),
    ) -> None:
        """Nothing, once keys stand beside those here: all of them, from the remembering on."""
        for key in made:
            self._write_new(key)
        self._sync_folder()
        remember({key.kid: key for key in (*here, *made)}.values())
        for key in made:
            self._beside(key.kid).replace(self._file(key.kid))
        self._sync_folder()

    def _write_new(self, key: Key) -> None:
        """The key in a file that is not yet read."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(self._beside(key.kid), flags, 0o600), "w") as file:
            json.dump(to_document(key), file, indent=2)
            file.flush()
            os.fsync(file.fileno())

    def _recover_interrupted(self) -> None:
        """Put in place what was remembered and whose writer was killed; remove what was not."""
        for left in sorted(self.path.glob("*.new")):
            if self._is_remembered(left):
                left.replace(left.with_suffix(".json"))
                self._sync_folder()
            else:
                left.unlink()

    def _is_remembered(self, left: Path) -> bool:
        try:
            key = from_document(json.loads(left.read_bytes()))
        except (ValueError, KeyError, TypeError, RecursionError):
            return False
        if self._beside(key.kid) != left:
            return False
        if key.revoked_at is not None:
            return key.kid in self._memory.revoked_keys()
        known = self._memory.known_keys().get(key.kid)
        return known == key.x and not self._file(key.kid).exists()

    def _sync_folder(self) -> None:
        """Nothing, once the names in the folder are on the disk."""
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _files(self) -> list[Path]:
        return sorted(self.path.glob("*.json"))

    def _file(self, kid: str) -> Path:
        return self.path / f"{kid}.json"

    def _beside(self, kid: str) -> Path:
        return self.path / f"{kid}.new"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Alone with the folder. Raises: ProofFault when it cannot be used."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            with locked(self.path / _LOCK):
                self._recover_interrupted()
                yield
        except OSError as error:
            raise ProofError(
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
