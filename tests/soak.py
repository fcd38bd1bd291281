"""Mixed load for some minutes with a fault in each: what it costs, and what does not come back.

    python tests/soak.py --minutes 10
    python tests/soak.py --minutes 3 --kinds chat --callers 50 --no-faults --real-models

The product serves the sample studio with a PostgreSQL of its own, and delivers to receivers on
this machine. Faults: content that is invalid, content that is mended and has a new entry, twenty
signals to reload, and a PostgreSQL that is cut off and one that says nothing, each for ten
seconds. New entries are taken back, so that content does not grow. Exit codes: 0 when memory and
open files stay level, every answer is what its kind may get, and every line of the log at level
error belongs to a fault; 1 otherwise.
"""

import argparse
import itertools
import re
import signal
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

sys.path.append(str(Path(__file__).parent / "support"))  # what tests share has no package

import httpx
from contact_inbox import LETTER
from fuzz import descriptors, resident
from mcp_messages import headers_of, message
from running_server import share_models
from tcp_relay import Relay, relay
from webhook_server import Served, Studio, studio
from webhook_sinks import Sink, sink

MINUTE = 60
WARM_SECONDS = 60
"""For how long everything is asked for before the quiet level of memory is looked at: caches are
filled by then, and a minute of quiet follows, as it does after the run."""
AWAY_SECONDS = 10
"""How long a store is away."""
HEAL_SECONDS = 5
"""How soon after a fault nothing may be left of it."""
PAUSE_SECONDS = 0.02
"""Between two requests of one caller."""
MAX_BYTES = 600 * 10**6
"""The ceiling of a process with all models. Source: docs/security.md."""
MAX_LEFT = 1.2
"""How much of the quiet level may be left a minute after."""
MAX_DRIFT = 16 * 2**20
"""By how much memory may drift in the second half of a run. Units: bytes."""
MAX_FILES = 8
"""By how much open files may drift."""
OUTAGE = re.compile(r"rate.?limit|cannot be (?:checked|counted)|unavailable", re.IGNORECASE)
INVALID = re.compile(r"the content was not reloaded")
COUNTED = ("chat", "embed", "contact", "subscribe")

Ask = Callable[[httpx.Client, int], httpx.Response]


@dataclass(frozen=True)
class Sample:
    """What a process holds at one moment. Units: seconds since the start, bytes."""

    at: float
    memory: int
    files: int


@dataclass
class Soak:
    """A run against one service."""

    made: Studio
    served: Served
    receivers: Sink
    store: Relay
    began: float = field(default_factory=time.monotonic)
    answers: list[tuple[float, str, int, float]] = field(default_factory=list)
    """When, of which kind, with which status, and after how many seconds."""
    samples: list[Sample] = field(default_factory=list)
    faults: list[tuple[float, float, str]] = field(default_factory=list)
    """From when until when, and which."""
    ending: threading.Event = field(default_factory=threading.Event)

    @property
    def now(self) -> float:
        """The seconds since the start."""
        return time.monotonic() - self.began

    def call(self, kind: str, ask: Ask) -> None:
        """Ask again and again until the run ends."""
        with httpx.Client(base_url=self.served.address, timeout=120) as client:
            for number in itertools.count():
                if self.ending.wait(PAUSE_SECONDS):
                    return
                began = self.now
                try:
                    status = ask(client, number).status_code
                except httpx.HTTPError:
                    status = 0
                self.answers.append((began, kind, status, self.now - began))

    def watch(self) -> None:
        """Note what the process holds each second."""
        process = self.served.process.pid
        while not self.ending.wait(1):
            self.samples.append(Sample(self.now, resident(process), descriptors(process)))

    @contextmanager
    def fault(self, name: str) -> Iterator[None]:
        """Note from when until when there is a fault."""
        began = self.now
        yield
        self.faults.append((began, self.now + HEAL_SECONDS, name))

    def subscribe(self, _: httpx.Client, number: int) -> httpx.Response:
        """Subscribe and end it; return the last answer."""
        url = self.receivers.url("soak", number % 4)
        made = self.served.subscribe(url)
        if made.status_code != httpx.codes.CREATED:
            return made
        told = made.json()
        return self.served.unsubscribe(told["id"], told["secret"])

    def log(self) -> str:
        """Return what the service has logged beside requests."""
        return (self.made.folder / "log").read_text(errors="replace")


def read(client: httpx.Client, number: int) -> httpx.Response:
    """Read something."""
    paths = ("/", "/api/projects", "/api/faq?limit=3", "/api/manifest.sig", "/llms-full.txt")
    return client.get(paths[number % len(paths)])


def query(client: httpx.Client, number: int) -> httpx.Response:
    """Ask a document that nobody asked before."""
    document = f"{{ a{number}: projects {{ slug name related {{ slug }} }} }}"
    return client.post("/api/graphql", json={"query": document})


