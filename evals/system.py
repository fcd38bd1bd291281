"""The measured service over HTTP: the only module that knows the requests and responses."""

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

PATIENCE_SECONDS = 180
PACE_SECONDS = 0.02
MAX_HITS = 10
MAX_TEXTS, MAX_TEXT_LENGTH = 20, 2_000
"""The limits of one call to embed."""
UNAVAILABLE = 503

_MARKER = re.compile(r"\s*\[(\d+)\]")

Turns = Sequence[tuple[str, str]]
"""The roles and texts of a conversation, oldest first."""


class MeasuredSystemError(Exception):
    """The service does not start, or its response is not what it promises."""


@dataclass(frozen=True)
class Found:
    """The results of a search as `<kind>/<slug>`, and the time it took."""

    entries: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Answered:
    """A chat answer, what it says of itself, and the time it took.

    `cited` has the addresses that the text cites, in order, with the pointer to a field after `#`;
    `answered` and `basis` are `unknown` where the service does not say them.
    """

    text: str
    answered: str
    basis: str
    cited: tuple[str, ...]
    passes_lint: bool
    seconds: float

    @property
    def words(self) -> str:
        """The text on one line, without its markers."""
        return " ".join(_MARKER.sub("", self.text).split())


@dataclass(frozen=True)
class Recommended:
    """A recommended request; `ready` if it may be sent as it is, with high confidence."""

    operation: str
    path: str
    body: Mapping[str, Any] | None
    ready: bool


class Service:
    """The service behind a client. Its methods raise `MeasuredSystemError`."""

    def __init__(self, client: httpx.Client, clock: Callable[[], float]) -> None:
        self._client = client
        self._clock = clock

    def about(self) -> dict[str, Any]:
        """Return what runs: model, embedder and mode."""
        body = self._post("/api/search", {"query": "ledger"})
        return {"model": body["model"], **body["retrieval"]}

    def search(self, text: str) -> Found:
        """Search for a text."""
        started_at = self._clock()
        body = self._post("/api/search", {"query": text, "limit": MAX_HITS})
        seconds = self._clock() - started_at
        return Found(tuple(f"{hit['kind']}/{hit['slug']}" for hit in body["results"]), seconds)

    def chat(self, text: str, history: Turns = ()) -> Answered:
        """Ask a question, after the turns of a conversation."""
        started_at = self._clock()
        body = self._post("/api/chat", _question(text, history))
        seconds = self._clock() - started_at
        sources = {
            int(item["n"]): f"{item['url']}#{pointer}"
            if (pointer := item.get("pointer"))
            else item["url"]
            for item in body["citations"]
        }
        marks = dict.fromkeys(int(mark) for mark in _MARKER.findall(body["answer"]))
        return Answered(
            body["answer"],
            body["answered"],
            body["basis"],
            tuple(dict.fromkeys(sources[mark] for mark in marks if mark in sources)),
            body["citationLint"]["ok"],
            seconds,
        )

    def first_byte(self, text: str, history: Turns = ()) -> float:
        """Return the time until a streamed answer begins. Units: seconds."""
        headers = {"accept": "text/event-stream"}
        started_at = self._clock()
        with self._client.stream(
            "POST", "/api/chat", json=_question(text, history), headers=headers
        ) as response:
            _check(response)
            chunks = response.iter_raw()
            next(chunks)
            seconds = self._clock() - started_at
            for _ in chunks:  # read to the end, so that the connection can be used again
                pass
        return seconds

    def route(self, goal: str) -> tuple[Recommended, ...]:
        """Return the recommendations for a goal, the best first."""
        body = self._post("/api/intent", {"goal": goal})
        return tuple(
            Recommended(
                item["operation"],
                item["request"]["path"],
                item["request"].get("body"),
                ready=not item["requires"] and item["confidence"] == "high",
            )
            for item in body["recommendations"]
        )

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
        self._wait("/api/search", {"query": "ledger"})

    def wait_for_answers(self) -> None:
        """Wait until the models answer. Raises: MeasuredSystemError if that takes too long."""
        pace, deadline = threading.Event(), self._clock() + PATIENCE_SECONDS
        while self._client.get("/readyz").json().get("answers") != "ready":
            if self._clock() > deadline:
                raise MeasuredSystemError("the models did not become ready in time")
            pace.wait(PACE_SECONDS)

    def _wait(self, path: str, body: Mapping[str, Any]) -> None:
        pace, deadline = threading.Event(), self._clock() + PATIENCE_SECONDS
        while (response := self._client.post(path, json=body)).status_code == UNAVAILABLE:
            if self._clock() > deadline:
                raise MeasuredSystemError("the service did not become ready in time")
            pace.wait(PACE_SECONDS)
        _check(response)

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        response = self._client.post(path, json=body)
        _check(response)
        return response.json()


def _question(text: str, history: Turns) -> dict[str, Any]:
    if not history:
        return {"query": text}
    turns = [*history, ("user", text)]
    return {"messages": [{"role": role, "content": content} for role, content in turns]}


def _check(response: httpx.Response) -> None:
    if not response.is_success:
        raise MeasuredSystemError(f"{response.request.url.path} answers {response.status_code}")
