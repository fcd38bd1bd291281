"""Mails are handed in at the real port: each is stored, forwarded and answered rightly."""

import asyncio
from pathlib import Path

import pytest
from machine_mail_samples import LOOPS, MACHINES
from mail_ports import LMTP, SMTP, hand_in
from mail_samples import ALICE, HEADS, HONEST, MAILBOX, PROOFS, SENDERS, Case, mail
from mailbox_service import Office, office
from offenders import offenders

from resolvers.mailbox.mail_server import serve_mail
from resolvers.mailbox.rules import Reason

EVERY = {case.name: case for case in (*HONEST, *SENDERS, *HEADS, *PROOFS, *MACHINES, *LOOPS)}
NAMES = (
    *("a person", "8-bit UTF-8 in the head", "NUL and bare CR in the body", "SMTPUTF8"),
    *("a line that is no field", "101 parts", "no results", "a vacation answer", "our mark"),
)
"""How each sample is treated is a unit test."""


async def converse(office: Office, data: bytes, sender: str | None, kind: str = SMTP) -> str:
    """The last answer to a mail, once everything is done that follows from it."""
    done: asyncio.Queue[str] = asyncio.Queue()

    async def handle(accepted: str) -> None:
        await office.post.handle(accepted)
        await done.put(accepted)

    following = asyncio.create_task(office.post.run(handle))
    async with serve_mail(f"{kind}://127.0.0.1:0", MAILBOX, office.post.accept) as port:
        answer = await asyncio.to_thread(hand_in, await port, data, sender, kind)
    if answer.startswith("250"):
        await asyncio.wait_for(done.get(), 60)
    following.cancel()
    return answer


@pytest.mark.parametrize("kind", [SMTP, LMTP])
def test_a_mail_is_forwarded_and_answered_as_is_right(kind: str, tmp_path: Path) -> None:
    async def work(case: Case, url: str) -> None:
        async with office(url, case.policy) as made:
            answer = await converse(made, case.data, case.envelope.sender, kind)
            assert answer == "250 2.0.0 The mail is stored"
            assert made.rows("SELECT state FROM mail") == [(case.reason,)]
            assert len(made.forwards) == (case not in LOOPS)
            assert len(made.answered) == (case.reason is Reason.ANSWERABLE)

    def check(name: str) -> None:
        asyncio.run(work(EVERY[name], f"sqlite:///{tmp_path / name}.db"))

    assert offenders(check, NAMES) == []


def test_a_mail_over_the_limit_is_refused_and_one_within_is_not_lost(tmp_path: Path) -> None:
    async def work() -> None:
        async with office(f"sqlite:///{tmp_path / 'studio.db'}") as made:
            large = EVERY["10 MB of lines"].data  # with its head larger than ten mebibytes
            assert (await converse(made, large, ALICE)).startswith("552")
            assert (await converse(made, large[:-2_000], ALICE)).startswith("250")
            assert (len(made.forwards), made.answered) == (1, [ALICE])

    asyncio.run(work())


def test_a_database_that_is_away_takes_mails_again_once_it_is_back(tmp_path: Path) -> None:
    file, aside = tmp_path / "studio.db", tmp_path / "aside"

    async def work() -> None:
        async with office(f"sqlite:///{file}") as made:
            made.rows("SELECT * FROM mail")
            file.rename(aside)
            file.mkdir()
            assert (await converse(made, mail(), ALICE)).startswith("451 4.3.0")
            file.rmdir()
            aside.rename(file)
            assert (await converse(made, mail(), ALICE)).startswith("250")
            assert (len(made.forwards), made.answered) == (1, [ALICE])

    asyncio.run(work())
