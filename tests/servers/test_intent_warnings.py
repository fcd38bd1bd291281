"""What `studiograph check` tells of operations that intent will hardly find."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from repository import ROOT

FOLDERS = ("schema", "content", "resolvers", "sdl", "rest_bridge", "mcp_bridge", "studiograph")


@pytest.fixture(scope="module")
def poor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the product in which one operation has one goal."""
    root = tmp_path_factory.mktemp("poor")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    thesis = root / "sdl" / "operations" / "get_thesis.graphql"
    pattern = re.compile(r"goals: \[[^\]]*\]")
    thesis.write_text(pattern.sub('goals: ["the thesis"]', thesis.read_text()))
    return root


def check(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """What the command of a copy of the product prints."""
    return subprocess.run(
        [sys.executable, "-m", "studiograph", "check", *words],
        cwd=folder,
        env={"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_warnings_are_told_as_json_beside_faults(poor: Path) -> None:
    told = json.loads(check(poor, "--json").stdout)
    assert (told["ok"], told["faults"]) == (True, [])
    files = [each["file"] for each in told["warnings"]]
    assert files.count("sdl/operations/get_thesis.graphql") == 1
    assert {*files} <= {"sdl/operations/get_thesis.graphql", "content/faq.toml"}
