"""What the state database knows of the keys: those ever published, and when they first signed what.

Every check and the write that follows it share one transaction, so that of several processes and
machines the first writer wins.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta

from sqlalchemy import Connection, text

from resolvers.db.database import Database, DatabaseError
from resolvers.signing.keys import Key, ProofError
from sdl.types.scalar_types import Digest, format_instant

CLOCK_BACKWARDS = timedelta(minutes=5)
"""How far the clock may be behind the last recorded time, since two machines may differ."""

_UNKNOWN_KEY = (
    ": this key is in the key folder, but the database knows only other keys, so it is from another"
    " machine. Fix: run `studiograph keys import FILE` with the keys exported there, or, if there"
    " is no other machine, with those exported here."
)


@contextmanager
def exclusive(database: Database) -> Iterator[Connection]:
    """Run one transaction while nobody else writes. Raises: ProofError."""
    try:
        with database.transaction() as transaction:
            yield transaction
    except DatabaseError as error:
        raise ProofError(str(error)) from error


def instant_after(last: str | None, now: datetime, event: str) -> str:
    """Return the time to record, which is never before that of the last event.

    Raises: ProofError if the clock is further behind than two machines may differ.
    """
    at = format_instant(now)
    if last is not None and now + CLOCK_BACKWARDS < datetime.fromisoformat(last):
        raise ProofError(
            f"the clock says {at}, and the last {event} at {last}. Fix: set the clock."
        )
    return max(at, last or "")


class KeyRegistry:
    """The published keys and their signing times, in the database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def known_keys(self) -> dict[str, bytes]:
        """Return every public key that was ever published, by kid. Raises: ProofError."""
        with exclusive(self.database) as rows:
            return _known_keys(rows)

    def revoked_keys(self) -> set[str]:
        """Return the kids of all keys that were ever revoked. Raises: ProofError."""
        with exclusive(self.database) as rows:
            return _revoked_keys(rows)

    def require_known_keys(self, keys: Iterable[Key]) -> None:
        """Raise `ProofError` unless these are the known keys; record them if none was known.

        They are not if a known key is missing, has other bytes or is no longer revoked, or if one
        of them is unknown.
        """
        by_kid = {key.kid: key for key in keys}
        with exclusive(self.database) as rows:
            known = _known_keys(rows)
            if problem := _revocation_problem(rows, by_kid) or _key_problem(known, by_kid):
                raise ProofError(problem)
            _record_keys(rows, by_kid.values())

    def merge_keys(self, keys: Iterable[Key]) -> None:
        """Record the new keys if all known ones are among them, and revocations in any case."""
        by_kid = {key.kid: key for key in keys}
        with exclusive(self.database) as rows:
            known = _known_keys(rows)
            is_complete = all(kid in by_kid and by_kid[kid].x == x for kid, x in known.items())
            _record_keys(rows, [k for k in by_kid.values() if is_complete or k.kid in known])

    def first_signed_at(
        self, payloads: Sequence[Digest], kid: str, now: datetime
    ) -> dict[Digest, str]:
        """Return when each payload was first signed with this key, and record the new ones.

        Raises: ProofError if there is a new one and the clock is behind the last signing time.
        """
        query = text("SELECT signed_at FROM signing WHERE payload = :payload AND kid = :kid")
        with exclusive(self.database) as rows:
            known = {each: rows.scalar(query, {"payload": each, "kid": kid}) for each in payloads}
            signed_at = {each: str(at) for each, at in known.items() if at is not None}
            if new := [each for each in known if each not in signed_at]:
                last = rows.scalar(text("SELECT MAX(signed_at) FROM signing"))
                at = instant_after(last, now, "signing was")
                rows.execute(
                    text("INSERT INTO signing VALUES (:payload, :kid, :at)"),
                    [{"payload": each, "kid": kid, "at": at} for each in new],
                )
                signed_at |= dict.fromkeys(new, at)
            return signed_at


def _known_keys(rows: Connection) -> dict[str, bytes]:
    return dict(rows.execute(text("SELECT kid, x FROM key")).all())


def _revoked_keys(rows: Connection) -> set[str]:
    return set(rows.scalars(text("SELECT kid FROM revoked")))


def _revocation_problem(rows: Connection, keys: Mapping[str, Key]) -> str:
    """Return what is wrong if a revoked key is usable again, or an empty text."""
    for kid in _revoked_keys(rows):
        if kid in keys and keys[kid].revoked_at is None:
            return (
                f"{kid}: this key was revoked, and an older copy of its file is back in the key"
                " folder. Fix: run `studiograph keys import FILE` with the keys exported since, or"
                f" `studiograph keys revoke {kid}`."
            )
    return ""


def _key_problem(known: Mapping[str, bytes], keys: Mapping[str, Key]) -> str:
    """Return how the keys differ from the known ones, if any are known, or an empty text."""
    for kid, x in known.items():
        if kid not in keys or keys[kid].x != x:
            problem = "is missing from" if kid not in keys else "is a different one in"
            return (
                f"{kid}: this key was published from here and {problem} the key folder."
                " Fix: run `studiograph keys import FILE` with the exported keys, or, if it is"
                f" lost for good, `studiograph keys revoke {kid}`."
            )
    unknown = [kid for kid in keys if known and kid not in known]
    return unknown[0] + _UNKNOWN_KEY if unknown else ""


def _record_keys(rows: Connection, keys: Iterable[Key]) -> None:
    known = text("INSERT INTO key VALUES (:kid, :x) ON CONFLICT DO NOTHING")
    revoked = text("INSERT INTO revoked VALUES (:kid) ON CONFLICT DO NOTHING")
    for key in keys:
        rows.execute(known, {"kid": key.kid, "x": key.x})
        if key.revoked_at is not None:
            rows.execute(revoked, {"kid": key.kid})
