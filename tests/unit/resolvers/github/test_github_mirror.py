"""The mirror of an account: what it shows, and when it asks."""

import asyncio
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from github_mirrors import DOWN, TOKEN, Hall, shown, turn
from github_server import LOGIN, always, github_server, http

from schema.site import Site


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    """GitHub and a folder to keep what it says."""
    with github_server() as hub:
        yield Hall(hub, tmp_path)


def sample_body(site: Site) -> dict[str, object]:
    """What the sample's snapshot says."""
    assert site.github is not None
    return site.github.to_json()


def test_without_an_account_nobody_is_asked_and_the_folder_s_snapshot_is_shown_as_stale(
    hall: Hall, sample: Site
) -> None:
    idle = hall.idle()
    asyncio.run(idle.run())
    assert shown(idle, sample.github).to_json() == {**sample_body(sample), "stale": True}
    assert (idle.snapshot(None), idle.refresh(), hall.hub.heard) == (None, False, [])


def test_before_the_first_answer_the_folder_s_snapshot_is_shown_as_stale(
    hall: Hall, sample: Site
) -> None:
    fresh = hall.mirror()
    assert shown(fresh, sample.github).to_json() == {**sample_body(sample), "stale": True}
    assert fresh.snapshot(None) is None


def test_what_was_seen_is_shown_with_the_instant_of_asking(hall: Hall, sample: Site) -> None:
    found = hall.mirror()
    assert not found.refresh()
    turn(found)
    assert (found.refresh(), found.refresh()) == (True, False)
    assert found.changed_at == hall.now
    seen = shown(found, sample.github)
    assert (seen.profile.login, seen.stale) == (LOGIN, False)
    assert seen.to_json()["asOf"] == "2026-11-20T12:00:00Z"


def test_github_is_asked_every_quarter_of_an_hour(hall: Hall) -> None:
    found = hall.mirror()
    counts = []
    for minutes in (0, 1, 13, 1, 1, 13, 1):
        hall.wait(minutes=minutes)
        turn(found)
        counts.append(hall.asked)
    assert counts == [1, 1, 1, 2, 2, 2, 3]
    assert hall.hub.statuses == [200] * 5 + [304] * 10


def test_an_answer_without_news_is_news_of_its_instant(hall: Hall) -> None:
    found = hall.mirror()
    turn(found)
    assert found.refresh()
    hall.wait(minutes=15)
    turn(found)
    assert found.refresh()
    assert shown(found).to_json()["asOf"] == "2026-11-20T12:15:00Z"
    readme = shown(found).readme
    assert readme is not None
    assert readme.to_json()["fetchedAt"] == "2026-11-20T12:00:00Z"


def test_after_a_failure_what_was_seen_last_is_shown_as_stale(
    hall: Hall, caplog: pytest.LogCaptureFixture
) -> None:
    found = hall.mirror()
    turn(found)
    before = shown(found)
    hall.hub.instead = DOWN
    hall.wait(minutes=15)
    found.refresh()
    turn(found)
    assert found.refresh()
    assert shown(found) == before.model_copy(update={"stale": True})
    assert "the last result is shown: GitHub answered with HTTP 503." in caplog.text
    assert TOKEN not in caplog.text


def test_after_failures_it_is_asked_sooner_and_then_ever_later(hall: Hall) -> None:
    found, begin = hall.mirror(), hall.now
    hall.hub.instead = DOWN
    moments: list[float] = []
    while len(moments) < 8:
        before = hall.asked
        turn(found)
        if hall.asked > before:
            moments.append((hall.now - begin).total_seconds() / 60)
        hall.wait(minutes=0.5)
    assert moments == [0, 1, 3, 7, 15, 30, 45, 60]


def test_after_any_number_of_failures_it_is_asked_again(hall: Hall) -> None:
    hall.hub.instead = DOWN
    turn(hall.mirror())
    hall.file.write_text(json.dumps({**json.loads(hall.file.read_text()), "failures": 10**9}))
    for _ in range(2):
        hall.wait(minutes=15)
        turn(hall.mirror())
    assert hall.asked == 3


def test_once_github_is_back_what_it_says_is_shown(
    hall: Hall, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    found = hall.mirror()
    hall.hub.instead = DOWN
    turn(found)
    hall.hub.instead = lambda _: None
    hall.wait(minutes=1)
    turn(found)
    assert not shown(found).stale
    assert caplog.messages[-1] == "GitHub was read"


def test_what_was_not_seen_again_for_more_than_an_hour_is_stale(hall: Hall) -> None:
    found = hall.mirror()
    turn(found)
    assert found.refresh()
    hall.wait(minutes=60)
    assert (found.refresh(), shown(found).stale) == (False, False)
    hall.wait(seconds=1)
    assert (found.refresh(), shown(found).stale) == (True, True)


def test_what_was_seen_in_the_future_is_stale_and_asked_for_again(hall: Hall) -> None:
    found = hall.mirror()
    turn(found)
    hall.wait(days=-30)
    assert shown(found).stale
    turn(found)
    assert (hall.asked, shown(found).stale) == (2, False)


def test_hurried_it_asks_at_once_and_once(hall: Hall) -> None:
    found = hall.mirror()
    turn(found)
    found.refresh_now()
    turn(found)
    turn(found)
    assert hall.asked == 2


def test_nothing_is_asked_before_the_instant_that_github_names_however_hurried(hall: Hall) -> None:
    found = hall.mirror()
    hall.hub.instead = always(*http("403 No", "Retry-After: 3000"))
    turn(found)
    hall.hub.instead = lambda _: None
    for minutes in (1, 15, 33):
        hall.wait(minutes=minutes)
        found.refresh_now()
        turn(found)
        turn(hall.mirror())
    assert hall.asked == 1
    hall.wait(minutes=1)
    turn(found)
    assert (hall.asked, shown(found).stale) == (2, False)
