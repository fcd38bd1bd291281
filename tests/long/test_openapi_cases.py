"""Requests that another project's generator makes from the description, judged by its own checks.

By default one operation of each kind is asked. With `FUZZ_CASES` every operation is asked until
there are that many cases (`make fuzz`); `FUZZ_SEED` is their seed.
"""

import json
import os
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from ai_service import LIGHT, await_models
from coverage_environment import unmeasured
from outside_reader import studio_in
from repository import SAMPLE, SUPPORT
from running_server import eventually, running
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sdl.running.runner import Operations
from studiograph.asgi import build
from studiograph.settings import Settings

Headers = dict[bytes, bytes]

CASES = int(os.environ.get("FUZZ_CASES", "0"))
SEED = os.environ.get("FUZZ_SEED", "1")
KINDS = {
    "/api/projects": "a list",
    "/api/projects/{slug}": "an item",
    "/api/changelog": "a list with filters",
    "/api/agent-pulse": "a list of changes",
    "/api/log/proof": "a required parameter",
    "/api/snapshot.sig": "a signed form",
    "/api/search": "a question",
    "/api/chat": "an answer in two forms",
    "/api/contact": "a write",
    "/api/subscribe/{id}": "a write with a token",
    "/api/graphql": "GraphQL",
    "/mcp": "MCP",
    "/llms.txt": "a text",
    "/healthz": "a state",
}
"""The paths that are asked by default, and what each stands for."""


@dataclass(frozen=True)
class Run:
    """How a run of Schemathesis ended."""

    exit_code: int
    output: str
    report: dict[str, Any]

    @property
    def cases(self) -> int:
        """How many requests were made."""
        return int(self.report["test_cases"]["generated"])

    @property
    def found(self) -> dict[str, set[str]]:
        """What was found, by path."""
        found: dict[str, set[str]] = defaultdict(set)
        for failure in self.report["failures"]:
            for operation in failure["operations"]:
                found[operation.partition(" ")[2]].add(failure["title"])
        return found