def tool(client: httpx.Client, number: int) -> httpx.Response:
    """Call a tool."""
    calls: tuple[tuple[str, dict[str, str]], ...] = (
        ("list_projects", {}),
        ("search", {"query": f"tides {number}"}),
    )
    name, arguments = calls[number % len(calls)]
    sent = message("tools/call", name=name, arguments=arguments)
    return client.post("/mcp", json=sent, headers=headers_of(sent, "2025-11-25"))


def chat(client: httpx.Client, number: int) -> httpx.Response:
    """Ask a question, each second one as a stream."""
    accept = ("application/json", "text/event-stream")[number % 2]
    words = " ".join(f"What does project {number + extra} cost?" for extra in range(number % 7 + 1))
    return client.post("/api/chat", json={"query": words}, headers={"accept": accept})


def search(client: httpx.Client, number: int) -> httpx.Response:
    """Search."""
    return client.post("/api/search", json={"query": f"tides and tenders {number}"})


def embed(client: httpx.Client, number: int) -> httpx.Response:
    """Have texts embedded."""
    texts = [f"text {number} " * (number % 50 + 1) for _ in range(number % 4 + 1)]
    return client.post("/api/embed", json={"input": texts})


def contact(client: httpx.Client, number: int) -> httpx.Response:
    """Write to the human."""
    return client.post("/api/contact", json={**LETTER, "message": f"{LETTER['message']} {number}"})


@contextmanager
def publishing(soak: Soak) -> Iterator[None]:
    """Take back what is published meanwhile: memory is compared for equal content."""
    file = soak.made.folder / "content" / "changelog.toml"
    before, beside = file.read_text(), file.with_suffix(".new")
    yield
    soak.ending.wait(AWAY_SECONDS)
    beside.write_text(before)
    beside.replace(file)
    soak.served.process.send_signal(signal.SIGHUP)


def break_content(soak: Soak) -> None:
    """Have invalid content read."""
    file = soak.made.folder / "content" / "glossary.toml"
    good = file.read_text()
    with soak.fault("invalid content"):
        file.write_text(good + "\n[[glossary]]\ncolour = 1\n")
        soak.served.process.send_signal(signal.SIGHUP)
        soak.ending.wait(AWAY_SECONDS)
        file.write_text(good)
    with publishing(soak):
        soak.made.publish()


def signals(soak: Soak) -> None:
    """Have the content read twenty times in a row, each time with a new entry."""
    with soak.fault("20 reloads"), publishing(soak):
        for _ in range(20):
            soak.made.publish()


def stop_store(soak: Soak) -> None:
    """Take the store away for a while."""
    with soak.fault("store stopped"):
        soak.store.cut()
        soak.ending.wait(AWAY_SECONDS)
        soak.store.mend()


def pause_store(soak: Soak) -> None:
    """Let the store stand still for a while."""
    with soak.fault("store paused"):
        soak.store.flows.clear()
        soak.ending.wait(AWAY_SECONDS)
        soak.store.flows.set()


FAULTS = (break_content, stop_store, signals, pause_store)


def unexplained(soak: Soak) -> list[str]:
    """Return answers and lines of the log that no fault explains."""
    outages = [(a, b) for a, b, name in soak.faults if name.startswith("store")]
    found: Counter[str] = Counter()
    for at, kind, status, seconds in soak.answers:
        is_away = any(a - 1 <= at + seconds and at <= b for a, b in outages)
        may = {200, 201, 429} if kind == "subscribe" else {200}
        if status not in may and not (status == 503 and is_away and kind in COUNTED):
            found[f"{kind} answered {status}"] += 1
    names = {name for *_, name in soak.faults}
    for line in soak.log().splitlines():
        if not re.match(r"\S+ \S+ (?:ERROR|CRITICAL) |Traceback", line):
            continue
        is_invalid = "invalid content" in names and INVALID.search(line)
        if not is_invalid and not (outages and OUTAGE.search(line)):
            found[f"logged {line[:200]}"] += 1
    return [f"{count} x {what}" for what, count in found.most_common(20)]


def drift(samples: Sequence[Sample], value: Callable[[Sample], float]) -> float:
    """Return by how much a value drifts over the samples, as a straight line has it."""
    if len(samples) < 3:
        return 0
    line = statistics.linear_regression([s.at for s in samples], [value(s) for s in samples])
    return line.slope * (samples[-1].at - samples[0].at)


