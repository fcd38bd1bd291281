"""A real small language model writes answers, of which nothing goes out that no source says."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from ai_service import LIGHT, asked
from repository import ROOT, SUPPORT

PYTHON = ROOT / ".venv/small-model/bin/python"
QUESTIONS = (
    "What is Tidebook?",
    "Who is behind the studio?",
    "Does the studio repair wristwatches?",
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the model answers."""
    with subprocess.Popen(
        [PYTHON, SUPPORT / "small_model.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        yield next(line.strip() for line in server.stdout if line.startswith("http"))
        server.stdin.close()


def test_what_it_writes_is_checked_and_what_is_left_is_said(tmp_path: Path, address: str) -> None:
    settings = {
        "CHAT_LIMIT": "0",
        "AI_LLM": "openai-like",
        "AI_LLM_BASE_URL": f"{address}/v1",
        "AI_LLM_MODEL": "smollm2",
        "AI_LLM_TIMEOUT_S": "120",
        "AI_LLM_MAX_TOKENS": "120",
        **LIGHT,
    }
    with (
        asked(tmp_path, **settings) as server,
        httpx.Client(base_url=server.address, timeout=240) as client,
    ):
        bodies = [client.post("/api/chat", json={"query": q}).json() for q in QUESTIONS]
    for question, body in zip(QUESTIONS, bodies, strict=True):
        removed = {each["reason"]: each["count"] for each in body["citationLint"]["removed"]}
        sys.stdout.write(
            f"{question} [{body['model']}, {body['answered']}, {removed}] {body['answer']}"
        )
        assert body["citationLint"]["ok"], body
        assert "wristwatch" not in body["answer"].casefold() or body["answered"] != "yes"
    written = [body for body in bodies if body["model"] == "smollm2"]
    left_out = [each for body in bodies for each in body["citationLint"]["removed"]]
    assert written or left_out  # it was asked
