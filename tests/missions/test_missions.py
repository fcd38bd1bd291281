"""Twenty missions, each by REST alone and by MCP alone, at three studios: what they bring and cost.

A mission judges that the caller got what it came for: what the studio's own files say, word for
word. `make missions` prints the table of calls and tokens. The index, or the list of tools, which a
caller reads first, is counted in every mission.
"""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import mcp_missions
import pytest
import receiver_app
import rest_missions
from callers import Caller, McpCaller, RestCaller
from child_process import killed_if_late, read_line
from contact_inbox import delivered
from outside_reader import verifies
from running_server import eventually, share_models
from studios import STUDIOS, Studio, new_studio
from webhook_sinks import Sink, sink

NAMES = (
    *("can_do", "by_when", "price", "authentic", "write", "subscribe", "follow_up", "compare"),
    *("who", "since", "proven", "cite", "newest", "issuer", "leave", "plan", "mend", "whole"),
    *("graph", "rights"),
)
WAYS: dict[str, tuple[ModuleType, type[RestCaller | McpCaller]]] = {
    "REST": (rest_missions, RestCaller),
    "MCP": (mcp_missions, McpCaller),
}
MEDIAN_TOKENS = 6_000
LOADING_SECONDS = 170
"""How long the first start on a machine may take, which makes the model's files."""


@dataclass
class Site:
    """A studio that is served, with a receiver of webhooks beside it."""

    studio: Studio
    client: httpx.Client
    folder: Path
    sink: Sink


@dataclass
class Table:
    """What each mission has cost."""

    rows: dict[tuple[str, str, str], Caller] = field(default_factory=dict)

    def text(self) -> str:
        """The table, a line for each mission, with its median."""
        lines = [f"\n{'mission':<12}{'way':<6}{'studio':<10}{'calls':>6}{'tokens':>8}"]
        for (name, way, studio), caller in sorted(self.rows.items()):
            lines.append(f"{name:<12}{way:<6}{studio:<10}{caller.calls:>6}{caller.tokens:>8}")
        return "\n".join([*lines, f"median tokens: {self.median():.0f}"])

    def median(self) -> float:
        """The tokens of the median mission."""
        return statistics.median(caller.tokens for caller in self.rows.values())


@pytest.fixture(scope="module")
def table() -> Table:
    """The table of all missions that were run."""
    return Table()


@contextmanager
def served(studio: Studio, folder: Path) -> Iterator[httpx.Client]:
    """The real service on a copy of a studio, for receivers on this machine."""
    shutil.copytree(
        studio.folder, folder / "content", ignore=shutil.ignore_patterns("*.py", "__pycache__")
    )
    share_models(folder / "var")
    settings = {"PORT": "0", "CONTENT": str(folder / "content"), "DATA": str(folder / "var")}
    process = subprocess.Popen(
        [sys.executable, receiver_app.__file__, "serve"],
        env={**os.environ, **{f"STUDIOGRAPH_{name}": value for name, value in settings.items()}},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    address = read_line(process).partition(" listens on ")[2].partition(";")[0]
    try:
        with httpx.Client(base_url=address, timeout=60) as client:
            eventually(
                lambda: _answers(client, "/api/search") and _answers(client, "/api/chat"),
                LOADING_SECONDS,
            )
            yield client
    finally:
        process.terminate()
        with killed_if_late(process):
            process.communicate()


def _answers(client: httpx.Client, path: str) -> bool:
    return client.post(path, json={"query": "prices"}).is_success


@pytest.fixture(scope="module", params=[*STUDIOS, None], ids=["sample", "second", "new"])
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """Each studio, served; the last is one that `init` has just written."""
    studio = request.param or new_studio(tmp_path_factory.mktemp("init"))
    folder = tmp_path_factory.mktemp(studio.name)
    with served(studio, folder) as client, sink() as receiver:
        yield Site(studio, client, folder, receiver)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NAMES)
