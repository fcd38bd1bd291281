"""What questions wait, with the models, and the memory of all that answers them."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count, cycle
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import httpx
import orjson

from benches.http_load import (
    CONNECTIONS,
    SERVE,
    Pace,
    Question,
    Server,
    cost,
    free_port,
    serving,
    settings_of,
)
from benches.reads import heads, json_paths
from benches.table import Table
from benches.tools import message
from evals.material import STUDIOS, materials
from evals.system import PATIENCE_SECONDS, Service
from evals.trial import WARM_UP

LOCAL = {"AI_EMBEDDER": "minilm", "CHAT_LIMIT": "0", "EMBED_LIMIT": "0"}
READS, QUERIES, CALLS, LAST = 80, 10, 5, 99
MIXED_SECONDS = 3.0
QUESTIONS = 60
"""How many of each kind are asked at most."""

Kind = TypeVar("Kind")


def measure(pace: Pace) -> Iterator[Table]:
    """Yield what the questions that may be tuned on wait, one after the other; nothing if quick.

    To load the models for two studios takes a minute.
    """
    if pace.is_quick:
        return
    yield Table(
        "Search, chat and intent",
        (
            "studio",
            "first search s",
            "search p50 ms",
            "p99",
            "search again",
            "chat p50 ms",
            "from a field p50",
            "first byte p95",
            "chat again",
            "intent p50 ms",
            "intent again",
            "memory MiB",
            "mixed load µs",
        ),
        [(studio, *_asked(studio)) for studio in ("sample", "second")],
        "First search: from the start of the process, without kept vectors. Every question is new;"
        " the columns `again` have the median of the same question asked once more. Mixed load: CPU"
        " time of one answer. A thousand clients send, of each hundred requests, 80 reads, 10"
        " GraphQL queries, 5 tool calls, 4 searches and a chat; half of the questions were asked"
        " before.",
    )


def _asked(studio: str) -> Iterator[str]:
    """Yield what one studio's questions wait, as cells of its row."""
    content, asked = STUDIOS[studio], materials("tune", studio)
    searches = _some([each.text for own in asked for each in own.searches])
    chats = _some([each for own in asked for each in own.chats])
    goals = _some([each.text for own in asked for each in own.goals])
    with TemporaryDirectory() as data:
        port, began = free_port(), time.perf_counter()
        named = settings_of(port, content, data, **LOCAL)
        with (
            serving(SERVE, port, "/api/search", {"query": "ledger"}, settings=named) as server,
            httpx.Client(base_url=server.url, timeout=PATIENCE_SECONDS) as client,
        ):
            yield f"{time.perf_counter() - began:.1f}"
            service = Service(client, time.perf_counter)
            service.wait_for_answers()
            for text in WARM_UP:
                service.search(text)
                service.chat(text)
                service.route(text)
            found = [service.search(text).seconds for text in searches]
            yield from (_rank(found, 0.5), _rank(found, 0.99))
            yield _again(searches, service.search)
            answers = [service.chat(each.text, each.history) for each in chats]
            yield _rank([each.seconds for each in answers], 0.5)
            yield _rank([each.seconds for each in answers if each.basis == "field"], 0.5)
            streamed = [service.first_byte(f"{c.text} Thank you.", c.history) for c in chats]
            yield _rank(streamed, 0.95)
            yield _again(chats, lambda each: service.chat(each.text, each.history))
            yield _rank([_timed(service.route, goal) for goal in goals], 0.5)
            yield _again(goals, service.route)
            yield f"{server.memory():.0f}"
            yield f"{cost(server, mixed(server), CONNECTIONS, MIXED_SECONDS)[0]:.0f}"


def mixed(server: Server) -> Question:
    """Return what the population asks: mostly reads, and questions of which half are new."""
    paths, clients = (
        cycle(json_paths(server)),
        cycle(heads(server.port, leave_out=("Accept", "Origin"))),
    )
    draw, numbers = random.Random(3), count()  # noqa: S311 - the same load each time

    def post(path: str, body: object, accept: str = "application/json") -> bytes:
        data = orjson.dumps(body)
        lines = (
            f"POST {path} HTTP/1.1\r\nAccept: {accept}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(data)}\r\n"
        )
        return b"%b%b\r\n%b" % (lines.encode(), next(clients), data)

    def text() -> str:
        number = draw.choice((draw.randint(0, 9), 1000 + next(numbers)))
        return f"How does Tidebook reconcile the postings of desk {number}?"

    def make() -> bytes:
        kind = draw.randrange(100)
        if kind < READS:
            start = f"GET {next(paths)} HTTP/1.1\r\nAccept: */*\r\n".encode()
            return b"%b%b\r\n" % (start, next(clients))
        if kind < READS + QUERIES:
            return post("/api/graphql", {"query": "{ projects { slug name domains { name } } }"})
        if kind < READS + QUERIES + CALLS:
            return post("/mcp", message(), "application/json, text/event-stream")
        path = "/api/chat" if kind == LAST else "/api/search"
        return post(path, {"query": text()})

    return Question(make)


def _some(questions: Sequence[Kind]) -> Sequence[Kind]:
    """Return a part of them, from all authors alike."""
    return questions[:: -(-len(questions) // QUESTIONS)]


def _again(asked: Sequence[Any], ask: Callable[[Any], object]) -> str:
    """Return the median time of questions that were asked just before."""
    times = []
    for each in asked:
        ask(each)
        times.append(_timed(ask, each))
    return _rank(times, 0.5)


def _timed(ask: Callable[[Any], object], asked: Any) -> float:
    began = time.perf_counter()
    ask(asked)
    return time.perf_counter() - began


def _rank(times: Sequence[float], share: float) -> str:
    """Return the time that a share of all does not exceed, in milliseconds."""
    return f"{sorted(times)[int(len(times) * share)] * 1000:.1f}"
