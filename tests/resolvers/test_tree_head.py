"""The tree head over the changelog, against RFC 9162's own definition written a second time."""

import hashlib
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resolvers.proofs.log import tree_head
from schema.changelog import ChangeKind, ChangelogEntry
from schema.site import Site
from schema.words import ChangeId, Reference, Url

Ask = Callable[..., httpx.Response]

# The inputs and roots that Certificate Transparency's implementations test with.
INPUTS = [
    "",
    "00",
    "10",
    "2021",
    "3031",
    "40414243",
    "5051525354555657",
    bytes(range(96, 112)).hex(),
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def mth(data: Sequence[bytes]) -> bytes:
    """MTH(D_n) of RFC 9162 section 2.1.1, word for word."""
    n = len(data)
    if n == 0:
        return hashlib.sha256(b"").digest()
    if n == 1:
        return hashlib.sha256(b"\x00" + data[0]).digest()
    k = 1
    while k * 2 < n:
        k *= 2
    return hashlib.sha256(b"\x01" + mth(data[:k]) + mth(data[k:])).digest()


def canonical(value: object) -> bytes:
    """RFC 8785 of a value of strings, lists and objects with ASCII keys."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode()


def expected(bodies: Sequence[dict[str, Any]]) -> str:
    """The head over the bodies of entries, oldest first."""
    return f"sha256:{mth([canonical(body) for body in bodies]).hex()}"


def entry(number: int, **changes: Any) -> ChangelogEntry:
    """The n-th entry of a log, an hour after the one before."""
    made = ChangelogEntry(
        id=ChangeId(f"2026-01-01-entry-{number}"),
        published_at=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=number),
        kind=list(ChangeKind)[number % 5],
        title=f"Entry {number} \u2013 “quoted” \\ and é",
        body=f"First.\n\nSecond with \U0001f30a and number {number}.",
        refs=[Reference("project/tidebook")] if number % 2 else None,
        url=Url(f"https://studio.example/{number}") if number % 3 else None,
    )
    return made.model_copy(update=changes)


LOG = [entry(number) for number in range(200)]
BODIES = [made.plain() for made in LOG]


@pytest.mark.parametrize("size", range(1, 9))
def test_the_second_implementation_gives_the_known_roots(size: int) -> None:
    data = [bytes.fromhex(text) for text in INPUTS[:size]]
    assert mth(data).hex() == ROOTS[size - 1]


def test_the_head_of_nothing_is_the_hash_of_nothing() -> None:
    assert tree_head([]) == f"sha256:{EMPTY}"
    assert mth([]).hex() == EMPTY


def test_the_head_of_one_entry_is_its_leaf() -> None:
    leaf = hashlib.sha256(b"\x00" + canonical(LOG[0].plain())).hexdigest()
    assert tree_head(LOG[:1]) == f"sha256:{leaf}"


def test_the_head_is_the_definition_s_at_every_size() -> None:
    different = [size for size in range(201) if tree_head(LOG[:size]) != expected(BODIES[:size])]
    assert different == []


def test_every_size_has_a_head_of_its_own() -> None:
    assert len({tree_head(LOG[:size]) for size in range(65)}) == 65


@given(order=st.permutations(LOG[:12]))
@settings(max_examples=25, deadline=None)
def test_the_order_in_which_entries_are_handed_over_means_nothing(
    order: list[ChangelogEntry],
) -> None:
    assert tree_head(order) == expected(BODIES[:12])


CHANGES: list[tuple[str, object]] = [
    ("id", ChangeId("2026-01-01-another")),
    ("published_at", datetime(2025, 12, 31, tzinfo=UTC)),
    ("title", "Another title"),
    ("body", "Another body"),
    ("refs", [Reference("project/fathom")]),
    ("url", Url("https://studio.example/another")),
]


@given(
    size=st.integers(1, 40),
    place=st.integers(0, 39),
    change=st.sampled_from(CHANGES),
)
@settings(max_examples=80, deadline=None)
def test_a_change_of_any_entry_changes_the_head(
    size: int, place: int, change: tuple[str, object]
) -> None:
    log = LOG[:size]
    place %= size
    name, value = change
    changed = [*log[:place], entry(place, **{name: value}), *log[place + 1 :]]
    assert tree_head(changed) != tree_head(log)


@given(size=st.integers(2, 40), data=st.data())
@settings(max_examples=60, deadline=None)
def test_two_entries_that_change_places_change_the_head(size: int, data: st.DataObject) -> None:
    first, second = sorted(
        data.draw(st.lists(st.integers(0, size - 1), min_size=2, max_size=2, unique=True))
    )
    log = LOG[:size]
    swapped = list(log)
    swapped[first] = log[first].model_copy(update={"published_at": log[second].published_at})
    swapped[second] = log[second].model_copy(update={"published_at": log[first].published_at})
    assert tree_head(swapped) != tree_head(log)


@given(size=st.integers(1, 40), place=st.integers(0, 39))
@settings(max_examples=40, deadline=None)
def test_an_entry_that_is_missing_or_there_twice_changes_the_head(size: int, place: int) -> None:
    log = LOG[:size]
    place %= size
    heads = {
        tree_head(log),
        tree_head([*log[:place], *log[place + 1 :]]),
        tree_head([*log[:place], log[place], *log[place:]]),
    }
    assert len(heads) == 3


def test_an_entry_hashes_what_the_stored_operation_answers(sample: Site, ask: Ask) -> None:
    bodies = ask("/api/changelog").json()
    assert len(bodies) == len(sample.changelog) >= 30
    for body, made in zip(bodies, sample.changelog, strict=True):
        assert body == made.plain()


@pytest.mark.parametrize("path", ["/api/manifest", "/api/agent-pulse"])
def test_a_caller_can_derive_the_head_from_the_changelog_alone(path: str, ask: Ask) -> None:
    bodies = ask("/api/changelog").json()
    oldest_first = sorted(bodies, key=lambda body: str(body["publishedAt"]))
    assert ask(path).json()["rollupHash"] == expected(oldest_first)
