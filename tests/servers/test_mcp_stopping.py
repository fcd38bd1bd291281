"""`studiograph mcp` ends as it should: when told to, and when its streams are no good."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from repository import SAMPLE

PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
COMMAND = [sys.executable, "-m", "studiograph", "mcp"]


def settings(folder: Path) -> dict[str, str]:
    """The environment of a command on the sample studio."""
    return {
        **os.environ,
        "STUDIOGRAPH_CONTENT": str(SAMPLE),
        "STUDIOGRAPH_DATA": str(folder / "var"),
    }


def test_a_signal_ends_it_in_order_while_it_waits(tmp_path: Path) -> None:
    with subprocess.Popen(
        COMMAND,
        cwd=tmp_path,
        env=settings(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(PING)
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["result"] == {}
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert b"Traceback" not in process.stderr.read()
    assert not [file for file in tmp_path.iterdir() if file.name.startswith("core")]


@pytest.mark.parametrize("closed", ["<&-", ">/dev/full"])
def test_a_stream_that_is_no_good_is_named(closed: str, tmp_path: Path) -> None:
    command = f"echo '{PING.decode().strip()}' | {' '.join(COMMAND)} {closed}"
    if closed == "<&-":
        command = f"{' '.join(COMMAND)} {closed}"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        cwd=tmp_path,
        env=settings(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "standard" in done.stderr.lower()
    assert "Traceback" not in done.stderr
