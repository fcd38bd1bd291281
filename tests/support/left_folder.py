"""The data folder that version 353633c left, and what must hold of it under a later version."""

import json
import signal
import smtplib
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from typing import Any

import httpx
import killed_starts
import psycopg
from coverage_environment import unmeasured
from outside_reader import read_checkpoint, verifies
from repository import ROOT
from sqlalchemy import Double
from standardwebhooks import Webhook
from webhook_server import Served, Studio, free_port, studio, until
from webhook_sinks import Sink, sink

from resolvers.db import tables

FOLDER = ROOT / "tests" / "vectors" / "upgrade"
PUBLISHED = ("key", "revoked", "signing", "log", "entry", "words", "statement", "webhook_key")
KEPT = dict.fromkeys(PUBLISHED, "*") | {
    "request_count": "operation, agent, status",
    "missing_path": "path",
    "mail": "id, identity",
}
"""The columns by which each row is known again."""
PENDING = "status IN ('PENDING', 'ENQUEUED', 'DELAYED')"
DUE_SECONDS = 2 * 3600
"""So long afterwards each delivery is due."""


@dataclass
class Old:
    """The folder as it was left, and what was published from it."""

    studio: Studio
    sink: Sink
    mail_port: int
    published: dict[str, Any]
    kept: dict[str, set[Any]] = field(default_factory=dict)
    """The rows that must be there for ever."""

    def wait(self, seconds: float) -> None:
        """Let time pass: all that is noted by the clock was so much earlier."""
        today = time.strftime("%Y-%m-%d", time.gmtime())
        for table in tables.metadata.tables.values():
            for column in table.columns:
                name, is_time = column.name, isinstance(column.type, Double)
                if is_time and table is not tables.rate_limit:
                    self.write(f"UPDATE {table.name} SET {name} = {name} - {seconds}")  # noqa: S608 - ours
                if name == "day":
                    self.write(f"UPDATE {table.name} SET day = '{today}'")  # noqa: S608 - ours
        due, milliseconds = "delay_until_epoch_ms", round(seconds * 1000)
        self.write(f"UPDATE JOBS.workflow_status SET {due} = {due} - {milliseconds}")  # noqa: S608 - ours

    def write(self, order: str) -> None:
        """Change the database while nobody uses it."""
        self.studio.rows(order)

    def told(self, *words: str) -> Any:
        """The JSON that a command prints."""
        done = self.studio.command(*words, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def rows(self) -> dict[str, set[Any]]:
        """The rows of what may only grow, without days and numbers that do."""
        return {
            name: {*self.studio.rows(f"SELECT {columns} FROM {name}")}  # noqa: S608 - ours
            for name, columns in KEPT.items()
        }


@contextmanager
def left(kind: str, folder: Path) -> Iterator[Old]:
    """The folder with a kind of store, as if it had been left a minute ago."""
    source = FOLDER / kind
    published = json.loads((source / "published.json").read_text())
    mail_port = free_port()
    settings = {"MAIL_LISTEN": f"lmtp://127.0.0.1:{mail_port}", "MAIL_AUTO_REPLY": "trusted"}
    settings |= {"MIRROR": "questions", "WEBHOOK_SCHEDULE": "0,3600"}
    with sink(1) as receiver, studio(kind, folder, **settings) as made:
        rmtree(folder / "content")
        for name, text in published["files"].items():
            file = folder / name
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.touch(mode=0o600)
            file.write_text(text)
        moved = (f"127.0.0.1:{published['port']}", f"127.0.0.1:{receiver.ports[0]}")
        for dump in source.glob("*.sql"):
            restore(made, dump.stem, dump.read_text().replace(*moved))
        found = Old(made, receiver, mail_port, published)
        found.wait(published["made_at"] - time.time() + 60)
        found.kept = found.rows()
        assert all(found.kept.values())
        yield found


def restore(made: Studio, name: str, statements: str) -> None:
    """Make a database of its dump."""
    if made.jobs_url.startswith("sqlite"):
        file = made.folder / "var" / f"{name}.db"
        file.touch(mode=0o600)
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript(statements)
    else:
        with psycopg.connect(made.jobs_url.replace("+psycopg", "")) as session:
            session.execute(statements.encode())


def kill_starts(old: Old, steps: int) -> int:
    """Kill starts of the service, each so many steps later than the one before, until one is done.

    Return how many were killed.
    """
    old.sink.rule("in-hand", delay=60)  # so that a start that is killed cannot end the delivery
    done = subprocess.run(
        [sys.executable, killed_starts.__file__, str(steps)],
        cwd=old.studio.folder,
        env={**unmeasured(), **old.studio.environment, "PYTHONPATH": str(ROOT / "tests")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *killed, last = map(int, done.stdout.split())
    assert last == 0, done.stderr
    assert set(killed) == {signal.SIGKILL}
    old.sink.rule("in-hand")
    return len(killed)


def check_all(old: Old) -> None:
    """Start the service when everything is due, and check all that the folder had."""
    old.wait(DUE_SECONDS)
    served = old.studio.start()
    check_proofs(old, served)
    check_deliveries(old, served)
    check_messages(old, served)
    now = old.rows()
    assert {name: rows - now[name] for name, rows in old.kept.items()} == {
        name: set() for name in KEPT
    }


def check_proofs(old: Old, served: Served) -> None:
    """Check keys, signatures and logs."""
    *_, last = old.published["seen"]
    key_set = httpx.get(f"{served.address}/.well-known/jwks.json").json()
    assert key_set == last["keySet"]
    assert [len(key_set[name]) for name in ("keys", "revoked")] == [2, 1]
    assert old.told("keys", "list") == old.published["lists"]["keys list"]
    for path, before in last["envelopes"].items():
        now = httpx.get(f"{served.address}{path}").json()
        assert verifies(before, key_set)
        assert verifies(now, key_set)
        is_same = now["payload"] == before["payload"]
        assert (now == before) is is_same
        assert is_same or path != "/api/changelog.sig"
        # This version says more in the manifest, which is thus a new revision, and signed anew.
        told, said = (each["payload"] | {"revision": ""} for each in (before, now))
        assert said.items() >= told.items()
    revoked = {key["kid"] for key in key_set["revoked"]}
    for number, seen in enumerate(old.published["seen"]):
        signer = seen["envelopes"]["/api/manifest.sig"]["publicJwk"]["kid"]
        if signer not in revoked:
            assert read_checkpoint(seen["checkpoint"], key_set)[1] == number + 1
        memory = old.studio.folder / f"seen-{number}.json"
        memory.write_text(json.dumps({served.address: seen["verify"]}))
        words = [sys.executable, str(ROOT / "docs" / "verify.py"), served.address]
        done = subprocess.run(
            [*words, "--seen", str(memory)], capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 3), done.stdout
        assert "WRONG" not in done.stdout
        assert done.stdout.count("the log still") == 2, done.stdout


def check_deliveries(old: Old, served: Served) -> None:
    """Check the subscriptions, and that what waited goes out once."""
    subscribed = old.published["subscribed"]
    before = Counter((hook, name) for hook, name, acked in old.published["received"] if not acked)
    assert {hook for hook, _ in before} == {"pending", "in-hand"}
    until(lambda: set(old.sink.acked()) >= set(before))
    until(lambda: not old.studio.rows(f"SELECT 1 FROM JOBS.workflow_status WHERE {PENDING}"))  # noqa: S608 - ours
    assert old.sink.acked() == dict.fromkeys(before, 1)
    for entry in old.sink.ledger():
        headers = {
            "webhook-id": entry.id,
            "webhook-timestamp": entry.timestamp,
            "webhook-signature": entry.signature,
        }
        Webhook(subscribed[entry.hook]["secret"]).verify(entry.body, headers)
    listed = {each["id"]: each["active"] for each in old.told("subscribers", "list")}
    assert listed == {each["id"]: True for each in subscribed.values()}
    kept = subscribed["kept"]
    assert served.unsubscribe(kept["id"], kept["secret"]).status_code == 200


def check_messages(old: Old, served: Served) -> None:
    """Check that messages and receipts are kept, and that nothing comes twice."""
    contact = old.published["contact"]
    address = f"{served.address}/api/contact"
    again = httpx.post(address, json=contact["body"], headers=contact["headers"])
    assert again.json() == contact["receipt"]
    until(lambda: not old.studio.rows("SELECT 1 FROM mail WHERE state = 'waiting'"))
    for mail in old.published["mails"]:
        with smtplib.LMTP("127.0.0.1", old.mail_port) as client:
            client.sendmail("bob@example.net", "agents@saltmarsh.example", mail)
    until(lambda: not old.studio.rows("SELECT 1 FROM mail WHERE state = 'waiting'"))
    before = [message["id"] for message in old.published["lists"]["inbox"]]
    now = [message["id"] for message in old.told("inbox")]
    assert set(before) < set(now)
    assert len(now) == len(before) + 1  # the mail that waited
