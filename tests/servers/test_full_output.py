"""Where the output has no space: a command says so, and a service serves."""

import os
import subprocess
import sys
from pathlib import Path

import httpx
from child_process import PATIENCE_SECONDS, killed_if_late
from repository import SAMPLE
from running_server import eventually
from webhook_server import free_port

FULL = Path("/dev/full")
"""What Linux has for this: whoever writes to it is told that there is no space."""
LOST = "lines of the log are lost (No space left on device). Fix: make space where it is written."


def begun(folder: Path, *words: str, **settings: str) -> "subprocess.Popen[str]":
    """A command whose output has no space."""
    given = {"CONTENT": str(SAMPLE), "AI_EMBEDDER": "hash", "AI_LLM": "none", **settings}
    named = {f"STUDIOGRAPH_{name}": value for name, value in given.items()}
    with FULL.open("wb") as full:
        return subprocess.Popen(
            [sys.executable, "-m", "studiograph", *words],
            cwd=folder,
            env={**os.environ, **named},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )


def ended(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """How a process ended, and what it said of it."""
    with killed_if_late(process):
        told = process.communicate()[1]
    return process.returncode, told


def test_a_command_whose_output_has_no_space_says_so(tmp_path: Path) -> None:
    assert ended(begun(tmp_path, "get", "/api/thesis")) == (
        1,
        "the output: No space left on device. Fix: make space on that disk, and try again.\n",
    )


def test_a_service_whose_log_has_no_space_serves_and_says_it_once(tmp_path: Path) -> None:
    port = free_port()
    process = begun(tmp_path, "serve", PORT=str(port))
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_SECONDS) as client:
            eventually(lambda: answers(client))
            assert all(answers(client) for _ in range(600))  # more lines than one that is written
    finally:
        process.terminate()
    code, told = ended(process)
    assert (code, told.count(LOST), "Traceback" in told) == (0, 1, False), told


def answers(client: httpx.Client) -> bool:
    """Whether a read is answered."""
    try:
        return client.get("/api/thesis").status_code == 200
    except httpx.TransportError:
        return False
