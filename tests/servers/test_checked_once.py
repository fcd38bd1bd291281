"""The stored operations are checked once for an installation, and again when a file has changed."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from repository import ROOT

FOLDERS = ("schema", "content", "resolvers", "sdl", "rest_bridge", "mcp_bridge", "studiograph")
START = "from studiograph.application import own_operations; own_operations()"
LONG_AGO = time.time() - 3_600


@pytest.fixture
def installation(tmp_path: Path) -> Path:
    """A copy of the service whose files are an hour old."""
    for name in FOLDERS:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    for path in tmp_path.rglob("*.*"):
        os.utime(path, (LONG_AGO, LONG_AGO))
    return tmp_path


def faults_at_start(installation: Path) -> str:
    """What is wrong with the stored operations, as a start says it."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", START],
        cwd=installation,
        env={**environment, "PYTHONPATH": str(installation)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode == 0) == (done.stderr == "")
    return done.stderr


def notes(installation: Path) -> list[Path]:
    """Where it is noted that all is well."""
    return [*(installation / "sdl" / "__pycache__").glob("*.checked")]


def test_what_was_noted_holds_for_the_same_files_and_no_others(installation: Path) -> None:
    assert faults_at_start(installation) == ""
    assert len(notes(installation)) == 1
    file = installation / "sdl" / "operations" / "get_thesis.graphql"
    file.write_text(file.read_text().replace("@llms", "@lmls"))
    os.utime(file, (LONG_AGO, LONG_AGO))  # now nothing but its text says that it has changed
    assert faults_at_start(installation) == ""
    os.utime(file, (LONG_AGO + 1, LONG_AGO + 1))
    assert "Unknown directive '@lmls'" in faults_at_start(installation)
    types = installation / "schema" / "contact.py"
    file.write_text(file.read_text().replace("@lmls", "@llms"))
    os.utime(file, (LONG_AGO, LONG_AGO))
    types.write_text(types.read_text().replace('    """', '    """ ', 1))
    os.utime(types, (LONG_AGO, LONG_AGO))  # it has another size
    noted = notes(installation)[0].read_bytes()
    assert faults_at_start(installation) == ""
    assert notes(installation)[0].read_bytes() != noted


def test_nothing_is_noted_of_a_file_that_has_just_been_saved(installation: Path) -> None:
    os.utime(installation / "sdl" / "operations" / "get_thesis.graphql")
    assert faults_at_start(installation) == ""
    assert notes(installation) == []
