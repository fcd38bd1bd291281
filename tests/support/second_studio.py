"""A second studio with the keys of a first one, served at the first one's address."""

from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import copytree
from sqlite3 import connect

from changelog_edits import Changelog, drop
from local_service import asking
from outside_reader import command
from tampering import Said, Source

from sdl.running.runner import Operations
from studiograph.asgi import build
from studiograph.settings import Settings


@dataclass
class Twin:
    """A studio with the same keys and log of words and no other log: it can say anything.

    It is served in this process.
    """

    content: Path
    operations: Operations

    @classmethod
    def of(cls, content: Path, folder: Path, operations: Operations) -> "Twin":
        """The twin of a studio, made in a folder."""
        copytree(content, folder / "content")
        copytree(content.parent / "var" / "keys", folder / "var" / "keys")
        journal = content.parent / "var" / "studio.db"
        if journal.exists():
            with (
                closing(connect(journal)) as old,
                closing(connect(folder / "var/studio.db")) as new,
            ):
                old.backup(new)
                for table in ("signing", "entry", "log"):
                    new.execute(f"DELETE FROM {table}")  # noqa: S608 - names of our own
                new.commit()
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
        assert command(self.content.parent, "log", "restart", "--reason", "Gone.", "--yes") == 0
        drop(self.log)
