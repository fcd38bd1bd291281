"""Changed requests against a real server, by seed: no 5xx, nothing late, nothing told, no growth.

    python tests/fuzz.py --count 100000 --seed 1
    python tests/fuzz.py --seed 1 --only 4711

The requests are what tests send, documents show and the service describes: REST, GraphQL, MCP
and raw bytes. Request 4711 of seed 1 is always the same, and `--only` sends it alone and
prints what came back. The server is the product with the embedder `hash`, no rate limits;
addresses of webhooks are looked up at a DNS server that knows none. Exit codes: 0 when
nothing was found, 1 otherwise.
"""

import argparse
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parent / "support"))  # what tests share has no package

import httpx
from ai_service import LIGHT, asked
from answer_faults import MARK, faults, mark_of
from name_servers import dns_server, refusal
from raw_client import Heard, ask
from recorded_requests import Recorded, recorded
from request_mutations import mutated
from running_server import Running

PATIENCE_SECONDS = 2
THREADS = 6
SHOWN = 1500
"""How many bytes of a request that failed are shown."""
WARM_SHARE = 2
"""Memory is compared with what it was after half of the requests: the service's caches, which are
bounded and have room for 40 MiB, are full by then."""
MAX_GROWTH = 32 * 2**20
SETTLE_SECONDS = 8
"""After this time the service has given back the memory of its answers."""
SECRET = "github_pat_0123456789abcdef"  # noqa: S105 - planted, to be looked for
WEIGHTS = {"reads": 8, "writes": 5, "graphql": 6, "mcp": 5, "raw": 2}


@dataclass
class Failure:
    """A request that something is wrong with."""

    number: int
    kind: str
    data: bytes
    found: list[str]


@dataclass
class Fuzz:
    """A run against one server."""

    server: Running
    secrets: Sequence[bytes]
    seed: int
    requests: dict[str, list[Recorded]]
    answers: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    slow: int = 0
    """How many answers came too late once, and in time when asked again alone."""
    slowest: float = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def case(self, number: int) -> tuple[str, bytes]:
        """Return the kind and the bytes of a request."""
        random = Random(f"{self.seed}/{number}")  # noqa: S311 - to be repeated, not to be secret
        kind = random.choices([*WEIGHTS], [*WEIGHTS.values()])[0]
        chosen = random.choice(self.requests[kind])
        return kind, mutated(random, chosen.data, mark_of(number))

    def run(self, numbers: Sequence[int]) -> None:
        """Send these requests, several at a time, and judge what comes back."""
        with ThreadPoolExecutor(THREADS) as pool:
            for _ in pool.map(self._one, numbers, chunksize=50):
                pass
        late, self.failures = self.failures, []
        for failure in late:  # a busy machine is late once, a request that hangs always
            if self.check(failure.number)[0]:
                self.failures.append(failure)
            else:
                self.slow += 1

    def check(self, number: int) -> tuple[list[str], Heard]:
        """Send a request and return what is wrong with the answer, and the answer."""
        kind, data = self.case(number)
        heard = ask(self.server.place, data, PATIENCE_SECONDS)
        statuses = Counter(str(answer.status) for answer in heard.answers) or Counter(["-"])
        with self._lock:
            self.slowest = max(self.slowest, heard.seconds * bool(heard.answers))
            for status, count in statuses.items():
                self.answers[kind, status] += count
        return list(faults(number, heard, self.secrets)), heard

    def _one(self, number: int) -> None:
        found, _ = self.check(number)
        if found:
            kind, data = self.case(number)
            with self._lock:
                self.failures.append(Failure(number, kind, data, found))

    def table(self) -> Iterator[str]:
        """Yield how the requests of each kind were answered."""
        for kind in WEIGHTS:
            counts = {status: n for (of, status), n in self.answers.items() if of == kind}
            shown = "  ".join(f"{status}: {n:,}" for status, n in sorted(counts.items()))
            yield f"{kind:>8}  {shown}"


