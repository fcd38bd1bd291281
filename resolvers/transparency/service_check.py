"""The check of a whole service from outside: keys, envelopes, reads, the log and its history."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from resolvers.signing.canonical import canonical
from resolvers.signing.errors import ProofError
from resolvers.signing.keys import b64url_decode
from resolvers.signing.verify import VerificationError, check_envelope, check_key_set, parse
from resolvers.transparency.checkpoint import Checkpoint, parse_unverified, read_note
from resolvers.transparency.merkle import leaf_hash, root, verify_consistency, verify_inclusion
from schema.signatures import KeySet

KEY_SET = "/.well-known/jwks.json"
MANIFEST = "/api/manifest"
CHANGELOG = "/api/changelog"
SNAPSHOT = "/api/snapshot.sig"
LOG = "/api/log"
SECTIONS = """studio.identity studio.founder studio.practice studio.convictions studio.lookingFor
studio.scheduling studio.journey studio.currentlyStudying studio.certifications studio.onChain
projects domains engagement faq glossary"""
"""The sections that every such service signs."""
MAX_SECTIONS = 100
ATTEMPTS = 3
"""How often a service is read again that publishes something new meanwhile."""

_SECTION = re.compile(r"[A-Za-z0-9.-]{1,64}")
_ODD = (LookupError, TypeError, ValueError, AttributeError, RecursionError, ProofError)

Fetch = Callable[[str], tuple[int, bytes]]
"""From a path to the status and the body. Raises: Refused when there is no answer."""


@dataclass(frozen=True)
class KnownHead:
    """The head of a log as it was seen once."""

    origin: str
    size: int
    head: str


@dataclass
class ServiceCheck:
    """One look at a service: what holds, and the first thing that does not."""

    get: Fetch
    seen: KnownHead | None = None
    holds: list[str] = field(default_factory=list)
    refused: VerificationError | None = None
    head: KnownHead | None = None
    _where: str = KEY_SET

    def run(self) -> None:
        """Check everything until something is wrong."""
        try:
            self.manifest, self.key_set = self._read(MANIFEST), self._keys()
            self._manifest()
            self._changelog()
            self._sections()
            self._log()
            self._history()
        except VerificationError as refused:
            self.refused = refused
        except _ODD:
            self.refused = VerificationError(self._where, "is not of the form that it should be")

    @property
    def has_changed(self) -> bool:
        """Whether the service has published something new, or changed its keys, since the start."""
        try:
            now = self._read(MANIFEST), check_key_set(KEY_SET, self._read(KEY_SET))
        except VerificationError:
            return False
        return now != (getattr(self, "manifest", None), getattr(self, "key_set", None))

    @cached_property
    def sections(self) -> tuple[str, ...]:
        """The names of the signed sections, as a call without one lists them."""
        status, body = self.get(SNAPSHOT)
        try:
            names = tuple(parse(SNAPSHOT, body)["fields"][0]["allowed"])
        except (KeyError, IndexError, TypeError):
            names = ()
        known = [name for name in names if isinstance(name, str) and _SECTION.fullmatch(name)]
        if status != 400 or len(known) != len(names) or len(names) > MAX_SECTIONS:  # noqa: PLR2004 - HTTP's Bad Request
            raise VerificationError(SNAPSHOT, "does not list its sections")
        if missing := [name for name in SECTIONS.split() if name not in names]:
            raise VerificationError(SNAPSHOT, f"has no section {missing[0]}")
        return names

    def _keys(self) -> KeySet:
        key_set = check_key_set(KEY_SET, self._read(KEY_SET))
        self._held(KEY_SET, f"{len(key_set.keys)} keys, {len(key_set.revoked)} revoked")
        return key_set

    def _manifest(self) -> None:
        self._same(f"{MANIFEST}.sig", self._payload(f"{MANIFEST}.sig"), self.manifest)

    def _changelog(self) -> None:
        where = f"{CHANGELOG}.sig"
        payload = self._payload(where)
        entries = self.manifest["changelog"]
        self._same(where, payload, {"entries": entries, **self._bound})
        self._same(CHANGELOG, self._read(CHANGELOG), entries)
        if _digest(root(self._leaves)) != self.manifest["rollupHash"]:
            raise VerificationError(MANIFEST, "rollupHash is not the tree head of the changelog")
        self._held(CHANGELOG, f"{len(entries)} entries, {self.manifest['rollupHash']}")

    def _sections(self) -> None:
        studio = self.manifest["studio"]
        parts = {name.removeprefix("studio.") for name in self.sections}
        identity = {name: value for name, value in studio.items() if name not in parts}
        for section in self.sections:
            where = f"{SNAPSHOT}?section={section}"
            _, part, name = section.rpartition("studio.")
            known = (
                identity
                if section == "studio.identity"
                else (studio if part else self.manifest).get(name)
            )
            bound = {"revision": self.manifest["revision"], **self._bound}
            self._same(where, self._payload(where), {"section": section, "data": known, **bound})

    def _log(self) -> None:
        where = f"{LOG}/checkpoint"
        try:
            text = self._bytes(where).decode()
            note = read_note(text, tuple(b64url_decode(key.x, 32) for key in self.key_set.keys))
        except (ProofError, UnicodeDecodeError) as error:
            raise VerificationError(where, str(error)) from error
        self._same(where, {"rollupHash": _digest(note.head), "treeSize": note.size}, self._bound)
        self.head = KnownHead(note.origin, note.size, _digest(note.head))
        self._held(where, f"{note.origin}, {note.size} entries")
        for index in {0, note.size - 1} if note.size else ():
            self._inclusion(index, note)

    def _inclusion(self, index: int, note: Checkpoint) -> None:
        where = f"{LOG}/proof?index={index}"
        path = self._path(self._read(where), where)
        if not verify_inclusion(self._leaves[index], index, note.size, path, note.head):
            raise VerificationError(where, "does not prove that the entry is in the log")
        self._held(where, "the entry is in the log")

    def _history(self) -> None:
        seen, head = self.seen, self.head
        if seen is None or head is None or seen == head:
            return
        if seen.origin != head.origin:
            self._restarted(seen)
            return
        where = f"{LOG}/consistency?from={seen.size}"
        if head.size < seen.size:
            raise VerificationError(
                f"{LOG}/checkpoint", f"the log had {seen.size} entries and has fewer now"
            )
        path = self._path(self._read(where), where)
        old, new = (seen.size, _raw(seen.head)), (head.size, _raw(head.head))
        if not verify_consistency(old, new, path):
            raise VerificationError(where, "the log does not begin as it did when it was seen last")
        self._held(where, f"the log begins as it did with {seen.size} entries")

    def _restarted(self, seen: KnownHead) -> None:
        former = self._read(LOG).get("former", ())
        ended = next((log for log in former if log.get("origin") == seen.origin), None)
        if ended is None or ended["treeSize"] < seen.size:
            raise VerificationError(
                LOG, f"the log {seen.origin} was seen last and is not published any more"
            )
        note = parse_unverified(ended["checkpoint"])
        told = (ended["origin"], ended["treeSize"], ended["rollupHash"])
        if told != (note.origin, note.size, _digest(note.head)):
            raise VerificationError(LOG, f"the checkpoint of {seen.origin} is not that of its head")
        if ended["treeSize"] == seen.size and ended["rollupHash"] != seen.head:
            raise VerificationError(
                LOG, f"the log {seen.origin} ended with another head than was seen"
            )
        self._held(LOG, f"{seen.origin} has ended; a new log has begun")

    @property
    def _bound(self) -> dict[str, Any]:
        """What ties a payload to the log."""
        size = len(self.manifest["changelog"])
        return {"rollupHash": self.manifest["rollupHash"], "treeSize": size}

    @cached_property
    def _leaves(self) -> list[bytes]:
        entries = sorted(self.manifest["changelog"], key=lambda entry: str(entry["publishedAt"]))
        return [leaf_hash(canonical(entry)) for entry in entries]

    def _payload(self, where: str) -> Any:
        envelope = self._read(where)
        payload = check_envelope(where, envelope, self.key_set)
        self._held(where, f"signed by {envelope['publicJwk']['kid']} at {envelope['signedAt']}")
        return payload

    def _same(self, where: str, here: Any, there: Any) -> None:
        if canonical(here) != canonical(there):
            raise VerificationError(where, f"differs from {MANIFEST}")

    def _path(self, proof: Any, where: str) -> list[bytes]:
        try:
            return [_raw(step) for step in proof["path"]]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise VerificationError(where, "is no proof") from error

    def _read(self, where: str) -> Any:
        return parse(where, self._bytes(where))

    def _bytes(self, where: str) -> bytes:
        self._where = where
        status, body = self.get(where)
        if status != 200:  # noqa: PLR2004 - HTTP's OK
            raise VerificationError(where, f"answers {status}")
        return body

    def _held(self, where: str, detail: str) -> None:
        self.holds.append(f"{where}: {detail}")


def check_service(get: Fetch, seen: KnownHead | None = None) -> ServiceCheck:
    """A look at a service during which it did not change, if it stands still for that long."""
    inspection = ServiceCheck(get, seen)
    inspection.run()
    for _ in range(ATTEMPTS - 1):
        if inspection.refused is None or not inspection.has_changed:
            break
        inspection = ServiceCheck(get, seen)
        inspection.run()
    return inspection


def _digest(data: bytes) -> str:
    return f"sha256:{data.hex()}"


def _raw(digest: str) -> bytes:
    return bytes.fromhex(digest.removeprefix("sha256:"))
