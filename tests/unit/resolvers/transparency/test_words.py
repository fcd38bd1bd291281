"""The words log: statements of revisions, the rule by which it grows, and proofs from it."""

import json
from base64 import b64decode
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from merkle_reference import grows, leads
from pymerkle import InmemoryTree, verify_inclusion
from verifier_scripts import python

from resolvers.db.database import Database
from resolvers.signing.keys import ProofError, key_ring_at, new_key
from resolvers.transparency.merkle import Tree, leaf_hash
from resolvers.transparency.store import ProofStore
from resolvers.transparency.words import ContentTree, Words
from schema.services.signatures import StatementProof
from sdl.errors import NotFoundError
from sdl.tools.canonical_json import canonical_json, digest_of
from sdl.types.scalar_types import Digest

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
KEY = new_key("quillmere-2026-11", NOW)
KEYS = python().read_keys(key_ring_at([KEY], NOW).key_set.to_json())
ORIGIN = "quillmere.example/words/20261120T120000Z"
REVISION = digest_of(b"a revision")


def said(**statements: Any) -> ContentTree:
    """A revision that says this; its digest follows from it."""
    return ContentTree(digest_of(canonical_json(statements)), [*statements.items()])


def raw(digest: str) -> bytes:
    return bytes.fromhex(digest.removeprefix("sha256:"))


@pytest.fixture
def store(url: str) -> ProofStore:
    return ProofStore(Database(url))


def publish(store: ProofStore, content: ContentTree, now: datetime = NOW, **more: Any) -> Words:
    """Publish a revision in a log of this name, signed by this key."""
    return store.publish_words(ORIGIN, content, KEY, now, **more)


def changed(words: Words) -> list[str]:
    names: list[str] = json.loads(words.leaf)["changed"]
    return names


@pytest.mark.parametrize("size", [*range(1, 34), 63, 64, 65])
def test_a_kept_tree_is_that_of_the_rfc_and_of_another_library(size: int) -> None:
    data = [b"statement %d" % number for number in range(size)]
    judge, hashes = InmemoryTree(algorithm="sha256"), [leaf_hash(each) for each in data]
    for each in data:
        judge.append_entry(each)
    tree = Tree(hashes)
    assert tree.head == judge.get_root()
    for index in range(size):
        proof = judge.prove_inclusion(index + 1)
        proof.path = [hashes[index], *tree.path(index)]
        verify_inclusion(hashes[index], tree.head, proof, index=index + 1, size=size)


def test_a_revision_is_logged_once_and_names_what_changed(store: ProofStore) -> None:
    first = publish(store, said(faq="a", thesis="b"))
    assert (first.origin, first.index, changed(first)) == (ORIGIN, 0, [])
    again = store.publish_words("another", said(thesis="b", faq="a"), KEY, NOW)
    assert (again.published, again.index) == (first.published, 0)
    second = publish(store, said(faq="a.", status="c"), after=0)
    assert (second.index, changed(second)) == (1, ["faq", "status", "thesis"])
    assert second.published.hashes[:1] == first.published.hashes
    assert store.published_words() == second.published
    leaf = json.loads(second.leaf)
    assert leaf["publishedAt"] == "2026-11-20T12:00:00Z"
    assert leaf["statements"] == 2
    assert second.published.hashes[1] == leaf_hash(second.leaf.encode())


def test_a_revision_that_returns_is_a_new_leaf(store: ProofStore) -> None:
    one, other = said(faq="a"), said(faq="b")
    places = [publish(store, each).index for each in (one, other, one)]
    assert places == [0, 1, 2]


def test_a_process_that_comes_late_takes_the_leaf_that_another_recorded(store: ProofStore) -> None:
    for text in ("a", "b", "c"):
        publish(store, said(faq=text))
    late = publish(store, said(faq="b"), after=0)
    assert (late.index, late.size) == (1, 3)


def test_an_interface_that_changes_is_published_too(store: ProofStore) -> None:
    first, second = (
        publish(store, ContentTree(REVISION, [("faq", "a"), ("tool/ask", text)])) for text in "ab"
    )
    leaves = [json.loads(each.leaf) for each in (first, second)]
    assert [leaf["revision"] for leaf in leaves] == [REVISION, REVISION]
    assert changed(second) == ["tool/ask"]
    for leaf, words in zip(leaves, (first, second), strict=True):
        digest = Tree([words.content.hashes["tool/ask"]]).head.hex()
        assert leaf["interface"] == f"sha256:{digest}"


def test_a_clock_far_behind_the_last_leaf_is_refused_and_one_a_little_behind_is_not(
    store: ProofStore,
) -> None:
    publish(store, said(faq="a"))
    with pytest.raises(ProofError, match=r"the clock says .*11:00:00Z, .* Fix: set the clock"):
        publish(store, said(faq="b"), NOW - timedelta(hours=1))
    late = publish(store, said(faq="b"), NOW - timedelta(minutes=1))
    assert json.loads(late.leaf)["publishedAt"] == "2026-11-20T12:00:00Z"
    assert late.index == 1


def test_a_preview_sees_what_would_be_published_and_records_nothing(store: ProofStore) -> None:
    first = publish(store, said(faq="a"), record=False)
    assert (first.index, changed(first), first.is_published) == (0, [], False)
    assert store.published_words().hashes == ()
    published = publish(store, said(faq="a"))
    same = publish(store, said(faq="a"), record=False)
    assert (same.published, same.index, same.is_published) == (published.published, 0, True)
    other = publish(store, said(faq="b"), NOW - timedelta(hours=1), record=False)
    assert (changed(other), other.is_published) == (["faq"], False)
    assert store.published_words() == published.published


