"""Requests that another project's generator makes from the description, judged by its own checks.

By default one operation of each kind is asked. With `FUZZ_CASES` every operation is asked until
there are that many cases (`make fuzz`); `FUZZ_SEED` is their seed.
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ai_service import LIGHT, await_models
from coverage_environment import unmeasured
from outside_reader import studio_in
from repository import SUPPORT
from running_server import running

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
