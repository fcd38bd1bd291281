"""`studiograph mcp` as a process: messages alone on its output, whatever its input is."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mcp_messages import message

from mcp_bridge.protocol.protocol_versions import HANDSHAKE, STATELESS

COMMAND = [sys.executable, "-m", "studiograph", "mcp"]


@pytest.fixture
def place(folder: Path) -> dict[str, str]:
    """The environment of a service of its own."""
    data = {"STUDIOGRAPH_CONTENT": str(folder), "STUDIOGRAPH_DATA": str(folder.parent / "data")}
    return {**os.environ, **data}


def test_it_reads_a_file_and_ends_with_it(place: dict[str, str], tmp_path: Path) -> None:
    lines = tmp_path / "lines"
    asked = [
        message("initialize", protocolVersion=HANDSHAKE[0]),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {**message("tools/call", name="get_status"), "id": 2},
        {**message("tools/call", STATELESS, name="get_status"), "id": 3},
        {**message("no/method"), "id": 4},
    ]
    lines.write_text("".join(f"{json.dumps(value)}\n" for value in asked))
    with lines.open() as reads:
        done = subprocess.run(
            COMMAND, stdin=reads, capture_output=True, env=place, check=False, timeout=60
        )
    assert done.returncode == 0, done.stderr
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert set(answers) == {1, 2, 3, 4}
    assert answers[1]["result"]["protocolVersion"] == HANDSHAKE[0]
    assert answers[2]["result"]["structuredContent"] == answers[3]["result"]["structuredContent"]
    assert answers[4]["error"]["code"] == -32601
