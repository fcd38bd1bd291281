"""The words log: statements of revisions, the rule by which it grows, and proofs from it."""

import json
from base64 import b64decode
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pymerkle import InmemoryTree, verify_inclusion

from resolvers.db.database import Database
from resolvers.signing.keys import ProofError, new_key
from resolvers.transparency.changes import changes_since, history_of
from resolvers.transparency.checkpoint import read_note
from resolvers.transparency.merkle import (
    Tree,
    inclusion_path,
    leaf_hash,
    root,
    verify_consistency,
)
from resolvers.transparency.merkle import verify_inclusion as leads
from resolvers.transparency.store import ProofStore
from resolvers.transparency.words import ContentTree, Publication, Words, WordsEntry, head_of
from schema.signatures import StatementProof
from sdl.errors import NotFoundError
from sdl.scalar_types import Digest

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
KEY = new_key("quillmere-2026-11", NOW)
ORIGIN = "quillmere.example/words/20261120T120000Z"
INTERFACE = head_of([leaf_hash(b"the interface")])


def said(**statements: Any) -> Publication:
    """A revision that says this; its digest follows from it."""
    tree = ContentTree([*statements.items()])
    return Publication(tree.head, tree, INTERFACE)


def raw(digest: str) -> bytes:
    return bytes.fromhex(digest.removeprefix("sha256:"))


@pytest.fixture
def store(url: str) -> ProofStore:
    return ProofStore(Database(url))


def changed(entry: WordsEntry) -> list[str]:
    names: list[str] = json.loads(entry.leaf)["changed"]
    return names


@pytest.mark.parametrize("size", [*range(1, 34), 63, 64, 65])
def test_a_kept_tree_is_that_of_the_rfc_and_of_another_library(size: int) -> None:
    data = [b"statement %d" % number for number in range(size)]
    judge, hashes = InmemoryTree(algorithm="sha256"), [leaf_hash(each) for each in data]
    for each in data:
        judge.append_entry(each)
    tree = Tree(hashes)
    assert tree.head == root(hashes) == judge.get_root()
    for index in range(size):
        assert tree.path(index) == inclusion_path(hashes, index)
        proof = judge.prove_inclusion(index + 1)
        proof.path = [hashes[index], *tree.path(index)]
        verify_inclusion(hashes[index], tree.head, proof, index=index + 1, size=size)


def test_a_tree_of_nothing_has_the_head_of_nothing() -> None:
    assert Tree([]).head == root([])


def test_a_revision_is_logged_once_and_names_what_changed(store: ProofStore) -> None:
    first = store.publish_words(ORIGIN, said(faq="a", thesis="b"), NOW)
    assert (first.origin, first.index, changed(first)) == (ORIGIN, 0, [])
    assert store.publish_words("another", said(thesis="b", faq="a"), NOW) == first
    second = store.publish_words(ORIGIN, said(faq="a.", status="c"), NOW, after=0)
    assert (second.index, changed(second)) == (1, ["faq", "status", "thesis"])
    assert second.hashes[:1] == first.hashes
    leaf = json.loads(second.leaf)
    assert leaf["publishedAt"] == "2026-11-20T12:00:00Z"
    assert leaf["statements"] == 2
    assert second.hashes[1] == leaf_hash(second.leaf.encode())


def test_a_revision_that_returns_is_a_new_leaf(store: ProofStore) -> None:
    one, other = said(faq="a"), said(faq="b")
    places = [store.publish_words(ORIGIN, each, NOW).index for each in (one, other, one)]
    assert places == [0, 1, 2]


def test_a_process_that_comes_late_takes_the_leaf_that_another_recorded(store: ProofStore) -> None:
    store.publish_words(ORIGIN, said(faq="a"), NOW)
    for text in ("b", "c"):
        store.publish_words(ORIGIN, said(faq=text), NOW)
    late = store.publish_words(ORIGIN, said(faq="b"), NOW, after=0)
    assert (late.index, len(late.hashes)) == (1, 3)


