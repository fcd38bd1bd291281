"""What is counted reaches the database of every kind, within its bounds, and nothing else does."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from databases import KINDS, store

from resolvers.db.database import Database
from resolvers.usage.recorder import UsageRecorder
from resolvers.usage.store import (
    MAX_WAITING,
    PATHS,
    REQUESTS,
    Asked,
    MissingPath,
    Question,
    RequestKind,
    UsageStore,
)
from sdl.caller import Caller, Channel

TODAY = datetime(2026, 11, 24, 12, tzinfo=UTC)
DAY = "2026-11-24"
KEY = b"k" * 32


def run(
    work: Callable[[UsageRecorder], Awaitable[None]],
    url: str,
    now: datetime = TODAY,
    *,
    questions: bool = True,
) -> None:
    """Do some work of a process with its recorder."""
    database = Database(url)

    async def process() -> None:
        try:
            await work(UsageRecorder(UsageStore(database), KEY, lambda: now, questions=questions))
        finally:
            await database.close()

    asyncio.run(process())


async def note_once(usage: UsageRecorder) -> None:
    note(usage)
    await usage.write()


def note(usage: UsageRecorder, route: str = "/api/faq", status: int = 200, path: str = "") -> None:
    usage.note_request(route=route, status=status, seconds=0, agent="curl/8", path=path)


@pytest.mark.parametrize("kind", KINDS)
def test_two_processes_count_into_the_same_rows(kind: str, tmp_path: Path) -> None:
    async def count(usage: UsageRecorder) -> None:
        async with usage.recording():
            for _ in range(3):
                note(usage)
            note(usage, "-", 404, "/pricing")
            caller = Caller("192.0.2.1", Channel.MCP)
            usage.note_question(Asked.QUESTION, "Do you do audits?", caller, answered=False)
            await usage.write()
            note(usage)

    with store(kind, tmp_path) as url:
        run(count, url)
        run(count, url)
        rows = UsageStore(Database(url))
        requests = rows.requests(TODAY.date())
        assert requests == {
            RequestKind(DAY, "/api/faq", "script", 200): 8,
            RequestKind(DAY, "-", "script", 404): 2,
        }
        assert rows.paths(TODAY.date()) == {MissingPath(DAY, "/pricing"): 2}
        ((question, times),) = rows.questions(TODAY.date()).items()
        assert times == 2
        assert question == Question(
            DAY, "Do you do audits?", Asked.QUESTION, "mcp", False, question.caller
        )
        assert 0 <= question.caller < 2**16


def test_questions_are_kept_only_where_the_owner_wants_it_and_a_service_runs(
    tmp_path: Path,
) -> None:
    url, caller = f"sqlite:///{tmp_path}/studio.db", Caller("192.0.2.1", Channel.HTTP)

    async def ask(usage: UsageRecorder) -> None:
        usage.note_question(Asked.SEARCH, "before", caller, answered=False)
        async with usage.recording():
            usage.note_question(Asked.SEARCH, "within", caller, answered=False)
        usage.note_question(Asked.SEARCH, "after", caller, answered=False)
        await usage.write()

    run(ask, url, questions=False)
    assert not (tmp_path / "studio.db").exists()
    run(ask, url)
    kept = UsageStore(Database(url)).questions(TODAY.date())
    assert [question.text for question in kept] == ["within"]


def test_callers_are_told_apart_by_address_or_by_the_sender_of_a_mail(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/studio.db"
    callers = [
        *(Caller(f"192.0.2.{number}", Channel.HTTP) for number in (1, 2, 2)),
        *(Caller(f"2001:db8::{number}", Channel.HTTP) for number in (1, 2)),
        *(Caller("", Channel.MAIL, identity=sender) for sender in ("a", "b")),
    ]

    async def ask(usage: UsageRecorder) -> None:
        async with usage.recording():
            for caller in callers:
                usage.note_question(Asked.GOAL, "the same", caller, answered=False)

    run(ask, url)
    kept = UsageStore(Database(url)).questions(TODAY.date())
    assert len({question.caller for question in kept}) == 5  # one network of IPv6 is one caller


def test_paths_that_nobody_guessed_are_not_kept(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/studio.db"

    async def ask(usage: UsageRecorder) -> None:
        async with usage.recording():
            for path in ("/jane@a.example", "/order/4711", "/a b", "/" + "a" * 100, "/pricing"):
                note(usage, "-", 404, path)
            note(usage, "/api/faq", 200, "/api/faq")

    run(ask, url)
    assert {path.path for path in UsageStore(Database(url)).paths(TODAY.date())} == {"/pricing"}


def test_neither_memory_nor_a_day_can_be_filled(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/studio.db"

    async def ask(usage: UsageRecorder) -> None:
        for batch in "abc":
            note(usage, "-", 404, "/a/a")
            for number in range(MAX_WAITING + 10):
                letters = "".join(chr(97 + int(digit)) for digit in str(number))
                note(usage, "-", 404, f"/{batch}/{letters}")
            await usage.write()

    run(ask, url)
    paths = UsageStore(Database(url)).paths(TODAY.date())
    assert len(paths) == PATHS.rows == MAX_WAITING
    assert paths[MissingPath(DAY, "/a/a")] == 4  # what is known is counted on


def test_old_rows_are_deleted(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/studio.db"
    for day in (1, 24):
        run(note_once, url, TODAY.replace(day=day))
    run(note_once, url, TODAY.replace(year=2027, month=1, day=31))
    left = UsageStore(Database(url)).requests(TODAY.replace(day=1).date())
    assert REQUESTS.days == 90
    assert {kind.day for kind in left} == {"2026-11-24", "2027-01-31"}


def test_counts_wait_for_a_database_that_is_away(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.write_text("not a folder")

    async def come_and_go(usage: UsageRecorder) -> None:
        await note_once(usage)
        folder.unlink()
        await note_once(usage)

    run(come_and_go, f"sqlite:///{folder}/studio.db")
    (number,) = (
        UsageStore(Database(f"sqlite:///{folder}/studio.db")).requests(TODAY.date()).values()
    )
    assert number == 2
