"""Agents that sign their requests with another library, and the directories of their keys."""

import json
import threading
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from http_message_signatures import algorithms
from http_message_signatures.resolvers import HTTPSignatureKeyResolver
from http_message_signatures.signatures import HTTPMessageSigner
from http_service import http_service
from joserfc.jwk import OKPKey

BASE = "http://127.0.0.1:8000"
PATH = "/.well-known/http-message-signatures-directory"
ED25519: Any = vars(algorithms)["ED25519"]  # public, but not in the library's list of exports
COVERED = ("@authority", '"signature-agent";key="sig1"')


@dataclass
class Message:
    """A request as the other library signs it."""

    method: str
    url: str
    headers: dict[str, str]


class _Keys(HTTPSignatureKeyResolver):
    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key

    def resolve_public_key(self, key_id: str) -> Any:
        raise NotImplementedError(key_id)

    def resolve_private_key(self, key_id: str) -> Any:
        del key_id
        return self._key


@dataclass
class DirectoryServer:
    """The server of an agent's keys: what it answers, and how often it was asked."""

    keys: list[dict[str, Any]] = field(default_factory=list)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    """What it answers instead of its keys."""
    goes_on: threading.Event | None = None
    """What it waits for before it answers."""
    asked: list[str] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        """What agents write into `Signature-Agent`."""
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def directory_server() -> Iterator[DirectoryServer]:
    """A server of keys on the loopback."""
    directory = DirectoryServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            directory.asked.append(self.path)
            if directory.goes_on is not None:
                directory.goes_on.wait(30)
            keys = json.dumps({"keys": directory.keys}).encode()
            body = keys if directory.body is None else directory.body
            self.send_response(directory.status)
            self.send_header("content-length", str(len(body)))
            for name, value in directory.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *_: object) -> None:  # noqa: A002 - the base's name
            """Write nothing."""

    def release() -> None:
        if directory.goes_on is not None:
            directory.goes_on.set()

    with http_service(Handler, release) as address:
        directory.port = int(address.rpartition(":")[2])
        yield directory


@dataclass
class SigningAgent:
    """An agent with a key of its own."""

    key: Ed25519PrivateKey = field(default_factory=Ed25519PrivateKey.generate)

    @property
    def jwk(self) -> dict[str, Any]:
        """The public key, as a directory has it."""
        public = urlsafe_b64encode(self.key.public_key().public_bytes_raw()).rstrip(b"=")
        return {"kty": "OKP", "crv": "Ed25519", "x": public.decode()}

    def sign(  # noqa: PLR0913 - what a test may vary
        self,
        agent: str | None,
        path: str = "/api/contact",
        *,
        method: str = "POST",
        covered: Sequence[str] = COVERED,
        created: datetime | None = None,
        lives: timedelta | None = timedelta(minutes=5),
        tag: str = "web-bot-auth",
        key_id: str | None = None,
        headers: Mapping[str, str] | None = None,
        base: str = BASE,
    ) -> dict[str, str]:
        """Return the headers of a signed request; `agent` is the value of `Signature-Agent`."""
        named = {} if agent is None else {"Signature-Agent": agent}
        message = Message(method, f"{base}{path}", {**(headers or {}), **named})
        made = created or datetime.now(UTC)
        HTTPMessageSigner(signature_algorithm=ED25519, key_resolver=_Keys(self.key)).sign(
            message,
            key_id=key_id or self.thumbprint,
            created=made,
            expires=None if lives is None else made + lives,
            nonce="0123456789abcdef",
            label="sig1",
            tag=tag,
            covered_component_ids=covered,
        )
        return message.headers

    @property
    def thumbprint(self) -> str:
        """The key's identifier."""
        return OKPKey.import_key(self.jwk).thumbprint()
