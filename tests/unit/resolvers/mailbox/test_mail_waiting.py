"""A mail that cannot be done with waits, is tried again, and is never lost."""

import asyncio
import socket
from pathlib import Path

import pytest
from mail_samples import ALICE, HUMAN, MAILBOX, mail
from mailbox_service import Office, office, with_office

from resolvers.contact.smtp import SmtpTransport
from resolvers.contact.transport import Maildir
from resolvers.mailbox import store as books
from resolvers.mailbox.rules import Envelope
from resolvers.mailbox.service import TIMEOUT_SECONDS
from sdl.errors import UnavailableError


def closed() -> SmtpTransport:
    """A target that cannot be used: nobody listens there."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return SmtpTransport(f"smtp://127.0.0.1:{port}", MAILBOX, HUMAN)


def test_a_mail_waits_until_it_can_be_forwarded(url: str, tmp_path: Path) -> None:
    async def shut(made: Office) -> str:
        accepted = await made.post.accept(mail(), Envelope(ALICE, (MAILBOX,)))
        with pytest.raises(UnavailableError):
            await made.post.handle(accepted)
        entry = made.entry(accepted)
        assert (entry.state, entry.data, made.answered) == (books.WAITING, mail(), [])
        return accepted

    async def opened(made: Office) -> None:
        await made.post.handle(accepted)
        await made.post.handle(accepted)
        assert made.entry(accepted).is_done
        assert made.answered == [ALICE]

    accepted = with_office(url, shut, target=closed())
    with_office(url, opened, target=Maildir(tmp_path / "inbox", HUMAN))
    assert len(list((tmp_path / "inbox" / "new").iterdir())) == 1


def test_what_cannot_be_forwarded_for_five_days_is_kept_and_told(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def given_up(made: Office) -> str:
        accepted = await made.post.accept(mail(), Envelope(ALICE, (MAILBOX,)))
        made.clock.seconds += TIMEOUT_SECONDS
        await made.post.handle(accepted)
        entry = made.entry(accepted)
        assert (entry.state, entry.data) == (books.GIVEN_UP, mail())
        return accepted

    accepted = with_office(url, given_up, target=closed())
    (told,) = [one for one in caplog.messages if accepted in one]
    assert "smtp://127.0.0.1" in told
    assert "Fix:" in told
    assert "example" not in told
    assert {one.levelname for one in caplog.records if accepted in one.getMessage()} == {"ERROR"}


def test_what_was_given_up_is_kept_however_old_it_is(url: str) -> None:
    async def work(made: Office) -> None:
        accepted = await made.post.accept(mail(), Envelope(ALICE, (MAILBOX,)))
        made.clock.seconds += TIMEOUT_SECONDS
        await made.post.handle(accepted)
        made.clock.seconds += 10 * books.MAILS_KEPT_SECONDS
        made.ledger.purge_expired()
        entry = made.entry(accepted)
        assert (entry.state, entry.data) == (books.GIVEN_UP, mail())

    with_office(url, work, target=closed())


def test_what_was_given_up_is_tried_again_after_a_restart(url: str) -> None:
    async def given_up(made: Office) -> None:
        accepted = await made.post.accept(mail(), Envelope(ALICE, (MAILBOX,)))
        made.clock.seconds += TIMEOUT_SECONDS
        await made.post.handle(accepted)
        assert made.ledger.waiting() == []
        made.ledger.purge_expired()

    async def restarted(made: Office) -> None:
        done = asyncio.Event()

        async def enqueue(accepted: str) -> None:
            await made.post.handle(accepted)
            done.set()

        following = asyncio.create_task(made.post.run(enqueue))
        await asyncio.wait_for(done.wait(), 20)
        following.cancel()
        assert len(made.forwards) == 1

    with_office(url, given_up, target=closed())
    with_office(url, restarted)


def test_what_is_stored_reaches_the_jobs_without_its_acceptor(url: str) -> None:
    async def work(made: Office) -> None:
        left = await made.post.accept(mail(), Envelope(ALICE, (MAILBOX,)))
        queued: asyncio.Queue[str] = asyncio.Queue()
        async with office(url) as another:
            following = asyncio.create_task(another.post.run(queued.put))
            assert await asyncio.wait_for(queued.get(), 20) == left
            own = await another.post.accept(mail(body=b"own"), Envelope(ALICE, (MAILBOX,)))
            assert await asyncio.wait_for(queued.get(), 20) == own
            following.cancel()

    with_office(url, work)


def test_jobs_that_do_not_answer_do_not_end_the_following(url: str) -> None:
    async def work(made: Office) -> None:
        tried: set[str] = set()
        told = asyncio.Event()

        async def enqueue(accepted: str) -> None:
            tried.add(accepted)
            told.set()
            raise UnavailableError("The queue does not answer")

        following = asyncio.create_task(made.post.run(enqueue))
        for body in (b"1", b"2"):
            accepted = await made.post.accept(mail(body=body), Envelope(ALICE, (MAILBOX,)))
            while accepted not in tried:
                told.clear()
                await asyncio.wait_for(told.wait(), 20)
        assert not following.done()
        following.cancel()

    with_office(url, work)