def telling_lines(server: Running) -> list[str]:
    """Return the lines of the log that hold what was sent, or a stack.

    The name that an agent gives itself stands in the log of requests, and nothing else does.
    """
    requests = [{**json.loads(line), "caller": ""} for line in server.output]
    lines = [*map(json.dumps, requests), *server.errors]
    return [line[:300] for line in lines if MARK in line or "Traceback" in line]


def resident(process: int) -> int:
    """Return the memory of a process. Units: bytes."""
    text = Path(f"/proc/{process}/status").read_text()
    return 1024 * int(text.partition("VmRSS:")[2].split()[0])


def descriptors(process: int) -> int:
    """Return how many files and sockets a process has open."""
    return len([*Path(f"/proc/{process}/fd").iterdir()])


@contextmanager
def started(seed: int) -> Iterator[Fuzz]:
    """A server, with what is to be sent to it."""
    limits = dict.fromkeys(("CHAT", "EMBED", "SUBSCRIBE", "CONTACT"), "0")
    with TemporaryDirectory() as name, dns_server(refusal("NXDOMAIN")) as names:
        settings = {f"{limit}_LIMIT": value for limit, value in limits.items()} | LIGHT
        settings |= {"DNS_RESOLVER": names.address, "GITHUB_TOKEN": SECRET}
        with asked(Path(name), **settings) as server:
            with httpx.Client(base_url=server.address, timeout=60) as client:
                every = recorded(client)
            grouped = {kind: [one for one in every if one.kind == kind] for kind in WEIGHTS}
            yield Fuzz(server, (SECRET.encode(), name.encode()), seed, grouped)


def settled(process: int) -> tuple[int, int]:
    """Return memory and open files of a process, once it has had time to give back."""
    time.sleep(SETTLE_SECONDS)
    return resident(process), descriptors(process)


def trial(fuzz: Fuzz, count: int) -> list[str]:
    """Send so many requests; return what is wrong beside the requests that failed."""
    process, first = fuzz.server.process, count // WARM_SHARE
    fuzz.run(range(first))
    before, opened = settled(process.pid)
    fuzz.run(range(first, count))
    if process.poll() is not None:
        return [f"the server ended with {process.returncode}"]
    after, left = settled(process.pid)
    print(
        f"memory {before / 2**20:.0f} MiB after {first:,} requests,"
        f" {after / 2**20:.0f} MiB after {count:,}; open files {opened} and {left}"
    )
    found = telling_lines(fuzz.server)
    if after - before > MAX_GROWTH:
        found.append(f"memory grew by {(after - before) / 2**20:.0f} MiB")
    if left > opened + THREADS:
        found.append(f"{left - opened} files were left open")
    return found


def main(words: Sequence[str]) -> int:
    """Run what the command line asks for; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="the number of one request")
    options = parser.parse_args(words)
    with started(options.seed) as fuzz:
        print(f"seed {options.seed}, {sum(map(len, fuzz.requests.values())):,} requests to change")
        if options.only is not None:
            found, heard = fuzz.check(options.only)
            print(fuzz.case(options.only)[1], heard, found, sep="\n")
            return bool(found)
        began = time.monotonic()
        wrong = trial(fuzz, options.count)
        print(*fuzz.table(), sep="\n")
        print(
            f"{options.count:,} requests in {time.monotonic() - began:.0f} s, the slowest answer"
            f" {fuzz.slowest:.2f} s, {fuzz.slow} late once and not when sent again"
        )
    for failure in fuzz.failures:
        print(f"seed {options.seed} request {failure.number} ({failure.kind}): {failure.found}")
        print(f"    {failure.data[:SHOWN]!r}")
    print(*wrong[:50], sep="\n")
    print(f"{len(fuzz.failures)} requests failed, {len(wrong)} other faults")
    return bool(fuzz.failures or wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
