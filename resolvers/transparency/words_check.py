"""The check of the words log from outside: its head, its latest revision, and what became of it.

Source: docs/signatures.md, "Statements and the log of words".
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from pydantic import ValidationError

from resolvers.signing.keys import ProofError, b64url_decode
from resolvers.signing.verify import VerificationError
from resolvers.transparency.answer_check import check_proof
from resolvers.transparency.checkpoint import read_note
from resolvers.transparency.merkle import as_digest, verify_consistency
from resolvers.transparency.words import head_of
from schema.signatures import ConsistencyProof, KeySet, WordsLog
from sdl.statements import INTERFACE


@dataclass(frozen=True)
class WordsPaths:
    """The paths of the words log."""

    log: str
    checkpoint: str
    consistency: str
    proof: str


@dataclass(frozen=True)
class KnownWords:
    """The words log as an earlier check saw it, with the statements of its latest revision."""

    origin: str
    size: int
    head: str
    revision: str
    statements: dict[str, str]
    """The leaf hash of each, by name."""


def check_words(
    get_json: Callable[[str], Any],
    get_text: Callable[[str], str],
    paths: WordsPaths,
    key_set: KeySet,
    revision: str,
) -> KnownWords:
    """Return the words log, once it holds what it says of this revision. Raises: VerificationError.

    Its head is signed, its statements lead to the content root of the revision's leaf and those of
    the interface to its digest, and that leaf is in the log.
    """
    try:
        log = WordsLog.model_validate(get_json(paths.log))
        leaf = json.loads(log.revision_leaf)
        said = leaf["revision"], leaf["contentRoot"], leaf["interface"], leaf["statements"]
    except (ValidationError, ValueError, TypeError, LookupError) as error:
        raise VerificationError(paths.log, "is not a log of words") from error
    try:
        keys = tuple(b64url_decode(key.x, 32) for key in key_set.keys)
        note = read_note(get_text(paths.checkpoint), keys)
    except ProofError as error:
        raise VerificationError(paths.checkpoint, str(error)) from error
    if (note.origin, note.size, as_digest(note.head)) != (
        log.origin,
        log.tree_size,
        log.rollup_hash,
    ):
        raise VerificationError(paths.checkpoint, f"differs from {paths.log}")
    hashes = {statement.name: str(statement.leaf_hash) for statement in log.statements}
    if [*hashes] != sorted(hashes) or len(hashes) != len(log.statements):
        raise VerificationError(paths.log, "its statements are not sorted by name")
    interface = [value for name, value in hashes.items() if name.startswith(INTERFACE)]
    heads = head_of(map(_raw, hashes.values())), head_of(map(_raw, interface))
    if said != (revision, *heads, len(hashes)) or heads[0] != log.content_root:
        raise VerificationError(paths.log, "its statements are not those of the revision's leaf")
    if hashes:
        name = min(hashes)
        path = f"{paths.proof}?name={quote(name, safe='')}"
        proof = get_json(path)
        check_proof(path, proof, key_set)
        if (proof["revisionLeaf"], proof["leafHash"]) != (log.revision_leaf, hashes[name]):
            raise VerificationError(path, f"differs from {paths.log}")
    return KnownWords(log.origin, log.tree_size, str(log.rollup_hash), revision, hashes)


def check_growth(
    get_json: Callable[[str], Any], paths: WordsPaths, prior: KnownWords, words: KnownWords
) -> str:
    """Return how the words log continues the one seen before. Raises: VerificationError."""
    if prior.origin != words.origin:
        raise VerificationError(
            paths.log,
            f"the log {prior.origin} was seen by the last check; now {words.origin} is there, and"
            " nothing connects the two",
        )
    if words.size < prior.size:
        raise VerificationError(
            paths.checkpoint, f"the log had size {prior.size} and has size {words.size} now"
        )
    if words.size == prior.size:
        if words.head != prior.head:
            raise VerificationError(
                paths.checkpoint,
                f"the log of size {prior.size} has another head than the last check saw",
            )
        return f"the log still has the size seen before, {prior.size}, and the same head"
    path = f"{paths.consistency}?from={prior.size}"
    try:
        steps = [_raw(step) for step in ConsistencyProof.model_validate(get_json(path)).path]
        old, new = (prior.size, _raw(prior.head)), (words.size, _raw(words.head))
    except (ValidationError, ValueError) as error:
        raise VerificationError(path, "is not a valid proof") from error
    if not verify_consistency(old, new, steps):
        raise VerificationError(
            path, "the log no longer begins with the revisions seen by the last check"
        )
    return f"the log still begins with what was seen before, at size {prior.size}"


def differences(prior: KnownWords, words: KnownWords) -> list[str]:
    """Return a line for each statement that differs between two revisions, by name."""
    old, new = prior.statements, words.statements
    between = f"between {prior.revision} and {words.revision}"
    return [
        f"{name} was {'added' if name not in old else 'changed' if name in new else 'removed'}"
        f" {between}"
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    ]


def _raw(digest: str) -> bytes:
    return bytes.fromhex(str(digest).removeprefix("sha256:"))
