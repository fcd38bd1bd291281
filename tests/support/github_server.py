"""A server on the loopback with the part of GitHub's REST API that the mirror reads.

It uses real sockets and threads, pages its lists, sends validators, and sends other bytes where a
test asks for them.
"""

import hashlib
import json
import threading
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.message import Message
from functools import partial
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from http_service import http_service

LOGIN = "maren-q"
HEAD = "5b0e7c1d94a2f68e37c0b1a9d4e52f8063c7ab19"
NUMBER = "5001"
"""The account's number, by which the addresses of further pages name it."""
STARS = "application/vnd.github.star+json"
HANG = None
"""A piece of an answer that never comes."""

Instead = Callable[[str], Iterable[bytes | None] | None]
"""From the path to the pieces of an answer, or to nothing where the usual one is sent."""


def event(number: int, kind: str = "PushEvent", /, **payload: Any) -> dict[str, Any]:
    """An event as the API tells it."""
    return {
        "id": str(48_000_000_000 + number),
        "type": kind,
        "actor": {"id": 5001, "login": LOGIN},
        "repo": {"id": 1, "name": f"{LOGIN}/tides", "url": f"https://api.example/{LOGIN}/tides"},
        "payload": payload or {"ref": "refs/heads/main", "head": HEAD, "before": "0" * 40},
        "public": True,
        "created_at": f"2026-11-{1 + number % 20:02}T08:00:00Z",
    }


def repository(name: str, **changes: Any) -> dict[str, Any]:
    """A repository as the API tells it."""
    return {
        "id": 7,
        "name": name,
        "full_name": f"{LOGIN}/{name}",
        "private": False,
        "html_url": f"https://github.example/{LOGIN}/{name}",
        "description": f"What {name} is for.",
        "fork": False,
        "created_at": "2021-04-19T08:52:10Z",
        "pushed_at": "2026-10-30T15:12:44Z",
        "stargazers_count": 12,
        "language": "Python",
        "forks_count": 3,
        "archived": False,
        "topics": ["tides"],
        **changes,
    }


def star(name: str, **changes: Any) -> dict[str, Any]:
    """A star with the instant it was given, as the API tells it when it is asked to."""
    return {"starred_at": "2026-10-30T13:20:11Z", "repo": repository(name, **changes)}


def user() -> dict[str, Any]:
    """An account as the API tells it."""
    return {
        "login": LOGIN,
        "id": int(NUMBER),
        "type": "User",
        "html_url": f"https://github.example/{LOGIN}",
        "name": "Maren Q.",
        "bio": "Tides and ledgers.",
        "public_repos": 3,
        "followers": 412,
        "following": 37,
        "created_at": "2021-04-19T08:52:10Z",
    }


def readme(text: str = "# Maren\n\nTides and ledgers.\n") -> dict[str, Any]:
    """A readme as the API tells it."""
    data = text.encode()
    content = b64encode(data).decode()
    lines = "\n".join(content[at : at + 60] for at in range(0, len(content), 60))
    return {
        "name": "README.md",
        "sha": hashlib.sha1(data, usedforsecurity=False).hexdigest(),
        "encoding": "base64",
        "content": f"{lines}\n",
    }


@dataclass
class Hub:
    """The service: what it knows, what it was asked, and what it sends instead of an answer."""

    address: str = ""
    user: dict[str, Any] = field(default_factory=user)
    events: list[Any] = field(default_factory=lambda: [event(number) for number in range(3)])
    stars: list[Any] = field(
        default_factory=lambda: [star("gauges"), star("books", topics=["reading-list"])]
    )
    repos: list[Any] = field(
        default_factory=lambda: [repository("tides"), repository(LOGIN), repository("ledger")]
    )
    readme: dict[str, Any] | None = field(default_factory=readme)
    instead: Instead = lambda _: None
    pause_seconds: float = 0
    heard: list[tuple[str, Message]] = field(default_factory=list)
    asked: threading.Event = field(default_factory=threading.Event)
    statuses: list[int] = field(default_factory=list)
    """The statuses of the usual answers."""
    closing: threading.Event = field(default_factory=threading.Event)

    @property
    def paths(self) -> list[str]:
        """What was asked, in order, without the queries."""
        return [urlsplit(path).path for path, _ in self.heard]

    def answer(self, path: str, accept: str) -> tuple[Any, str]:
        """The value at an address and the Link to the page after it. Raises: KeyError."""
        parts = urlsplit(path.lower())  # an account is the same in any case
        query = parse_qs(parts.query)
        of_user = parts.path.removeprefix(f"/users/{LOGIN}").removeprefix(f"/user/{NUMBER}")
        stars = self.stars if accept == STARS else [found["repo"] for found in self.stars]
        lists = {"/events/public": self.events, "/starred": stars, "/repos": self.repos}
        if of_user in lists:
            size, number = int(query["per_page"][0]), int(query.get("page", ["1"])[0])
            page = lists[of_user][(number - 1) * size : number * size]
            more = f"{self.address}/user/{NUMBER}{of_user}?per_page={size}&page={number + 1}"
            last = number * size >= len(lists[of_user])
            return page, "" if last else f'<{more}>; rel="next", <{more}>; rel="last"'
        values = {"": self.user, f"/repos/{LOGIN}/{LOGIN}/readme": self.readme}
        if values[of_user] is None:
            raise KeyError(path)
        return values[of_user], ""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20

    def __init__(self, hub: Hub, *given: Any) -> None:
        self.hub = hub
        super().__init__(*given)

    def do_GET(self) -> None:
        self.hub.heard.append((self.path, self.headers))
        self.hub.asked.set()
        pieces = self.hub.instead(self.path)
        if pieces is None:
            self._usual()
            return
        self.close_connection = True
        for piece in pieces:
            pause = None if piece is HANG else self.hub.pause_seconds
            if self.hub.closing.wait(pause) or not piece:
                return
            try:
                self.wfile.write(piece)
            except OSError:
                return

    def _usual(self) -> None:
        status, link = 200, ""
        try:
            value, link = self.hub.answer(self.path, self.headers["accept"])
        except KeyError:
            status, value = 404, {"message": "Not Found"}
        body = json.dumps(value).encode()
        etag = f'W/"{hashlib.sha256(body + link.encode()).hexdigest()}"'
        if self.headers["x-github-api-version"] != "2022-11-28":
            status, body = 400, b"{}"
        elif status == 200 and self.headers["if-none-match"] == etag:
            status, body = 304, b""
        self.hub.statuses.append(status)
        self.send_response(status)
        self.send_header("etag", etag)
        self.send_header("content-length", str(len(body)))
        if link:
            self.send_header("link", link)
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(body)

    def log_message(self, format: str, *_: object) -> None:  # noqa: A002 - the base's name
        pass


@contextmanager
def github_server() -> Iterator[Hub]:
    """The service on a free port of the loopback, stopped at the end."""
    hub = Hub()
    with http_service(partial(_Handler, hub), hub.closing.set) as hub.address:
        yield hub


def http(status: str, *headers: str, body: bytes = b"{}") -> list[bytes]:
    """A whole answer."""
    lines = (f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers)
    return ["\r\n".join(lines).encode() + b"\r\n\r\n" + body]


def always(*pieces: bytes | None) -> Instead:
    """The same answer to everything."""
    return lambda _: pieces


def at(path: str, *pieces: bytes | None) -> Instead:
    """An answer to one path alone."""
    return lambda asked: pieces if asked.partition("?")[0] == path else None