def table(soak: Soak) -> Iterator[str]:
    """Yield one line for each minute."""
    yield "minute  requests   5xx  read p50  p99 ms   MiB files  fault"
    for minute in range(int(soak.samples[-1].at // MINUTE) + 1):
        span = range(minute * MINUTE, (minute + 1) * MINUTE)
        here = [one for one in soak.answers if int(one[0]) in span]
        held = [sample for sample in soak.samples if int(sample.at) in span]
        reads = sorted(1000 * one[3] for one in here if one[1] == "reads") or [0.0]
        names = ", ".join(name for at, _, name in soak.faults if int(at) in span)
        broken = sum(one[2] >= 500 for one in here)
        if not held:
            break
        yield (
            f"{minute:>6} {len(here):>9,} {broken:>5} {statistics.median(reads):>9.1f}"
            f" {reads[int(len(reads) * 0.99)]:>7.1f} {held[-1].memory / 2**20:>5.0f}"
            f" {held[-1].files:>5}  {names}"
        )


def run(
    soak: Soak, kinds: Sequence[str], callers: int, minutes: float, *, has_faults: bool
) -> None:
    """Load the service for so many minutes."""
    asks: dict[str, Ask] = {
        "reads": read,
        "graphql": query,
        "mcp": tool,
        "chat": chat,
        "search": search,
        "embed": embed,
        "contact": contact,
        "subscribe": soak.subscribe,
    }
    threads = [threading.Thread(target=soak.watch)]
    for kind in kinds or [*asks]:
        threads += [
            threading.Thread(target=soak.call, args=(kind, asks[kind])) for _ in range(callers)
        ]
    for kept in (soak.answers, soak.samples, soak.faults):
        kept.clear()
    soak.ending.clear()
    soak.began = time.monotonic()
    for thread in threads:
        thread.start()
    for number in itertools.count():
        left = minutes * MINUTE - soak.now
        step = min(MINUTE, left) / 2
        if left <= 1:
            break
        time.sleep(step)
        if has_faults:
            FAULTS[number % len(FAULTS)](soak)
        time.sleep(max(0, min(minutes, number + 1) * MINUTE - soak.now))
    soak.ending.set()
    for thread in threads:
        thread.join()


def judge(soak: Soak, before: int, after: int) -> list[str]:
    """Return what is wrong with memory, open files, answers and the log."""
    late = soak.samples[len(soak.samples) // 2 :]
    memory, files = drift(late, lambda s: s.memory), drift(late, lambda s: s.files)
    peak = max(sample.memory for sample in soak.samples)
    print(
        f"memory {before / 2**20:.0f} MiB before, {peak / 2**20:.0f} at its peak,"
        f" {after / 2**20:.0f} a minute after; in the second half it drifts by"
        f" {memory / 2**20:+.1f} MiB, open files by {files:+.1f}"
    )
    wrong = unexplained(soak)
    if memory > MAX_DRIFT:
        wrong.append("memory drifts")
    if files > MAX_FILES:
        wrong.append("open files drift")
    if peak > MAX_BYTES:
        wrong.append("memory is over its ceiling")
    if after > MAX_LEFT * before:
        wrong.append("memory is not given back")
    return wrong


@contextmanager
def before_store(made: Studio) -> Iterator[Relay]:
    """A relay through which a studio reaches its PostgreSQL."""
    url = made.environment["STUDIOGRAPH_DATABASE_URL"]
    parts = urlsplit(url)
    host, port = parts.hostname or "127.0.0.1", parts.port or 5432
    with relay(host, port) as between:
        near = url.replace(f"{host}:{port}", f"127.0.0.1:{between.port}")
        made.environment["STUDIOGRAPH_DATABASE_URL"] = near
        try:
            yield between
        finally:
            between.flows.set()


@contextmanager
def started(*, has_models: bool) -> Iterator[Soak]:
    """A service that answers questions, with receivers and a store of its own."""
    limits = dict.fromkeys(("CHAT_LIMIT", "CONTACT_LIMIT", "EMBED_LIMIT"), "100000/hour")
    models = {"AI_LLM": "extractive", "AI_EMBEDDER": "" if has_models else "hash"}
    with TemporaryDirectory() as name, sink(8) as receivers:
        folder = Path(name) / "studio"
        folder.mkdir()
        share_models(folder / "var")
        with studio("postgresql", folder, **limits, **models) as made, before_store(made) as store:
            served = made.start(stops=True)
            with httpx.Client(base_url=served.address, timeout=120) as client:
                while client.get("/readyz").json()["answers"] != "ready":
                    with suppress(httpx.HTTPError):
                        search(client, 0)
                for number in range(10):  # whatever is loaded by the first question
                    chat(client, number)
            yield Soak(made, served, receivers, store)


def main(words: Sequence[str]) -> int:
    """Run what the command line asks for; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--kinds", nargs="*", default=[], help="which requests; all by default")
    parser.add_argument("--callers", type=int, default=1, help="of each kind")
    parser.add_argument("--no-faults", action="store_true")
    parser.add_argument("--real-models", action="store_true", help="not the embedder hash")
    options = parser.parse_args(words)
    with started(has_models=options.real_models) as soak:
        process = soak.served.process
        # What the first requests of each kind load and make is no growth of the run.
        run(soak, options.kinds, options.callers, WARM_SECONDS / MINUTE, has_faults=False)
        time.sleep(MINUTE)
        before = resident(process.pid)
        run(soak, options.kinds, options.callers, options.minutes, has_faults=not options.no_faults)
        if process.poll() is not None:
            print(f"the service ended with {process.returncode}", soak.log()[-3000:], sep="\n")
            return 1
        time.sleep(MINUTE)
        print(*table(soak), sep="\n")
        wrong = judge(soak, before, resident(process.pid))
    print(*wrong, f"{len(wrong)} faults", sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
