"""What passes, and for whom it is counted."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from counter_stores import STORES, placed
from rate_limit_callers import ALICE, Desk, Place, callers, spent_by

from resolvers.rate_limits.limiter import Limit, parse_limit
from sdl.caller import Caller, Channel, RateLimitStatus
from sdl.errors import RateLimitedError

BOB = "192.0.2.2"

everywhere = pytest.mark.parametrize("kind", STORES)
in_a_file = pytest.mark.parametrize("kind", ["sqlite"])


@pytest.fixture
def place(kind: str, tmp_path: Path) -> Iterator[Place]:
    with placed(kind, tmp_path) as place:
        yield place


@pytest.fixture
def desk(place: Place) -> Iterator[Desk]:
    with Desk(place) as desk:
        yield desk


@everywhere
def test_exactly_the_limit_passes_whichever_process_is_asked_and_a_restart_resets_nothing(
    place: Place,
) -> None:
    site = [f"2001:db8:0:{number % 10:x}::1" for number in range(60)]
    with Desk(place) as desk:
        assert desk.passed([BOB] * 12) == list(range(8, 20))
    with callers(place, 3) as processes:
        assert spent_by(processes, [ALICE] * 20) == list(range(20))
        assert spent_by(processes, [BOB] * 10) == list(range(8))
        assert len(spent_by(processes, site)) == 160  # eight limits, for all networks of a site
    with Desk(place) as desk:
        assert desk.passed([ALICE, BOB, *site]) == []
        # a call that its site refuses is not counted for its network
        hits = desk.rows("SELECT max(hits), sum(hits) FROM rate_limit")
        assert hits == [(160, 20 + 20 + 160 + 160)]


@everywhere
def test_what_is_left_is_told_and_a_refusal_says_when_to_come_again(desk: Desk) -> None:
    assert desk.spend() == RateLimitStatus(desk.name, 20, 3600, 19, 3600)
    assert len(desk.passed([ALICE] * 30)) == 19
    caller = Caller(ALICE, Channel.MCP)
    with pytest.raises(RateLimitedError) as refused:
        desk.runner.run(desk.limits.consume(desk.name, caller))
    spent = refused.value.limit_status
    assert spent is not None
    assert caller.rate_limits == [spent]
    assert (spent.remaining, spent.limit, spent.window_seconds) == (0, 20, 3600)
    assert 3590 <= spent.reset_seconds <= 3600
    assert f"try again in {spent.reset_seconds} seconds" in refused.value.detail


@in_a_file
def test_the_host_part_of_an_address_does_not_help(desk: Desk) -> None:
    hosts = [f"2001:db8:0:1::{number:x}" for number in range(1, 30)]
    assert len(desk.passed(hosts)) == 20
    assert desk.is_refused("2001:DB8:0:1:ffff:ffff:ffff:ffff")
    assert not desk.is_refused("2001:db8:0:2::1")


@everywhere
def test_a_network_that_is_refused_takes_nothing_from_its_site(desk: Desk) -> None:
    assert len(desk.passed(["2001:db8::1"] * 40)) == 20
    others = [f"2001:db8:0:{number:x}::1" for number in range(1, 8) for _ in range(20)]
    assert len(desk.passed(others)) == 140
    assert desk.is_refused("2001:db8:0:99::1")
    assert not desk.is_refused("2001:db8:1::1")


@in_a_file
@pytest.mark.parametrize(
    ("address", "same"),
    [
        (ALICE, f"::ffff:{ALICE}"),
        (ALICE, "::ffff:c000:201"),
        ("127.0.0.1", "::ffff:127.0.0.1"),
        ("::1", "0:0:0:0:0:0:0:1"),
        ("fe80::1%eth0", "fe80::1%eth1"),
        ("", ""),
        ("", "no address"),
    ],
)
def test_one_caller_is_one_caller_however_it_is_written(
    desk: Desk, address: str, same: str
) -> None:
    assert len(desk.passed([address, same] * 15)) == 20
    assert desk.is_refused(address)
    assert desk.is_refused(same)


def test_a_limit_of_0_counts_nothing_and_needs_no_store(tmp_path: Path) -> None:
    with Desk(Place(f"sqlite:///{tmp_path / 'none' / 'studio.db'}"), limit=0) as desk:
        caller = Caller(ALICE, Channel.HTTP)
        for _ in range(50):
            desk.runner.run(desk.limits.consume(desk.name, caller))
        assert caller.rate_limits == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "limit", "window_seconds"),
    [
        ("20/hour", 20, 3600),
        ("60/minute", 60, 60),
        ("1/second", 1, 1),
        ("999999999/day", 999_999_999, 86400),
        ("0", 0, 3600),
        ("0/minute", 0, 60),
    ],
)
def test_a_setting_gives_a_budget(text: str, limit: int, window_seconds: int) -> None:
    assert parse_limit("contact", text) == Limit("contact", limit, window_seconds)
