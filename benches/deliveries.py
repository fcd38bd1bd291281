"""How many deliveries a second one machine makes, and what they cost in memory.

    python -m benches.deliveries --count 10000

The real service and real receivers on the loopback, on SQLite and on PostgreSQL (where
`TEST_POSTGRES_URL` says). Its settings are the defaults but for three: no limit of subscriptions
for one caller, the embedder `hash`, and no language model. Every delivery is a signed request of
its own. The clock runs from the signal to read new entries to the last acknowledgement.
"""

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))  # no package

from databases import KINDS
from webhook_server import PER_HOST, Served, studio
from webhook_sinks import sink

ENTRIES = 20
"""How many entries are published at once: the count is spread over as many subscriptions."""
LONGEST_SECONDS = 1800
LOOK_SECONDS = 0.25
HEADS = ("Store", "Processes", "Deliveries", "Seconds", "Deliveries/s", "Sent twice", "Peak MiB")


@dataclass(frozen=True)
class Result:
    """What one store came to. Units: seconds, mebibytes of all processes together."""

    store: str
    processes: int
    count: int
    seconds: float
    again: int
    peak_mib: float

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        rate = self.count / self.seconds
        return (
            {"sqlite": "SQLite", "postgresql": "PostgreSQL"}[self.store],
            str(self.processes),
            f"{self.count:,}",
            f"{self.seconds:.1f}",
            f"{rate:.0f}",
            str(self.again),
            f"{self.peak_mib:.0f}",
        )


def measure(kind: str, count: int, processes: int) -> Result:
    """Measure one kind of store."""
    entries = min(ENTRIES, count)
    hooks = [f"h{number}" for number in range(-(-count // entries))]
    hosts = -(-len(hooks) // PER_HOST)
    with (
        TemporaryDirectory() as folder,
        sink(hosts) as receivers,
        studio(kind, Path(folder)) as made,
    ):
        for hook in hooks:
            receivers.rule(hook, keep=False)
        served = made.start(workers=processes)
        served.follow(receivers, hooks)
        whole = len(hooks) * entries
        began = time.monotonic()
        made.publish(entries)
        _wait(lambda: receivers.counts()["acked"] >= whole)
        seconds = time.monotonic() - began
        again = receivers.counts()["again"]
        return Result(kind, processes, whole, seconds, again, _peak_mib(served))


def _wait(true: Callable[[], bool]) -> None:
    """Nothing, once it is true. Raises: TimeoutError."""
    pace, deadline = threading.Event(), time.monotonic() + LONGEST_SECONDS
    while not true():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not done in {LONGEST_SECONDS} s")
        pace.wait(LOOK_SECONDS)


def _peak_mib(served: Served) -> float:
    peaks = []
    for process in (served.process.pid, *served.workers()):
        status = Path(f"/proc/{process}/status").read_text()
        peaks.append(int(status.partition("VmHWM:")[2].split()[0]))
    return sum(peaks) / 1024


def shown(results: Sequence[Result], *, markdown: bool) -> str:
    """Return the results as a table."""
    rows = [HEADS, *(result.cells for result in results)]
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    lines = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    if not markdown:
        return "\n".join("  ".join(line).rstrip() for line in lines)
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> int:
    """0 once it is measured."""
    parser = argparse.ArgumentParser(description="Deliveries a second, on each store.")
    parser.add_argument("--count", type=int, default=10_000, help="how many deliveries")
    parser.add_argument("--workers", type=int, default=1, help="how many server processes")
    parser.add_argument("--store", choices=KINDS, action="append", help="only this store")
    parser.add_argument("--markdown", action="store_true", help="print the table for a paper")
    words = parser.parse_args()
    results = [measure(kind, words.count, words.workers) for kind in words.store or KINDS]
    print(shown(results, markdown=words.markdown))
    print(f"{os.cpu_count()} processors, Python {sys.version.partition(' ')[0]}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
