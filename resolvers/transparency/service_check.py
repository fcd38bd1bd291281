"""The check of a whole service from outside: keys, envelopes, reads, both logs and their history.

Source: docs/signatures.md.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from urllib.parse import quote

from pydantic import ValidationError

from resolvers.signing.canonical import canonical
from resolvers.signing.keys import ProofError
from resolvers.signing.verify import VerificationError, check_envelope, check_key_set, parse
from resolvers.transparency.answer_check import check_proof, signed_head
from resolvers.transparency.checkpoint import Checkpoint, parse_unverified
from resolvers.transparency.merkle import (
    as_digest,
    as_hash,
    leaf_hash,
    root,
    verify_consistency,
    verify_inclusion,
)
from resolvers.transparency.words import interface_digest
from schema.signatures import KeySet, WordsLog
from sdl.runner import Operations
from sdl.shape import ListShape

MAX_SECTIONS = 100
ATTEMPTS = 3
"""How often a service that publishes something new during the check is read."""

_LISTED = (400, 200)
"""The status of the list of sections: Bad Request, and what a server of static files has."""
_SECTION = re.compile(r"[A-Za-z0-9.-]{1,64}")
_MALFORMED = (LookupError, TypeError, ValueError, AttributeError, RecursionError, ProofError)
"""What reading a response of an unexpected form can raise."""

Fetch = Callable[[str], tuple[int, bytes]]
"""Returns the status and the body at a path. Raises: VerificationError without a response."""


class ServicePaths:
    """The paths to read, and the sections that every service signs."""

    def __init__(self, operations: Operations) -> None:
        path = operations.path
        self.key_set, self.manifest = path("GetKeySet"), path("GetManifest")
        self.changelog, self.log = path("ListChangelog"), path("GetLog")
        self.checkpoint, self.words = path("GetCheckpoint"), path("GetWordsLog")
        self.inclusion_proof = path("GetInclusionProof")
        self.consistency_proof = path("GetConsistencyProof")
        self.words_checkpoint = path("GetWordsCheckpoint")
        self.words_consistency = path("GetWordsConsistency")
        self.statement_proof = path("GetStatementProof")
        signed = [o for o in operations if o.sign is not None and o.sign.section is not None]
        self.snapshots = signed[0].signed_path or ""
        self.sections: dict[str, Any] = {
            own.signed_section or "": [] if isinstance(own.shape, ListShape) else {}
            for own in signed
        }
        """Each section with what is signed where nothing is published of it."""


IDENTITY = "studio.identity"
"""The section of what the studio says of itself in no other one."""


@dataclass(frozen=True)
class KnownWords:
    """The words log as a check saw it, with the statements of its latest revision."""

    origin: str
    size: int
    head: str
    revision: str
    statements: dict[str, str]
    """The leaf hash of each, by name."""


@dataclass(frozen=True)
class KnownHead:
    """The heads of the logs as an earlier check saw them."""

    origin: str
    size: int
    head: str
    words: KnownWords | None = None
    """The log of words; an earlier version did not remember it."""


@dataclass
class ServiceCheck:
    """One check of a service: the checks that passed, and the first problem."""

    get: Fetch
    paths: ServicePaths
    known_head: KnownHead | None = None
    holds: list[str] = field(default_factory=list)
    problem: VerificationError | None = None
    head: KnownHead | None = None
    _path: str = ""
    """The path that was read last, for the message about a malformed response."""

    def run(self) -> None:
        """Run all checks in order; stop at the first problem."""
        try:
            self.manifest, self.key_set = self._get_json(self.paths.manifest), self._check_keys()
            self._check_manifest()
            self._check_changelog()
            self._check_sections()
            self._check_log()
            self._check_history()
            self._check_words()
        except VerificationError as problem:
            self.problem = problem
        except _MALFORMED:
            self.problem = VerificationError(self._path, "has an unexpected form")

    @property
    def has_changed(self) -> bool:
        """Whether the service has published something new or changed its keys since it was read."""
        path = self.paths.key_set
        try:
            current = self._get_json(self.paths.manifest), check_key_set(path, self._get_json(path))
        except VerificationError:
            return False
        return current != (getattr(self, "manifest", None), getattr(self, "key_set", None))

    @cached_property
    def sections(self) -> tuple[str, ...]:
        """The names of the signed sections, as the error for a missing section lists them."""
        path = self.paths.snapshots
        status, body = self.get(path)
        try:
            names = tuple(parse(path, body)["fields"][0]["allowed"])
        except (KeyError, IndexError, TypeError):
            names = ()
        valid = [name for name in names if isinstance(name, str) and _SECTION.fullmatch(name)]
        if status not in _LISTED or len(valid) != len(names) or len(names) > MAX_SECTIONS:
            raise VerificationError(path, "does not list its sections")
        absent = [name for name in self.paths.sections if name not in names]
        if missing := [name for name in absent if name == IDENTITY or self._data_of(name)]:
            raise VerificationError(path, f"has no section {missing[0]}")
        return names

    def _check_keys(self) -> KeySet:
        path = self.paths.key_set
        key_set = check_key_set(path, self._get_json(path))
        self._add(path, f"{len(key_set.keys)} keys, {len(key_set.revoked)} revoked")
        return key_set

    def _check_manifest(self) -> None:
        path = f"{self.paths.manifest}.sig"
        self._compare(path, self._payload(path), self.manifest)

    def _check_changelog(self) -> None:
        path = self.paths.changelog
        payload = self._payload(f"{path}.sig")
        entries = self.manifest["changelog"]
        self._compare(f"{path}.sig", payload, {"entries": entries, **self._log_head})
        self._compare(path, self._get_json(path), entries)
        if as_digest(root(self._leaves)) != self.manifest["rollupHash"]:
            raise VerificationError(
                self.paths.manifest, "rollupHash is not the tree head of the changelog"
            )
        self._add(path, f"{len(entries)} entries, {self.manifest['rollupHash']}")

    def _check_sections(self) -> None:
        for section in self.sections:
            path = f"{self.paths.snapshots}?section={section}"
            expected = {
                "section": section,
                "data": self._data_of(section) or self.paths.sections.get(section),
                "revision": self.manifest["revision"],
                **self._log_head,
            }
            self._compare(path, self._payload(path), expected)

    def _data_of(self, section: str) -> Any:
        """Return what the manifest has for a section; None or an empty list needs no signature."""
        studio = self.manifest["studio"]
        if section == IDENTITY:
            sections = (*self.paths.sections, *self.sections)
            own = {name.removeprefix("studio.") for name in sections}
            return {name: value for name, value in studio.items() if name not in own}
        _, is_of_studio, name = section.rpartition("studio.")
        return (studio if is_of_studio else self.manifest).get(name)

    def _check_log(self) -> None:
        path = self.paths.checkpoint
        note = signed_head(path, self._get_text(path), self.key_set)
        head = {"rollupHash": as_digest(note.head), "treeSize": note.size}
        self._compare(path, head, self._log_head)
        self.head = KnownHead(note.origin, note.size, as_digest(note.head))
        self._add(path, f"{note.origin}, {note.size} entries")
        for index in {0, note.size - 1} if note.size else ():
            self._check_inclusion(index, note)

    def _check_inclusion(self, index: int, note: Checkpoint) -> None:
        path = f"{self.paths.inclusion_proof}?index={index}"
        steps = self._steps(path)
        if not verify_inclusion(self._leaves[index], index, note.size, steps, note.head):
            raise VerificationError(path, "does not prove that the entry is in the log")
        self._add(path, "the entry is in the log")

    def _check_history(self) -> None:
        prior, head = self.known_head, self.head
        if prior is None or head is None or replace(prior, words=None) == head:
            return
        if prior.origin != head.origin:
            self._check_restart(prior)
            return
        if head.size < prior.size:
            raise VerificationError(
                self.paths.checkpoint, f"the log had {prior.size} entries and has fewer now"
            )
        self._check_growth(self.paths.consistency_proof, prior, head, "entries")
        path = f"{self.paths.consistency_proof}?from={prior.size}"
        self._add(path, f"the log still begins with the {prior.size} entries seen before")

    def _check_growth(
        self,
        consistency: str,
        prior: KnownHead | KnownWords,
        now: KnownHead | KnownWords,
        leaves: str,
    ) -> None:
        """Check that a log begins as it did. Raises: VerificationError."""
        path = f"{consistency}?from={prior.size}"
        old, new = ((head.size, as_hash(head.head)) for head in (prior, now))
        if not verify_consistency(old, new, self._steps(path)):
            raise VerificationError(
                path, f"the log no longer begins with the {leaves} seen by the last check"
            )

    def _check_restart(self, prior: KnownHead) -> None:
        """Check that the earlier log is listed as a former one, with at least its prior entries."""
        path = self.paths.log
        former = self._get_json(path).get("former", ())
        ended = next((log for log in former if log.get("origin") == prior.origin), None)
        if ended is None or ended["treeSize"] < prior.size:
            raise VerificationError(
                path, f"the log {prior.origin} was seen by the last check and is not published now"
            )
        note = parse_unverified(ended["checkpoint"])
        head = (ended["origin"], ended["treeSize"], ended["rollupHash"])
        if head != (note.origin, note.size, as_digest(note.head)):
            raise VerificationError(path, f"the checkpoint of {prior.origin} has another head")
        if ended["treeSize"] == prior.size and ended["rollupHash"] != prior.head:
            raise VerificationError(
                path, f"the log {prior.origin} ended with another head than the last check saw"
            )
        self._add(path, f"{prior.origin} has ended; a new log has begun")

    def _check_words(self) -> None:
        prior = self.known_head.words if self.known_head is not None else None
        words = self._read_words()
        self._add(self.paths.words_checkpoint, f"{words.origin}, size {words.size}")
        counted = f"{len(words.statements)} statements, revision {words.revision}"
        self._add(self.paths.words, counted)
        if prior is not None:
            self._add(self.paths.words, self._growth_of_words(prior, words))
            for line in differences(prior, words):
                self._add(self.paths.words, line)
        if self.head is not None:
            self.head = replace(self.head, words=words)

    def _read_words(self) -> KnownWords:
        """Return the words log, once it holds what it says of this revision.

        Its head is signed, its statements lead to the content root of the revision's leaf and those
        of the interface to its digest, and that leaf is in the log. Raises: VerificationError.
        """
        path, checkpoint = self.paths.words, self.paths.words_checkpoint
        try:
            log = WordsLog.model_validate(self._get_json(path))
            leaf = json.loads(log.revision_leaf)
            said = leaf["revision"], leaf["contentRoot"], leaf["interface"], leaf["statements"]
        except (ValidationError, ValueError, TypeError, LookupError) as error:
            raise VerificationError(path, "is not a log of words") from error
        note = signed_head(checkpoint, self._get_text(checkpoint), self.key_set)
        listed = (log.origin, log.tree_size, log.rollup_hash)
        if (note.origin, note.size, as_digest(note.head)) != listed:
            raise VerificationError(checkpoint, f"differs from {path}")
        statements = {each.name: str(each.leaf_hash) for each in log.statements}
        if [*statements] != sorted(statements) or len(statements) != len(log.statements):
            raise VerificationError(path, "its statements are not sorted by name")
        hashes = {name: as_hash(digest) for name, digest in statements.items()}
        head, revision = as_digest(root([*hashes.values()])), str(self.manifest["revision"])
        found = (revision, head, interface_digest(hashes), len(hashes))
        if said != found or head != log.content_root:
            raise VerificationError(path, "its statements are not those of the revision's leaf")
        if statements:
            first = min(statements)
            self._check_statement(first, (log.revision_leaf, statements[first]))
        return KnownWords(log.origin, log.tree_size, str(log.rollup_hash), revision, statements)

    def _check_statement(self, name: str, expected: tuple[str, str]) -> None:
        """Check the proof of a statement, and that its revision's leaf and its hash are these."""
        path = f"{self.paths.statement_proof}?name={quote(name, safe='')}"
        proof = self._get_json(path)
        check_proof(path, proof, self.key_set)
        if (proof["revisionLeaf"], proof["leafHash"]) != expected:
            raise VerificationError(path, f"differs from {self.paths.words}")

    def _growth_of_words(self, prior: KnownWords, words: KnownWords) -> str:
        """Return how the words log continues the one seen before. Raises: VerificationError."""
        path = self.paths.words_checkpoint
        if prior.origin != words.origin:
            raise VerificationError(
                self.paths.words,
                f"the log {prior.origin} was seen by the last check; now {words.origin} is there,"
                " and nothing connects the two",
            )
        if words.size < prior.size:
            raise VerificationError(
                path, f"the log had size {prior.size} and has size {words.size} now"
            )
        if words.size > prior.size:
            self._check_growth(self.paths.words_consistency, prior, words, "revisions")
            return f"the log still begins with what was seen before, at size {prior.size}"
        if words.head != prior.head:
            raise VerificationError(
                path, f"the log of size {prior.size} has another head than the last check saw"
            )
        return f"the log still has the size seen before, {prior.size}, and the same head"

    @property
    def _log_head(self) -> dict[str, Any]:
        """The members that tie a payload to the log."""
        size = len(self.manifest["changelog"])
        return {"rollupHash": self.manifest["rollupHash"], "treeSize": size}

    @cached_property
    def _leaves(self) -> list[bytes]:
        entries = sorted(self.manifest["changelog"], key=lambda entry: str(entry["publishedAt"]))
        return [leaf_hash(canonical(entry)) for entry in entries]

    def _payload(self, path: str) -> Any:
        """Return the payload of the envelope at a path, once it verifies."""
        envelope = self._get_json(path)
        payload = check_envelope(path, envelope, self.key_set)
        self._add(path, f"signed by {envelope['publicJwk']['kid']} at {envelope['signedAt']}")
        return payload

    def _compare(self, path: str, value: Any, expected: Any) -> None:
        if canonical(value) != canonical(expected):
            raise VerificationError(path, f"differs from {self.paths.manifest}")

    def _steps(self, path: str) -> list[bytes]:
        """Return the hashes of the proof at a path."""
        proof = self._get_json(path)
        try:
            return [as_hash(step) for step in proof["path"]]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise VerificationError(path, "is not a valid proof") from error

    def _get_json(self, path: str) -> Any:
        return parse(path, self._get_bytes(path))

    def _get_text(self, path: str) -> str:
        try:
            return self._get_bytes(path).decode()
        except UnicodeDecodeError as error:
            raise VerificationError(path, "is not UTF-8") from error

    def _get_bytes(self, path: str) -> bytes:
        self._path = path
        status, body = self.get(path)
        if status != 200:  # noqa: PLR2004 - HTTP's OK
            raise VerificationError(path, f"answers {status}")
        return body

    def _add(self, path: str, detail: str) -> None:
        self.holds.append(f"{path}: {detail}")


def check_service(
    get: Fetch, paths: ServicePaths, known_head: KnownHead | None = None
) -> ServiceCheck:
    """Check a service, again if it changed meanwhile, and return the last reading."""
    attempt = 1
    while True:
        check = ServiceCheck(get, paths, known_head)
        check.run()
        if check.problem is None or attempt == ATTEMPTS or not check.has_changed:
            return check
        attempt += 1


def differences(prior: KnownWords, words: KnownWords) -> list[str]:
    """Return a line for each statement that differs between two revisions, by name."""
    old, new = prior.statements, words.statements
    return [
        f"{name} was {'added' if name not in old else 'changed' if name in new else 'removed'}"
        f" between {prior.revision} and {words.revision}"
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    ]
