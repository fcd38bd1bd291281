"""The mails that were accepted and the senders that were answered, in the state database.

A mail's bytes are here until it is done with; after that a hash, by which a second copy is known.
Of a sender nothing is written but an HMAC.
"""

import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from uuid import uuid4

from resolvers.contact.mail_parser import address, dedupe_key, read_mail
from resolvers.db.database import Database
from resolvers.mailbox.rules import Decision, Envelope

DAY_SECONDS = 24 * 3600
MOST_OF_A_DOMAIN, MOST_OF_ALL = 20, 200
SENDERS_KEPT_SECONDS = 2 * DAY_SECONDS
MAILS_KEPT_SECONDS = 30 * DAY_SECONDS
WAITING, GIVEN_UP = "waiting", "given_up"
_KEY_LETTERS = 32
_UNUSABLE = "-"


@dataclass(frozen=True)
class StoredMail:
    """A mail and how far it has come."""

    id: str
    key: str
    """The same for every copy of the mail."""
    envelope: Envelope
    data: bytes
    received_at: float
    state: str
    """Waiting, given up, or done: then it is the reason of the verdict."""
    is_forwarded: bool
    is_answered: bool

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do."""
        return self.state not in (WAITING, GIVEN_UP)


class MailStore:
    """What is written down of mails. Everything here waits for the disk: call it in a thread.

    Raises: StateFault, everywhere, when the database cannot be used.
    """

    def __init__(self, database: Database, secret: bytes, clock: Callable[[], float]) -> None:
        self._database = database
        self._secret = secret
        self._clock = clock

    def insert(self, data: bytes, envelope: Envelope) -> str:
        """The id of the mail, once it is on the disk; the first one's, if it is known already."""
        known = sha256(dedupe_key(read_mail(data), data).encode()).hexdigest()
        values = (uuid4().hex, known, _sender(envelope), json.dumps(envelope.recipients))
        with self._database.transaction() as books:
            books.execute(
                "INSERT INTO mail (id, identity, sender, recipients, data, received_at, state)"
                " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (identity) DO NOTHING",
                (*values, data, self._clock(), WAITING),
            )
            found = books.execute("SELECT id FROM mail WHERE identity = ?", (known,)).fetchone()
        return str(found[0])

    def find(self, mail: str) -> StoredMail | None:
        """The mail with this id."""
        with self._database.transaction() as books:
            row = books.execute(
                "SELECT identity, sender, recipients, data, received_at, state, forwarded_at,"
                " replied_at FROM mail WHERE id = ?",
                (mail,),
            ).fetchone()
        if row is None:
            return None
        key, sender, recipients, data, received_at, state, forwarded_at, replied_at = row
        return StoredMail(
            id=mail,
            key=key[:_KEY_LETTERS],
            envelope=Envelope(sender, tuple(json.loads(recipients))),
            data=bytes(data or b""),
            received_at=received_at,
            state=state,
            is_forwarded=forwarded_at is not None,
            is_answered=replied_at is not None,
        )

    def mark_forwarded(self, mail: str) -> None:
        """Write down that the human has it."""
        with self._database.transaction() as books:
            books.execute("UPDATE mail SET forwarded_at = ? WHERE id = ?", (self._clock(), mail))

    def claim(self, mail: str, verdict: Decision) -> bool:
        """Whether this mail's sender may be answered now; who may is counted as answered."""
        sender, domain = self._hidden(verdict.sender_digest), self._hidden(verdict.sender_domain)
        now = self._clock()
        with self._database.transaction() as books:
            answered = books.execute(
                "SELECT sender, domain FROM answered WHERE at > ?", (now - DAY_SECONDS,)
            )
            senders = dict(iter(answered))
            of_domain = list(senders.values()).count(domain)
            if sender in senders or of_domain >= MOST_OF_A_DOMAIN or len(senders) >= MOST_OF_ALL:
                return False
            books.execute(
                "INSERT INTO answered (sender, domain, at) VALUES (?, ?, ?)"
                " ON CONFLICT (sender) DO UPDATE SET at = excluded.at",
                (sender, domain, now),
            )
            books.execute("UPDATE mail SET replied_at = ? WHERE id = ?", (now, mail))
        return True

    def finish(self, mail: str, reason: str) -> None:
        """Write down that nothing is left to do, and forget who said what."""
        with self._database.transaction() as books:
            books.execute(
                "UPDATE mail SET state = ?, data = NULL, sender = '', recipients = '[]'"
                " WHERE id = ?",
                (reason, mail),
            )

    def mark_failed(self, mail: str) -> None:
        """Write down that it goes no further; all of it stays."""
        with self._database.transaction() as books:
            books.execute("UPDATE mail SET state = ? WHERE id = ?", (GIVEN_UP, mail))

    def waiting(self) -> list[str]:
        """The mails with which something is left to do, the oldest first."""
        with self._database.transaction() as books:
            rows = books.execute(
                "SELECT id FROM mail WHERE state = ? ORDER BY received_at", (WAITING,)
            )
            return [str(row[0]) for row in rows]

    def requeue_failed(self) -> None:
        """Let what was given up wait again, under new ids, as work of its own."""
        with self._database.transaction() as books:
            given_up = list(books.execute("SELECT id FROM mail WHERE state = ?", (GIVEN_UP,)))
            books.executemany(
                "UPDATE mail SET id = ?, state = ? WHERE id = ?",
                [(uuid4().hex, WAITING, mail) for (mail,) in given_up],
            )

    def purge_expired(self) -> None:
        """Forget senders after two days, and mails that are done with after thirty."""
        now = self._clock()
        with self._database.transaction() as books:
            books.execute("DELETE FROM answered WHERE at < ?", (now - SENDERS_KEPT_SECONDS,))
            books.execute(
                "DELETE FROM mail WHERE received_at < ? AND state NOT IN (?, ?)",
                (now - MAILS_KEPT_SECONDS, WAITING, GIVEN_UP),
            )

    def _hidden(self, text: str | None) -> str:
        return hmac.new(self._secret, (text or "").encode(), sha256).hexdigest()


def _sender(envelope: Envelope) -> str:
    """The sender as far as it matters: an address, none, or one that cannot be used."""
    sender = "" if envelope.sender in (None, "<>") else envelope.sender
    return sender if not sender or address(sender) else _UNUSABLE
