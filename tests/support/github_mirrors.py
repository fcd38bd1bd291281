"""Mirrors of one GitHub account that share a folder and a clock, as processes would."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from github_server import LOGIN, Hub, always, http
from pydantic import SecretStr

from resolvers.github.mirror import GithubMirror
from schema.github import Github, GithubSnapshot
from studiograph.settings import Settings
from studiograph.wiring.services import make_mirror

TOKEN = "ghp_quillmere0secret"  # noqa: S105 - a token of nobody
BEGIN = datetime(2026, 11, 20, 12, 0, 0, 500_000, tzinfo=UTC)
DOWN = always(*http("503 Down"))


@dataclass
class Hall:
    """A GitHub server, a data folder, a clock that a test moves, and mirrors."""

    hub: Hub
    folder: Path
    now: datetime = field(default=BEGIN)

    @property
    def file(self) -> Path:
        """The file of the mirrors."""
        return self.folder / "github.json"

    @property
    def asked(self) -> int:
        """How often the account was fetched."""
        return self.hub.paths.count(f"/users/{LOGIN}")

    def mirror(self, **changes: Any) -> GithubMirror:
        """Return a mirror as another process would make it."""
        account = {"github_user": LOGIN, "github_api_url": self.hub.address}
        settings = {**account, "github_token": SecretStr(TOKEN), **changes}
        return make_mirror(Settings(data=self.folder, **settings), lambda: self.now)

    def idle(self) -> GithubMirror:
        """Return a mirror without a configured account."""
        settings = Settings(data=self.folder, github_api_url=self.hub.address)
        return make_mirror(settings, lambda: self.now)

    def wait(self, **how_long: float) -> None:
        """Move the clock."""
        self.now += timedelta(**how_long)


def turn(*mirrors: GithubMirror) -> None:
    """Run each mirror once, all at the same time."""

    async def turns() -> None:
        await asyncio.gather(*(mirror.run_once() for mirror in mirrors))

    asyncio.run(turns())


def shown(mirror: GithubMirror, given: GithubSnapshot | None = None) -> Github:
    """Return what a mirror shows, which must not be nothing."""
    snapshot = mirror.snapshot(given)
    assert snapshot is not None
    return snapshot
