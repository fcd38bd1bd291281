"""Accepted mails and answered senders, in the state database.

A mail is stored until all its work is done; then its content and addresses go, and a hash stays, to
recognise a second copy. Of an answered sender, HMACs of address and domain are stored.
"""

import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from uuid import uuid4

from sqlalchemy import text

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
        values = {
            "id": uuid4().hex,
            "identity": identity,
            "sender": _usable_sender(envelope),
            "recipients": json.dumps(envelope.recipients),
            "data": data,
            "now": self._clock(),
            "state": WAITING,
        }
        with self._database.transaction() as connection:
            connection.execute(
                text(
                    "INSERT INTO mail (id, identity, sender, recipients, data, received_at, state)"
                    " VALUES (:id, :identity, :sender, :recipients, :data, :now, :state)"
                    " ON CONFLICT (identity) DO NOTHING"
                ),
                values,
            )
            query = text("SELECT id FROM mail WHERE identity = :identity")
            return str(connection.scalar(query, {"identity": identity}))

    def find(self, mail_id: str) -> StoredMail | None:
        """Return the mail with this id, or None."""
        query = text(
            "SELECT identity, sender, recipients, data, received_at, state, forwarded_at,"
            " replied_at FROM mail WHERE id = :id"
        )
        with self._database.transaction() as connection:
            row = connection.execute(query, {"id": mail_id}).first()
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
        self._change(
            "UPDATE mail SET forwarded_at = :now WHERE id = :id", id=mail_id, now=self._clock()
        )

    def claim(self, mail_id: str, decision: Decision) -> bool:
        """Return whether the sender may be answered now; if so, count it as answered."""
        sender, domain = self._hmac(decision.sender_digest), self._hmac(decision.sender_domain)
        now = self._clock()
        with self._database.transaction() as connection:
            answered = connection.execute(
                text("SELECT sender, domain FROM answered WHERE at > :since"),
                {"since": now - DAY_SECONDS},
            )
            senders: dict[str, str] = dict(answered.all())
            domain_answers = list(senders.values()).count(domain)
            if (
                sender in senders
                or domain_answers >= MAX_DAILY_ANSWERS_PER_DOMAIN
                or len(senders) >= MAX_DAILY_ANSWERS
            ):
                return False
            connection.execute(
                text(
                    "INSERT INTO answered (sender, domain, at) VALUES (:sender, :domain, :now)"
                    " ON CONFLICT (sender) DO UPDATE SET at = excluded.at"
                ),
                {"sender": sender, "domain": domain, "now": now},
            )
            connection.execute(
                text("UPDATE mail SET replied_at = :now WHERE id = :id"),
                {"now": now, "id": mail_id},
            )
        return True

    def finish(self, mail_id: str, reason: str) -> None:
        """Record that all work is done, and delete the mail's content and addresses."""
        self._change(
            "UPDATE mail SET state = :reason, data = NULL, sender = '', recipients = '[]'"
            " WHERE id = :id",
            id=mail_id,
            reason=reason,
        )

    def mark_failed(self, mail_id: str) -> None:
        """Record that the mail is given up; its content stays."""
        self._change("UPDATE mail SET state = :state WHERE id = :id", id=mail_id, state=GIVEN_UP)

    def waiting(self) -> list[str]:
        """Return the ids of the mails with work left, the oldest first."""
        query = text("SELECT id FROM mail WHERE state = :state ORDER BY received_at")
        with self._database.transaction() as connection:
            return list(connection.scalars(query, {"state": WAITING}))

    def requeue_failed(self) -> None:
        """Let given-up mails wait again, under new ids, so that new jobs are made for them."""
        failed = text("SELECT id FROM mail WHERE state = :state")
        again = text("UPDATE mail SET id = :new, state = :state WHERE id = :id")
        with self._database.transaction() as connection:
            for mail_id in connection.scalars(failed, {"state": GIVEN_UP}).all():
                values = {"new": uuid4().hex, "state": WAITING, "id": mail_id}
                connection.execute(again, values)

    def purge_expired(self) -> None:
        """Delete answered senders after two days, and finished mails after thirty."""
        now = self._clock()
        with self._database.transaction() as connection:
            connection.execute(
                text("DELETE FROM answered WHERE at < :before"),
                {"before": now - SENDERS_KEPT_SECONDS},
            )
            connection.execute(
                text(
                    "DELETE FROM mail WHERE received_at < :before"
                    " AND state NOT IN (:waiting, :given_up)"
                ),
                {"before": now - MAILS_KEPT_SECONDS, "waiting": WAITING, "given_up": GIVEN_UP},
            )

    def _change(self, statement: str, **values: str | float) -> None:
        with self._database.transaction() as connection:
            connection.execute(text(statement), values)

    def _hmac(self, words: str | None) -> str:
        return hmac.new(self._secret, (words or "").encode(), sha256).hexdigest()


def _usable_sender(envelope: Envelope) -> str:
    """Return a valid address, "" for the null sender, or `_INVALID_SENDER`."""
    sender = "" if envelope.sender in (None, "<>") else envelope.sender
    return sender if not sender or address(sender) else _INVALID_SENDER
