"""Words of callers that stand in no log, no metric and no file that they do not belong in."""

import socket
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import httpx
import pytest
from ai_service import LIGHT, await_models
from contact_inbox import delivered, desk
from mcp_messages import headers_of, message
from running_server import Running, eventually

KINDS = ("name", "company", "mail", "text", "token", "url", "question", "query")
ROUNDS = 8
CANARIES = {
    (kind, number): f"zq{kind}{number:02}qz" for kind, number in product(KINDS, range(ROUNDS))
}
LOGGED = "caller-7"
"""What an agent calls itself is meant for the log."""


def plant(client: httpx.Client, number: int) -> list[int]:
    """Send the canaries of a round through every surface; return the answers' codes."""
    told = {kind: CANARIES[kind, number] for kind in KINDS}
    token = {"authorization": f"Bearer {told['token']}", "cookie": f"a={told['token']}"}
    letter = {
        "name": told["name"],
        "company": told["company"],
        "email": f"{told['mail']}@harbour.example",
        "message": f"Would you have time in March? {told['text']}",
        "agent": LOGGED,
    }
    # The host is counted by its name for an hour; what is secret in such an address is its path.
    hook = {"url": f"https://h{number}.example/{told['url']}", "agent": LOGGED}
    asked = {"query": f"What is {told['question']}?", "agent": LOGGED}
    document = f'{{ project(slug: "{told["query"]}") {{ name }} }}'
    tool = message("tools/call", name="search", arguments={"query": told["question"]})
    wrong = message("tools/call", name=told["text"], arguments={told["name"]: told["mail"]})
    answers = [
        client.post("/api/contact", json=letter, headers=token),
        client.post("/api/contact", json={**letter, "email": told["mail"]}),
        client.post("/api/contact", content=f'{{"name": "{told["name"]}'.encode()),
        client.post("/api/subscribe", json=hook),
        client.delete(f"/api/subscribe/{told['url']}", headers=token),
        client.post("/api/chat", json=asked, headers=token),
        client.post("/api/chat", json=asked, headers={"accept": "text/event-stream"}),
        client.post("/api/search", json={"query": told["question"]}),
        client.post("/api/intent", json={"goal": told["question"]}),
        client.post("/api/embed", json={"input": [told["text"]]}),
        client.post("/api/graphql", json={"query": document}),
        client.post("/api/graphql", json={"query": f"{{ {told['query']} }}"}),
        client.get("/api/graphql", params={"query": document}),
        client.get(f"/api/faq?{told['query']}={told['query']}", headers=token),
        client.get(f"/api/projects/{told['query']}", headers={"referer": told["url"]}),
        client.get(f"/{told['url']}", headers={"x-forwarded-for": told["token"]}),
        client.post("/mcp", json=tool, headers=headers_of(tool, "2025-11-25")),
        client.post("/mcp", json=wrong, headers=headers_of(wrong, "2025-11-25")),
    ]
    return [answer.status_code for answer in answers]


@pytest.fixture(scope="module")
def port() -> int:
    """A port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@pytest.fixture(scope="module")
def sung(
    tmp_path_factory: pytest.TempPathFactory, port: int
) -> Iterator[tuple[Running, Path, str]]:
    """A server that has heard all canaries, its folder, and its metrics."""
    folder = tmp_path_factory.mktemp("canaries")
    uncounted = {f"{name}_LIMIT": "0" for name in ("CHAT", "EMBED", "CONTACT", "SUBSCRIBE")}
    settings = {**LIGHT, **uncounted, "METRICS_PORT": str(port)}
    with desk(folder, **settings) as server:
        await_models(server)
        with httpx.Client(base_url=server.address, timeout=60) as client:
            codes = [plant(client, number) for number in range(ROUNDS)]
            assert all(row == codes[0] for row in codes), codes
            assert codes[0].count(200) > 7, codes[0]
        asked = ROUNDS * len(codes[0])
        eventually(lambda: len(server.output) >= asked)
        metrics = httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=30).raise_for_status().text
        yield server, folder, metrics


def found(data: bytes) -> list[str]:
    """The canaries in these bytes."""
    return [word for word in CANARIES.values() if word.encode() in data]


def test_no_word_of_a_caller_is_in_a_log_or_a_metric(sung: tuple[Running, Path, str]) -> None:
    server, _, metrics = sung
    log = "\n".join([*server.output, *server.errors])
    assert LOGGED in log
    assert "studiograph_requests_total" in metrics
    assert (found(log.encode()), found(metrics.encode())) == ([], [])


def test_what_a_caller_wrote_to_the_human_is_in_the_inbox_and_in_no_other_file(
    sung: tuple[Running, Path, str],
) -> None:
    _, folder, _ = sung
    letters = b"\n".join(delivered(folder))
    belongs = {word for (kind, _), word in CANARIES.items() if kind in {"name", "mail", "text"}}
    assert belongs <= set(found(letters))
    inbox = folder / "var" / "inbox"
    files = [file for file in folder.rglob("*") if file.is_file() and inbox not in file.parents]
    assert any(file.suffix == ".db" for file in files)
    strays = {str(file.relative_to(folder)): found(file.read_bytes()) for file in files}
    assert {name: words[:3] for name, words in strays.items() if words} == {}