def said_by(proof: StatementProof) -> Any:
    """The data that a proof proves, by the key of the log."""
    return python().check_proof(proof.to_json(), KEYS).data


@pytest.fixture
def grown(store: ProofStore) -> list[Words]:
    """Seven revisions, each with the log as it was then."""
    found = []
    for number in range(7):
        texts: Mapping[str, Any] = {f"faq/{n}": {"a": n * number} for n in range(number + 2)}
        found.append(publish(store, said(**texts), NOW + timedelta(hours=number)))
    return found


def test_every_statement_of_every_revision_is_proven(grown: list[Words]) -> None:
    for words in grown:
        for name, text in words.content.texts.items():
            proof = words.proof(name)
            assert proof.statement == text.decode()
            assert said_by(proof) == json.loads(text)["data"]
        assert [each.name for each in words.summary.statements] == sorted(words.content.texts)


def test_every_size_is_proven_from_every_other(grown: list[Words]) -> None:
    heads = [(words.size, words.tree.head) for words in grown]
    last = grown[-1]
    for size, head in heads:
        proof = last.consistency(size)
        path = [raw(step) for step in proof.path]
        assert size == last.size or grows(size, head, last.size, last.tree.head, path)
        assert (raw(proof.from_hash), raw(proof.rollup_hash)) == (head, last.tree.head)
    with pytest.raises(NotFoundError):
        last.consistency(8)


def test_a_tlog_proof_holds_the_same(grown: list[Words]) -> None:
    words = grown[5]
    first, extra, index, *path = words.tlog_proof("faq/3").partition("\n\n")[0].split("\n")
    proof = json.loads(b64decode(extra.removeprefix("extra ")))
    assert (first, index) == ("c2sp.org/tlog-proof@v1", f"index {words.index}")
    note = python().check_note(words.tlog_proof("faq/3").partition("\n\n")[2], KEYS)
    leaf = leaf_hash(proof["revisionLeaf"].encode())
    assert leads(leaf, 5, note.size, [b64decode(step) for step in path], note.digest)
    assert {**proof, "log": words.logged.to_json()} == words.proof("faq/3").to_json()


def test_an_unknown_name_is_refused_with_those_like_it(grown: list[Words]) -> None:
    with pytest.raises(NotFoundError) as raised:
        grown[-1].proof("fag/1")
    assert "faq/1" in (raised.value.problems[0].allowed or ())


def test_equal_statements_have_one_root_in_any_order() -> None:
    assert said(a=1, b=2).head == said(b=2, a=1).head
    assert said(a=1, b=2).head != said(a=1, b=3).head
    assert isinstance(said(a=1).head, Digest)


def words_of(store: ProofStore, *revisions: ContentTree) -> Words:
    """What the last of these revisions says, each published an hour after the one before."""
    times = (NOW + timedelta(hours=number) for number in range(len(revisions)))
    return [publish(store, each, now) for each, now in zip(revisions, times, strict=True)][-1]


def test_changes_are_named_between_any_two_sizes(store: ProofStore) -> None:
    first, other = said(faq="a", thesis="b"), said(faq="a.", status="c")
    words = words_of(store, first, other, said(status="c", faq="a", news="d"))
    since = {size: words.changes_since(str(size)) for size in range(4)}
    assert [(c.from_size, c.tree_size) for c in since.values()] == [(n, 3) for n in range(4)]
    assert {size: (c.added, c.changed, c.removed) for size, c in since.items()} == {
        0: (["faq", "news", "status"], [], []),
        1: (["news", "status"], [], ["thesis"]),
        2: (["news"], ["faq"], []),
        3: ([], [], []),
    }
    assert words.changes_since(first.revision) == since[1]
    assert words.changes_since(other.revision) == since[2]


@pytest.mark.parametrize("since", ["2", "-1", "1.0", "", "٣", "9" * 5000, "sha256:" + "0" * 64])
def test_a_point_that_never_was_is_refused_with_what_is_allowed(
    store: ProofStore, since: str
) -> None:
    words = words_of(store, said(faq="a"))
    with pytest.raises(NotFoundError) as refused:
        words.changes_since(since)
    assert refused.value.problems[0].rule.endswith("a size of the log from 0 to 1")


def test_a_statement_has_the_revisions_that_changed_it(store: ProofStore) -> None:
    texts = ["a", "b", "b", None, "a"]
    revisions = [said(other=n, **({"faq": t} if t else {})) for n, t in enumerate(texts)]
    words = words_of(store, *revisions)
    history = words.history_of("faq")
    assert [version.index for version in history.versions] == [0, 1, 3, 4]
    assert [version.revision for version in history.versions] == [
        revisions[place].revision for place in (0, 1, 3, 4)
    ]
    assert history.versions[2].leaf_hash is None
    assert history.versions[0].leaf_hash == history.versions[3].leaf_hash
    assert raw(history.versions[1].leaf_hash or "") == revisions[1].hashes["faq"]
    assert history.versions[3].published_at == NOW + timedelta(hours=4)
    with pytest.raises(NotFoundError) as refused:
        words.history_of("fqa")
    assert refused.value.problems[0].allowed == ("faq",)
