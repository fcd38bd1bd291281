"""`studiograph ask`: the owner is told what an agent would be told, without a server."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from model_weights import needs_weights
from repository import ROOT, SAMPLE
from running_server import Running, eventually, running, share_models

SECOND = ROOT / "evals" / "second"
PROGRAM = [sys.executable, "-m", "studiograph", "ask"]
QUESTION = "Are they taking on new clients at the moment?"
WORTH = re.compile(r"answered: (yes|partly|no), basis: (\w+), band: (answer|closest|refuse)")
SOURCE = re.compile(r"\[\d+\] .+: /\S*( /\S+)?")
EMBEDDERS = ["hash", pytest.param("minilm", marks=needs_weights)]


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


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("content", [SAMPLE, SECOND], ids=["sample", "second"])
def test_an_answer_is_printed_with_its_worth_and_its_sources(
    content: Path, embedder: str, settings: dict[str, str], tmp_path: Path
) -> None:
    done = asked(settings, tmp_path, QUESTION, CONTENT=str(content), AI_EMBEDDER=embedder)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    (worth,) = [number for number, line in enumerate(lines) if WORTH.fullmatch(line)]
    assert lines[0] == "Yes, the studio is open to new work. [1]"
    assert lines[worth] == "answered: yes, basis: field, band: answer"
    assert lines[worth + 1] == "[1] Status: /api/status /studio/openToWork"
    assert all(SOURCE.fullmatch(line) for line in lines[worth + 1 :])


@needs_weights
def test_the_json_is_what_the_server_sends(
    web: Running, settings: dict[str, str], tmp_path: Path
) -> None:
    done = asked(settings, tmp_path, "--json", QUESTION, AI_EMBEDDER="minilm")
    assert (done.returncode, done.stderr) == (0, "")

    def ready() -> bool:
        return bool(httpx.get(f"{web.address}/readyz", timeout=60).json()["answers"] == "ready")

    eventually(ready, 120)  # a server that answers before says that it has no vector store yet
    answer = httpx.post(f"{web.address}/api/chat", json={"query": QUESTION}, timeout=60)
    assert json.loads(done.stdout) == answer.json()


def test_an_answer_that_says_no_is_an_answer(settings: dict[str, str], tmp_path: Path) -> None:
    done = asked(settings, tmp_path, "Quel temps fera-t-il?", "--json")
    assert (done.returncode, json.loads(done.stdout)["answered"]) == (0, "no")


@pytest.mark.parametrize("words", [["?"], ["x" * 2_001], [], ["one", "two"]])
def test_a_bad_question_is_a_wrong_call(
    words: list[str], settings: dict[str, str], tmp_path: Path
) -> None:
    done = asked(settings, tmp_path, *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("studiograph ask: ")


@pytest.mark.parametrize(
    ("more", "fix"),
    [
        ({"AI_EMBEDDER": "huggingface", "AI_EMBED_MODEL": "a/b"}, "Fix: pip install"),
        ({"AI_LLM": "none"}, "Fix: set STUDIOGRAPH_AI_LLM"),
        (
            {
                "AI_EMBEDDER": "openai-like",
                "AI_EMBED_MODEL": "a",
                "AI_EMBED_BASE_URL": "http://127.0.0.1:9/v1",
            },
            "check STUDIOGRAPH_AI_EMBED_BASE_URL",
        ),
    ],
)
def test_what_cannot_answer_is_told_in_one_line_with_its_fix(
    more: dict[str, str], fix: str, settings: dict[str, str], tmp_path: Path
) -> None:
    done = asked(settings, tmp_path, QUESTION, **more)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert fix in done.stderr
    said = json.loads(asked(settings, tmp_path, QUESTION, "--json", **more).stdout)
    assert said == {"ok": False, "wrong": done.stderr.rstrip("\n")}


def test_the_owner_may_ask_beyond_the_limit_of_callers_and_beside_a_server(
    settings: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "var" / "chroma").mkdir()
    limit = {"CHAT_LIMIT": "1/hour", "VECTOR_STORE": "chroma-path"}
    holder = "import sys; from pathlib import Path; from resolvers.search.chroma import lock_folder"
    program = f"{holder}; lock_folder(Path('var/chroma')); print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"\n"
        codes = [asked(settings, tmp_path, QUESTION, **limit).returncode for _ in range(2)]
        server.communicate()
    assert codes == [0, 0]


def test_a_terminal_sees_the_loading_unless_it_is_told_to_be_quiet(
    settings: dict[str, str], tmp_path: Path
) -> None:
    def errors(*words: str) -> str:
        reading, terminal = pty.openpty()
        subprocess.run(
            [*PROGRAM, QUESTION, *words],
            cwd=tmp_path,
            env=settings,
            stdout=subprocess.DEVNULL,
            stderr=terminal,
            check=True,
            timeout=150,
        )
        os.write(terminal, b"end\n")
        shown = b""
        while not shown.endswith(b"end\r\n"):
            shown += os.read(reading, 4096)
        os.close(terminal)
        os.close(reading)
        return shown.decode()

    assert "Loading the models" in errors()
    assert errors("--quiet") == "end\r\n"


def test_the_help_fits_a_terminal_and_has_an_example(
    settings: dict[str, str], tmp_path: Path
) -> None:
    done = asked(settings, tmp_path, "--help")
    assert done.returncode == 0
    assert 'Example: studiograph ask "' in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_a_change_of_the_content_is_answered_before_it_is_published(
    settings: dict[str, str], tmp_path: Path
) -> None:
    copy = shutil.copytree(SAMPLE, tmp_path / "content", ignore=shutil.ignore_patterns("*.py*"))
    status = copy / "status.toml"
    status.write_text(status.read_text().replace("openToWork = true", "openToWork = false"))
    done = asked(settings, tmp_path, QUESTION, CONTENT=str(copy))
    assert done.stdout.startswith("No, the studio takes on no new work now. [1]\n")


def test_an_answer_with_its_proofs_verifies_without_a_server_once_it_is_published(
    settings: dict[str, str], tmp_path: Path
) -> None:
    content = shutil.copytree(SAMPLE, tmp_path / "content", ignore=shutil.ignore_patterns("*.py*"))

    def verified() -> int:
        words = [*PROGRAM[:-1], "verify", "answer.json", "--keys", "keys.json"]
        return subprocess.run(words, cwd=tmp_path, check=False, capture_output=True).returncode

    before = asked(settings, tmp_path, QUESTION, "--proof", CONTENT=str(content))
    assert (before.returncode, "Fix: run `studiograph serve`" in before.stdout) == (1, True)
    with running(content) as server:
        (tmp_path / "keys.json").write_bytes(server.get("/.well-known/jwks.json").body)
    done = asked(settings, tmp_path, QUESTION, "--proof", CONTENT=str(content))
    assert (done.returncode, done.stderr) == (0, "")
    (tmp_path / "answer.json").write_text(done.stdout)
    assert verified() == 0
    (tmp_path / "answer.json").write_text(done.stdout.replace("Yes, ", "No, ", 1))
    assert verified() == 1
    status = content / "status.toml"
    status.write_text(status.read_text().replace("openToWork = true", "openToWork = false"))
    changed = asked(settings, tmp_path, QUESTION, "--proof", CONTENT=str(content))
    assert (changed.returncode, json.loads(changed.stdout)["ok"]) == (1, False)
