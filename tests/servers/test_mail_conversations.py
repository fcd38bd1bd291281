"""Mails of every kind are handed in at the real port: each is forwarded and answered rightly."""

import asyncio
import shutil
from pathlib import Path

import pytest
from machine_mail_samples import BOUNCES, LOOPS, MACHINES, NOTHING, ROLES
from mail_ports import hand_in
from mail_samples import ALICE, HEADS, HONEST, MAILBOX, PROOFS, SENDERS, Case, mail
from mailbox_service import Office, office
from tiers import step

from resolvers.db.database import Database
from resolvers.mailbox.mail_server import serve_mail
from resolvers.mailbox.rules import Reason

TOO_LARGE = ("10 MB of lines", "10 MB in one line")
"""With their heads they are larger than ten mebibytes."""
UNSAYABLE = ("a line end within", "a line end at its end")
"""Senders that end the command in which they stand."""
CASES = [
    case
    for case in (*HONEST, *SENDERS, *HEADS, *PROOFS, *BOUNCES, *ROLES, *MACHINES, *LOOPS, *NOTHING)
    if case.name not in UNSAYABLE
][:: step(3)]
"""What each case is treated as is a unit test."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with its tables, to be copied."""
    file = tmp_path_factory.mktemp("made") / "studio.db"
    Database(f"sqlite:///{file}").ensure_schema()
    return file


@pytest.fixture
def url(made: Path, tmp_path: Path) -> str:
    """An empty store."""
    return f"sqlite:///{shutil.copy(made, tmp_path / 'studio.db')}"


async def converse(office: Office, data: bytes, sender: str | None) -> str:
    """The last answer to a mail, once everything is done that follows from it."""
    done: asyncio.Queue[str] = asyncio.Queue()

    async def handle(accepted: str) -> None:
        await office.post.handle(accepted)
        await done.put(accepted)

    following = asyncio.create_task(office.post.run(handle))
    async with serve_mail("smtp://127.0.0.1:0", MAILBOX, office.post.accept) as port:
        answer = await asyncio.to_thread(hand_in, await port, data, sender)
    if answer.startswith("250"):
        await asyncio.wait_for(done.get(), 60)
    following.cancel()
    return answer


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_mail_is_forwarded_and_answered_as_is_right(case: Case, url: str) -> None:
    async def work() -> None:
        async with office(url, case.policy) as made:
            answer = await converse(made, case.data, case.envelope.sender)
            if case.name in TOO_LARGE:
                assert answer.startswith("552")
                return
            if not answer.startswith("250"):
                assert (answer[:3], case.reason) == ("553", Reason.UNUSABLE_SENDER)
                return
            ((state,),) = made.rows("SELECT state FROM mail")
            assert state == case.reason
            assert len(made.forwards) == (case not in LOOPS)
            assert len(made.answered) == (case.reason is Reason.ANSWERABLE)

    asyncio.run(work())


def test_a_database_that_is_away_takes_mails_again_once_it_is_back(url: str) -> None:
    file = Path(url.removeprefix("sqlite:///"))
    aside = file.with_suffix(".aside")

    def leave() -> None:
        file.rename(aside)
        file.mkdir()

    def come_back() -> None:
        file.rmdir()
        aside.rename(file)

    async def work() -> None:
        async with office(url) as made:
            leave()
            assert (await converse(made, mail(), ALICE)).startswith("451 4.3.0")
            come_back()
            assert (await converse(made, mail(), ALICE)).startswith("250")
            assert (len(made.forwards), made.answered) == (1, [ALICE])

    asyncio.run(work())
