"""The wheel of the engine, in an environment of its own, and the engine's tests against it.

`built_package.py` runs them at the lowest, the locked and the newest versions of what it needs.
"""

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

from repository import ROOT, SUPPORT

UV = str(Path(sys.executable).with_name("uv"))
SHARED = (
    *("asgi_call", "foreign_applications", "foreign_expectations", "foreign_schemas"),
    *("mcp_messages", "repository"),
)
"""What the engine's tests share, of `tests/support`."""
FOREIGN = ("forum", "library", "mounted", "relay", "views", "views_snake")
"""The applications of other owners that need no library of theirs for GraphQL."""
SETTINGS = """[pytest]
addopts = --strict-markers -ra
pythonpath = tests/support
filterwarnings = error
"""
REQUIREMENTS = ROOT / "requirements"
VERSIONS = ("lowest", "package", "newest")
"""The two locks, and what the registry has today."""
MOUNTED = "tests/conformance/foreign/mounted/mounted_services.py"
FORUM = "tests/conformance/foreign/forum/forum_services.py"
"""Tests with Django, which takes one set of settings in a process."""


def run(*words: str | Path, folder: Path = ROOT) -> "subprocess.CompletedProcess[str]":
    """Run a command in a folder and return how it ended."""
    return subprocess.run(
        [*map(str, words)], cwd=folder, capture_output=True, text=True, check=False
    )


def told(*words: str | Path) -> str:
    """Run a command that must succeed and return what it printed."""
    done = run(*words)
    if done.returncode:
        raise RuntimeError(f"{words}: {done.stdout}{done.stderr}")
    return done.stdout


def built(folder: Path) -> Path:
    """Return the wheel, built into a folder."""
    told(UV, "build", "--wheel", "--no-build-isolation", "--out-dir", folder, ROOT / "package")
    return next(folder.glob("*.whl"))


def environment(folder: Path, wheel: Path) -> Path:
    """Return the Python of a new environment that has the wheel and what it needs."""
    python = folder / "bin/python"
    told(UV, "venv", "--quiet", "--python", sys.executable, folder)
    constraints = ("--constraint", REQUIREMENTS / "package.txt")
    told(UV, "pip", "install", "--quiet", "--python", python, *constraints, wheel)
    return python


def with_tools(python: Path, wheel: Path, versions: str) -> None:
    """Give an environment what the tests need, and the versions that are asked for."""
    pip = (UV, "pip")
    if versions == "newest":
        tools = tomllib.loads((ROOT / "package/pyproject.toml").read_text())["dependency-groups"]
        every = (f"{wheel}[compression,serve]", *tools["test"], *tools["mounts"])
        told(*pip, "install", "--quiet", "--upgrade", "--python", python, *every)
    else:
        lock = REQUIREMENTS / f"{versions}.txt"
        told(*pip, "sync", "--quiet", "--python", python, "--require-hashes", lock)
        told(*pip, "install", "--quiet", "--python", python, "--no-deps", wheel)
    told(*pip, "check", "--quiet", "--python", python)


def build_hook() -> ModuleType:
    """Return the module that gives the engine's modules their names in the wheel."""
    spec = spec_from_file_location("hatch_build", ROOT / "package/hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def engine_tests(folder: Path) -> None:
    """Write the engine's tests into a folder, with the names that the wheel has."""
    hook = build_hook()
    for file in _files():
        target = folder / file.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".py":
            target.write_bytes(hook.renamed(file.read_bytes(), str(file)))
        else:
            shutil.copy(file, target)
    (folder / "pytest.ini").write_text(SETTINGS)


def _files() -> Iterator[Path]:
    tests = ROOT / "tests"
    folders = (tests / "surfaces/engine", *(tests / "conformance/foreign" / n for n in FOREIGN))
    for file in chain.from_iterable(folder.rglob("*.*") for folder in folders):
        if file.suffix in (".py", ".graphql"):
            yield file
    yield from (SUPPORT / f"{name}.py" for name in SHARED)
    yield ROOT / "docs/engine.md"


def tested(folder: Path, versions: str) -> "subprocess.CompletedProcess[str]":
    """Run the engine's tests in a new environment and return how they ended."""
    wheel = built(folder)
    python = environment(folder / "environment", wheel)
    with_tools(python, wheel, versions)
    engine_tests(folder)
    files = ["tests/surfaces", *((MOUNTED, FORUM) if versions != "lowest" else ())]
    ended = [pytest(python, file, folder=folder) for file in files]  # FastAPI needs a newer one
    return next((done for done in ended if done.returncode), ended[0])


def pytest(python: Path, *files: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run tests with an environment's Python in a folder."""
    return run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files, folder=folder)


def main() -> int:
    """Print how the engine's tests end at each versions; return how the program ends."""
    failed = False
    for versions in VERSIONS:
        with TemporaryDirectory() as name:
            done = tested(Path(name), versions)
        sys.stdout.write(f"{versions}:\n{done.stdout}{done.stderr}\n")
        failed = failed or done.returncode != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
