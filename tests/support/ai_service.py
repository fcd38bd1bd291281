"""Helpers that start the server with loaded models and ask it questions."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
from contact_inbox import desk
from httpx_sse import ServerSentEvent, connect_sse
from mcp_messages import Ask
from running_server import Running, eventually

LOADING_SECONDS = 150
"""Less than a test of a server may take; two cores that other work slows have needed 90."""
ASKING = httpx.Timeout(LOADING_SECONDS, read=0.3)
"""Long enough for a question to arrive, and less than it takes to load models."""
CHAT = "/api/chat"
EVENTS = {"accept": "text/event-stream"}
QUESTION = {"query": "What is Tidebook?"}
LIGHT = {"AI_EMBEDDER": "hash"}
"""Where it does not matter what turns texts into vectors."""


@contextmanager
def asked(folder: Path, *words: str, **settings: str) -> Iterator[Running]:
    """The real server with these settings, once its models are loaded."""
    with desk(folder, *words, **settings) as server:
        await_models(server)
        yield server


def await_models(server: Running, state: str = "ready") -> None:
    """Wait until the service says so of its models."""
    begin_loading(server)
    with httpx.Client(base_url=server.address, timeout=LOADING_SECONDS) as client:
        eventually(lambda: answers_state(client) == state, LOADING_SECONDS)


def begin_loading(server: Running) -> None:
    """Have the models loaded at once by a question that nobody waits for.

    Otherwise the service begins some seconds after its start.
    """
    with suppress(httpx.ReadTimeout):
        httpx.post(f"{server.address}/api/search", json={"query": "tides"}, timeout=ASKING)


def answers_state(client: httpx.Client) -> str:
    """What the service says of its models."""
    return str(client.get("/readyz").json()["answers"])


def asks(client: httpx.Client) -> Ask:
    """The client's requests as the helpers of MCP make them."""

    def ask(path: str, method: str = "GET", **options: Any) -> httpx.Response:
        return client.request(method, path, **options)

    return ask


def told(client: httpx.Client, body: dict[str, Any]) -> list[ServerSentEvent]:
    """The events of an answer, read by another library."""
    with connect_sse(client, "POST", CHAT, json=body) as source:
        assert source.response.status_code == 200
        return list(source.iter_sse())


def said(events: list[ServerSentEvent]) -> str:
    """The answer that the events tell."""
    return "".join(event.json()["token"] for event in events if event.event == "data")