def run(address: str, folder: Path, *words: str) -> Run:
    """A run with every check and every phase against the description at an address."""
    report = folder / "report.json"
    done = subprocess.run(
        [
            str(Path(sys.executable).parent / "schemathesis"),
            *("--no-color", "--config-file", str(SUPPORT / "schemathesis.toml")),
            *("run", f"{address}/openapi.json", "--url", address),
            *("--checks", "all", "--workers", "1", "--seed", SEED),
            *("--report", "json", "--report-json-path", str(report), *words),
        ],
        env={**unmeasured(), "SCHEMATHESIS_HOOKS": str(SUPPORT / "generated_documents.py")},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert report.exists(), done.stdout + done.stderr
    return Run(done.returncode, done.stdout, json.loads(report.read_text()))


def only(paths: Iterable[str]) -> list[str]:
    """Return the options that leave only these paths."""
    return [word for path in paths for word in ("--include-path", path)]


@pytest.fixture(scope="module")
def unlimited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server without rate limits, once its models are loaded.

    Its embedding model is the real one only where many cases are asked for.
    """
    settings: dict[str, object] = {f"{name}_LIMIT": 0 for name in ("CHAT", "EMBED", "SUBSCRIBE")}
    settings |= {} if CASES else LIGHT
    with running(studio_in(tmp_path_factory.mktemp("cases"), **settings)) as server:
        await_models(server)
        yield server.address


def test_nothing_is_found_in_any_phase(unlimited: str, tmp_path: Path) -> None:
    made = run(unlimited, tmp_path, "--max-examples", "1", *only(KINDS))
    assert made.exit_code == 0, made.output
    assert made.report["errors"] == []
    assert {phase["status"] for phase in made.report["phases"].values()} == {"success"}
    assert made.report["operations"]["tested"] >= len(KINDS)
    assert made.cases > 500


@pytest.mark.skipif(not CASES, reason="FUZZ_CASES says how many; `make fuzz` asks for 10,000")
def test_nothing_is_found_in_as_many_cases_as_are_asked_for(unlimited: str, tmp_path: Path) -> None:
    made = run(unlimited, tmp_path, "--max-examples", str(max(CASES // 60, 1)))
    assert made.exit_code == 0, made.output
    assert made.report["errors"] == []
    assert made.report["operations"]["tested"] == made.report["operations"]["total"]
    assert made.cases >= CASES


Change = Callable[[int, Headers, bytes], tuple[int, Headers, bytes]]
"""From status, headers and body of an answer to those that are sent."""


def another_status(status: int, headers: Headers, body: bytes) -> tuple[int, Headers, bytes]:
    """A success that is not described."""
    return 203 if status == 200 else status, headers, body


def another_shape(status: int, headers: Headers, body: bytes) -> tuple[int, Headers, bytes]:
    """A body against its schema."""
    return status, headers, b'[{"slug": 1}]' if status == 200 else body


def another_problem(status: int, headers: Headers, body: bytes) -> tuple[int, Headers, bytes]:
    """An error's body against its schema."""
    return status, headers, b'{"ok": true}' if status == 400 else body


def another_type(status: int, headers: Headers, body: bytes) -> tuple[int, Headers, bytes]:
    """A media type that is not described."""
    return status, {**headers, b"content-type": b"text/html"} if status == 200 else headers, body


def no_methods(status: int, headers: Headers, body: bytes) -> tuple[int, Headers, bytes]:
    """A refusal of a method that does not say which ones are taken."""
    return status, {name: value for name, value in headers.items() if name != b"allow"}, body


def too_lenient(status: int, headers: Headers, body: bytes) -> tuple[int, Headers, bytes]:
    """An answer to what is against the description."""
    if status != 400:
        return status, headers, body
    return 200, {**headers, b"content-type": b"application/json", b"etag": b'"x"'}, b"[]"


def too_strict(status: int, headers: Headers, body: bytes) -> tuple[int, Headers, bytes]:
    """A refusal of what the description allows."""
    problem = {"ok": False, "error": "validation_failed", "title": "", "status": 400, "detail": ""}
    told = json.dumps({**problem, "request_id": ""}).encode()
    refused = (400, {**headers, b"content-type": b"application/problem+json"}, told)
    return refused if status == 200 else (status, headers, body)


def broken(status: int, headers: Headers, body: bytes) -> tuple[int, Headers, bytes]:
    """A fault of the server's own, described as it is."""
    problem = {"ok": False, "error": "internal", "title": "", "status": 500, "detail": ""}
    told = json.dumps({**problem, "request_id": ""}).encode()
    failed = (500, {**headers, b"content-type": b"application/problem+json"}, told)
    return failed if status == 200 else (status, headers, body)


PLANTED: dict[str, tuple[Change, str]] = {
    "/api/faq": (another_status, "Undocumented Content-Type"),
    "/api/domains": (another_shape, "Response violates schema"),
    "/api/practice": (another_problem, "Response violates schema"),
    "/api/glossary": (another_type, "Undocumented Content-Type"),
    "/api/projects": (no_methods, "Wrong response to undeclared method"),
    "/api/convictions": (too_lenient, "Schema-violating request accepted"),
    "/api/looking-for": (too_strict, "Schema-valid request rejected"),
    "/api/headline-numbers": (broken, "Server error"),
}
SOUND = "/api/certifications"


@dataclass
class Tampering:
    """The service with the faults planted between it and whoever asks."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is asked and answered, but for the faults."""
        if scope.get("path") not in PLANTED or scope["method"] == "HEAD":
            await self.app(scope, receive, send)
            return
        sent = [header for header in scope["headers"] if header[0] != b"accept-encoding"]
        said: list[Message] = []

        async def keep(message: Message) -> None:
            said.append(message)

        await self.app({**scope, "headers": sent}, receive, keep)
        start, *rest = said
        body = b"".join(message.get("body", b"") for message in rest)
        change, _ = PLANTED[scope["path"]]
        status, headers, body = change(start["status"], dict(start["headers"]), body)
        headers[b"content-length"] = str(len(body)).encode()
        await send({**start, "status": status, "headers": [*headers.items()]})
        await send({"type": "http.response.body", "body": body})


@contextmanager
def served(app: ASGIApp) -> Iterator[str]:
    """The address of an application on a free port, served by a thread that ends with it."""
    server = uvicorn.Server(
        uvicorn.Config(app, port=0, log_level="error", timeout_graceful_shutdown=5)
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        eventually(lambda: server.started)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


def test_a_fault_that_is_planted_fails_the_run(operations: Operations, tmp_path: Path) -> None:
    service = build(Settings(content=SAMPLE, data=tmp_path / "data"), operations=operations)
    with served(Tampering(service)) as address:
        made = run(address, tmp_path, "--max-examples", "5", *only([*PLANTED, SOUND]))
    assert made.exit_code == 1, made.output
    assert made.report["errors"] == []
    assert made.found == {path: {title} for path, (_, title) in PLANTED.items()}