def test_an_interface_that_changes_is_published_too(store: ProofStore) -> None:
    first = said(faq="a")
    store.publish_words(ORIGIN, first, NOW)
    other = Publication(first.revision, first.content, head_of([leaf_hash(b"another")]))
    assert store.publish_words(ORIGIN, other, NOW).index == 1


def test_a_clock_far_behind_the_last_leaf_is_refused_and_one_a_little_behind_is_not(
    store: ProofStore,
) -> None:
    store.publish_words(ORIGIN, said(faq="a"), NOW)
    with pytest.raises(ProofError, match=r"the clock says .*11:00:00Z, .* Fix: set the clock"):
        store.publish_words(ORIGIN, said(faq="b"), NOW - timedelta(hours=1))
    late = store.publish_words(ORIGIN, said(faq="b"), NOW - timedelta(minutes=1))
    assert json.loads(late.leaf)["publishedAt"] == "2026-11-20T12:00:00Z"
    assert late.index == 1


def test_a_preview_sees_what_would_be_published_and_records_nothing(store: ProofStore) -> None:
    first = store.preview_words(ORIGIN, said(faq="a"), NOW)
    assert (first.index, changed(first)) == (0, [])
    assert not store.is_initialised()
    published = store.publish_words(ORIGIN, said(faq="a"), NOW)
    assert store.preview_words("another", said(faq="a"), NOW) == published
    assert changed(store.preview_words(ORIGIN, said(faq="b"), NOW)) == ["faq"]
    assert store.publish_words(ORIGIN, said(faq="a"), NOW) == published


def holds(proof: StatementProof, x: bytes) -> bool:
    """Whether a proof leads from its statement to a head that the key signed."""
    note = read_note(proof.log.checkpoint, (x,))
    leaf = json.loads(proof.revision_leaf)
    return (
        json.loads(proof.statement)["name"] == proof.name
        and raw(proof.leaf_hash) == leaf_hash(proof.statement.encode())
        and leads(
            raw(proof.leaf_hash),
            proof.index,
            proof.size,
            [raw(step) for step in proof.path],
            raw(leaf["contentRoot"]),
        )
        and leads(
            leaf_hash(proof.revision_leaf.encode()),
            proof.log.index,
            note.size,
            [raw(step) for step in proof.log.path],
            note.head,
        )
        and (leaf["contentRoot"], leaf["statements"]) == (proof.content_root, proof.size)
        and (proof.log.origin, proof.log.size) == (note.origin, note.size)
    )


@pytest.fixture
def grown(store: ProofStore) -> list[Words]:
    """Seven revisions, each with the log as it was then."""
    found = []
    for number in range(7):
        texts: Mapping[str, Any] = {f"faq/{n}": {"a": n * number} for n in range(number + 2)}
        publication = said(**texts)
        entry = store.publish_words(ORIGIN, publication, NOW + timedelta(hours=number))
        found.append(Words(publication.content, entry, KEY))
    return found


def test_every_statement_of_every_revision_is_proven(grown: list[Words]) -> None:
    for words in grown:
        for name, text in words.content.texts.items():
            proof = words.proof(name)
            assert proof.statement == text.decode()
            assert holds(proof, KEY.x)
        assert [each.name for each in words.summary.statements] == sorted(words.content.texts)


def test_every_size_is_proven_from_every_other(grown: list[Words]) -> None:
    heads = [(words.size, words.log_tree.head) for words in grown]
    last = grown[-1]
    for size, head in heads:
        proof = last.consistency(size)
        path = [raw(step) for step in proof.path]
        assert verify_consistency((size, head), (last.size, last.log_tree.head), path)
        assert (raw(proof.from_hash), raw(proof.rollup_hash)) == (head, last.log_tree.head)
    with pytest.raises(NotFoundError):
        last.consistency(8)


def test_a_tlog_proof_holds_the_same(grown: list[Words]) -> None:
    words = grown[5]
    first, extra, index, *path = words.tlog_proof("faq/3").partition("\n\n")[0].split("\n")
    proof = json.loads(b64decode(extra.removeprefix("extra ")))
    assert (first, index) == ("c2sp.org/tlog-proof@v1", f"index {words.entry.index}")
    note = read_note(words.tlog_proof("faq/3").partition("\n\n")[2], (KEY.x,))
    leaf = leaf_hash(proof["revisionLeaf"].encode())
    assert leads(leaf, 5, note.size, [b64decode(step) for step in path], note.head)
    assert {**proof, "log": words.logged.to_json()} == words.proof("faq/3").to_json()


