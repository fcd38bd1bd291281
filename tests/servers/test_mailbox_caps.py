"""A mail that was accepted is stored, forwarded once, and answered at most once a day."""

import pytest
from mail_samples import TRUSTED, mail
from mailbox_service import DAY, Clock

from resolvers.contact.mail_parser import read_mail
from resolvers.db.database import Database
from resolvers.mailbox import store
from resolvers.mailbox.rules import Envelope, decide


@pytest.mark.parametrize(
    ("senders", "most"),
    [
        ([f"a{n}@sender.example" for n in range(25)], store.MAX_DAILY_ANSWERS_PER_DOMAIN),
        ([f"a@d{n}.example" for n in range(205)], store.MAX_DAILY_ANSWERS),
    ],
    ids=["of a domain", "of all"],
)
def test_so_many_are_answered_a_day_and_no_more(senders: list[str], most: int, url: str) -> None:
    clock = Clock()
    ledger = store.MailStore(Database(url), b"k", clock)

    def claims() -> list[bool]:
        found = [decide(read_mail(mail(sender=s)), Envelope(s, ()), TRUSTED) for s in senders]
        return [ledger.claim("no-mail", one) for one in found]

    assert claims() == [True] * most + [False] * (len(senders) - most)
    clock.seconds += DAY + 1
    assert sum(claims()) == most
