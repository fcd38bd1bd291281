"""The real server refuses oversized documents, over and over, without growing."""

import json
from pathlib import Path

import pytest
from ai_service import await_models
from oversized import CASES
from running_server import Running, running

WARM_ROUNDS = 15
"""After so many the allocator has what it keeps: of thirty rounds the last fifteen grew by 0.3 MiB,
the fifth to the tenth by 10."""
ROUNDS = 5
MOST_GROWTH_KIB = 8 * 1024


def memory(server: Running) -> int:
    """The process's resident memory. Units: KiB."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


SENT = [
    (name, body)
    for name, document in CASES
    if len(body := json.dumps({"query": document}).encode()) <= 64 * 1024
]


def refuse_all(server: Running) -> None:
    """Every document is 400 and has no data."""
    assert len(SENT) >= 90
    for name, body in SENT:
        length = f"Content-Length: {len(body)}"
        head = f"POST /api/graphql HTTP/1.1\r\nHost: localhost\r\n{length}\r\n"
        rest = "Content-Type: application/json\r\nConnection: close\r\n\r\n"
        answer = server.send((head + rest).encode() + body)
        assert answer.status == 400, name
        assert set(answer.json()) == {"errors"}


def test_all_kinds_of_bombs_are_refused_and_memory_stays(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIOGRAPH_AI_EMBEDDER", "hash")
    with running(folder) as server:
        await_models(server)  # or what grows is what they are loaded into
        for _ in range(WARM_ROUNDS):
            refuse_all(server)
        before = memory(server)
        for _ in range(ROUNDS):
            refuse_all(server)
        assert memory(server) - before < MOST_GROWTH_KIB
        assert server.get("/api/status").status == 200
