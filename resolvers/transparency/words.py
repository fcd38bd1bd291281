"""The words log: every statement of every published revision, each with its proof.

The statements of a revision, which `sdl/statements.py` names, are the leaves of a content tree; its
head stands in the revision's leaf, and the leaves of all published revisions are the log. Source:
RFC 9162, C2SP tlog-checkpoint, C2SP tlog-proof.
"""

import difflib
import json
from base64 import b64encode
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from orjson import JSONEncodeError

from resolvers.signing.canonical import canonical
from resolvers.signing.keys import Key
from resolvers.transparency.checkpoint import Checkpoint, signed_note, verifier_key
from resolvers.transparency.merkle import Tree, as_digest, consistency_path, leaf_hash, root
from schema.signatures import ConsistencyProof, LoggedRevision, StatementProof, WordsLog
from schema.signatures import StatementHash as Hash
from sdl.canonical_json import quick_json
from sdl.errors import FieldProblem, NotFoundError
from sdl.scalar_types import Digest

_TLOG_PROOF = "c2sp.org/tlog-proof@v1"


class ContentTree:
    """The statements of one revision, sorted by name, and the Merkle tree over them."""

    def __init__(
        self, statements: Iterable[tuple[str, Any]], before: "ContentTree | None" = None
    ) -> None:
        """Take the statements; those that `before` has too are not hashed again."""
        known: dict[str, bytes] = {} if before is None else before.texts
        texts = {name: _text(name, data, known.get(name)) for name, data in statements}
        self.texts: dict[str, bytes] = dict(sorted(texts.items()))
        """The canonical JSON of each statement, by name."""
        self.hashes: dict[str, bytes] = {
            name: before.hashes[name]
            if before is not None and known.get(name) is text
            else leaf_hash(text)
            for name, text in self.texts.items()
        }
        self.tree = Tree([*self.hashes.values()])
        self._places = {name: place for place, name in enumerate(self.texts)}

    @property
    def head(self) -> Digest:
        """The tree head."""
        return as_digest(self.tree.head)

    def place(self, name: str) -> int:
        """Return the position of a statement. Raises: NotFoundError."""
        if name not in self._places:
            similar = tuple(difflib.get_close_matches(name, self._places, n=5, cutoff=0.4))
            raise NotFoundError(
                "No statement has this name.", [FieldProblem("name", "is not known", similar)]
            )
        return self._places[name]


def _text(name: str, data: Any, known: bytes | None) -> bytes:
    """Return the canonical JSON of a statement: the very one that is known, if it says the same.

    JSON that is written like a canonical text is that text, so it need not be looked through.
    """
    statement = {"name": name, "data": data}
    with suppress(JSONEncodeError):  # `canonical` says what is wrong
        if known is not None and quick_json(statement) == known:
            return known
    return canonical(statement)


@dataclass(frozen=True)
class Publication:
    """What one revision says."""

    revision: Digest
    content: ContentTree
    interface: Digest
    """The tree head over the statements that are no content."""

    def leaf(self, changed: Iterable[str], published_at: str) -> str:
        """Return its leaf in the log: canonical JSON."""
        members = {
            "revision": str(self.revision),
            "contentRoot": str(self.content.head),
            "statements": len(self.content.texts),
            "publishedAt": published_at,
            "changed": sorted(changed),
            "interface": str(self.interface),
        }
        return canonical(members).decode()

    def is_said_by(self, leaf: str) -> bool:
        """Return whether a leaf says the same, whenever it was published."""
        members = json.loads(leaf)
        said = (members["revision"], members["contentRoot"], members["interface"])
        return said == (self.revision, self.content.head, self.interface)


@dataclass(frozen=True)
class Version:
    """What a statement was from one revision on."""

    name: str
    place: int
    """The position in the log of the revision that added, changed or removed it."""
    hash: bytes | None
    """Its leaf hash; `None` if the revision removed it."""


