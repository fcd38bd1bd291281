"""A mail that was accepted is stored, forwarded once, and answered at most once a day."""

import asyncio
import json
from pathlib import Path

from mail_samples import ALICE, HUMAN, MAILBOX, TRUSTED, mail
from mail_servers import rude
from mailbox_service import DAY, HOUR, Office, office, reply_text, with_office

from resolvers.contact.transport import Maildir
from resolvers.db.database import Database
from resolvers.mailbox import store as books
from resolvers.mailbox.rules import Envelope
from resolvers.mailbox.service import Mailbox


def test_a_mail_is_stored_before_it_is_accepted(url: str) -> None:
    async def work(made: Office) -> None:
        accepted = await made.post.accept(mail(), Envelope(ALICE, (MAILBOX,)))
        entry = books.MailStore(Database(url), b"", made.clock).find(accepted)
        assert entry is not None
        assert (entry.data, entry.envelope) == (mail(), Envelope(ALICE, (MAILBOX,)))
        assert (entry.is_done, entry.is_forwarded, made.given.taken) == (False, False, [])

    with_office(url, work)


def test_a_mail_is_forwarded_and_answered_and_then_forgotten(url: str) -> None:
    async def work(made: Office) -> None:
        entry = await made.take(mail())
        assert (entry.state, entry.is_forwarded, entry.is_answered) == ("answerable", True, True)
        assert made.answered == [ALICE]
        assert [one.mail_from for one in made.given.taken] == ["<>", "<>"]
        assert len(made.forwards) == 1
        assert b"Hello, what is your domain?" in made.forwards[0]
        assert b"https://studio.example/llms.txt" in made.sent_to(ALICE)[0]
        left = json.dumps(made.rows("SELECT * FROM mail"), default=str)
        left += json.dumps(made.rows("SELECT * FROM answered"), default=str)
        assert "example" not in left
        assert (entry.data, entry.envelope) == (b"", Envelope("", ()))

    with_office(url, work)


def test_a_second_copy_of_a_mail_is_the_same_mail(url: str) -> None:
    async def work(made: Office) -> None:
        first = await made.take(mail())
        again = await made.take(mail("Received: from elsewhere.example by mx.studio.example"))
        assert (again.id, len(made.forwards), made.answered) == (first.id, 1, [ALICE])

    with_office(url, work)


def test_a_sender_is_answered_once_a_day_however_he_is_spelled(url: str) -> None:
    async def work(made: Office) -> None:
        for number, sender in enumerate((ALICE, "Alice@Sender.Example", "alice+x@sender.example")):
            await made.take(mail(sender=sender, body=b"%d" % number), sender)
        assert (made.answered, len(made.forwards)) == ([ALICE], 3)
        made.clock.seconds += DAY - 1
        await made.take(mail(body=b"late"))
        assert made.answered == [ALICE]
        made.clock.seconds += 2
        await made.take(mail(body=b"a day later"))
        assert made.answered == [ALICE, ALICE]
        made.clock.seconds += HOUR
        await made.take(mail(body=b"an hour after that"))
        assert made.answered == [ALICE, ALICE]

    with_office(url, work)


def test_a_restart_does_not_forget_who_was_answered(url: str) -> None:
    async def first(made: Office) -> list[str]:
        await made.take(mail())
        return made.answered

    async def second(made: Office) -> list[str]:
        await made.take(mail(body=b"another"))
        return made.answered

    assert (with_office(url, first), with_office(url, second)) == ([ALICE], [])


def test_an_answer_that_was_refused_is_not_sent_again(url: str, tmp_path: Path) -> None:
    async def work() -> None:
        target = Maildir(tmp_path / "inbox", HUMAN)
        async with (
            rude({"RCPT": b"550 no\r\n"}) as (port, server),
            office(url, target=target, relay_port=port) as made,
        ):
            entry = await made.take(mail())
            assert (entry.state, entry.is_forwarded) == ("answerable", True)
            await made.take(mail(body=b"again"))
            assert server.lines.count(b"RCPT TO:<alice@sender.example>\r\n") == 1

    asyncio.run(work())


def test_senders_are_remembered_for_two_days_and_mails_for_thirty(url: str) -> None:
    async def work(made: Office) -> None:
        await made.take(mail())
        waiting = await made.post.accept(mail(body=b"waits"), Envelope(ALICE, (MAILBOX,)))
        made.clock.seconds += 2 * DAY - HOUR
        made.ledger.purge_expired()
        assert len(made.rows("SELECT * FROM answered")) == 1
        made.clock.seconds += 2 * HOUR
        made.ledger.purge_expired()
        assert len(made.rows("SELECT * FROM answered")) == 0
        assert len(made.rows("SELECT * FROM mail")) == 2
        made.clock.seconds += 28 * DAY
        made.ledger.purge_expired()
        assert made.rows("SELECT id FROM mail") == [(waiting,)]

    with_office(url, work)


def test_without_a_relay_nobody_is_answered(url: str, tmp_path: Path) -> None:
    async def work(made: Office) -> None:
        post = Mailbox(
            made.ledger,
            TRUSTED,
            Maildir(tmp_path / "inbox", HUMAN),
            answer_transport=None,
            reply_text=reply_text,
            clock=made.clock,
        )
        accepted = await post.accept(mail(), Envelope(ALICE, (MAILBOX,)))
        await post.handle(accepted)
        entry = made.entry(accepted)
        assert (entry.state, entry.is_forwarded, entry.is_answered) == ("answerable", True, False)

    with_office(url, work)
