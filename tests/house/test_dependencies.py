"""What the product is built from: dependencies with their reasons, locks, and plain commands."""

import os
import re
import subprocess
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from repository import ROOT

PYPROJECT = (ROOT / "pyproject.toml").read_text()
SAID = tomllib.loads(PYPROJECT)
RUN = [Requirement(text) for text in SAID["project"]["dependencies"]]
DEV = [Requirement(text) for text in SAID["dependency-groups"]["dev"]]
PEERS = [Requirement(text) for text in SAID["dependency-groups"]["peers"]]
LOCKS = (
    *("run", "dev", "uv", "client", "vendors", "model", "peers", "foreign"),
    *("package", "lowest"),
)

PIN = re.compile(
    r"(?P<name>[a-z0-9-]+)==(?P<version>[0-9][0-9A-Za-z.+!]*)"
    r"(?: ; (?P<marker>[^\\]+?))?(?P<hashes>(?: --hash=sha256:[0-9a-f]{64})+)"
)


def pins(lock: str) -> list[str]:
    """The entries of a lock, each on one line."""
    text = (ROOT / "requirements" / f"{lock}.txt").read_text()
    return re.sub(r"\s*\\\n\s*", " ", text).splitlines()


def versions(lock: str) -> dict[str, set[str]]:
    """The versions that a lock holds of each package."""
    found: dict[str, set[str]] = {}
    for line in pins(lock):
        if (pin := PIN.fullmatch(line)) is not None:
            found.setdefault(pin["name"], set()).add(pin["version"])
    return found


def test_every_dependency_says_who_uses_it() -> None:
    lists = re.findall(r"(?ms)^(?:dependencies|dev|peers) = \[\n(.*?)^\]", PYPROJECT)
    lines = [line for block in lists for line in block.splitlines()]
    assert len(lines) == len(RUN) + len(DEV) + len(PEERS)
    silent = [line for line in lines if not re.fullmatch(r'    "[^"]+", +# \S.*', line)]
    assert silent == []


def test_every_dependency_has_a_lowest_version() -> None:
    assert [str(r) for r in (*RUN, *DEV, *PEERS) if ">=" not in str(r.specifier)] == []


def test_every_dependency_of_the_product_has_a_ceiling_unless_it_is_data() -> None:
    assert [r.name for r in RUN if "<" not in str(r.specifier).replace("<=", "")] == [
        "stop-words",
        "tzdata",
    ]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_entry_of_a_lock_is_one_version_with_its_hashes(lock: str) -> None:
    entries = pins(lock)
    assert entries
    assert [line for line in entries if not PIN.fullmatch(line)] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_no_lock_says_where_packages_come_from(lock: str) -> None:
    text = (ROOT / "requirements" / f"{lock}.txt").read_text()
    assert "://" not in text
    assert re.findall(r"--(?!hash=)\S+|(?m:^-\S+)|@", text) == []


@pytest.mark.parametrize(
    ("lock", "requirement"),
    [("run", r) for r in RUN] + [("dev", r) for r in (*RUN, *DEV)] + [("peers", r) for r in PEERS],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_a_lock_holds_what_the_project_asks_for(lock: str, requirement: Requirement) -> None:
    held = versions(lock)[canonicalize_name(requirement.name)]
    assert held
    assert all(requirement.specifier.contains(version) for version in held)


def test_the_product_runs_on_the_same_versions_as_its_tests() -> None:
    assert versions("run").items() <= versions("dev").items()


def test_the_tests_tools_are_not_what_the_product_runs_on() -> None:
    own = {canonicalize_name(r.name) for r in RUN}
    tools = {canonicalize_name(r.name) for r in DEV} - own
    assert not tools & set(versions("run"))


def dry_run(target: str) -> list[str]:
    """The commands that a target would run, once the environment stands."""
    ours = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "PROCESSES"}
    kept = {k: v for k, v in os.environ.items() if k not in ours}
    done = subprocess.run(
        ["make", "--dry-run", "--old-file=.venv/.ready", target],
        cwd=ROOT,
        env=kept,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    lines = done.stdout.replace("\\\n", "").splitlines()
    return [" ".join(line.split()) for line in lines]


def test_the_locks_are_resolved_for_every_machine_and_with_hashes() -> None:
    commands = dry_run("lock")
    written = [re.search(r"--output-file requirements/(\w+)\.txt", line) for line in commands]
    assert {found[1] for found in written if found is not None} == set(LOCKS)
    for line in commands:
        assert "uv pip compile" in line
        for word in ("--universal", "--python-version 3.11", "--generate-hashes", "--no-header"):
            assert word in line


def test_the_gate_runs_the_checks_and_then_the_tests() -> None:
    gate = ROOT / ".ci" / "run"
    assert os.access(gate, os.X_OK)
    assert re.findall(r"(?m)^make .+$", gate.read_text()) == [
        *("make check", "make test", "make test-all")
    ]
