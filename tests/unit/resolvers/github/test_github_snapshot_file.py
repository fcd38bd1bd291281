"""What a mirror keeps in the data folder, for the next process and for those beside it."""

import asyncio
import fcntl
import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from github_mirrors import BEGIN, DOWN, TOKEN, Hall, shown, turn
from github_server import HANG, LOGIN, always, event, github_server, star

PATIENCE_SECONDS = 60


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    """GitHub and a folder to keep what it says."""
    with github_server() as hub:
        yield Hall(hub, tmp_path)


def test_a_new_process_shows_at_once_what_the_old_one_saw(hall: Hall) -> None:
    old = hall.mirror()
    turn(old)
    hall.hub.instead = DOWN
    hall.wait(minutes=10)
    new = hall.mirror()
    assert shown(new) == shown(old)
    assert (new.changed_at, shown(new).stale) == (BEGIN, False)
    turn(new)
    assert hall.asked == 1
    hall.wait(minutes=5)
    turn(new)
    assert (hall.asked, shown(new).stale, shown(hall.mirror()).stale) == (2, True, True)


def test_a_new_process_asks_only_for_what_has_changed(hall: Hall) -> None:
    turn(hall.mirror())
    hall.wait(minutes=15)
    hall.hub.events.insert(0, event(9, "WatchEvent"))
    new = hall.mirror()
    turn(new)
    assert hall.hub.statuses[5:] == [304, 200, 304, 304, 304]
    assert shown(new).activity[0].title == f"Starred {LOGIN}/tides"


def test_one_process_asks_and_the_others_show_what_it_saw(hall: Hall) -> None:
    workers = [hall.mirror() for _ in range(4)]
    turn(*workers)
    turn(*workers)
    assert hall.asked == 1
    assert [worker.refresh() for worker in workers] == [True] * 4
    assert len({shown(worker).model_dump_json() for worker in workers}) == 1
    hall.wait(minutes=15)
    hall.hub.instead = DOWN
    turn(*workers)
    turn(*workers)
    assert hall.asked == 2
    assert [shown(worker).stale for worker in workers] == [True] * 4


def test_several_hurried_processes_ask_once_while_one_is_asking(hall: Hall) -> None:
    other = hall.mirror()
    other.refresh_now()
    descriptor = os.open(hall.folder / "github.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    turn(other)
    os.close(descriptor)
    assert hall.hub.heard == []
    turn(other)
    turn(other)
    assert hall.asked == 1


def test_who_is_stopped_while_github_is_silent_stops_at_once_and_lets_go(hall: Hall) -> None:
    hall.hub.instead = always(HANG)

    async def stopped() -> None:
        task = asyncio.create_task(hall.mirror().run())
        assert await asyncio.to_thread(hall.hub.asked.wait, PATIENCE_SECONDS)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(stopped())
    hall.hub.instead = lambda _: None
    turn(hall.mirror())
    assert not shown(hall.mirror()).stale


def test_what_is_kept_is_the_owner_s_alone_and_holds_no_secret(hall: Hall) -> None:
    turn(hall.mirror())
    assert stat.S_IMODE(hall.file.stat().st_mode) == 0o600
    assert TOKEN not in hall.file.read_text()
    assert sorted(path.name for path in hall.folder.iterdir()) == ["github.json", "github.lock"]


def test_what_was_seen_of_another_account_is_not_shown(hall: Hall) -> None:
    turn(hall.mirror())
    for other in (
        hall.mirror(github_user="somebody"),
        hall.mirror(github_reading_topic="x"),
        hall.mirror(github_api_url=f"{hall.hub.address}/v3"),
    ):
        assert other.snapshot(None) is None
    assert hall.idle().snapshot(None) is None


def test_another_topic_makes_another_reading_list(hall: Hall) -> None:
    turn(hall.mirror())
    hall.hub.stars.append(star("sea", topics=["sea"]))
    other = hall.mirror(github_reading_topic="sea")
    turn(other)
    assert [star.repo for star in shown(other).reading_list] == [f"{LOGIN}/sea"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda _: "",
        lambda text: text[: len(text) // 2],
        lambda _: "[]",
        lambda text: json.dumps({**json.loads(text), "failures": "none"}),
        lambda text: json.dumps({**json.loads(text), "more": 1}),
        lambda text: text.replace("https://github.example", "javascript:alert"),
        lambda _: "\x00\xff",
    ],
)
def test_a_spoilt_file_is_written_anew(
    hall: Hall, spoil: Callable[[str], str], caplog: pytest.LogCaptureFixture
) -> None:
    turn(hall.mirror())
    hall.file.write_text(spoil(hall.file.read_text()))
    found = hall.mirror()
    assert found.snapshot(None) is None
    assert "github.json cannot be read and will be replaced" in caplog.text
    turn(found)
    assert (hall.asked, shown(hall.mirror()).profile.login) == (2, LOGIN)


def test_a_file_without_a_profile_shows_nothing(hall: Hall) -> None:
    turn(hall.mirror())
    hall.file.write_text(json.dumps({**json.loads(hall.file.read_text()), "pages": {}}))
    assert hall.mirror().snapshot(None) is None


def test_where_nothing_can_be_kept_what_was_seen_is_shown_all_the_same(hall: Hall) -> None:
    hall.file.mkdir()
    found = hall.mirror()
    with pytest.raises(OSError, match=r"github\.json"):
        turn(found)
    assert not shown(found).stale
    turn(found)
    assert hall.asked == 1


def test_a_folder_that_cannot_be_used_is_told_and_does_not_end_the_following(
    hall: Hall, caplog: pytest.LogCaptureFixture
) -> None:
    found = hall.mirror()
    (hall.folder / "github.lock").mkdir()

    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(found.run(), 0.5))
    (message,) = caplog.messages
    assert message.endswith("github.json cannot be written: Is a directory")
