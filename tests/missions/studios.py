"""What the missions are sent for at each studio, and what its own files say of it."""

import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from repository import ROOT, SAMPLE


@dataclass(frozen=True)
class Studio:
    """A studio's files, and the words of its callers."""

    name: str
    folder: Path
    job: str
    """A job in a caller's words."""
    scope: int
    """The line of the terms that says whether it is done."""
    price: str
    """What its files say of prices, word for word."""
    projects: tuple[str, str]
    """Two projects by slug."""
    since: datetime
    """When the caller was here last."""

    @cached_property
    def files(self) -> dict[str, Any]:
        """Its files by their names."""
        return {
            file.stem: tomllib.loads(file.read_text(encoding="utf-8"))
            for file in self.folder.glob("*.toml")
        }

    def project(self, slug: str) -> dict[str, Any]:
        """A project as its file has it."""
        return next(p for p in self.files["projects"]["projects"] if p["slug"] == slug)

    def changes(self) -> tuple[list[str], list[str]]:
        """The titles of what was published after the last visit, and before it."""
        entries = self.files["changelog"]["changelog"]
        after = [e["title"] for e in entries if e["publishedAt"] > self.since]
        return after, [e["title"] for e in entries if e["publishedAt"] <= self.since]


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
