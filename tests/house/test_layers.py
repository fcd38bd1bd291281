"""Who may import whom, and that what is forbidden would be noticed."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from repository import ROOT

from sdl.running.runner import Operations

FOLDERS = (
    *("schema", "content", "resolvers", "sdl", "rest_bridge", "mcp_bridge", "surfaces"),
    "studiograph",
)
PACKAGES = "The packages stand in layers"
ENGINE = "The engine knows no studio"
STORED = "A resolver reaches a caller through stored operations alone"
HTTP = "MCP uses HTTP, and none of its routes"
OWNER = "What is served knows nothing of the owner's page"
FEATURES = "The features of the resolvers stand in layers"
REST = "The parts of the REST bridge stand in layers"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the product with its contracts."""
    root = tmp_path_factory.mktemp("tree")
    shutil.copy(ROOT / "pyproject.toml", root)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    return root


def lint(tree: Path) -> "subprocess.CompletedProcess[str]":
    """What import-linter says of a tree."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("COVERAGE")}
    return subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo"],
        cwd=tree,
        env={**kept, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_every_contract_holds(tree: Path) -> None:
    done = lint(tree)
    assert done.returncode == 0, done.stdout
    kept = re.findall(r"(?m)^(.+) KEPT", done.stdout)
    assert kept == [PACKAGES, ENGINE, STORED, HTTP, OWNER, FEATURES, REST]


@pytest.mark.parametrize(
    ("importing", "imported", "broken"),
    [
        ("sdl", "rest_bridge.routes", PACKAGES),
        ("rest_bridge", "resolvers.query", ENGINE),
        ("resolvers.search", "rest_bridge.representations.responses", STORED),
        ("mcp_bridge", "rest_bridge.endpoints.read", HTTP),
        ("studiograph.wiring", "studiograph.commands.preview", OWNER),
        ("resolvers.signing", "resolvers.transparency.log", FEATURES),
        ("rest_bridge.http", "rest_bridge.endpoints.read", REST),
    ],
)
def test_a_planted_import_is_reported(
    importing: str, imported: str, broken: str, tree: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "tree"
    shutil.copytree(tree, copy)
    place = copy.joinpath(*importing.split("."))
    (place / "intruder.py").write_text(f'"""Planted."""\n\nimport {imported}\n')
    done = lint(copy)
    assert done.returncode == 1
    assert broken in re.findall(r"(?m)^(.+) BROKEN", done.stdout)
    assert f"{importing}.intruder -> {imported} (l.3)" in done.stdout


def test_the_contracts_look_at_every_folder_of_ours() -> None:
    said = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"evals", "benches"}
    assert packages == set(FOLDERS)
    assert set(said["importlinter"]["root_packages"]) == packages
    assert set(said["hatch"]["build"]["targets"]["wheel"]["packages"]) == packages
    assert set(said["coverage"]["run"]["source"]) == packages
    others = {"tests", "evals", "benches", "package", "requirements"}
    assert set(said["mypy"]["files"]) == {*packages, *others}


def test_the_project_is_never_uploaded() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "Private :: Do Not Upload" in project["classifiers"]


def content_paths(operations: Operations) -> set[str]:
    """The paths of stored operations, and the fixed beginnings of those with variables."""
    paths = {operation.rest.path for operation in operations if operation.rest is not None}
    return {path.partition("{")[0].rstrip("/") for path in paths} - {""}


@pytest.mark.parametrize("folder", ["rest_bridge", "mcp_bridge", "resolvers"])
def test_no_path_of_a_stored_operation_stands_in_python(
    folder: str, operations: Operations
) -> None:
    sources = {path: path.read_text() for path in (ROOT / folder).rglob("*.py")}
    found = [
        f"{path.relative_to(ROOT)}: {word}"
        for path, text in sources.items()
        for word in content_paths(operations)
        if re.search(rf"{re.escape(word)}(?![a-z0-9_-])", text)
    ]
    assert sources
    assert found == []


def circles(tree: Path) -> list[list[str]]:
    """Return the circles of modules that import each other, imports for type checkers included."""
    packages = {"PYTHONPATH": str(tree), "PATH": os.environ["PATH"]}
    program = (
        "import json, sys, grimp\n"
        "graph = grimp.build_graph(*sys.argv[1:], cache_dir=None)\n"
        "print(json.dumps({m: sorted(graph.find_modules_directly_imported_by(m))"
        " for m in graph.modules}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *FOLDERS],
        cwd=tree,
        env=packages,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    imports = json.loads(done.stdout)
    try:
        tuple(TopologicalSorter(imports).static_order())
    except CycleError as error:
        return [error.args[1]]
    return []


def test_no_modules_import_each_other_in_a_circle(tree: Path, tmp_path: Path) -> None:
    assert circles(tree) == []
    copy = tmp_path / "tree"
    shutil.copytree(tree, copy)
    (copy / "sdl" / "first.py").write_text('"""Planted."""\n\nimport sdl.second\n')
    (copy / "sdl" / "second.py").write_text('"""Planted."""\n\nimport sdl.first\n')
    assert {*circles(copy)[0]} == {"sdl.first", "sdl.second"}
