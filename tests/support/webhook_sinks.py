"""The process that receives webhooks, started and given orders."""

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import webhook_sink_program
from child_process import program, read_line
from webhook_sink_program import Entry

RIGHT = ("text", "json", "object", "form", "websub")
WRONG = ("none", "wrong", "substring", "same", "redirect", "huge", "late", "drip")
"""How a challenge is answered."""
OK: tuple[int, dict[str, str]] = (200, {})


@dataclass
class Sink:
    """The process, and the ports it listens on."""

    process: "subprocess.Popen[str]"
    ports: list[int]
    taken: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, count: int) -> range:
        """So many ports that nobody has taken, by their places."""
        self.taken += count
        assert self.taken <= len(self.ports)
        return range(self.taken - count, self.taken)

    def url(self, hook: str, port: int = 0) -> str:
        """The address of a hook, at one of the ports by its place among them."""
        return f"http://127.0.0.1:{self.ports[port]}/hooks/{hook}"

    def rule(self, hook: str, **rule: Any) -> None:
        """Have a hook answer so from now on: the fields of `sink_program.Rule`."""
        self.tell("rule", hook, rule)

    def counts(self) -> Any:
        """How much was seen, acknowledged at least once, seen again; and what else is counted."""
        return self.tell("counts")

    def ledger(self, hook: str = "") -> list[Entry]:
        """Every delivery, or those to a hook, the oldest first."""
        entries = [Entry(**plain) for plain in self.tell("ledger")]
        return [entry for entry in entries if hook in ("", entry.hook)]

    def acked(self) -> Counter[tuple[str, str]]:
        """How often each message was acknowledged, by hook and id."""
        return Counter((entry.hook, entry.id) for entry in self.ledger() if entry.acked)

    def tell(self, *words: Any) -> Any:
        """What comes of an order."""
        assert self.process.stdin is not None
        with self.lock:
            self.process.stdin.write(json.dumps(words) + "\n")
            self.process.stdin.flush()
            return json.loads(read_line(self.process))


@contextmanager
def sink(ports: int = 1) -> Iterator[Sink]:
    """The process, on so many ports, which ends with the block."""
    with program(sys.executable, webhook_sink_program.__file__, str(ports)) as process:
        yield Sink(process, json.loads(read_line(process)))
