"""The words log: every statement of every published revision, each with its proof.

The statements of a revision, which `statements.py` names, are the leaves of a content tree; its
head stands in the revision's leaf, and the leaves of all published revisions are the log. Source:
RFC 9162, C2SP tlog-checkpoint, C2SP tlog-proof.
"""

import difflib
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from resolvers.signing.canonical import canonical
from resolvers.signing.keys import Key
from resolvers.transparency.log import SignedLog
from resolvers.transparency.merkle import Tree, as_digest, leaf_hash, root
from resolvers.transparency.statements import INTERFACE
from schema.services.signatures import (
    LoggedRevision,
    StatementChanges,
    StatementHash,
    StatementHistory,
    StatementProof,
    StatementVersion,
    WordsLog,
)
from sdl.errors import FieldProblem, NotFoundError
from sdl.types.scalar_types import Digest

_TLOG_PROOF = "c2sp.org/tlog-proof@v1"
_SIZE = re.compile(r"[0-9]{1,9}")
_REVISION = re.compile(Digest.pattern)


class ContentTree:
    """The statements of one revision, sorted by name, and the Merkle tree over them."""

    def __init__(self, revision: Digest, statements: Iterable[tuple[str, Any]]) -> None:
        """Take the statements, each with its name. Raises: ProofError."""
        self.revision = revision
        texts = {name: canonical({"name": name, "data": data}) for name, data in statements}
        self.texts: dict[str, bytes] = dict(sorted(texts.items()))
        """The canonical JSON of each statement, by name."""
        self.hashes = {name: leaf_hash(text) for name, text in self.texts.items()}
        self.tree = Tree([*self.hashes.values()])
        self._places = {name: place for place, name in enumerate(self.texts)}

    @property
    def head(self) -> Digest:
        """The tree head."""
        return as_digest(self.tree.head)

    def place(self, name: str) -> int:
        """Return the position of a statement. Raises: NotFoundError."""
        if name not in self._places:
            raise _unknown_name("No statement has this name.", name, self._places)
        return self._places[name]

    def leaf(self, changed: Iterable[str], published_at: str) -> str:
        """Return the revision's leaf in the log: canonical JSON."""
        members = {
            "revision": str(self.revision),
            "contentRoot": str(self.head),
            "statements": len(self.texts),
            "publishedAt": published_at,
            "changed": sorted(changed),
            "interface": interface_digest(self.hashes),
        }
        return canonical(members).decode()

    def is_said_by(self, leaf: str) -> bool:
        """Return whether a leaf says the same, whenever it was published."""
        members = json.loads(leaf)
        return (members["revision"], members["contentRoot"]) == (self.revision, self.head)


def interface_digest(hashes: dict[str, bytes]) -> str:
    """Return the tree head over the statements that are no content; `hashes` are sorted by name."""
    return as_digest(root([h for name, h in hashes.items() if name.startswith(INTERFACE)]))


class Version(NamedTuple):
    """What a statement was from one revision on."""

    place: int
    """The revision's place in the log."""
    hash: bytes | None
    """The statement's leaf hash; None if the revision removed it."""


class Publication(NamedTuple):
    """The time and the revision that a leaf of the log names."""

    published_at: str
    revision: Digest

    @classmethod
    def of(cls, leaf: str) -> "Publication":
        """Read a leaf, which is canonical JSON."""
        members = json.loads(leaf)
        return cls(members["publishedAt"], Digest(members["revision"]))


@dataclass(frozen=True)
class PublishedWords:
    """The words log as it is stored, without what the leaves say beside their hashes."""

    origin: str
    hashes: tuple[bytes, ...] = ()
    """The leaf hash of each revision, oldest first."""
    publications: tuple[Publication, ...] = ()
    """The time and the revision of each leaf, oldest first."""
    versions: Mapping[str, tuple[Version, ...]] = field(default_factory=dict)
    """The versions of every statement, oldest first, by its name."""

    @cached_property
    def tree(self) -> Tree:
        """The tree over the leaf hashes."""
        return Tree(self.hashes)

    def size_after(self, revision: str) -> int | None:
        """Return the size of the log when a revision was first published; None if it never was."""
        own = enumerate(self.publications, 1)
        return next((size for size, other in own if other.revision == revision), None)

    def statements(self, size: int | None = None) -> dict[str, bytes]:
        """Return the hash of each statement when the log had this size; now, without one."""
        found = {}
        for name, versions in self.versions.items():
            known = versions if size is None else [v for v in versions if v.place < size]
            if known and known[-1].hash is not None:
                found[name] = known[-1].hash
        return found

    def with_revision(
        self, content: ContentTree, published_at: str
    ) -> "tuple[PublishedWords, str]":
        """Return the log after a revision is added to it, and the revision's leaf."""
        known, hashes = self.statements(), content.hashes
        changed = sorted(n for n in {*known, *hashes} if known.get(n) != hashes.get(n))
        place = len(self.hashes)
        leaf = content.leaf(changed if place else (), published_at)
        more = {
            name: (*self.versions.get(name, ()), Version(place, hashes.get(name)))
            for name in changed
        }
        grown = PublishedWords(
            self.origin,
            (*self.hashes, leaf_hash(leaf.encode())),
            (*self.publications, Publication.of(leaf)),
            {**self.versions, **more},
        )
        return grown, leaf


