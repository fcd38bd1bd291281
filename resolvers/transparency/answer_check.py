"""The check of a proof, and of an answer with its proofs, without the service that sent them.

Source: docs/signatures.md, "A proof" and "An answer".
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from resolvers.signing.keys import ProofError, b64url_decode
from resolvers.signing.verify import VerificationError
from resolvers.transparency.checkpoint import Checkpoint, read_note
from resolvers.transparency.merkle import as_digest, as_hash, leaf_hash, verify_inclusion
from schema.signatures import KeySet, StatementProof
from sdl.scalar_types import Digest

_MARKED = re.compile(r"(.*?)((?:\s*\[[0-9]+\])+|\n\s*\n)", re.DOTALL)
"""A text and the marks behind it, or the empty line: then it cites nothing."""
_ENDS = ".!?:;)\"'"
"""What can stand before and at the end of a sentence."""


def signed_head(where: str, note: str, key_set: KeySet) -> Checkpoint:
    """Return the head in a note that a key of the set has signed. Raises: VerificationError."""
    try:
        return read_note(note, tuple(b64url_decode(key.x, 32) for key in key_set.keys))
    except ProofError as error:
        raise VerificationError(where, str(error)) from error


def check_proof(where: str, document: Any, key_set: KeySet) -> Any:
    """Return the data of a proven statement. Raises: VerificationError."""
    try:
        proof = StatementProof.model_validate(document)
        leaf, statement = json.loads(proof.revision_leaf), json.loads(proof.statement)
        root, size = str(leaf["contentRoot"]), leaf["statements"]
        name, data = statement["name"], statement["data"]
    except (ValidationError, ValueError, TypeError, LookupError, RecursionError) as error:
        raise VerificationError(where, "is not a proof of a statement") from error
    note = signed_head(where, proof.log.checkpoint, key_set)
    if (proof.log.origin, proof.log.size) != (note.origin, note.size):
        raise VerificationError(where, "log.origin or log.size differs from the checkpoint")
    logged = leaf_hash(proof.revision_leaf.encode())
    if not verify_inclusion(logged, proof.log.index, note.size, _hashes(proof.log.path), note.head):
        raise VerificationError(where, "log.path does not lead from revisionLeaf to the checkpoint")
    if (root, size) != (proof.content_root, proof.size):
        raise VerificationError(where, "contentRoot or size differs from revisionLeaf")
    said = leaf_hash(proof.statement.encode())
    if proof.leaf_hash != as_digest(said):
        raise VerificationError(where, "leafHash is not that of the statement")
    if not verify_inclusion(
        said, proof.index, proof.size, _hashes(proof.path), as_hash(proof.content_root)
    ):
        raise VerificationError(where, "path does not lead from the statement to contentRoot")
    if name != proof.name:
        raise VerificationError(where, "the statement has another name")
    return data


def check_answer(where: str, answer: Mapping[str, Any], key_set: KeySet) -> list[str]:
    """Return what holds of an answer with its proofs, a line for each proof and sentence.

    A sentence holds if it stands in the statement that it cites, word for word, or if the value
    that is pointed at stands in it; then the words around the value are said to be unproven.
    Raises: VerificationError.
    """
    try:
        found = [json.loads(text) for text in answer["proofs"]]
        proofs = {str(proof["name"]): proof for proof in found}
        citations = {str(citation["n"]): citation for citation in answer["citations"]}
        text = str(answer["answer"])
    except (TypeError, ValueError, LookupError) as error:
        raise VerificationError(where, "is not an answer with its proofs") from error
    data = {name: check_proof(f"{where}: {name}", proof, key_set) for name, proof in proofs.items()}
    lines = [f"{where}: {name} was published" for name in data]
    for match in _MARKED.finditer(f"{text}\n\n"):
        sentence, numbers = _plain(match[1]), re.findall(r"[0-9]+", match[2])
        ways = [standing(sentence, citations.get(number), data) for number in numbers]
        if sentence and not numbers:
            lines.append(f"{where}: not proven, as it cites nothing: {sentence}")
        elif sentence and not any(ways):
            raise VerificationError(where, f"is not in what it cites: {sentence}")
        lines += [f"{where}: [{n}] {way}" for n, way in zip(numbers, ways, strict=True) if way]
    return lines


def standing(sentence: str, citation: Any, data: Mapping[str, Any]) -> str:
    """Return how a sentence stands in the statement of a citation; an empty text if it does not."""
    url = str(citation.get("url", "")) if isinstance(citation, Mapping) else ""
    name = url.partition("/api/")[2]  # over MCP the base address stands before it
    if name not in data:
        return ""
    texts = [_plain(text) for text in _texts(data[name])]
    if any(_quotes(sentence, text) for text in texts):
        return f"word for word in {name}"
    tails = [sentence[match.end() :] for match in re.finditer(": ", sentence)]
    if any(_quotes(tail, text) for tail in tails for text in texts):
        return f"word for word in {name} behind a colon; the words before it are not proven"
    pointer = citation.get("pointer")
    found = _at(data[name], str(pointer)) if pointer is not None else None
    if isinstance(found, bool):
        begins = re.match("Yes\\b" if found else "No\\b", sentence)
        line = f"{name}{pointer} is {str(found).lower()}; the words after Yes or No are not proven"
        return line if begins else ""
    for text in _texts(found):
        value = re.escape(_plain(text))
        if value and re.search(rf"(?<!\w){value}(?!\w)", sentence):
            return f"{name}{pointer} stands in it; the words around it are not proven"
    return ""


def _quotes(sentence: str, text: str) -> bool:
    """Return whether a sentence stands in a text as a whole, with no word left out at an end."""
    start = text.find(sentence)
    while start >= 0:
        before, after = text[:start].rstrip(), text[start + len(sentence) :]
        if (not before or before[-1] in _ENDS) and (not after or sentence[-1:] in _ENDS):
            return True
        start = text.find(sentence, start + 1)
    return False


def _texts(value: Any) -> Iterator[str]:
    """Yield every text and number in plain JSON, and the length of every list."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        yield str(len(value))
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield str(value)


def _at(value: Any, pointer: str) -> Any:
    """Return the value at a JSON pointer; None if there is none. Source: RFC 6901."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        members = {str(n): item for n, item in enumerate(value)} if type(value) is list else value
        value = members.get(key) if isinstance(members, dict) else None
    return value


def _plain(text: str) -> str:
    return " ".join(text.split())


def _hashes(path: list[Digest]) -> list[bytes]:
    return [as_hash(step) for step in path]
