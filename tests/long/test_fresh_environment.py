"""A studio from the wheel and its lock alone, by the commands of the page for owners."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from child_process import PATIENCE_SECONDS, killed_if_late, read_line
from repository import ROOT

PAGE = (ROOT / "docs" / "owner.md").read_text(encoding="utf-8")
STUDIO, INSTALL = re.findall(r"(?ms)^```sh\n(.*?)^```", PAGE)
BIN = Path(sys.executable).parent
SERVED = (
    "studiograph preview",
    "studiograph serve",
    "curl http://127.0.0.1:8000/llms.txt",
    "studiograph verify http://127.0.0.1:8000",
)
"""What is typed beside the commands of the page; the test starts these itself."""
KEYS_A_MINUTE = 200
"""Forty words a minute, as somebody types who copies from a page."""


def run(script: str, folder: Path, environment: dict[str, str]) -> str:
    """What these commands print; the test fails at the first one that fails."""
    done = subprocess.run(
        ["bash", "-euc", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@contextmanager
def serving(words: str, folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """The address of a server that this command starts, which Ctrl-C ends with status 0."""
    with subprocess.Popen(
        words.split(), cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            found = re.search(r"http://[\d.]+:\d+", read_line(process, PATIENCE_SECONDS))
            assert found is not None, process.poll()
            yield found[0]
        finally:
            process.send_signal(signal.SIGINT)
            with killed_if_late(process):
                process.wait()
    assert process.returncode == 0


def test_the_wheel_and_its_lock_are_enough_for_a_studio(tmp_path: Path) -> None:
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("STUDIOGRAPH_", "PYTHON", "VIRTUAL_ENV", "COV_"))
    }
    build = f"uv build --quiet --wheel --no-build-isolation --python {sys.executable}"
    uv = {**clean, "PATH": f"{BIN}:{os.environ['PATH']}", "UV_PYTHON": sys.executable}
    run(f"{build} --out-dir {tmp_path}", ROOT, uv)
    (tmp_path / "run.txt").write_bytes((ROOT / "requirements" / "run.txt").read_bytes())

    began = time.monotonic()
    run(INSTALL, tmp_path, uv)
    installed = time.monotonic()
    files = (path for path in (tmp_path / "environment").rglob("*") if not path.is_symlink())
    size = sum(path.stat().st_blocks * 512 for path in files) / 1e6
    said = re.search(r"This takes (\d+) MB", (ROOT / "docs" / "deploy.md").read_text())
    assert said is not None
    assert size < 1.1 * int(said[1])
    # The lock has no weights, so meanings are not searched, as the page says.
    owner = {
        **clean,
        "PATH": f"{tmp_path / 'environment' / 'bin'}:/usr/bin:/bin",
        "STUDIOGRAPH_AI_EMBEDDER": "hash",
        "STUDIOGRAPH_PORT": "0",
    }
    where = "import studiograph; print(studiograph.__file__)"
    assert run(f'python -c "{where}"', tmp_path, owner).startswith(str(tmp_path / "environment"))
    assert "A person answers at ana@saltmarsh.example." in run(STUDIO, tmp_path, owner)
    studio = tmp_path / "studio"
    refused = subprocess.run(
        ["studiograph", "ask", "Who are you?"],
        cwd=studio,
        env={
            **owner,
            "STUDIOGRAPH_AI_LLM": "openai-like",
            "STUDIOGRAPH_AI_LLM_BASE_URL": "http://127.0.0.1:9/v1",
            "STUDIOGRAPH_AI_LLM_MODEL": "any",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert refused.returncode == 1
    assert "install the lock requirements/llm.txt in place of run.txt" in refused.stderr
    with serving("studiograph preview", studio, owner) as address:
        assert httpx.get(f"{address}/llms.txt").text.startswith("# Saltmarsh")
    with serving("studiograph serve", studio, owner) as address:
        assert httpx.get(f"{address}/llms.txt").text.startswith("# Saltmarsh")
        verified = run(f"studiograph verify {address}", studio, owner)
    assert "/api/log/checkpoint: saltmarsh.example/changelog, 1 entries" in verified
    ended = time.monotonic()
    first = ("init", "--one-line", "cd ", "check", "publish", "ask")
    typed = [line for line in STUDIO.splitlines() if any(word in line for word in first)]
    typing = sum(map(len, [*typed, *SERVED])) / KEYS_A_MINUTE
    whole = typing + (ended - began) / 60
    print(  # noqa: T201 - the numbers that the page is held to
        f"typed in {typing:.1f} minutes, installed in {(installed - began) / 60:.1f}, the rest in"
        f" {(ended - installed) / 60:.1f}: {whole:.1f} in all; packages from uv's cache where it"
        " has them"
    )
    assert typing < 3
    assert whole < 10
