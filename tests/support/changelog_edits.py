"""A changelog file and edits that rewrite its published entries."""

from dataclasses import dataclass
from pathlib import Path

NEW = """[[changelog]]
id = "{id}"
publishedAt = {at}
kind = "added"
title = "One more"
body = "Something was added."

"""


@dataclass
class Changelog:
    """The file of changelog entries, newest first."""

    file: Path

    @property
    def entries(self) -> list[str]:
        return [f"[[changelog]]{text}" for text in self.file.read_text().split("[[changelog]]")[1:]]

    @property
    def ids(self) -> list[str]:
        return [entry.split('id = "')[1].split('"')[0] for entry in self.entries]

    def write(self, entries: list[str]) -> None:
        new = self.file.with_suffix(".new")
        new.write_text("".join(entries))
        new.replace(self.file)

    def add(self, name: str, at: str) -> None:
        self.write([NEW.format(id=name, at=at), *self.entries])

    def replace(self, place: int, *entries: str) -> None:
        before, after = self.entries[:place], self.entries[place + 1 :]
        self.write([*before, *entries, *after])


def drop(log: Changelog) -> str:
    """What it should be told when an entry is gone."""
    name = log.ids[17]
    log.replace(17)
    return f"the published entry {name} has been dropped."


def truncate(log: Changelog) -> str:
    name = log.ids[4]
    log.write(log.entries[5:])
    return f"the published entry {name} has been dropped."


def empty(log: Changelog) -> str:
    name = log.ids[-1]
    log.write(["changelog = []\n"])
    return f"the published entry {name} has been dropped."


def change(log: Changelog) -> str:
    name = log.ids[9]
    log.replace(9, log.entries[9].replace('title = "', 'title = "Not so: ', 1))
    return f"the published entry {name} has been changed."


def rename(log: Changelog) -> str:
    name = log.ids[3]
    log.replace(3, log.entries[3].replace(name, f"{name}-again", 1))
    return f"the published entry {name} has been dropped."


def backdate(log: Changelog) -> str:
    log.add("2026-01-01-late", "2026-01-01T00:00:01Z")
    before = next(name for name in reversed(log.ids) if name > "2026-01-01-late")
    return f"the entry 2026-01-01-late is dated before {before}, which is published already."


def fork(log: Changelog) -> str:
    name = log.ids[0]
    log.replace(0, NEW.format(id="2026-11-03-other", at="2026-11-03T00:00:00Z"))
    return f"the published entry {name} has been dropped."
