"""What the missions are sent for at each studio, and what its own files say of it."""

import subprocess
import sys
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from repository import ROOT, SAMPLE

INIT = {
    "name": "Fennel Joinery",
    "url": "https://fennel.example",
    "one-line": "Windows and stairs in oak, made by one joiner",
    "founder": "Ruth Fennel",
    "email": "ruth@fennel.example",
}
"""The five answers that a new studio is made of."""


@dataclass(frozen=True)
class Studio:
    """A studio's files, and the words of its callers."""

    name: str
    folder: Path
    job: str
    """A job in a caller's words."""
    scope: int = 0
    """The line of the terms that says whether it is done."""
    price: str = ""
    """What its files say of prices, word for word."""
    projects: tuple[str, str] = ("", "")
    """Two projects by slug."""
    since: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    """When the caller was here last."""

    @cached_property
    def files(self) -> dict[str, Any]:
        """Its files by their names."""
        return {
            file.stem: tomllib.loads(file.read_text(encoding="utf-8"))
            for file in self.folder.glob("*.toml")
        }

    def entries(self, section: str) -> list[dict[str, Any]]:
        """The entries of a list as its file has them."""
        found: list[dict[str, Any]] = self.files.get(section, {}).get(
            section.rpartition(".")[2], []
        )
        return found

    @property
    def founder(self) -> dict[str, Any]:
        """The founder as the files have them."""
        found: dict[str, Any] = self.files.get("studio.founder") or self.files["studio"]["founder"]
        return found

    def project(self, slug: str) -> dict[str, Any]:
        """A project as its file has it."""
        return next(p for p in self.entries("projects") if p["slug"] == slug)

    def changes(self) -> tuple[list[str], list[str]]:
        """The titles of what was published after the last visit, and before it."""
        entries = self.entries("changelog")
        after = [e["title"] for e in entries if e["publishedAt"] > self.since]
        return after, [e["title"] for e in entries if e["publishedAt"] <= self.since]


def new_studio(folder: Path) -> Studio:
    """Return a studio that `studiograph init` writes from five answers."""
    options = [word for name, value in INIT.items() for word in (f"--{name}", value)]
    command = [sys.executable, "-m", "studiograph", "init", str(folder), *options, "--quiet"]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    return Studio("new", folder / "content", "a staircase in oak")


STUDIOS = (
    Studio(
        "sample",
        SAMPLE,
        "a two-week audit of a reconciliation ledger",
        1,
        "Prices are given on request",
        ("tidebook", "fathom"),
        datetime(2026, 9, 1, tzinfo=UTC),
    ),
    Studio(
        "second",
        ROOT / "evals" / "second",
        "a plan for turning a field into a meadow",
        0,
        "385 pounds",
        ("hay-round", "seed-drawer"),
        datetime(2026, 6, 1, tzinfo=UTC),
    ),
)
