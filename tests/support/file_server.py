"""An HTTP file server on the loopback that can cut, extend or withhold a body."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from http_service import http_service

PIECE = bytes(1 << 16)


@dataclass(frozen=True)
class Sent:
    """What is sent for a path: a status, and a body of which less or more may come than is told."""

    body: bytes | Path = b""
    status: int = 200
    location: str = ""
    missing: int = 0
    """How many bytes of the body never come: the connection is closed instead."""
    endless: bool = False
    """Whether zeros follow the body until the other side closes."""
    hangs: bool = False
    """Whether nothing follows the head until the server stops."""

    @property
    def bytes(self) -> bytes:
        """The body, read."""
        return self.body if isinstance(self.body, bytes) else self.body.read_bytes()


@dataclass
class Shelf:
    """The files by their paths, and what was asked for."""

    address: str = ""
    files: dict[str, Sent] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    left: threading.Event = field(default_factory=threading.Event)
    """Set once somebody closed an endless answer."""
    closing: threading.Event = field(default_factory=threading.Event)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20

    def __init__(self, shelf: Shelf, *given: Any) -> None:
        self.shelf = shelf
        super().__init__(*given)

    def do_GET(self) -> None:
        self.shelf.asked.append(self.path)
        sent = self.shelf.files.get(self.path, Sent(status=404))
        self.close_connection = True
        self.send_response(sent.status)
        if sent.location:
            self.send_header("location", sent.location)
        self.send_header("connection", "close")
        if not sent.endless:
            self.send_header("content-length", str(len(sent.bytes)))
        self.end_headers()
        if sent.hangs:
            self.shelf.closing.wait()
            return
        with suppress(OSError):
            self.wfile.write(sent.bytes[: len(sent.bytes) - sent.missing])
        if sent.endless:
            self._go_on()

    def _go_on(self) -> None:
        while not self.shelf.closing.is_set():
            try:
                self.wfile.write(PIECE)
            except OSError:
                self.shelf.left.set()
                return

    def log_message(self, format: str, *_: object) -> None:  # noqa: A002 - the base's name
        pass


@contextmanager
def file_server() -> Iterator[Shelf]:
    """The server on a free port of the loopback, stopped at the end."""
    shelf = Shelf()
    with http_service(partial(_Handler, shelf), shelf.closing.set) as shelf.address:
        yield shelf
