"""The system that is measured, and the real service as one, asked over HTTP.

This is the only file of the evaluation that knows what requests and answers look like. It judges
nothing and starts nothing.
"""

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import httpx

PATIENCE_SECONDS = 60
PACE_SECONDS = 0.02
MOST_HITS = 10
MOST_TEXTS, LONGEST_TEXT = 20, 2_000
"""What one call embeds."""
UNAVAILABLE = 503

_MARKER = re.compile(r"\[(\d+)\]")


class SystemFault(Exception):
    """The service does not start or does not answer as it says it does."""


@dataclass(frozen=True)
class Found:
    """What a search gave, as `<kind>/<slug>`, and how long it took."""

    entries: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Answered:
    """What the chat said: its band, the entries its markers lead to in their order, its lint."""

    band: str
    cited: tuple[str, ...]
    passes: bool


@dataclass(frozen=True)
class Recommended:
    """An operation that is recommended, and the path of the request that is made for it."""

    operation: str
    path: str


class System(Protocol):
    """What is measured."""

    def about(self) -> dict[str, Any]:
        """What runs: model, embedder and mode."""
        ...

    def search(self, text: str) -> Found:
        """What is found for a text."""
        ...

    def chat(self, text: str) -> Answered:
        """What is answered to a question."""
        ...

    def first_byte(self, text: str) -> float:
        """How long a streamed answer takes to begin. Units: seconds."""
        ...

    def nothing(self) -> float:
        """How long a call takes that needs no work: the share of HTTP. Units: seconds."""
        ...

    def route(self, goal: str) -> list[Recommended]:
        """What is recommended for a goal, the best first."""
        ...

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of texts."""
        ...


class Service:
    """The service behind an address."""

    def __init__(self, client: httpx.Client, clock: Callable[[], float]) -> None:
        self._client = client
        self._clock = clock

    def about(self) -> dict[str, Any]:
        """What runs. Raises: SystemFault."""
        body = self._post("/api/search", {"query": "ledger"})
        return {"model": body["model"], **body["retrieval"]}

    def search(self, text: str) -> Found:
        """What is found for a text. Raises: SystemFault."""
        begun = self._clock()
        body = self._post("/api/search", {"query": text, "limit": MOST_HITS})
        seconds = self._clock() - begun
        return Found(tuple(_name(result) for result in body["results"]), seconds)

    def chat(self, text: str) -> Answered:
        """What is answered to a question. Raises: SystemFault."""
        body = self._post("/api/chat", {"query": text})
        by_number = {citation["n"]: _name(citation) for citation in body["citations"]}
        marks = [int(mark) for mark in _MARKER.findall(body["answer"])]
        cited = dict.fromkeys(by_number[mark] for mark in marks if mark in by_number)
        return Answered(body["retrieval"]["band"], tuple(cited), body["citationLint"]["ok"])

    def first_byte(self, text: str) -> float:
        """How long a streamed answer takes to begin. Raises: SystemFault. Units: seconds."""
        headers = {"accept": "text/event-stream"}
        begun = self._clock()
        with self._client.stream("POST", "/api/chat", json={"query": text}, headers=headers) as got:
            _refuse(got)
            pieces = got.iter_raw()
            next(pieces)
            seconds = self._clock() - begun
            for _ in pieces:  # to the end, or the connection could not be used again
                pass
        return seconds

    def nothing(self) -> float:
        """How long a call takes that needs no work. Raises: SystemFault. Units: seconds."""
        begun = self._clock()
        _refuse(self._client.get("/healthz"))
        return self._clock() - begun

    def route(self, goal: str) -> list[Recommended]:
        """What is recommended for a goal. Raises: SystemFault."""
        body = self._post("/api/intent", {"goal": goal})
        return [
            Recommended(item["operation"], item["request"]["path"])
            for item in body["recommendations"]
        ]

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of texts. Raises: SystemFault."""
        rows: list[list[float]] = []
        for first in range(0, len(texts), MOST_TEXTS):
            asked = [text[:LONGEST_TEXT] for text in texts[first : first + MOST_TEXTS]]
            rows += [
                item["embedding"] for item in self._post("/api/embed", {"input": asked})["data"]
            ]
        return rows

    def wait(self) -> None:
        """Nothing, once it can search. Raises: SystemFault."""
        pace, deadline = threading.Event(), self._clock() + PATIENCE_SECONDS
        while (got := self._client.post("/api/search", json={"query": "ledger"})).status_code == (
            UNAVAILABLE
        ):
            if self._clock() > deadline:
                raise SystemFault("the service did not become ready in time")
            pace.wait(PACE_SECONDS)
        _refuse(got)

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        got = self._client.post(path, json=body)
        _refuse(got)
        return got.json()


def _name(item: Mapping[str, Any]) -> str:
    return f"{item['kind']}/{item['slug']}"


def _refuse(got: httpx.Response) -> None:
    if not got.is_success:
        raise SystemFault(f"{got.request.url.path} answers {got.status_code}")