def test_an_unknown_name_is_refused_with_those_like_it(grown: list[Words]) -> None:
    with pytest.raises(NotFoundError) as raised:
        grown[-1].proof("fag/1")
    assert "faq/1" in (raised.value.problems[0].allowed or ())


def test_equal_statements_have_one_root_in_any_order() -> None:
    assert said(a=1, b=2).content.head == said(b=2, a=1).content.head
    assert said(a=1, b=2).content.head != said(a=1, b=3).content.head
    assert isinstance(said(a=1).content.head, Digest)


def words_of(store: ProofStore, *publications: Publication) -> Words:
    """What the last of these revisions says, each published an hour after the one before."""
    entries = [
        store.publish_words(ORIGIN, publication, NOW + timedelta(hours=number))
        for number, publication in enumerate(publications)
    ]
    return Words(publications[-1].content, entries[-1], KEY)


def test_changes_are_named_between_any_two_sizes(store: ProofStore) -> None:
    first, other = said(faq="a", thesis="b"), said(faq="a.", status="c")
    words = words_of(store, first, other, said(status="c", faq="a", news="d"))
    since = {size: changes_since(words, str(size)) for size in range(4)}
    assert [(c.from_size, c.tree_size) for c in since.values()] == [(n, 3) for n in range(4)]
    assert {size: (c.added, c.changed, c.removed) for size, c in since.items()} == {
        0: (["faq", "news", "status"], [], []),
        1: (["news", "status"], [], ["thesis"]),
        2: (["news"], ["faq"], []),
        3: ([], [], []),
    }
    assert changes_since(words, first.revision) == since[1]
    assert changes_since(words, other.revision) == since[2]


@pytest.mark.parametrize("since", ["2", "-1", "1.0", "", "٣", "9" * 5000, "sha256:" + "0" * 64])
def test_a_point_that_never_was_is_refused_with_what_is_allowed(
    store: ProofStore, since: str
) -> None:
    words = words_of(store, said(faq="a"))
    with pytest.raises(NotFoundError) as refused:
        changes_since(words, since)
    assert refused.value.problems[0].rule.endswith("a size of the log from 0 to 1")


def test_a_statement_has_the_revisions_that_changed_it(store: ProofStore) -> None:
    texts = ["a", "b", "b", None, "a"]
    revisions = [said(other=n, **({"faq": t} if t else {})) for n, t in enumerate(texts)]
    words = words_of(store, *revisions)
    history = history_of(words, "faq")
    assert [version.index for version in history.versions] == [0, 1, 3, 4]
    assert [version.revision for version in history.versions] == [
        revisions[place].revision for place in (0, 1, 3, 4)
    ]
    assert history.versions[2].leaf_hash is None
    assert history.versions[0].leaf_hash == history.versions[3].leaf_hash
    assert raw(history.versions[1].leaf_hash or "") == revisions[1].content.hashes["faq"]
    assert history.versions[3].published_at == NOW + timedelta(hours=4)
    with pytest.raises(NotFoundError) as refused:
        history_of(words, "fqa")
    assert refused.value.problems[0].allowed == ("faq",)


def test_a_tree_that_knows_the_one_before_is_the_same_tree() -> None:
    before = ContentTree([("a", {"x": 1}), ("b", ["\u00e4", True]), ("c", "gone"), ("d", 1)])
    now = [
        ("a", {"x": 1}),
        ("b", ["\u00e4", False]),
        ("d", True),
        ("e", {"\ue000": 1, "\U00010000": 2}),
    ]
    known, fresh = ContentTree(now, before), ContentTree(now)
    assert (known.texts, known.hashes, known.head) == (fresh.texts, fresh.hashes, fresh.head)
    assert known.texts["a"] is before.texts["a"]
    for refused in (1.0, 2**53, {1: 2}):
        with pytest.raises(ProofError):
            ContentTree([("a", refused)], before)
