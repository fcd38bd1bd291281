"""A DNS server and an Ethereum node on the loopback, with answers that a test sets.

Both use real sockets and threads; the DNS messages are made by another library.
"""

import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from socketserver import BaseServer
from typing import Any

from dnslib import CNAME, QTYPE, RCODE, RR, TXT, DNSError, DNSRecord  # type: ignore[import-untyped]
from dnslib.server import DNSHandler, DNSLogger, DNSServer  # type: ignore[import-untyped]
from http_service import http_service

from resolvers.identity.records import REGISTRY, namehash

NEVER = None
"""What a server answers that keeps the connection and says nothing."""

QUIET_SECONDS = 20
"""How long a handler waits for a client that keeps its connection and says nothing."""

Answer = Callable[[Any, str], Any]
"""What to send for a DNS question and `udp` or `tcp`: a record, bytes as they are, or NEVER."""


@dataclass
class Served:
    """A server, where it listens and how often it was asked."""

    address: str
    heard: list[str] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)


@contextmanager
def dns_server(answer: Answer, host: str = "127.0.0.1", port: int = 0) -> Iterator[Served]:
    """A DNS server by UDP and TCP on one port; what is longer than 512 bytes is cut by UDP."""
    served = Served("")

    class Handler(DNSHandler):  # type: ignore[misc] # dnslib brings no types
        udplen = 512

        def setup(self) -> None:
            if self.server.socket_type == socket.SOCK_STREAM:
                self.request.settimeout(QUIET_SECONDS)

        def get_reply(self, data: bytes) -> bytes:
            served.heard.append(self.protocol)
            reply = answer(DNSRecord.parse(data), self.protocol)
            if reply is NEVER:
                served.closing.wait()
                raise DNSError
            if isinstance(reply, bytes):
                return reply
            cut = self.protocol == "udp" and len(reply.pack()) > self.udplen
            return bytes((reply.truncate() if cut else reply).pack())

    with ExitStack() as stack:
        for tcp in (True, False):
            logger = DNSLogger(logf=lambda _: None)
            made = DNSServer(None, host, port, tcp=tcp, logger=logger, handler=Handler).server
            made.daemon_threads = False  # so that closing it waits for them
            port = made.server_address[1]
            stack.enter_context(_running(made, served.closing))
        served.address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        yield served


def txt(*records: str | bytes | list[bytes]) -> Answer:
    """The answer of a name with these TXT records, a list being the strings of one."""

    def answer(question: Any, _: str) -> Any:
        reply = question.reply()
        for record in records:
            strings = record if isinstance(record, list) else [record]
            reply.add_answer(RR(question.q.qname, QTYPE.TXT, rdata=TXT(strings), ttl=60))
        return reply

    return answer


def refusal(code: str) -> Answer:
    """The answer with this response code and no record."""

    def answer(question: Any, _: str) -> Any:
        reply = question.reply()
        reply.header.rcode = getattr(RCODE, code)
        return reply

    return answer


def circle(question: Any, _: str) -> Any:
    """The answer of a name that stands for itself."""
    reply = question.reply()
    reply.add_answer(RR(question.q.qname, QTYPE.CNAME, rdata=CNAME(question.q.qname)))
    return reply


def never(_: Any, __: str) -> Any:
    """No answer, ever."""
    return NEVER


def by_tcp(answer: Answer) -> Answer:
    """The answer, once UDP has had no room for another one."""
    long = txt(*(f"{number}: {'x' * 200}" for number in range(9)))
    return lambda question, by: (long if by == "udp" else answer)(question, by)


@contextmanager
def http_server(
    pieces: Callable[[Any], Iterable[bytes | None]], pause_seconds: float = 0
) -> Iterator[Served]:
    """An HTTP server that sends these bytes for the JSON it is sent, pausing before each piece."""
    served = Served("")

    class Handler(BaseHTTPRequestHandler):
        timeout = QUIET_SECONDS

        def do_POST(self) -> None:
            served.heard.append(self.path)
            question = json.loads(self.rfile.read(int(self.headers["content-length"])))
            for piece in pieces(question):
                if served.closing.wait(None if piece is NEVER else pause_seconds) or not piece:
                    return
                try:
                    self.wfile.write(piece)
                except OSError:
                    return
            self.close_connection = True

        def log_message(self, format: str, *_: object) -> None:  # noqa: A002 - the base's name
            pass

    with http_service(Handler, served.closing.set) as served.address:
        yield served


def http(body: object, status: str = "200 OK", *headers: str) -> bytes:
    """A whole answer: bytes as they are, or another value as JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = (f"HTTP/1.1 {status}", f"Content-Length: {len(data)}", "Connection: close", *headers)
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


@dataclass(frozen=True)
class Chain:
    """The ENS of a chain: one resolver, and what it says of names in hexadecimal digits."""

    records: dict[tuple[str, ...], str]
    """By name for an address, by name and key for a text."""
    resolver: str = "0x" + "7e" * 20

    def __call__(self, question: Any) -> Iterable[bytes]:
        """The answer to an `eth_call`."""
        assert question["method"] == "eth_call"
        call, block = question["params"]
        assert block == "latest"
        answers = {(to.lower(), data): result for to, data, result in self._answers()}
        result = answers.get((call["to"].lower(), call["data"]), "0x" + "00" * 32)
        yield http({"jsonrpc": "2.0", "id": question["id"], "result": result})

    def _answers(self) -> Iterator[tuple[str, str, str]]:
        for (name, *key), result in self.records.items():
            node = namehash(name).hex()
            yield REGISTRY, f"0x0178b8bf{node}", word(self.resolver)
            if key:
                argument = f"{64:064x}{string(key[0])[66:]}"
                yield self.resolver, f"0x59d1d43c{node}{argument}", result
            else:
                yield self.resolver, f"0x3b3b57de{node}", result


def word(address: str) -> str:
    """An address as a contract answers it."""
    return f"0x{address.removeprefix('0x'):0>64}"


def string(text: str | bytes) -> str:
    """A string as a contract answers it."""
    data = text.encode() if isinstance(text, str) else text
    filled = data.ljust(-(-len(data) // 32) * 32, b"\x00")
    return f"0x{32:064x}{len(data):064x}{filled.hex()}"


@contextmanager
def _running(server: BaseServer, closing: threading.Event) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield
    finally:
        closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
