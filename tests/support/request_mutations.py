"""Changes of a request that a generator of random numbers chooses: its parts, its JSON, its bytes.

Every text that is put in holds a mark, by which it is found again where it should not be.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import quote

from hostile_requests import NASTY, PLACES

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "CONNECT")
NAMES = (
    *("Accept", "Accept-Encoding", "Accept-Language", "Authorization", "Connection"),
    *("Content-Encoding", "Content-Length", "Content-Type", "Cookie", "Expect", "Forwarded"),
    *("Host", "Idempotency-Key", "If-Match", "If-Modified-Since", "If-None-Match", "Last-Event-ID"),
    *("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id", "Origin", "Prefer"),
    *("Range", "Referer", "TE", "Trailer", "Transfer-Encoding", "Upgrade", "X-Forwarded-For"),
    *("X-Forwarded-Host", "X-HTTP-Method-Override", "X-Real-IP"),
)
VALUES = (
    *("", "*", "*/*", "application/json", "application/graphql", "text/event-stream", "text/html"),
    *("application/json; charset=utf-16", "multipart/form-data; boundary=a", "a/b;q=2, */*;q=0"),
    *("gzip", "br, zstd;q=0.5, identity;q=0", "chunked", "identity, chunked", "100-continue"),
    *("close", "keep-alive, upgrade", "websocket", "bytes=0-0,-1", 'W/"a", "b"', "0", "-1", "1e9"),
    *(
        "localhost:99999",
        "evil.example",
        "null",
        "http://evil.example",
        "::1",
        "127.0.0.1, 8.8.8.8",
    ),
    *("Mon, 99 Smarch 2026 25:61:61 GMT", "2026-07-28", "2024-11-05", "tools/call", "\xff\xfe"),
    *("a" * 300, "a," * 2000, "x" * 20_000, "=?base64?AAAA?=", "Bearer ", "Bearer whsec_\x7f"),
)
TEXTS = (
    *("", " ", "a", "\x00", "\n", "\r\nX-Sent: 1", "\x1b[31m", "\u2028", "\ud800", "\U0010ffff"),
    *("e\u0301" * 50, "\u202e", "../../etc/passwd", "<script>", "${7*7}", "{{7*7}}", "%s%n"),
    *("' OR 1=1 --", "tidebook", "nothing-here", "studio://about", "2026-02-30T00:00:00Z"),
    *("a" * 121, "a" * 2001, "a" * 4001, "tides " * 700, "\u00e4" * 999, "1e400", "NaN", "true"),
    *("https://hooks.example.com/a", "http://127.0.0.1:1/", "https://[::1]/", "a@b.example"),
    *("__schema", "query { thesis }", "{ " + "a " * 400 + "}", "fragment F on Query { ...F }"),
)
PLAIN: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 1e300, 2**53, -(2**63), 10**25, [], {}, [[]], [None]),
    *({"": ""}, {"__proto__": {}}, ["a"] * 21, ["a"] * 300, [{"role": "system", "content": "a"}]),
)
RAW_JSON = (
    *(b"NaN", b"-Infinity", b"1e999", b"9" * 5000, b"01", b'"\\ud800"', b'"\xff"', b"\xef\xbb\xbf"),
    *(b"[" * 40, b'{"a":' * 40, b"[" * 40 + b"]" * 40, b',"a":1', b'"a":1,"a":2', b"//", b"\x00"),
    *(b"[" + b"1," * 10_001 + b"1]", b'{"' + b"k" * 300 + b'":1}'),
)
BYTES = (
    *(b"\x00", b"\r\n", b"\n", b"\r\n\r\n", b"\xff", b"\x80", b" ", b"\t", b":", b"0\r\n\r\n"),
    *(b"GET / HTTP/1.1\r\n", b"HTTP/1.1 200 OK\r\n\r\n", b"\xc0\xaf", b"\xf0\x9f\x92\xa9", b"%"),
)
TOKENS = (
    *("{", "}", "(", ")", "[", "]", ":", "!", "$", "@", "...", "|", "&", "=", '"', '"""', "#", ","),
    *("query", "mutation", "subscription", "fragment", "on", "null", "true", "__typename", "1.5e9"),
    *("@skip(if: true)", "@include", "@defer", "$a: String", "... on Query", "\ufeff", "\\u0000"),
)


