"""What must not be forgotten between two starts: known keys, first signings, the published log.

It stands in the state database. Whoever writes first wins, from any process and any machine.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from resolvers.db.database import Database, DatabaseError, Transaction
from resolvers.signing.errors import ProofError
from resolvers.signing.keys import Key
from resolvers.transparency.old_journal import take_over
from schema.signatures import LogHead
from sdl.scalar_types import Digest, format_instant

CLOCK_BACKWARDS = timedelta(minutes=5)
"""How far a clock may stand behind the last signing: as far as two machines may disagree."""

REPAIR_HINT = (
    "restore it and publish a further entry that corrects it, or begin a new log with"
    " `studiograph log restart`"
)
_STRANGE = (
    ": this key is in the folder of keys, and the database, which knows others, does not know it:"
    " it belongs to another machine. Fix: run `studiograph keys import FILE` with the keys that"
    " were exported there, or, if there is no other machine, with those exported here."
)


@dataclass(frozen=True)
class Leaf:
    """An entry of the log."""

    id: str
    hash: bytes


class ProofStore:
    """What is remembered in a database; before that, in a file of its own, which is taken over."""

    def __init__(self, database: Database, old: Path | None = None) -> None:
        self.database = database
        self._old = old

    def is_initialised(self) -> bool:
        """Whether anything was ever remembered. Raises: ProofFault."""
        with _told():
            return self.database.is_initialised() or (self._old is not None and self._old.exists())

    def known_keys(self) -> dict[str, bytes]:
        """The public keys that were ever published, by kid."""
        with self._open() as file:
            return _known(file)

    def revoked_keys(self) -> set[str]:
        """The kids of the keys that were ever revoked."""
        with self._open() as file:
            return {kid for (kid,) in file.execute("SELECT kid FROM revoked")}

    def require_known_keys(self, keys: Iterable[Key]) -> None:
        """Nothing, when these are the known keys; the first ones become known.

        Raises: ProofFault when a known one is missing, another or revived, or one is not known.
        """
        here = {key.kid: key for key in keys}
        with self._open() as file:
            known = _known(file)
            if fault := _revived(file, here) or _differing(known, here):
                raise ProofError(fault)
            _remember(file, here.values())

    def merge_keys(self, keys: Iterable[Key]) -> None:
        """Remember the keys, once all that are known are among them; revocations in any case."""
        here = {key.kid: key for key in keys}
        with self._open() as file:
            known = _known(file)
            whole = all(kid in here and here[kid].x == x for kid, x in known.items())
            _remember(file, [key for key in here.values() if whole or key.kid in known])

    def first_signed_at(self, payload: Digest, kid: str, now: datetime) -> str:
        """When this payload was first signed with this key. Raises: ProofFault."""
        with self._open() as file:
            (last,) = file.execute("SELECT MAX(signed_at) FROM signing").fetchone()
            known = file.execute(
                "SELECT signed_at FROM signing WHERE payload = ? AND kid = ?", (payload, kid)
            ).fetchone()
            if known is not None:
                return str(known[0])
            if last is not None and now + CLOCK_BACKWARDS < datetime.fromisoformat(last):
                raise ProofError(
                    f"the clock says {format_instant(now)}, and the last signing was at {last}."
                    " Fix: set the clock."
                )
            first = max(format_instant(now), last or "")
            file.execute("INSERT INTO signing VALUES (?, ?, ?)", (payload, kid, first))
            return first

    def append(self, origin: str, leaves: Sequence[Leaf]) -> str:
        """The origin of the log that these leaves extend; one of this origin, if it is the first.

        Raises: ProofFault, naming the entry, when they are not what was published and more.
        """
        with self._open() as file:
            log = file.execute("SELECT number, origin FROM log ORDER BY number DESC").fetchone()
            if log is None:
                file.execute("INSERT INTO log (number, origin) VALUES (1, ?)", (origin,))
                log = (1, origin)
            number, origin = log
            rows = file.execute("SELECT id, leaf FROM entry WHERE log = ? ORDER BY place", log[:1])
            published = [Leaf(*row) for row in rows]
            if fault := history_violation(published, leaves):
                raise ProofError(f"changelog: {fault}. Fix: {REPAIR_HINT}.")
            more = enumerate(leaves[len(published) :], len(published))
            file.executemany(
                "INSERT INTO entry VALUES (?, ?, ?, ?)",
                [(number, place, leaf.id, leaf.hash) for place, leaf in more],
            )
            return str(origin)

    def current_log(self) -> tuple[str, list[Leaf]] | None:
        """The origin and the leaves of the current log."""
        with self._open() as file:
            log = file.execute("SELECT number, origin FROM log ORDER BY number DESC").fetchone()
            if log is None:
                return None
            rows = file.execute("SELECT id, leaf FROM entry WHERE log = ? ORDER BY place", log[:1])
            return str(log[1]), [Leaf(*row) for row in rows]

    def restart_log(self, ended: LogHead) -> str:
        """The origin of a new log that begins with nothing; the head is that of the one before."""
        with self._open() as file:
            log = file.execute("SELECT number, origin FROM log ORDER BY number DESC").fetchone()
            if log is None or log[1] != ended.origin:
                raise ProofError(f"{ended.origin}: this log does not run.")
            number = log[0]
            file.execute(
                "UPDATE log SET tree_size = ?, rollup_hash = ?, checkpoint = ?, ended_at = ?"
                " WHERE number = ?",
                (
                    ended.tree_size,
                    ended.rollup_hash,
                    ended.checkpoint,
                    format_instant(ended.ended_at),
                    number,
                ),
            )
            first = file.execute("SELECT origin FROM log WHERE number = 1").fetchone()[0]
            following = f"{first}/{number + 1}"
            file.execute("INSERT INTO log (number, origin) VALUES (?, ?)", (number + 1, following))
            return following

    def previous_heads(self) -> list[LogHead]:
        """The heads of the logs that have ended, newest first."""
        with self._open() as file:
            rows = file.execute(
                "SELECT origin, tree_size, rollup_hash, checkpoint, ended_at FROM log"
                " WHERE ended_at IS NOT NULL ORDER BY number DESC"
            )
            return [
                LogHead(
                    origin=origin,
                    tree_size=size,
                    rollup_hash=Digest(head),
                    checkpoint=checkpoint,
                    ended_at=datetime.fromisoformat(ended_at),
                )
                for origin, size, head, checkpoint, ended_at in rows
            ]

    @contextmanager
    def _open(self) -> Iterator[Transaction]:
        """One transaction, alone. Raises: ProofFault when the database cannot be used."""
        with _told():
            if self._old is not None:
                take_over(self.database, self._old)
                self._old = None
            with self.database.transaction() as file:
                yield file


@contextmanager
def _told() -> Iterator[None]:
    """While inside, a fault of the database is one of the proofs."""
    try:
        yield
    except DatabaseError as fault:
        raise ProofError(str(fault)) from fault


def _known(file: Transaction) -> dict[str, bytes]:
    return dict(file.execute("SELECT kid, x FROM key"))


def _revived(file: Transaction, here: Mapping[str, Key]) -> str:
    """What is wrong with the keys that were revoked."""
    for (kid,) in file.execute("SELECT kid FROM revoked"):
        if kid in here and here[kid].revoked_at is None:
            return (
                f"{kid}: this key was revoked, and an older copy of its file is back in the folder"
                " of keys. Fix: run `studiograph keys import FILE` with the keys exported since, or"
                f" `studiograph keys revoke {kid}`."
            )
    return ""


def _differing(known: Mapping[str, bytes], here: Mapping[str, Key]) -> str:
    """In what the keys differ from the known ones, where there are any."""
    for kid, x in known.items():
        if kid not in here or here[kid].x != x:
            wrong = "is missing" if kid not in here else "is another one"
            return (
                f"{kid}: this key was published from here and {wrong} in the folder of keys."
                " Fix: run `studiograph keys import FILE` with the exported keys, or, if it is"
                f" lost for good, `studiograph keys revoke {kid}`."
            )
    strange = [kid for kid in here if known and kid not in known]
    return strange[0] + _STRANGE if strange else ""


def _remember(file: Transaction, keys: Iterable[Key]) -> None:
    for key in keys:
        file.execute("INSERT INTO key VALUES (?, ?) ON CONFLICT DO NOTHING", (key.kid, key.x))
        if key.revoked_at is not None:
            file.execute("INSERT INTO revoked VALUES (?) ON CONFLICT DO NOTHING", (key.kid,))


def history_violation(published: Sequence[Leaf], given: Sequence[Leaf]) -> str | None:
    """How the given history differs from the published one; nothing where it only grows."""
    hashes = {leaf.id: leaf.hash for leaf in given}
    known = {leaf.id for leaf in published}
    for place, leaf in enumerate(published):
        if leaf.id not in hashes:
            return f"the published entry {leaf.id} has been dropped"
        if hashes[leaf.id] != leaf.hash:
            return f"the published entry {leaf.id} has been changed"
        if given[place] != leaf:
            late = given[place].id
            if late not in known:
                return f"the entry {late} is dated before {leaf.id}, which is published already"
            return f"the published entry {leaf.id} has moved"
    return None
