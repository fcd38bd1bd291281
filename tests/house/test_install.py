"""What `make` does to install, step by step, where a machine is not as usual."""

import os
import subprocess
import sys
from pathlib import Path

from repository import ROOT


def step(words: str) -> str:
    """The one command of the installation that has these words, as make would run it."""
    dry = ["make", "--dry-run", "--always-make", ".venv/.ready"]
    lines = subprocess.run(dry, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    (found,) = (line for line in lines.splitlines() if words in line)
    return found


def test_a_cache_that_cannot_be_written_is_told_with_the_setting_that_mends_it() -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": "/dev/null"}
    command = ["sh", "-c", step("uv cache dir")]
    found = subprocess.run(
        command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert found.returncode == 1
    assert found.stderr.splitlines()[-1].startswith(
        "uv cannot write to its cache. Fix: UV_CACHE_DIR=.venv/cache make serve"
    )
    environment["UV_CACHE_DIR"] = ".venv/cache"
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


def test_a_path_of_other_letters_starts_in_the_locale_c(tmp_path: Path) -> None:
    """Python reads the paths of an environment by the locale until 3.12."""
    clone = tmp_path / "Müller-Büro"
    clone.mkdir()
    environment = [sys.executable, "-m", "venv", "--without-pip", ".venv"]
    subprocess.run(environment, cwd=clone, check=True)
    (packages,) = clone.glob(".venv/lib/python3.*/site-packages")
    (packages / "_editable_impl_studiograph.pth").write_text(f"{clone}\n", encoding="utf-8")
    subprocess.run(["sh", "-c", step(".pth")], cwd=clone, check=True)
    (clone / "here.py").write_text("print(__file__)")
    for locale in ("C", "POSIX"):
        found = subprocess.run(
            [clone / ".venv" / "bin" / "python", "-m", "here"],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "LC_ALL": locale},
            capture_output=True,
            check=True,
        )
        assert found.stdout.decode().strip() == str(clone / "here.py")
