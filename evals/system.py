"""The measured system, and its implementation that calls the real service over HTTP.

This is the only module of the evaluation that knows the requests and responses.
"""

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import httpx

PATIENCE_SECONDS = 60
PACE_SECONDS = 0.02
MAX_HITS = 10
MAX_TEXTS, MAX_TEXT_LENGTH = 20, 2_000
"""The limits of one call to embed."""
UNAVAILABLE = 503

_MARKER = re.compile(r"\[(\d+)\]")


class MeasuredSystemError(Exception):
    """The service does not start, or its response is not what it promises."""


@dataclass(frozen=True)
class Found:
    """The results of a search as `<kind>/<slug>`, and the time it took."""

    entries: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Answered:
    """A chat answer: its band, the cited entries in order, and whether its check passed."""

    band: str
    cited: tuple[str, ...]
    passes: bool


@dataclass(frozen=True)
class Recommended:
    """A recommended operation and the path of its request."""

    operation: str
    path: str


class System(Protocol):
    """A system that can be measured."""

    def about(self) -> dict[str, Any]:
        """Return what runs: model, embedder and mode."""
        ...

    def search(self, text: str) -> Found:
        """Search for a text."""
        ...

    def chat(self, text: str) -> Answered:
        """Ask a question in chat."""
        ...

    def first_byte(self, text: str) -> float:
        """Return the time until a streamed answer begins. Units: seconds."""
        ...

    def nothing(self) -> float:
        """Return the time of a call that does nothing, which is that of HTTP. Units: seconds."""
        ...

    def route(self, goal: str) -> list[Recommended]:
        """Return the recommendations for a goal, the best first."""
        ...

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed texts."""
        ...


class Service:
    """A `System` that calls the service over HTTP. Its methods raise `MeasuredSystemError`."""

    def __init__(self, client: httpx.Client, clock: Callable[[], float]) -> None:
        self._client = client
        self._clock = clock

    def about(self) -> dict[str, Any]:
        """Return what runs."""
        body = self._post("/api/search", {"query": "ledger"})
        return {"model": body["model"], **body["retrieval"]}

    def search(self, text: str) -> Found:
        """Search for a text."""
        started_at = self._clock()
        body = self._post("/api/search", {"query": text, "limit": MAX_HITS})
        seconds = self._clock() - started_at
        return Found(tuple(_name(result) for result in body["results"]), seconds)

    def chat(self, text: str) -> Answered:
        """Ask a question in chat."""
        body = self._post("/api/chat", {"query": text})
        by_number = {citation["n"]: _name(citation) for citation in body["citations"]}
        marks = [int(mark) for mark in _MARKER.findall(body["answer"])]
        cited = dict.fromkeys(by_number[mark] for mark in marks if mark in by_number)
        return Answered(body["retrieval"]["band"], tuple(cited), body["citationLint"]["ok"])

    def first_byte(self, text: str) -> float:
        """Return the time until a streamed answer begins. Units: seconds."""
        headers = {"accept": "text/event-stream"}
        started_at = self._clock()
        with self._client.stream(
            "POST", "/api/chat", json={"query": text}, headers=headers
        ) as response:
            _check(response)
            chunks = response.iter_raw()
            next(chunks)
            seconds = self._clock() - started_at
            for _ in chunks:  # read to the end, so that the connection can be used again
                pass
        return seconds

    def nothing(self) -> float:
        """Return the time of a call that does nothing. Units: seconds."""
        started_at = self._clock()
        _check(self._client.get("/healthz"))
        return self._clock() - started_at

    def route(self, goal: str) -> list[Recommended]:
        """Return the recommendations for a goal, the best first."""
        body = self._post("/api/intent", {"goal": goal})
        return [
            Recommended(item["operation"], item["request"]["path"])
            for item in body["recommendations"]
        ]

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed texts."""
        rows: list[list[float]] = []
        for first in range(0, len(texts), MAX_TEXTS):
            batch = [text[:MAX_TEXT_LENGTH] for text in texts[first : first + MAX_TEXTS]]
            rows += [
                item["embedding"] for item in self._post("/api/embed", {"input": batch})["data"]
            ]
        return rows

    def wait(self) -> None:
        """Wait until the service can search. Raises: MeasuredSystemError if that takes too long."""
        pace, deadline = threading.Event(), self._clock() + PATIENCE_SECONDS
        while (
            response := self._client.post("/api/search", json={"query": "ledger"})
        ).status_code == (UNAVAILABLE):
            if self._clock() > deadline:
                raise MeasuredSystemError("the service did not become ready in time")
            pace.wait(PACE_SECONDS)
        _check(response)

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        response = self._client.post(path, json=body)
        _check(response)
        return response.json()


def _name(item: Mapping[str, Any]) -> str:
    return f"{item['kind']}/{item['slug']}"


def _check(response: httpx.Response) -> None:
    if not response.is_success:
        raise MeasuredSystemError(f"{response.request.url.path} answers {response.status_code}")
