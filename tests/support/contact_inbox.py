"""Helpers that start the server with settings and read the mails in its inbox."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from repository import SAMPLE
from running_server import Running, running

LETTER = {
    "name": "Ines Ferreira",
    "email": "ines@harbour.example",
    "message": "Would you have time in March to review our tide forecasts?",
}
"""A message as short as may be."""


@contextmanager
def desk(folder: Path, *words: str, **settings: str) -> Iterator[Running]:
    """The real server on the sample studio in a folder, with these settings."""
    content = folder / "content"
    if not content.exists():
        shutil.copytree(SAMPLE, content, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    lines = [f"STUDIOGRAPH_{name}={value}\n" for name, value in settings.items()]
    (folder / ".env").write_text("".join(lines))
    with running(content, *words) as server:
        yield server


def delivered(folder: Path) -> list[bytes]:
    """The messages in the inbox, the oldest first."""
    inbox = folder / "var" / "inbox"
    files = [*inbox.glob("new/*"), *inbox.glob("cur/*")]
    return [file.read_bytes() for file in sorted(files, key=lambda file: file.stat().st_mtime_ns)]


def marks_delivered(folder: Path) -> set[str]:
    """The marks, such as `letter-7-end`, in the messages of the inbox."""
    said = b"\n".join(delivered(folder)).replace(b"=\r\n", b"").replace(b"=\n", b"")
    return {mark.decode() for mark in re.findall(rb"[a-z]+-[0-9-]+-end", said)}
