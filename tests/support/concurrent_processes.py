"""Processes that run one action at the same moment.

Run as a program, it is one of these processes: it reads actions and their times line by line.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from child_process import program, read_line
from key_files import key_store

from resolvers.db.database import Database
from resolvers.signing.keys import ProofError, new_key
from resolvers.signing.keystore import KeyRegistry, KeyStore
from resolvers.transparency.log import Leaf
from resolvers.transparency.store import ProofStore
from resolvers.transparency.words import ContentTree
from sdl.tools.canonical_json import digest_of
from sdl.types.scalar_types import Digest

LEAD_SECONDS = 0.01
"""How long before the moment the processes get the action."""

Race = Callable[..., list[Any]]


def at(instant: str) -> Callable[[], datetime]:
    """Return a clock that stands still."""
    return lambda: datetime.fromisoformat(instant)


def begin(path: str, name: str, instant: str) -> list[str]:
    """Return the kids of a folder; make the first key if there is none."""
    return [key.kid for key in key_store(Path(path), at(instant)).load_or_create(name)]


def join(path: str, name: str, url: str) -> list[str]:
    """Return the kids of a folder with a proof store as its registry."""
    folder = KeyStore(Path(path), at("2026-01-15T12:00:00+00:00"), KeyRegistry(Database(url)))
    return [key.kid for key in folder.load_or_create(name)]


def rotate(path: str, instant: str) -> str:
    """Make one more key; return its kid."""
    return key_store(Path(path), at(instant)).rotate().kid


def revoke(path: str, kid: str, instant: str) -> str | None:
    """Revoke a key; return the kid of the key that signs instead."""
    replacement = key_store(Path(path), at(instant)).revoke(kid)
    return None if replacement is None else replacement.kid


def signed_at(url: str, payload: str, kid: str, instant: str) -> str:
    """Return when a payload was first signed."""
    (signed,) = (
        KeyRegistry(Database(url)).first_signed_at([Digest(payload)], kid, at(instant)()).values()
    )
    return signed


def extend(url: str, origin: str, *ids: str) -> str:
    """Extend the log by these entries; return its origin."""
    return ProofStore(Database(url)).append(origin, [Leaf(entry, entry.encode()) for entry in ids])


def publish(url: str, text: str, after: int | None) -> list[Any]:
    """Publish a revision that says a text; return its place, and the hashes of the log."""
    tree = ContentTree(digest_of(text.encode()), [("faq/one", text)])
    now = datetime.fromisoformat("2026-01-15T12:00:00+00:00")
    store = ProofStore(Database(url))
    words = store.publish_words("o", tree, new_key("k-2026-01", now), now, after=after)
    return [words.index, [value.hex() for value in words.published.hashes]]


def prepare(url: str) -> bool:
    """Make the tables; return whether they are there."""
    Database(url).ensure_schema()
    return Database(url).is_initialised()


def count(url: str, statement: str) -> bool:
    """Return whether a statement changed one row."""
    with Database(url).transaction() as transaction:
        return transaction.exec_driver_sql(statement).rowcount == 1


ACTIONS: list[Callable[..., Any]] = [
    *(begin, rotate, revoke, signed_at, extend),
    *(prepare, count, join, publish),
]


@contextmanager
def racers(count: int) -> Iterator[Race]:
    """Start so many processes: `race("begin", [arguments of the first, of the second, ...])`."""
    words = [sys.executable, __file__]
    with ExitStack() as stack:
        processes = [stack.enter_context(program(*words)) for _ in range(count)]
        for process in processes:
            assert _answer(process) == "ready"

        def race(action: str, each: list[list[Any]]) -> list[Any]:
            assert len(each) == len(processes)
            moment = time.monotonic() + LEAD_SECONDS
            for process, arguments in zip(processes, each, strict=True):
                assert process.stdin is not None
                process.stdin.write(f"{json.dumps([action, moment, arguments])}\n")
                process.stdin.flush()
            return [_answer(process) for process in processes]

        yield race
        for process in processes:
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait(20) == 0


def _answer(process: "subprocess.Popen[str]") -> Any:
    return json.loads(read_line(process))


def _say(answer: Any) -> None:
    sys.stdout.write(f"{json.dumps(answer)}\n")
    sys.stdout.flush()


def _run() -> None:
    actions = {action.__name__: action for action in ACTIONS}
    _say("ready")
    for line in sys.stdin:
        name, moment, arguments = json.loads(line)
        while time.monotonic() < moment:
            pass
        try:
            _say(actions[name](*arguments))
        except ProofError as fault:
            _say({"fault": str(fault)})


if __name__ == "__main__":
    _run()