@dataclass(frozen=True)
class Words(SignedLog):
    """Everything that one revision says, and its place in the log, signed by one key."""

    content: ContentTree
    published: PublishedWords
    index: int
    """The place of the revision's leaf."""
    leaf: str
    """The canonical JSON that was logged for the revision."""
    key: Key
    is_published: bool = True
    """Whether the log holds the revision; a preview shows where it would stand."""
    missing = "The log never had this size."

    @property
    def origin(self) -> str:  # type: ignore[override]
        """The name of the log."""
        return self.published.origin

    @cached_property
    def tree(self) -> Tree:
        """The tree of the log."""
        return self.published.tree

    @cached_property
    def logged(self) -> LoggedRevision:
        """The proof that the revision is in the log."""
        return LoggedRevision(
            origin=self.origin,
            index=self.index,
            size=self.size,
            path=self.path(self.index),
            checkpoint=self.checkpoint,
        )

    @property
    def summary(self) -> WordsLog:
        """The log and the revision as they are published."""
        return WordsLog(
            origin=self.origin,
            tree_size=self.size,
            rollup_hash=self.rollup_hash,
            verifier_key=self.verifier_key,
            content_root=self.content.head,
            revision_leaf=self.leaf,
            statements=[
                StatementHash(name=name, leaf_hash=as_digest(value))
                for name, value in self.content.hashes.items()
            ],
        )

    def proof(self, name: str) -> StatementProof:
        """Return the proof that the revision says a statement. Raises: NotFoundError."""
        place = self.content.place(name)
        return StatementProof(
            name=name,
            statement=self.content.texts[name].decode(),
            leaf_hash=as_digest(self.content.hashes[name]),
            index=place,
            size=len(self.content.texts),
            path=[as_digest(step) for step in self.content.tree.path(place)],
            content_root=self.content.head,
            revision_leaf=self.leaf,
            log=self.logged,
        )

    def tlog_proof(self, name: str) -> str:
        """Return the same proof as C2SP tlog-proof. Raises: NotFoundError.

        Its entry is the revision's leaf; what leads from the statement to it is the extra data.
        """
        proof = self.proof(name).to_json()
        extra = canonical({key: value for key, value in proof.items() if key != "log"})
        lines = [
            _TLOG_PROOF,
            f"extra {b64encode(extra).decode()}",
            f"index {self.index}",
            *(b64encode(step).decode() for step in self.tree.path(self.index)),
            "",
            self.checkpoint,
        ]
        return "\n".join(lines)

    def changes_since(self, since: str) -> StatementChanges:
        """Return the statements that were added, changed or removed since a revision.

        `since` is its digest, or the size that the log had then. Raises: NotFoundError.
        """
        size = self._size_at(since)
        before, now = self.published.statements(size), self.published.statements()
        common = before.keys() & now.keys()
        return StatementChanges(
            revision=self.published.publications[-1].revision,
            from_size=size,
            tree_size=self.size,
            added=sorted(now.keys() - before.keys()),
            changed=sorted(name for name in common if before[name] != now[name]),
            removed=sorted(before.keys() - now.keys()),
        )

    def history_of(self, name: str) -> StatementHistory:
        """Return the revisions that changed a statement, oldest first. Raises: NotFoundError."""
        log = self.published
        if name not in log.versions:
            raise _unknown_name("No statement ever had this name.", name, log.versions)
        return StatementHistory(
            name=name,
            versions=[
                StatementVersion(
                    index=place,
                    revision=log.publications[place].revision,
                    published_at=datetime.fromisoformat(log.publications[place].published_at),
                    leaf_hash=None if value is None else as_digest(value),
                )
                for place, value in log.versions[name]
            ],
        )

    def _size_at(self, since: str) -> int:
        """Return the size `since` names, or that after a revision. Raises: NotFoundError."""
        if _SIZE.fullmatch(since) and int(since) <= self.size:
            return int(since)
        if _REVISION.fullmatch(since):
            size = self.published.size_after(since)
            if size is not None:
                return size
        most = f"from 0 to {self.size}"
        rule = f"must be the digest of a published revision, or a size of the log {most}"
        raise NotFoundError("Nothing was published at this point.", [FieldProblem("since", rule)])


def _unknown_name(text: str, name: str, known: Iterable[str]) -> NotFoundError:
    """Return the error for a name that no statement has, with those like it."""
    similar = tuple(difflib.get_close_matches(name, known, n=5, cutoff=0.4))
    return NotFoundError(text, [FieldProblem("name", "is not known", similar)])