@dataclass(frozen=True)
class PublishedWords:
    """The words log as it is stored: the leaf of each revision, and what each one changed."""

    origin: str
    leaves: Sequence[str] = ()
    """The canonical JSON that was logged for each revision, oldest first."""
    hashes: Sequence[bytes] = ()
    """The leaf hash of each."""
    versions: Sequence[Version] = ()
    """Every version of every statement, oldest first."""

    def statements(self, size: int | None = None) -> dict[str, bytes]:
        """Return the hash of each statement when the log had this size; now, without one."""
        said: dict[str, bytes | None] = {
            v.name: v.hash for v in self.versions if size is None or v.place < size
        }
        return {name: value for name, value in said.items() if value is not None}

    def with_revision(self, publication: Publication, published_at: str) -> "PublishedWords":
        """Return the log with one revision more."""
        known, hashes = self.statements(), publication.content.hashes
        changed = sorted(n for n in {*known, *hashes} if known.get(n) != hashes.get(n))
        leaf = publication.leaf(changed if self.leaves else (), published_at)
        place = len(self.leaves)
        return PublishedWords(
            self.origin,
            [*self.leaves, leaf],
            [*self.hashes, leaf_hash(leaf.encode())],
            [*self.versions, *(Version(name, place, hashes.get(name)) for name in changed)],
        )


@dataclass(frozen=True)
class WordsEntry:
    """Where a revision stands in the words log."""

    log: PublishedWords
    index: int
    is_published: bool = True
    """Whether the log holds it; a preview shows where it would stand."""

    @property
    def origin(self) -> str:
        """The name of the log."""
        return self.log.origin

    @property
    def leaf(self) -> str:
        """The canonical JSON that was logged for it."""
        return self.log.leaves[self.index]

    @property
    def hashes(self) -> Sequence[bytes]:
        """The leaf hashes of the log, oldest first."""
        return self.log.hashes


@dataclass(frozen=True)
class Words:
    """Everything that one revision says, and its place in the log, signed by one key."""

    content: ContentTree
    entry: WordsEntry
    key: Key

    @cached_property
    def log_tree(self) -> Tree:
        """The Merkle tree of the log."""
        return Tree(self.entry.hashes)

    @property
    def size(self) -> int:
        """The number of published revisions."""
        return len(self.entry.hashes)

    @cached_property
    def checkpoint(self) -> str:
        """The signed head of the log."""
        checkpoint = Checkpoint(self.entry.origin, self.size, self.log_tree.head)
        return signed_note(checkpoint, self.key)

    @cached_property
    def logged(self) -> LoggedRevision:
        """The proof that the revision is in the log."""
        return LoggedRevision(
            origin=self.entry.origin,
            index=self.entry.index,
            size=self.size,
            path=[as_digest(step) for step in self.log_tree.path(self.entry.index)],
            checkpoint=self.checkpoint,
        )

    @property
    def summary(self) -> WordsLog:
        """The log and the revision as they are published."""
        return WordsLog(
            origin=self.entry.origin,
            tree_size=self.size,
            rollup_hash=as_digest(self.log_tree.head),
            verifier_key=verifier_key(self.entry.origin, self.key.x),
            content_root=self.content.head,
            revision_leaf=self.entry.leaf,
            statements=[
                Hash(name=name, leaf_hash=as_digest(value))
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
            revision_leaf=self.entry.leaf,
            log=self.logged,
        )

    def tlog_proof(self, name: str) -> str:
        """Return the same proof as C2SP tlog-proof. Raises: NotFoundError.

        Its entry is the revision's leaf; what leads from the statement to it is the extra data.
        """
        proof = self.proof(name).to_json()
        extra = canonical({key: value for key, value in proof.items() if key != "log"})
        path = self.log_tree.path(self.entry.index)
        lines = [
            _TLOG_PROOF,
            f"extra {b64encode(extra).decode()}",
            f"index {self.entry.index}",
            *(b64encode(step).decode() for step in path),
            "",
            self.checkpoint,
        ]
        return "\n".join(lines)

    def consistency(self, size: int) -> ConsistencyProof:
        """Return the proof that the log of this size is a prefix. Raises: NotFoundError."""
        if not 0 <= size <= self.size:
            rule = f"must be a whole number from 0 to {self.size}"
            raise NotFoundError("The log never had this size.", [FieldProblem("from", rule)])
        hashes = self.entry.hashes
        return ConsistencyProof(
            origin=self.entry.origin,
            from_size=size,
            from_hash=as_digest(root(hashes[:size])),
            tree_size=self.size,
            path=[as_digest(step) for step in consistency_path(hashes, size)],
            rollup_hash=as_digest(self.log_tree.head),
        )


def head_of(hashes: Iterable[bytes]) -> Digest:
    """Return the tree head over leaf hashes."""
    return as_digest(root([*hashes]))
