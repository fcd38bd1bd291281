"""Two thousand proofs with something altered: every verifier refuses each, with its reason."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from proof_alterations import KEY, NOW, OTHER_KEY, OWNER, altered, words_of
from pymerkle import InmemoryTree, InvalidProof, verify_inclusion
from third_verifier import RefusedError
from third_verifier import check_proof as check_by_third
from verifier_scripts import both

from resolvers.signing.keys import key_ring_at
from resolvers.signing.verify import VerificationError
from resolvers.transparency.answer_check import check_proof
from resolvers.transparency.merkle import leaf_hash
from resolvers.transparency.merkle import verify_inclusion as leads

EACH, OTHERS = 150, 50
PATH, LOG_PATH = "path does not lead", "log.path does not lead"
BOUND, HEAD = "contentRoot or size differs", "is not the head of the log"
LEAF, STRANGE = "leafHash is not that", "no key of the key set has signed"
REASONS: dict[str, tuple[str, set[str]]] = {
    "name": ("the statement has another name", {"wrong name"}),
    "statement": (LEAF, {"wrong leafHash"}),
    "leafHash": (LEAF, {"wrong leafHash"}),
    "index": (PATH, {"wrong path"}),
    "size": (BOUND, {BOUND}),
    "path": (PATH, {"wrong path"}),
    "contentRoot": (BOUND, {BOUND}),
    "revisionLeaf": (LOG_PATH, {HEAD}),
    "log.origin": ("log.origin or log.size differs", {"wrong origin"}),
    "log.index": (LOG_PATH, {HEAD, "wrong path"}),
    "log.size": ("log.origin or log.size differs", {HEAD, "wrong path"}),
    "log.path": (LOG_PATH, {HEAD, "wrong path"}),
    "log.checkpoint": (STRANGE, {"key is not in the key set", "signature does not verify"}),
}
"""What our own verifier says of an altered member, and what the single files say."""
NO_PROOF = "is not a proof of a statement"
TREE = ("statement", "index", "path", "contentRoot")
"""The members on which the inclusion of the statement depends; the leaf binds the size."""


def raw(digest: str) -> bytes:
    """The bytes of `sha256:<hex>`. Raises: ValueError."""
    name, _, digits = digest.partition(":")
    if name != "sha256":
        raise ValueError(name)
    return bytes.fromhex(digits)


def holds_for_pymerkle(proof: dict[str, Any]) -> bool:
    """Whether another library finds the statement in the content tree."""
    size, index = proof["size"], proof["index"]
    if not 0 <= index < size:
        return False
    tree = InmemoryTree(algorithm="sha256")
    for number in range(size):
        tree.append_entry(b"%d" % number)
    made = tree.prove_inclusion(index + 1)
    leaf = leaf_hash(proof["statement"].encode())
    try:
        made.path = [leaf, *(raw(step) for step in proof["path"])]
        root = raw(proof["contentRoot"])
        verify_inclusion(leaf, root, made, index=index + 1, size=size)
    except (InvalidProof, ValueError):
        return False
    return True


def holds_for_us(proof: dict[str, Any]) -> bool:
    """Whether the statement is in the content tree by our own reading of RFC 9162."""
    try:
        path = [raw(step) for step in proof["path"]]
        root = raw(proof["contentRoot"])
    except ValueError:
        return False
    leaf = leaf_hash(proof["statement"].encode())
    return leads(leaf, proof["index"], proof["size"], path, root)


def test_two_thousand_alterations_are_refused_by_all(tmp_path: Path) -> None:
    keys = key_ring_at([KEY], NOW).key_set
    file, jwks = tmp_path / "proof.json", tmp_path / "jwks.json"
    jwks.write_text(json.dumps(keys.to_json()))
    sound = words_of(tmp_path / "own", KEY).proof(OWNER).to_json()
    foreign = words_of(tmp_path / "other", OTHER_KEY).proof(OWNER).to_json()
    assert holds_for_pymerkle(sound)
    assert check_by_third(sound, keys.to_json())
    counted: Counter[str] = Counter()

    def refused(member: str, proof: dict[str, Any]) -> None:
        with pytest.raises(VerificationError) as error:
            check_proof("p", proof, keys)
        with pytest.raises(RefusedError):
            check_by_third(proof, keys.to_json())
        own, others = REASONS[member]
        assert error.value.why.startswith((own, NO_PROOF)), (member, error.value.why)
        file.write_text(json.dumps(proof))
        code, lines = both(file, jwks)
        why = lines[-1].removeprefix(f"WRONG  {file}: ")
        assert (code, why in others) == (1, True), (member, lines[-1])
        counted[member] += 1

    for member in REASONS:
        for seed in range(EACH):
            proof = altered(sound, member, random.Random(f"{member} {seed}"))  # noqa: S311 - no secret
            refused(member, proof)
            judged = holds_for_pymerkle(proof)
            assert judged == holds_for_us(proof)
            assert not (judged and member in TREE), (member, seed)
    for seed in range(OTHERS):
        chance = random.Random(seed)  # noqa: S311 - no secret
        is_whole = chance.random() < 0.5
        proof = foreign if is_whole else altered(foreign, "log.checkpoint", chance)
        refused("log.checkpoint", proof)
    assert sum(counted.values()) == len(REASONS) * EACH + OTHERS == 2_000
