"""A second studio with the keys of a first one, served at the first one's address."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import copytree

from changelog_edits import Changelog, drop
from local_service import asking
from outside_reader import command
from tampering import Said, Source

from sdl.runner import Operations
from studiograph.asgi import build
from studiograph.settings import Settings


@dataclass
class Twin:
    """A studio with the same keys and no journal, served in this process: it can say anything."""

    content: Path
    operations: Operations

    @classmethod
    def of(cls, content: Path, folder: Path, operations: Operations) -> "Twin":
        """The twin of a studio, made in a folder."""
        copytree(content, folder / "content")
        copytree(content.parent / "var" / "keys", folder / "var" / "keys")
        return cls(folder / "content", operations)

    @property
    def log(self) -> Changelog:
        """Its changelog's file."""
        return Changelog(self.content / "changelog.toml")

    @property
    def settings(self) -> Settings:
        return Settings(content=self.content, data=self.content.parent / "var")

    def source(self) -> Source:
        """What this studio says now, asked for once."""
        ask = asking(build(self.settings, operations=self.operations))

        @cache
        def said(path: str) -> Said:
            answer = ask(path)
            return answer.status_code, answer.content

        return said

    def add(self) -> None:
        """Let there be one more entry."""
        self.log.add("2026-11-20-more", "2026-11-20T09:00:00Z")

    def restart(self) -> None:
        """Begin a new log, in the open, because an entry had to go."""
        build(self.settings, operations=self.operations)
        assert command(self.content.parent, "log", "restart") == 0
        drop(self.log)
