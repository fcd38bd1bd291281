"""The Merkle tree, its proofs and what the verifier makes of them, against RFC 9162 read twice."""

from typing import Any

import pytest
from merkle_reference import Tree, altered, grows, leads, leaf
from vectors import vectors
from verifier_scripts import python

from resolvers.transparency import merkle
from resolvers.transparency.merkle import leaf_hash, node_hash, root

MOST = 80
TREE = Tree([f"entry {number}".encode() for number in range(MOST)])
HASHES = TREE.leaves
HEADS = [TREE.head(0, size) for size in range(MOST + 1)]
SIZES = range(1, MOST + 1)
EDGES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 31, 33, 63, 64, 65, 80]

EIGHT = vectors("rfc9162/eight-leaves")
LEAVES = [leaf_hash(bytes.fromhex(data)) for data in EIGHT["leaves"]]
ROOTS = [bytes.fromhex(text) for text in EIGHT["roots"]]


def unhexed(path: list[str]) -> list[bytes]:
    return [bytes.fromhex(text) for text in path]


def both_include(found: bytes, index: int, size: int, path: list[bytes], head: bytes) -> bool:
    """What both say; it is the same."""
    ours: bool = python().climb(found, index, size, path) == head
    assert ours == leads(found, index, size, path, head)
    return ours


def both_extend(old: int, old_head: bytes, new: int, new_head: bytes, path: list[bytes]) -> bool:
    """What both say; it is the same."""
    heads = [python().Head("", size, head) for size, head in ((old, old_head), (new, new_head))]
    ours: bool = python().has_grown(*heads, path)
    assert ours == grows(old, old_head, new, new_head, path)
    return ours


@pytest.mark.parametrize("size", range(1, 9))
def test_the_roots_of_the_reference_tree_are_the_known_ones(size: int) -> None:
    assert root(LEAVES[:size]) == ROOTS[size - 1]
    data = [bytes.fromhex(text) for text in EIGHT["leaves"][:size]]
    assert Tree(data).head(0, size) == ROOTS[size - 1]


@pytest.mark.parametrize("case", EIGHT["inclusion"])
def test_the_inclusion_paths_of_the_reference_tree_are_the_known_ones(case: dict[str, Any]) -> None:
    index, size, path = case["index"], case["size"], unhexed(case["path"])
    assert merkle.Tree(LEAVES[:size]).path(index) == path
    assert both_include(LEAVES[index], index, size, path, ROOTS[size - 1])


@pytest.mark.parametrize("case", EIGHT["consistency"])
def test_the_consistency_paths_of_the_reference_tree_are_the_known_ones(
    case: dict[str, Any],
) -> None:
    old, new, path = case["from"], case["size"], unhexed(case["path"])
    assert merkle.Tree(LEAVES[:new]).consistency(old) == path
    assert old == new or both_extend(old, ROOTS[old - 1], new, ROOTS[new - 1], path)


def test_leaves_and_nodes_are_hashed_apart() -> None:
    left, right = HASHES[:2]
    assert leaf_hash(left + right) != node_hash(left, right)
    assert leaf_hash(b"entry 0") == leaf(b"entry 0") == HASHES[0]


def test_every_entry_of_every_size_is_proven_to_be_there() -> None:
    for size in SIZES:
        leaves = HASHES[:size]
        tree = merkle.Tree(leaves)
        for index in range(size):
            path = tree.path(index)
            assert path == TREE.path(index, 0, size)
            assert both_include(leaves[index], index, size, path, HEADS[size])


def test_every_size_is_proven_to_begin_as_every_smaller_one() -> None:
    for new in SIZES:
        tree = merkle.Tree(HASHES[:new])
        for old in range(new + 1):
            assert tree.head_at(old) == HEADS[old]
        for old in range(1, new + 1):
            path = tree.consistency(old)
            assert path == TREE.proof(old, new)
            assert old == new or both_extend(old, HEADS[old], new, HEADS[new], path)


@pytest.mark.parametrize("size", EDGES)
def test_an_altered_inclusion_path_is_refused(size: int) -> None:
    for index in {0, 1, size // 2, size - 2, size - 1} & set(range(size)):
        for path in altered(TREE.path(index, 0, size)):
            assert not both_include(HASHES[index], index, size, path, HEADS[size])


@pytest.mark.parametrize("new", EDGES)
def test_an_altered_consistency_path_is_refused(new: int) -> None:
    for old in (size for size in EDGES if size < new):
        for path in altered(TREE.proof(old, new)):
            assert not both_extend(old, HEADS[old], new, HEADS[new], path)


@pytest.mark.parametrize("size", EDGES)
def test_an_entry_is_at_no_other_place(size: int) -> None:
    for index in range(size):
        path = TREE.path(index, 0, size)
        for wrong in (*range(-2, size + 2), index + size, index ^ 2, index * 2 + 1, 2**40):
            if wrong != index:
                assert not both_include(HASHES[index], wrong, size, path, HEADS[size])


def test_a_wrong_size_is_refused_unless_the_path_is_the_same_for_it() -> None:
    accepted = 0
    for size in EDGES:
        for index in range(size):
            path = TREE.path(index, 0, size)
            for wrong in set(range(size + 3)) - {size}:
                accepted += both_include(HASHES[index], index, wrong, path, HEADS[size])
    assert accepted > 0  # RFC 9162 binds the size by the signed head, not by the path


@pytest.mark.parametrize("new", EDGES)
def test_a_log_that_began_otherwise_is_refused(new: int) -> None:
    for old in (size for size in EDGES if size < new):
        path = TREE.proof(old, new)
        for head in (HEADS[old - 1], HEADS[new], HASHES[-1], bytes(32), b""):
            assert not both_extend(old, head, new, HEADS[new], path)
        for head in (HEADS[new - 1], HEADS[old], HASHES[-1], bytes(32), b""):
            assert not both_extend(old, HEADS[old], new, head, path)
        assert not both_extend(old, HEADS[new], new, HEADS[old], path)
        assert not both_extend(new, HEADS[new], old, HEADS[old], path)


@pytest.mark.parametrize("new", EDGES)
def test_a_wrong_size_to_grow_from_is_refused(new: int) -> None:
    for old in (size for size in EDGES if size < new):
        path = TREE.proof(old, new)
        for wrong in {old - 1, old + 1, old ^ 2, -1, new, new + 1} - {old, 0}:
            assert not both_extend(wrong, HEADS[old], new, HEADS[new], path)
        for wrong in (new * 2, new // 2, old - 1, 0, -1):
            assert not both_extend(old, HEADS[old], wrong, HEADS[new], path)
