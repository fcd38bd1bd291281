"""A TCP relay in front of a server that a test can cut, pause, or have forget what is open."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from child_process import PATIENCE_SECONDS


@dataclass
class Relay:
    """What listens on a port of its own and hands on to another."""

    listening: socket.socket
    target: tuple[str, int]
    is_cut: bool = False
    flows: threading.Event = field(default_factory=threading.Event)
    open: list[socket.socket] = field(default_factory=list)
    forgotten: list[threading.Event] = field(default_factory=list)

    @property
    def port(self) -> int:
        """Where it listens."""
        port: int = self.listening.getsockname()[1]
        return port

    def cut(self) -> None:
        """End what is open and, from now on, everything that comes."""
        self.is_cut = True
        for each in self.open:
            _end(each)
        self.open.clear()

    def mend(self) -> None:
        """Hand on again."""
        self.is_cut = False

    def forget(self) -> None:
        """Hand on nothing more of what is open, and tell neither end; hand on what comes."""
        self.flows.clear()
        self.forgotten.append(self.flows)
        self.flows = threading.Event()
        self.flows.set()

    def accept(self) -> None:
        """Hand on what comes, until the listening socket is closed."""
        while True:
            try:
                near, _ = self.listening.accept()
            except OSError:
                return
            if self.is_cut:
                near.close()
                continue
            far = socket.create_connection(self.target)
            self.open += [near, far]
            for one, other in ((near, far), (far, near)):
                words = (one, other, self.flows)
                threading.Thread(target=self._hand_on, args=words, daemon=True).start()

    @staticmethod
    def _hand_on(one: socket.socket, other: socket.socket, flows: threading.Event) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                flows.wait()
                other.sendall(data)
        _end(one)
        _end(other)


@contextmanager
def relay(host: str, port: int) -> Iterator[Relay]:
    """A relay to a server."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        made = Relay(listening, (host, port))
        made.flows.set()
        thread = threading.Thread(target=made.accept, daemon=True)
        thread.start()
        try:
            yield made
        finally:
            _end(listening)
            made.cut()
            for flows in (made.flows, *made.forgotten):
                flows.set()
            thread.join(PATIENCE_SECONDS)


def _end(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
