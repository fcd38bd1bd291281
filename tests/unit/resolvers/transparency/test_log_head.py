"""The changelog as a log: its head and its proofs, derived a second time from its entries."""

import json
from base64 import b64decode
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from merkle_reference import Tree, grows, leads, leaf
from nacl.signing import SigningKey
from outside_reader import read_checkpoint

from resolvers.signing.keys import Key
from resolvers.transparency.checkpoint import verifier_key
from resolvers.transparency.log import Log, leaves_of
from schema.changelog import ChangeKind, ChangelogEntry
from schema.services.signatures import LogHead
from sdl.errors import NotFoundError
from sdl.types.scalar_types import ChangeId, Digest, Reference, Url

Ask = Callable[..., httpx.Response]

ORIGIN = "studio.example/changelog"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
SEED = bytes(range(32))
KEY = Key("studio-2026-01", bytes(SigningKey(SEED).verify_key), NOW, SEED)
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def canonical(value: object) -> bytes:
    """RFC 8785 of a value of strings, lists and objects with ASCII keys."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode()


def tree_of(bodies: Sequence[dict[str, Any]]) -> Tree:
    return Tree([canonical(body) for body in bodies])


def expected(bodies: Sequence[dict[str, Any]]) -> str:
    """The head over the bodies of entries, oldest first."""
    return written(tree_of(bodies).head(0, len(bodies)))


def written(data: bytes) -> str:
    return f"sha256:{data.hex()}"


def raw(digest: str) -> bytes:
    return bytes.fromhex(digest.removeprefix("sha256:"))


def log_of(entries: Sequence[ChangelogEntry]) -> Log:
    return Log(ORIGIN, leaves_of(entries), KEY)


def head_of(entries: Sequence[ChangelogEntry]) -> str:
    return log_of(entries).rollup_hash


def entry(number: int, **changes: Any) -> ChangelogEntry:
    """The n-th entry of a log, an hour after the one before."""
    made = ChangelogEntry(
        id=ChangeId(f"2026-01-01-entry-{number}"),
        published_at=NOW + timedelta(hours=number),
        kind=list(ChangeKind)[number % 5],
        title=f"Entry {number} \u2013 “quoted” \\ and é",
        body=f"First.\n\nSecond with \U0001f30a and number {number}.",
        refs=[Reference("project/tidebook")] if number % 2 else None,
        url=Url(f"https://studio.example/{number}") if number % 3 else None,
    )
    return made.model_copy(update=changes)


LOG = [entry(number) for number in range(200)]
BODIES = [made.to_json() for made in LOG]
TREE = tree_of(BODIES)


def test_the_head_is_the_definition_s_at_every_size() -> None:
    heads = {size: written(TREE.head(0, size)) for size in range(201)}
    assert [size for size in heads if head_of(LOG[:size]) != heads[size]] == []
    assert len(set(heads.values())) == 201


@given(order=st.permutations(LOG[:12]))
def test_the_order_in_which_entries_are_handed_over_means_nothing(
    order: list[ChangelogEntry],
) -> None:
    assert head_of(order) == expected(BODIES[:12])
    assert [each.id for each in leaves_of(order)] == [body["id"] for body in BODIES[:12]]


@pytest.mark.parametrize("size", [1, 2, 7, 8, 33])
def test_an_inclusion_proof_leads_from_the_entry_to_the_head(size: int) -> None:
    log = log_of(LOG[:size])
    for index in range(size):
        proof = log.inclusion(index).to_json()
        found = leaf(canonical(BODIES[index]))
        assert proof["entry"] == BODIES[index]["id"]
        assert (proof["origin"], proof["index"], proof["treeSize"]) == (ORIGIN, index, size)
        assert (proof["leafHash"], proof["rollupHash"]) == (written(found), log.rollup_hash)
        assert leads(found, index, size, [raw(step) for step in proof["path"]], log.tree.head)


@pytest.mark.parametrize("size", [1, 2, 7, 8, 33])
def test_a_consistency_proof_leads_from_the_old_head_to_the_new(size: int) -> None:
    log = log_of(LOG[:size])
    for old in range(size + 1):
        proof = log.consistency(old).to_json()
        path = [raw(step) for step in proof["path"]]
        assert (proof["origin"], proof["fromSize"], proof["treeSize"]) == (ORIGIN, old, size)
        assert (proof["fromHash"], proof["rollupHash"]) == (head_of(LOG[:old]), log.rollup_hash)
        assert grows(old, raw(proof["fromHash"]), size, log.tree.head, path) if old else path == []


@pytest.mark.parametrize(
    ("size", "index", "rule"),
    [
        (3, 3, "from 0 to 2"),
        (3, -1, "from 0 to 2"),
        (1, 1, "from 0 to 0"),
        (3, 2**31 - 1, "from 0 to 2"),
        (0, 0, "the log is empty"),
    ],
)
def test_an_entry_beyond_the_log_is_a_fault_that_names_the_range(
    size: int, index: int, rule: str
) -> None:
    with pytest.raises(NotFoundError) as refused:
        log_of(LOG[:size]).inclusion(index)
    (fault,) = refused.value.problems
    assert fault.path == "index"
    assert rule in fault.rule


@pytest.mark.parametrize(("size", "old"), [(3, 4), (3, -1), (0, 1)])
def test_a_size_beyond_the_log_is_a_fault_that_names_the_range(size: int, old: int) -> None:
    with pytest.raises(NotFoundError) as refused:
        log_of(LOG[:size]).consistency(old)
    (fault,) = refused.value.problems
    assert (fault.path, fault.rule) == ("from", f"must be a whole number from 0 to {size}")


FORMER = LogHead(
    origin=f"{ORIGIN}/old",
    tree_size=2,
    rollup_hash=Digest(f"sha256:{EMPTY}"),
    checkpoint="old\n",
    ended_at=NOW,
)


@pytest.mark.parametrize("size", [0, 1, 20])
def test_the_published_log_says_its_size_its_head_and_its_key(size: int) -> None:
    log = Log(ORIGIN, leaves_of(LOG[:size]), KEY, [FORMER])
    assert log.summary.to_json() == {
        "origin": ORIGIN,
        "treeSize": size,
        "rollupHash": head_of(LOG[:size]),
        "verifierKey": verifier_key(ORIGIN, KEY.x),
        "former": [FORMER.to_json()],
    }
    read = read_checkpoint(log.checkpoint, {"keys": [KEY.public.to_json()]})
    assert read == (ORIGIN, size, log.tree.head)
    assert b64decode(log.checkpoint.split("\n")[2]) == raw(log.rollup_hash)


@pytest.mark.parametrize("path", ["/api/manifest", "/api/agent-pulse"])
def test_a_caller_can_derive_the_head_from_the_changelog_alone(path: str, ask: Ask) -> None:
    bodies = ask("/api/changelog").json()
    oldest_first = sorted(bodies, key=lambda body: str(body["publishedAt"]))
    assert ask(path).json()["rollupHash"] == expected(oldest_first)
