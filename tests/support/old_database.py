"""The database of an older version, made by its own code, as SQL in `vectors/databases`.

Run as a program in a checkout of that version, with the address of an empty database: it makes the
tables by the code there, adds a few rows to each, and prints a dump.
"""

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "vectors" / "databases"
VERSIONS = ("0.2.0", "353633c")
NOW, AT = 1_795_000_000.5, "2026-11-28T12:00:00Z"
LOG = "log (number, origin, tree_size, rollup_hash, checkpoint, ended_at)"

ROWS: dict[str, list[tuple[Any, ...]]] = {
    "key": [("studio-2026-11-21", bytes(range(32))), ("studio-2026-11-28", bytes(32))],
    "revoked": [("studio-2026-11-21",)],
    "signing": [
        ("sha256:a1", "studio-2026-11-21", "2026-11-21T12:00:00Z"),
        ("sha256:a1", "studio-2026-11-28", AT),
    ],
    LOG: [
        (1, "studio.example/changelog", 2, "sha256:c1", "a checkpoint", AT),
        (2, "studio.example/changelog/2", None, None, None, None),
    ],
    "entry": [(1, 0, "begun", b"\x00\xff" * 16), (1, 1, "moved", b"\x01" * 32)],
    "rate_limit": [("contact/3600/ab", 20, NOW)],
    "idempotency": [("k1", "r1", '{"ok":true}', NOW), ("k2", "r2", None, NOW)],
    "mail": [
        ("m1", "i1", "ada@example.org", "[]", b"Subject: it's\r\n", NOW, "waiting", None, None),
        ("m2", "i2", "", "[]", None, NOW, "answered", NOW, NOW),
    ],
    "answered": [("hmac-of-ada", "hmac-of-example.org", NOW)],
    "subscription": [
        ("sub_1", "https://a.example/", "a", "added", b"x", NOW, AT, None, None, NOW, None, 1),
        ("sub_2", "https://b.example/", "b", "", b"y", NOW, AT, NOW, "gone", None, NOW, 0),
    ],
    "challenge": [("c.example:443", NOW)],
    "webhook_key": [("webhook.key", "f1"), ("webhook-secrets.key", "f2")],
    "publication": [("moved", AT, b'{"data":{}}', NOW, 0, 0)],
    "delivery_attempt": [
        ("msg_1", 0, 1, "sub_1", "moved", NOW, 503, 12, None, "retry", NOW + 60),
    ],
}
"""Two keys of which one is revoked, a log that ended, a delivery to be made again, mails."""

LATER: dict[str, list[tuple[Any, ...]]] = {
    "words": [(0, "studio.example/words", '{"statements":1}', b"\x02" * 32)],
    "statement": [("faq/hours", 0, b"\x03" * 32), ("faq/prices", 0, None)],
    "published_text": [("faq/hours", '{"answer":"from nine"}')],
    "request_count": [("2026-11-28", "/api/faq", "curl", 200, 7)],
    "missing_path": [("2026-11-28", "/pricing", 2)],
    "asked_question": [("2026-11-28", "audits", "question", "mcp", 0, 513, 1)],
}
"""What 0.2.0 has no tables for."""


def statements(version: str, kind: str) -> list[str]:
    """Return what makes the database of a version."""
    return (FOLDER / f"{version}.{kind}.sql").read_text().splitlines()


def _make(url: str) -> None:
    sys.path.insert(0, "")
    from resolvers.db import database  # noqa: PLC0415 - that of the checkout

    made: Any = database.Database(url)
    made.ensure_schema()
    rows = ROWS if database.VERSIONS[-1] == "0002" else ROWS | LATER  # type: ignore[attr-defined] # that of the checkout
    with made.transaction() as transaction:
        for table, values in rows.items():
            marks = ", ".join("?" * len(values[0]))
            transaction.executemany(f"INSERT INTO {table} VALUES ({marks})", values)  # noqa: S608 - our own names


def _dump(url: str) -> str:
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
            return "\n".join(connection.iterdump())
    words = ["pg_dump", "--inserts", "--no-owner", "--no-privileges", url]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def _in_lines(dump: str) -> list[str]:
    """Return its statements, each in a line, without those about the session and the schema."""
    text = re.sub(r"(?m)^(--|\\).*$", "", dump).replace("public.", "")
    lines = [" ".join(each.split()) for each in re.split(r";\n", f"{text}\n")]
    others = ("SET ", "SELECT ", "BEGIN", "COMMIT", "CREATE SCHEMA", "COMMENT ON SCHEMA")
    return [f"{line};" for line in lines if line and not line.startswith(others)]


if __name__ == "__main__":
    _make(sys.argv[1])
    sys.stdout.write("\n".join([*_in_lines(_dump(sys.argv[1])), ""]))
