"""A proxy that changes what it passes on, and a forger with the server's key."""

import threading
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import orjson
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from http_service import http_service
from outside_reader import canonical, plain, raw
from running_server import Running

Said = tuple[int, bytes]
"""Status and body."""
Source = Callable[[str], Said]
"""From a path to what is said there."""
HANGS, TORN = 0, -1
"""Statuses of an answer that never comes and of one that breaks off."""


@dataclass
class Proxy:
    """A proxy, whose source and whose changes a test may set."""

    source: Source
    address: str = ""
    heard: list[str] = field(default_factory=list)
    kept: dict[str, Said] = field(default_factory=dict)
    changes: dict[str, Callable[[bytes], bytes | Said]] = field(default_factory=dict)
    """By path, what becomes of a body."""
    before: Callable[[str], object] = str
    """What is done with a path before it is asked for."""

    def reset(self, source: Source) -> None:
        """Pass everything on as it is."""
        self.source, self.before = source, str
        self.heard.clear()
        self.kept.clear()
        self.changes.clear()

    def says(self, path: str) -> Said:
        """What the proxy answers."""
        self.heard.append(path)
        self.before(path)
        if path not in self.kept:
            self.kept[path] = self.source(path)
        status, body = self.kept[path]
        if path not in self.changes:
            return status, body
        made = self.changes[path](body)
        return (status, made) if isinstance(made, bytes) else made


def source_of(server: Running) -> Source:
    """What a real server says."""

    def source(path: str) -> Said:
        said = server.get(path)
        return said.status, said.body

    return source


@contextmanager
def tampering(source: Source) -> Iterator[Proxy]:
    """A proxy on a port of its own."""
    proxy, closing = Proxy(source), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # an answer leaves in one piece

        def do_GET(self) -> None:
            status, body = proxy.says(self.path)
            if status == HANGS:
                closing.wait()
                return
            self.send_response(200 if status == TORN else status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body) + (status == TORN)))
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = status == TORN

        def log_message(self, format: str, *_: object) -> None:  # noqa: A002 - the base's name
            pass

    with http_service(Handler, closing.set) as proxy.address:
        yield proxy


@dataclass(frozen=True)
class Forger:
    """Somebody who has a studio's signing key."""

    key: Ed25519PrivateKey

    @classmethod
    def of(cls, studio: Path) -> "Forger":
        """The one who has the key of a studio with one."""
        (file,) = (studio / "var" / "keys").glob("*.json")
        return cls(Ed25519PrivateKey.from_private_bytes(raw(plain(file.read_bytes())["seed"])))

    def signed(self, envelope: Any) -> bytes:
        """The envelope, its payload well signed whatever it is now."""
        signature = urlsafe_b64encode(self.key.sign(canonical(envelope["payload"])))
        return orjson.dumps({**envelope, "signature": signature.rstrip(b"=").decode()})


def edited(edit: Callable[[Any], object]) -> Callable[[bytes], bytes]:
    """The change that edits a JSON document in place."""

    def change(body: bytes) -> bytes:
        document = orjson.loads(body)
        edit(document)
        return orjson.dumps(document)

    return change