def test_a_mission_brings_what_the_caller_came_for(
    name: str, way: str, site: Site, table: Table
) -> None:
    missions, kind = WAYS[way]
    caller = kind(site.client)
    caller.enter()
    hooks = ("subscribe", "leave")
    target = site.sink.url(f"{way}-{name}") if name in hooks else site.studio
    before = len(delivered(site.folder))
    brought = getattr(missions, name)(caller, target)
    if name == "authentic":
        _is_signed(brought, site.studio)
    elif name == "write":
        letters = delivered(site.folder)
        assert len(letters) == before + 1
        assert rest_missions.LETTER["message"].encode() in letters[-1]
    elif name == "proven":
        assert brought
        for proof in brought:
            leaf = proof["leafHash"].partition(":")[2]
            assert sha256(b"\0" + proof["statement"].encode()).hexdigest() == leaf
    elif name in hooks:
        assert site.sink.counts()["asked"][f"{way}-{name}"] == 1
        assert re.search(r'"secret":"whsec_', caller.text.replace(" ", ""))
    else:
        expected = _expected(name, site.studio) if site.studio.name != "new" else _absent(name)
        missing = [text for text in expected if text not in caller.text]
        assert missing == []
    table.rows[name, way, site.studio.name] = caller


def test_the_median_mission_is_cheap(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        sys.stdout.write(f"{table.text()}\n")
    assert len(table.rows) == len(NAMES) * len(WAYS) * (len(STUDIOS) + 1)
    assert table.median() < MEDIAN_TOKENS


def _absent(name: str) -> list[str]:
    """What a caller is told at a studio that has published a name, a line and an address."""
    if name in ("who", "by_when", "price", "follow_up", "compare"):
        return {"who": ["Ruth Fennel"], "by_when": ["nothing in `engagement`"]}.get(name, [])
    sections = {"can_do": "engagement", "cite": "faq", "rights": "licensing", "mend": "projects"}
    sections |= {"plan": "scheduling", "issuer": "certifications"}
    return [f"nothing in `{sections[name]}`"] if name in sections else []


def _expected(name: str, studio: Studio) -> list[str]:
    """What the studio's own files say, and the caller must have read."""
    terms, founder = studio.files["engagement"], studio.files["studio.founder"]
    first, second = (studio.project(slug) for slug in studio.projects)
    certificates = studio.entries("studio.certifications")
    if name == "since":
        after, before = studio.changes()
        assert after
        assert before
        return after
    expected: dict[str, list[str]] = {
        "can_do": [terms["scope"][studio.scope], *terms["notInScope"]],
        "by_when": [terms["availability"], terms["responseSla"], studio.files["status"]["state"]],
        "price": [studio.price],
        "follow_up": [first["status"], *(h["value"] for h in first["highlights"])],
        "compare": [*first["stack"], *second["stack"], first["tagline"], second["tagline"]],
        "who": [founder["name"], founder["role"], founder["based"]],
        "cite": [studio.entries("faq")[0]["a"][:60]],
        "newest": [studio.entries("changelog")[0]["body"][:60]],
        "issuer": [min(certificates, key=lambda own: own["issuer"])["title"]],
        "plan": [terms["scope"][0], studio.files["studio.scheduling"]["responseSla"]],
        "mend": [studio.entries("projects")[0]["tagline"]],
        "whole": [studio.entries("faq")[0]["a"][:60]],
        "graph": [project["summary"][:60] for project in studio.entries("projects")],
        "rights": [studio.files["licensing"]["license"]],
    }
    return expected[name]


def _is_signed(brought: dict[str, Any], studio: Studio) -> None:
    """The terms are the studio's, and the signature is good by the keys that were got."""
    envelope = brought["envelope"]
    assert verifies(envelope, brought["keys"])
    said = json.dumps(envelope["payload"], ensure_ascii=False)
    assert all(line in said for line in studio.files.get("engagement", {}).get("scope", []))
