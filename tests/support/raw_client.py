"""A client that sends any bytes, and knows which answers it is owed for them."""

import socket
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import BinaryIO

import httptools

BRIEF_SECONDS = 0.03
"""How long an answer is waited for that nobody owes."""
NO_BODY = (204, 304)


@dataclass
class Answer:
    """One answer."""

    status: int
    headers: dict[str, str]
    body: bytes
    is_cut: bool = False
    """Whether it was left before its end, as an event stream is."""


@dataclass
class Heard:
    """What came back for some bytes."""

    answers: list[Answer] = field(default_factory=list)
    seconds: float = 0
    is_late: bool = False
    """Whether an answer that was owed had not come in time."""
    is_reset: bool = False
    is_garbled: bool = False
    """Whether what came is no HTTP, or more or less than its length says."""


class _Requests:
    """Counts the requests in some bytes, as the parser of the service reads them."""

    def __init__(self) -> None:
        self.methods: list[str] = []
        self._parser = httptools.HttpRequestParser(self)

    def on_message_complete(self) -> None:
        """Count a request."""
        self.methods.append(self._parser.get_method().decode())

    def read(self, data: bytes) -> list[str]:
        """Return the methods of the requests that are owed an answer."""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self.methods[1:] = []  # what follows is no HTTP
        except httptools.HttpParserError:
            self.methods.append("-")  # a refusal is owed, after which nothing is read
        return self.methods


def owed(data: bytes) -> list[str]:
    """Return the methods of the requests in some bytes that must be answered."""
    return _Requests().read(data)


def ask(place: tuple[str, int], data: bytes, patience_seconds: float) -> Heard:
    """Return what comes back for some bytes; of what is not owed, what comes at once."""
    heard, methods = Heard(), owed(data)
    with socket.create_connection(place, timeout=30) as connection:
        with suppress(ConnectionError):
            connection.sendall(data)
        began = time.monotonic()
        connection.settimeout(patience_seconds if methods else BRIEF_SECONDS)
        try:
            with connection.makefile("rb") as stream:
                for method in methods or ["-"]:
                    deadline = began + patience_seconds
                    answer = _answer(stream, method, deadline)
                    if answer is None:
                        break
                    heard.answers.append(answer)
        except TimeoutError:
            heard.is_late = bool(methods)
        except ConnectionError:
            heard.is_reset = True
        except (ValueError, IndexError):
            heard.is_garbled = True
        heard.seconds = time.monotonic() - began
    heard.is_late |= bool(methods) and heard.seconds > patience_seconds and not _is_stream(heard)
    return heard


def _is_stream(heard: Heard) -> bool:
    return bool(heard.answers) and heard.answers[-1].is_cut


def _answer(stream: BinaryIO, method: str, deadline: float) -> Answer | None:
    """Return the next answer; None at the end of the connection. Raises: TimeoutError."""
    first = stream.readline()
    while first.startswith(b"HTTP/1.1 1"):  # an interim answer
        while stream.readline() not in (b"\r\n", b""):
            pass
        first = stream.readline()
    if not first:
        return None
    headers: dict[str, str] = {}
    while (line := stream.readline()) not in (b"\r\n", b""):
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    status = int(first.split()[1])
    if method == "HEAD" or status in NO_BODY:
        return Answer(status, headers, b"")
    if headers.get("transfer-encoding") != "chunked":
        return Answer(status, headers, stream.read(int(headers.get("content-length", "0"))))
    return _in_chunks(stream, Answer(status, headers, b""), deadline)


def _in_chunks(stream: BinaryIO, made: Answer, deadline: float) -> Answer:
    """Return an answer with its chunks; an event stream is left when its time is over."""
    is_stream = made.headers.get("content-type", "").startswith("text/event-stream")
    try:
        while size := int(stream.readline() or b"0", 16):
            made.body += stream.read(size)
            stream.readline()
            if is_stream and time.monotonic() > deadline:
                made.is_cut = True
                return made
        stream.readline()  # behind the last chunk, which is empty
    except TimeoutError:
        if not is_stream:
            raise
        made.is_cut = True
    return made
