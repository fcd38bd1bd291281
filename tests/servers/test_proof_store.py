"""The journal: the first writer wins, time does not go back, and history only grows."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from concurrent_processes import Race, racers
from databases import KINDS, store
from key_files import fault_of

from resolvers.db.database import Database
from resolvers.signing.keys import Key
from resolvers.signing.keystore import CLOCK_BACKWARDS, KeyRegistry
from resolvers.transparency.log import Leaf
from resolvers.transparency.store import ProofStore, history_violation
from schema.services.signatures import LogHead
from sdl.types.scalar_types import Digest

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)
ORIGIN = "studio.example/changelog"
KID = "studio-2026-01"


def payload(number: int) -> Digest:
    return Digest(f"sha256:{number:064x}")


def leaf(letter: str, text: str = "") -> Leaf:
    return Leaf(letter, (text or letter).encode() * 32)


def log(letters: str) -> list[Leaf]:
    return [leaf(letter) for letter in letters]


def key(number: int, x: bytes = b"") -> Key:
    return Key(f"{KID}-{number}", x or bytes([number]) * 32, NOW)


def head(origin: str, size: int, ended_at: datetime = NOW) -> LogHead:
    return LogHead(
        origin=origin,
        tree_size=size,
        rollup_hash=payload(size),
        checkpoint=f"{origin}\n{size}\n",
        ended_at=ended_at,
    )


def registry(journal: ProofStore) -> KeyRegistry:
    """What the same database knows of keys."""
    return KeyRegistry(journal.database)


def signed_at(journal: ProofStore, signed: Digest, kid: str, now: datetime) -> str:
    return registry(journal).first_signed_at([signed], kid, now)[signed]


@pytest.fixture(params=KINDS)
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProofStore]:
    with store(request.param, tmp_path) as url:
        yield ProofStore(Database(url))


@pytest.fixture(scope="module")
def race() -> Iterator[Race]:
    """Four processes."""
    with racers(4) as made:
        yield made


@pytest.mark.parametrize("number", range(3))
def test_of_four_processes_that_sign_at_the_same_moment_the_first_dates_it_for_all(
    journal: ProofStore, race: Race, number: int
) -> None:
    instants = [(NOW + n * SECOND).isoformat() for n in range(4)]
    calls = [[journal.database.url, payload(number), KID, instant] for instant in instants]
    (signed,) = set(race("signed_at", calls))
    assert signed in {f"2026-01-15T12:00:0{n}Z" for n in range(4)}
    assert signed_at(journal, payload(number), KID, NOW + 99 * MINUTE) == signed


@pytest.mark.parametrize("number", range(2))
def test_of_four_processes_that_fork_the_log_at_the_same_moment_one_wins(
    journal: ProofStore, race: Race, number: int
) -> None:
    calls = [[journal.database.url, f"{ORIGIN}/{n}/{number}", "a", f"b{n}"] for n in range(4)]
    answers = race("extend", calls)
    (winner,) = (n for n, answer in enumerate(answers) if isinstance(answer, str))
    published = [Leaf(entry, entry.encode()) for entry in ("a", f"b{winner}")]
    assert journal.current_log() == (calls[winner][1], published)
    for n, answer in enumerate(answers):
        assert n == winner or f"b{winner} has been dropped" in answer["fault"]


@pytest.mark.parametrize("number", range(2))
def test_of_four_machines_that_make_their_first_key_at_the_same_moment_one_may_start(
    journal: ProofStore, race: Race, tmp_path: Path, number: int
) -> None:
    name = f"studio-{number}"
    folders = [tmp_path / f"{number}-{n}" for n in range(4)]
    answers = race("join", [[str(path), name, journal.database.url] for path in folders])
    (winner,) = (n for n, answer in enumerate(answers) if isinstance(answer, list))
    assert [kid for kid in registry(journal).known_keys() if kid.startswith(name)] == answers[
        winner
    ]
    for n, path in enumerate(folders):
        assert len(list(path.glob("*.json"))) == (n == winner)
        assert n == winner or "`studiograph keys import FILE`" in answers[n]["fault"]


def test_a_payload_keeps_the_instant_of_its_first_signing(journal: ProofStore) -> None:
    assert signed_at(journal, payload(1), KID, NOW) == "2026-01-15T12:00:00Z"
    for now in (NOW + MINUTE, NOW - MINUTE, NOW - timedelta(days=9000)):
        assert signed_at(journal, payload(1), KID, now) == "2026-01-15T12:00:00Z"


def test_of_several_payloads_the_known_keep_their_instants_and_the_new_share_one(
    journal: ProofStore,
) -> None:
    signed_at(journal, payload(1), KID, NOW)
    dates = registry(journal).first_signed_at([payload(n) for n in (2, 1, 3, 2)], KID, NOW + MINUTE)
    old, new = "2026-01-15T12:00:00Z", "2026-01-15T12:01:00Z"
    assert dates == {payload(1): old, payload(2): new, payload(3): new}
    assert registry(journal).first_signed_at([payload(3), payload(1)], KID, NOW + 2 * MINUTE) == {
        payload(1): old,
        payload(3): new,
    }
    assert registry(journal).first_signed_at([], KID, NOW) == {}


@pytest.mark.parametrize("behind", [SECOND, CLOCK_BACKWARDS], ids=str)
def test_with_a_clock_a_little_behind_time_stands_still(
    journal: ProofStore, behind: timedelta
) -> None:
    signed_at(journal, payload(1), KID, NOW)
    assert signed_at(journal, payload(2), KID, NOW - behind) == "2026-01-15T12:00:00Z"
    assert signed_at(journal, payload(3), KID, NOW + SECOND) == "2026-01-15T12:00:01Z"


@pytest.mark.parametrize("behind", [CLOCK_BACKWARDS + SECOND, timedelta(days=3650)], ids=str)
def test_a_clock_further_behind_is_refused_with_the_fix_and_nothing_is_dated(
    journal: ProofStore, behind: timedelta
) -> None:
    signed_at(journal, payload(1), KID, NOW)
    fault = fault_of(lambda: signed_at(journal, payload(2), KID, NOW - behind))
    assert fault.endswith("the last signing was at 2026-01-15T12:00:00Z. Fix: set the clock.")
    assert signed_at(journal, payload(2), KID, NOW + MINUTE) == "2026-01-15T12:01:00Z"


CHANGED_KEYS: list[tuple[list[Key], int, str]] = [
    ([], 1, "is missing"),
    ([key(2)], 1, "is missing"),
    ([key(1), key(3)], 2, "is missing"),
    ([key(1), key(2, b"x" * 32)], 2, "is a different one"),
    ([key(1, key(2).x), key(2)], 1, "is a different one"),
]


def test_a_known_key_that_is_missing_or_another_is_named_with_both_commands(
    journal: ProofStore,
) -> None:
    registry(journal).require_known_keys([key(1), key(2)])
    for keys, named, wrong in CHANGED_KEYS:
        fault = fault_of(partial(registry(journal).require_known_keys, keys))
        assert fault.startswith(f"{KID}-{named}: ")
        assert wrong in fault
        assert "`studiograph keys import FILE`" in fault
        assert f"`studiograph keys revoke {KID}-{named}`" in fault
        assert registry(journal).known_keys() == {key(n).kid: key(n).x for n in (1, 2)}


def test_a_history_that_grows_is_accepted_and_keeps_its_first_origin(journal: ProofStore) -> None:
    assert journal.current_log() is None
    for letters in ("", "a", "a", "abc", "abcdefgh"):
        assert journal.append(ORIGIN if letters == "" else "another", log(letters)) == ORIGIN
        assert ProofStore(journal.database).current_log() == (ORIGIN, log(letters))


REWRITTEN: list[tuple[list[Leaf], str]] = [
    (log(""), "the published entry a has been dropped."),
    (log("bcd"), "the published entry a has been dropped."),
    (log("acd"), "the published entry b has been dropped."),
    (log("abc"), "the published entry d has been dropped."),
    (log("ab"), "the published entry c has been dropped."),
    (log("abcX"), "the published entry d has been dropped."),
    (log("abXY"), "the published entry c has been dropped."),
    (log("WXYZ"), "the published entry a has been dropped."),
    ([leaf("a", "A"), *log("bcd")], "the published entry a has been changed."),
    ([*log("abc"), leaf("d", "D"), leaf("e")], "the published entry d has been changed."),
    ([*log("a"), leaf("b", "c"), leaf("c", "b"), leaf("d")], "the published entry b has been"),
    (log("Xabcd"), "the entry X is dated before a, which is published already."),
    (log("abXcd"), "the entry X is dated before c, which is published already."),
    (log("abcXYd"), "the entry X is dated before d, which is published already."),
    (log("bacd"), "the published entry a has moved."),
    (log("abdc"), "the published entry c has moved."),
    (log("dabc"), "the published entry a has moved."),
    (log("dcbaX"), "the published entry a has moved."),
]


def test_a_history_that_is_not_the_published_one_and_more_is_refused_naming_the_entry(
    journal: ProofStore,
) -> None:
    journal.append(ORIGIN, log("abcd"))
    for given, named in REWRITTEN:
        fault = fault_of(partial(journal.append, ORIGIN, given))
        assert fault.startswith(f"changelog: {named}")
        assert "Fix: restore it" in fault
        assert "`studiograph log restart`" in fault
        assert journal.current_log() == (ORIGIN, log("abcd"))
    assert history_violation(log("abcd"), log("abcde")) is None


def test_a_restarted_log_begins_with_nothing_under_a_new_origin(journal: ProofStore) -> None:
    journal.append(ORIGIN, log("abc"))
    assert journal.restart_log(head(ORIGIN, 3)) == f"{ORIGIN}/2"
    assert journal.current_log() == (f"{ORIGIN}/2", [])
    assert journal.append(ORIGIN, log("xcba")) == f"{ORIGIN}/2"
    assert "x has been dropped" in fault_of(lambda: journal.append(ORIGIN, log("abc")))


def test_the_heads_of_former_logs_are_kept_newest_first(journal: ProofStore) -> None:
    journal.append(ORIGIN, log("abc"))
    assert journal.previous_heads() == []
    heads = [head(ORIGIN, 3), head(f"{ORIGIN}/2", 3, NOW + MINUTE), head(f"{ORIGIN}/3", 3, NOW)]
    for number, ended in enumerate(heads, 2):
        assert journal.restart_log(ended) == f"{ORIGIN}/{number}"
        again = partial(journal.restart_log, head(f"{ORIGIN}/{number}", 0))
        assert f"{ORIGIN}/{number}: this log has no entry yet" in fault_of(again)
        journal.append(ORIGIN, log("abc"))
    assert ProofStore(journal.database).previous_heads() == heads[::-1]