@dataclass
class Parts:
    """A request over HTTP in its parts."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes
    is_chunked: bool = False

    @classmethod
    def of(cls, data: bytes) -> "Parts | None":
        """Return the parts of a request; None for what is no single one."""
        head, blank, body = data.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        words = first.split(" ")
        if not blank or len(words) != 3 or not all(": " in line for line in lines):
            return None
        pairs = [line.partition(": ") for line in lines]
        kept = [(name, value) for name, _, value in pairs if name != "Content-Length"]
        return cls(words[0], words[1], kept, body)

    def data(self) -> bytes:
        """Return the bytes of the request."""
        own = {name.lower() for name, _ in self.headers}
        headers, body = [*self.headers], self.body
        if self.is_chunked:
            headers.append(("Transfer-Encoding", "chunked"))
            body = b"".join(
                b"%x\r\n%s\r\n" % (len(piece), piece)
                for piece in (body[at : at + 7000] for at in range(0, len(body), 7000))
            )
            body += b"0\r\n\r\n"
        elif body and "content-length" not in own:
            headers.append(("Content-Length", str(len(body))))
        head = "".join(f"{name}: {value}\r\n" for name, value in headers)
        return f"{self.method} {self.target} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + body


def mutated(random: Random, data: bytes, mark: str) -> bytes:
    """Return a changed request; a fifth of them have changes of bytes as well."""
    parts = Parts.of(data)
    if parts is not None:
        for _ in range(random.randint(1, 3)):
            random.choice(CHANGES)(random, parts, mark)
        data = parts.data()
    if parts is None or random.random() < 0.2:
        data = mutated_bytes(random, data)
    return data


def mutated_bytes(random: Random, data: bytes) -> bytes:
    """Return changed bytes."""
    for _ in range(random.randint(1, 4)):
        at = random.randint(0, len(data))
        until = min(len(data), at + random.choice((1, 1, 2, 8, 64, 512)))
        way = random.randrange(6)
        if way == 0:
            data = data[:at] + random.choice(BYTES) + data[at:]
        elif way == 1:
            data = data[:at] + data[until:]
        elif way == 2:
            data = data[:until] + data[at:]
        elif way == 3:
            data = data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
        elif way == 4:
            data = data[:at] + data[at:until] * random.choice((2, 50)) + data[until:]
        else:
            data = data[: max(at, 1)]
    return data


def text(random: Random, mark: str) -> str:
    """Return an odd text, most often with the mark."""
    return random.choice(TEXTS) + (f" {mark}" if random.random() < 0.7 else "")


def _target(random: Random, parts: Parts, mark: str) -> None:
    nasty = random.choice((*NASTY, quote(text(random, mark), errors="replace")))
    path, question, query = parts.target.partition("?")
    way = random.randrange(5)
    if way == 0:
        parts.target = random.choice(PLACES).replace("@", nasty)
    elif way == 1:
        parts.target = f"{parts.target}{'&' if question else '?'}{nasty}={mark}"
    elif way == 2 and query:
        name = random.choice(query.split("&")).partition("=")[0]
        parts.target = f"{parts.target}&{name}={nasty}"
    elif way == 3 and query:
        name = random.choice(query.split("&")).partition("=")[0]
        parts.target = f"{path}?{name}={nasty}"
    else:
        pieces = path.split("/")
        pieces[random.randrange(len(pieces))] = nasty
        parts.target = "/".join(pieces) + question + query


def _method(random: Random, parts: Parts, _mark: str) -> None:
    parts.method = random.choice(METHODS)


def _header(random: Random, parts: Parts, mark: str) -> None:
    value = random.choice((*VALUES, f"{mark}/x"))
    if parts.headers and random.random() < 0.3:
        at = random.randrange(len(parts.headers))
        name = parts.headers[at][0]
        parts.headers[at : at + 1] = random.choice(([], [(name, value)], [parts.headers[at]] * 2))
    else:
        parts.headers.append((random.choice(NAMES), value))


def _chunks(_random: Random, parts: Parts, _mark: str) -> None:
    parts.is_chunked = bool(parts.body)


def _json(random: Random, parts: Parts, mark: str) -> None:
    with suppress(ValueError, RecursionError):
        tree = _changed(random, json.loads(parts.body), mark)
        parts.body = json.dumps(tree).encode("utf-8", "surrogatepass")


def _json_text(random: Random, parts: Parts, _mark: str) -> None:
    places = [at for at, byte in enumerate(parts.body) if byte in b'{[,:"]}']
    if places:
        at = random.choice(places) + random.randint(0, 1)
        parts.body = parts.body[:at] + random.choice(RAW_JSON) + parts.body[at:]


def _tokens(random: Random, parts: Parts, _mark: str) -> None:
    """Change the words of a GraphQL document, which stands in the body as it is or in JSON."""
    if not parts.body:
        return
    with suppress(ValueError, RecursionError):
        tree = json.loads(parts.body)
        if isinstance(tree, dict) and isinstance(tree.get("query"), str):
            tree["query"] = _words(random, tree["query"])
            parts.body = json.dumps(tree).encode("utf-8", "surrogatepass")
        return
    parts.body = _words(random, parts.body.decode("utf-8", "replace")).encode()


def _words(random: Random, document: str) -> str:
    words = document.split(" ")
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(words) + 1)
        way = random.randrange(4)
        if way == 0:
            words[at:at] = [random.choice(TOKENS)]
        elif way == 1:
            words[at : at + 1] = []
        elif way == 2:
            words[at:at] = words[at : at + 5] * random.choice((1, 20))
        else:
            words[at : at + 1] = [random.choice((*words, *TOKENS))]
    return " ".join(words)


def _changed(random: Random, value: Any, mark: str) -> Any:
    """Return a JSON value with one value in it changed."""
    below = list(value) if isinstance(value, dict) else range(len(value)) if _is_list(value) else ()
    if below and random.random() < 0.8:
        key = random.choice([*below])
        way = random.randrange(6)
        if way == 0 and isinstance(value, dict):
            return {name: each for name, each in value.items() if name != key}
        if way == 1 and isinstance(value, dict):
            return {**value, text(random, mark): value[key]}
        copy = dict(value) if isinstance(value, dict) else list(value)
        copy[key] = _changed(random, value[key], mark)
        return copy
    ways: tuple[Callable[[], Any], ...] = (
        lambda: text(random, mark),
        lambda: random.choice(PLAIN),
        lambda: [value],
        lambda: {"a": value},
        lambda: _nested(value, random.choice((3, 31, 200))),
        lambda: value * random.choice((2, 400)) if isinstance(value, (str, list)) else value,
    )
    return random.choice(ways)()


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _nested(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = [value]
    return value


Change = Callable[[Random, Parts, str], None]
CHANGES: tuple[Change, ...] = (
    *(_target, _method, _header, _header, _chunks),
    *(_json, _json, _json, _json_text, _tokens, _tokens),
)
