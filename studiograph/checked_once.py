"""Whether the stored operations of this installation were checked before, as they are now.

What is wrong with them follows from the code alone, and to look for it takes a tenth of a start. So
it is noted beside the compiled modules that all is well, and the note holds as Python's own do: as
long as no file has another time or size.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from importlib.util import cache_from_source
from pathlib import Path
from types import ModuleType

import graphql
import pydantic
import strawberry

import resolvers
import schema
import sdl
from studiograph.version import __version__

_OWN = (sdl, schema, resolvers)
_LIBRARIES = (graphql, pydantic, strawberry)
File = tuple[str, int, int]
"""The path, time and size of a file."""
SETTLED_SECONDS = 60
"""How old every file must be: one that has just been saved may be newer than what was imported."""


class CheckedOnce:
    """The note of one installation."""

    def __init__(self) -> None:
        files = sorted(file for own in _OWN for file in _files_in(str(_folder(own))))
        libraries = [_folder(library).stat().st_mtime_ns for library in _LIBRARIES]
        stamped = repr((__version__, libraries, files)).encode()
        self._stamp = sha256(stamped).digest()
        newest = max(changed_at for _, changed_at, _ in files)
        self._is_settled = newest + SETTLED_SECONDS * 1e9 < time.time_ns()
        compiled = cache_from_source(str(_folder(sdl) / "operations.py"))
        self._note = Path(compiled).with_suffix(".checked")

    def holds(self) -> bool:
        """Whether all is well, as was noted for exactly these files."""
        with suppress(OSError):
            return self._note.read_bytes() == self._stamp
        return False

    def note(self) -> None:
        """Note that all is well, where Python could keep a compiled module too."""
        if not self._is_settled or sys.dont_write_bytecode:
            return
        new = self._note.with_suffix(f".{os.getpid()}")
        with suppress(OSError):  # an installation that cannot be written is checked at each start
            new.write_bytes(self._stamp)
            new.replace(self._note)


def _files_in(folder: str) -> Iterator[File]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _files_in(entry.path)
            elif entry.name.endswith((".py", ".graphql")):
                status = entry.stat()
                yield entry.path, status.st_mtime_ns, status.st_size


def _folder(module: ModuleType) -> Path:
    return Path(str(module.__file__)).parent
