"""An audit hook that logs each address this process looks up or connects to.

Every Python process runs it first where it is on the path as `sitecustomize`.
"""

import os
import sys
from pathlib import Path

_NOTED = ("socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.gethostbyname")

BEGUN = "begun"
"""The first line of each process."""


def _note(event: str, given: tuple[object, ...]) -> None:
    if event in _NOTED:
        named = given[1] if event in {"socket.connect", "socket.sendto"} else given[0]
        _write(f"{event} {named!r}")


def _write(line: str) -> None:
    if "NOTED_CONNECTS" in os.environ:
        with Path(os.environ["NOTED_CONNECTS"]).open("a") as file:
            file.write(f"{line}\n")


sys.addaudithook(_note)
_write(BEGUN)
