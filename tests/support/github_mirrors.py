"""Mirrors of an account, as many as there are processes, on one folder and one clock. No claims."""

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
from studiograph.wiring.github import make_mirror

TOKEN = "ghp_quillmere0secret"  # noqa: S105 - a token of nobody
BEGIN = datetime(2026, 11, 20, 12, 0, 0, 500_000, tzinfo=UTC)
DOWN = always(*http("503 Down"))


@dataclass
class Hall:
    """GitHub, a data folder, a clock that moves when it is told to, and mirrors between them."""

    hub: Hub
    folder: Path
    now: datetime = field(default=BEGIN)

    @property
    def file(self) -> Path:
        """What the mirrors keep."""
        return self.folder / "github.json"

    @property
    def asked(self) -> int:
        """How often the account was looked at."""
        return self.hub.paths.count(f"/users/{LOGIN}")

    def mirror(self, **changes: Any) -> GithubMirror:
        """Another process, as it were."""
        named = {"github_user": LOGIN, "github_api_url": self.hub.address}
        settings = {**named, "github_token": SecretStr(TOKEN), **changes}
        return make_mirror(Settings(data=self.folder, **settings), lambda: self.now)

    def idle(self) -> GithubMirror:
        """A process to which no account was named."""
        settings = Settings(data=self.folder, github_api_url=self.hub.address)
        return make_mirror(settings, lambda: self.now)

    def wait(self, **how_long: float) -> None:
        """Let time pass."""
        self.now += timedelta(**how_long)


def turn(*mirrors: GithubMirror) -> None:
    """One turn of each, at once."""

    async def turns() -> None:
        await asyncio.gather(*(mirror.run_once() for mirror in mirrors))

    asyncio.run(turns())


def shown(mirror: GithubMirror, given: GithubSnapshot | None = None) -> Github:
    """What is shown, which is something."""
    found = mirror.snapshot(given)
    assert found is not None
    return found
