"""`studiograph ask`: the owner is told what an agent would be told, without a server."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

import httpx
import pytest
from ai_service import LIGHT
from ai_service import asked as answering
from model_weights import needs_weights
from outside_reader import command
from repository import SAMPLE
from running_server import share_models

Captured = pytest.CaptureFixture[str]
PROGRAM = [sys.executable, "-m", "studiograph", "ask"]
QUESTION = "Are they taking on new clients at the moment?"
WORTH = re.compile(r"answered: (yes|partly|no), basis: (\w+), band: (answer|closest|refuse)")
SOURCE = re.compile(r"\[\d+\] .+: /\S*( /\S+)?")


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    """The environment of a studio whose models were loaded before."""
    share_models(tmp_path / "var")
    mine = {k: v for k, v in os.environ.items() if not k.startswith("STUDIOGRAPH_")}
    return {**mine, "STUDIOGRAPH_CONTENT": str(SAMPLE), "STUDIOGRAPH_AI_EMBEDDER": "hash"}


def asked(
    settings: dict[str, str], folder: Path, *words: str, **more: str
) -> "subprocess.CompletedProcess[str]":
    """The command as a process in a folder, with these settings besides."""
    named = {f"STUDIOGRAPH_{name}": value for name, value in more.items()}
    return subprocess.run(
        [*PROGRAM, *words],
        cwd=folder,
        env={**settings, **named},
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )


@needs_weights
def test_an_answer_is_printed_with_its_worth_and_its_sources(
    settings: dict[str, str], tmp_path: Path
) -> None:
    done = asked(settings, tmp_path, QUESTION, AI_EMBEDDER="minilm")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    (worth,) = [number for number, line in enumerate(lines) if WORTH.fullmatch(line)]
    assert lines[0] == "Yes, the studio is open to new work. [1]"
    assert lines[worth] == "answered: yes, basis: field, band: answer"
    assert lines[worth + 1] == "[1] Status: /api/status /studio/openToWork"
    assert all(SOURCE.fullmatch(line) for line in lines[worth + 1 :])


@pytest.fixture
def studio(tmp_path: Path) -> Path:
    """A folder in which commands of this process find the sample."""
    share_models(tmp_path / "var")
    copytree(SAMPLE, tmp_path / "content", ignore=ignore_patterns("*.py*"))
    (tmp_path / ".env").write_text("STUDIOGRAPH_AI_EMBEDDER=hash\n")
    return tmp_path


@pytest.mark.parametrize("words", [["?"], ["x" * 2_001], [], ["one", "two"]])
def test_a_bad_question_is_a_wrong_call(words: list[str], studio: Path, capsys: Captured) -> None:
    assert command(studio, "ask", *words) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("studiograph ask: ")


def test_what_cannot_answer_is_told_in_one_line_with_its_fix(
    studio: Path, capsys: Captured
) -> None:
    (studio / ".env").write_text("STUDIOGRAPH_AI_LLM=none\n")
    assert command(studio, "ask", QUESTION) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "Fix: set STUDIOGRAPH_AI_LLM" in err
    assert command(studio, "ask", QUESTION, "--json") == 1
    assert json.loads(capsys.readouterr().out) == {"ok": False, "wrong": err.rstrip("\n")}


def test_an_answer_and_its_proofs_are_the_server_s_and_verify_without_it(
    studio: Path, capsys: Captured
) -> None:
    def answer(*words: str) -> str:
        assert command(studio, "ask", QUESTION, *words) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    def verified(text: str) -> int:
        (studio / "answer.json").write_text(text)
        return command(studio, "verify", "answer.json", "--keys", "keys.json")

    assert command(studio, "ask", QUESTION, "--proof") == 1
    assert "Fix: run `studiograph serve`" in capsys.readouterr().out
    with answering(studio, **LIGHT) as server:
        (studio / "keys.json").write_bytes(server.get("/.well-known/jwks.json").body)
        told = httpx.post(f"{server.address}/api/chat", json={"query": QUESTION}, timeout=60)
    assert json.loads(answer("--json")) == told.json()
    proven = answer("--proof")
    assert verified(proven) == 3  # the words behind "Yes" are not proven
    assert verified(proven.replace("Yes, ", "No, ", 1)) == 1
    capsys.readouterr()
    status = studio / "content" / "status.toml"
    status.write_text(status.read_text().replace("openToWork = true", "openToWork = false"))
    assert answer().startswith("No, the studio takes on no new work now. [1]\n")
