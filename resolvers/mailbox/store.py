"""Accepted mails and answered senders, in the state database.

A mail is stored until all its work is done; then only a hash stays, to recognise a second copy. Of
an answered sender, only an HMAC is stored.
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
MAX_DAILY_ANSWERS_PER_DOMAIN, MAX_DAILY_ANSWERS = 20, 200
SENDERS_KEPT_SECONDS = 2 * DAY_SECONDS
MAILS_KEPT_SECONDS = 30 * DAY_SECONDS
WAITING, GIVEN_UP = "waiting", "given_up"
_KEY_LENGTH = 32
_INVALID_SENDER = "-"


@dataclass(frozen=True)
class StoredMail:
    """A mail and the state of its work."""

    id: str
    key: str
    """A hash that every copy of the mail shares."""
    envelope: Envelope
    data: bytes
    received_at: float
    state: str
    """`WAITING`, `GIVEN_UP`, or else the `Reason` of the decision: then all work is done."""
    is_forwarded: bool
    is_answered: bool

    @property
    def is_done(self) -> bool:
        """Whether no work is left."""
        return self.state not in (WAITING, GIVEN_UP)


class MailStore:
    """The table of mails. Every method blocks: call it in a thread.

    Every method raises DatabaseError if the database cannot be used.
    """

    def __init__(self, database: Database, secret: bytes, clock: Callable[[], float]) -> None:
        self._database = database
        self._secret = secret
        self._clock = clock

    def insert(self, data: bytes, envelope: Envelope) -> str:
        """Store a mail and return its id, or the id of its first copy."""
        identity = sha256(dedupe_key(read_mail(data)).encode()).hexdigest()
        values = (uuid4().hex, identity, _usable_sender(envelope), json.dumps(envelope.recipients))
        with self._database.transaction() as transaction:
            transaction.execute(
                "INSERT INTO mail (id, identity, sender, recipients, data, received_at, state)"
                " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (identity) DO NOTHING",
                (*values, data, self._clock(), WAITING),
            )
            query = "SELECT id FROM mail WHERE identity = ?"
            row = transaction.execute(query, (identity,)).fetchone()
        return str(row[0])

    def find(self, mail_id: str) -> StoredMail | None:
        """Return the mail with this id, or None."""
        with self._database.transaction() as transaction:
            row = transaction.execute(
                "SELECT identity, sender, recipients, data, received_at, state, forwarded_at,"
                " replied_at FROM mail WHERE id = ?",
                (mail_id,),
            ).fetchone()
        if row is None:
            return None
        key, sender, recipients, data, received_at, state, forwarded_at, replied_at = row
        return StoredMail(
            id=mail_id,
            key=key[:_KEY_LENGTH],
            envelope=Envelope(sender, tuple(json.loads(recipients))),
            data=bytes(data or b""),
            received_at=received_at,
            state=state,
            is_forwarded=forwarded_at is not None,
            is_answered=replied_at is not None,
        )

    def mark_forwarded(self, mail_id: str) -> None:
        """Record that the mail was forwarded."""
        with self._database.transaction() as transaction:
            transaction.execute(
                "UPDATE mail SET forwarded_at = ? WHERE id = ?", (self._clock(), mail_id)
            )

    def claim(self, mail_id: str, decision: Decision) -> bool:
        """Return whether the sender may be answered now; if so, count it as answered."""
        sender, domain = self._hmac(decision.sender_digest), self._hmac(decision.sender_domain)
        now = self._clock()
        with self._database.transaction() as transaction:
            answered = transaction.execute(
                "SELECT sender, domain FROM answered WHERE at > ?", (now - DAY_SECONDS,)
            )
            senders = dict(iter(answered))
            domain_answers = list(senders.values()).count(domain)
            if (
                sender in senders
                or domain_answers >= MAX_DAILY_ANSWERS_PER_DOMAIN
                or len(senders) >= MAX_DAILY_ANSWERS
            ):
                return False
            transaction.execute(
                "INSERT INTO answered (sender, domain, at) VALUES (?, ?, ?)"
                " ON CONFLICT (sender) DO UPDATE SET at = excluded.at",
                (sender, domain, now),
            )
            transaction.execute("UPDATE mail SET replied_at = ? WHERE id = ?", (now, mail_id))
        return True

    def finish(self, mail_id: str, reason: str) -> None:
        """Record that all work is done, and delete the mail's content and addresses."""
        with self._database.transaction() as transaction:
            transaction.execute(
                "UPDATE mail SET state = ?, data = NULL, sender = '', recipients = '[]'"
                " WHERE id = ?",
                (reason, mail_id),
            )

    def mark_failed(self, mail_id: str) -> None:
        """Record that the mail is given up; its content stays."""
        with self._database.transaction() as transaction:
            transaction.execute("UPDATE mail SET state = ? WHERE id = ?", (GIVEN_UP, mail_id))

    def waiting(self) -> list[str]:
        """Return the ids of the mails with work left, the oldest first."""
        with self._database.transaction() as transaction:
            rows = transaction.execute(
                "SELECT id FROM mail WHERE state = ? ORDER BY received_at", (WAITING,)
            )
            return [str(row[0]) for row in rows]

    def requeue_failed(self) -> None:
        """Let given-up mails wait again, under new ids, so that new jobs are made for them."""
        with self._database.transaction() as transaction:
            failed = list(transaction.execute("SELECT id FROM mail WHERE state = ?", (GIVEN_UP,)))
            transaction.executemany(
                "UPDATE mail SET id = ?, state = ? WHERE id = ?",
                [(uuid4().hex, WAITING, mail_id) for (mail_id,) in failed],
            )

    def purge_expired(self) -> None:
        """Delete answered senders after two days, and finished mails after thirty."""
        now = self._clock()
        with self._database.transaction() as transaction:
            transaction.execute("DELETE FROM answered WHERE at < ?", (now - SENDERS_KEPT_SECONDS,))
            transaction.execute(
                "DELETE FROM mail WHERE received_at < ? AND state NOT IN (?, ?)",
                (now - MAILS_KEPT_SECONDS, WAITING, GIVEN_UP),
            )

    def _hmac(self, text: str | None) -> str:
        return hmac.new(self._secret, (text or "").encode(), sha256).hexdigest()


def _usable_sender(envelope: Envelope) -> str:
    """Return a valid address, "" for the null sender, or `_INVALID_SENDER`."""
    sender = "" if envelope.sender in (None, "<>") else envelope.sender
    return sender if not sender or address(sender) else _INVALID_SENDER
