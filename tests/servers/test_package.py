"""The wheel of the engine is small, needs nothing of the studio, and works where it is mounted."""

import re
from pathlib import Path

import built_package as package
import pytest

MAX_DISTRIBUTIONS = 18
MAX_MEGABYTES = 40
HEADING, LINK = re.compile(r"(?m)^#+ (.+)$"), re.compile(r"\]\(#([^)]+)\)")
MODULES = """
import importlib, pkgutil, strawberry_surfaces as engine
names = [own.name for own in pkgutil.walk_packages(engine.__path__, f"{engine.__name__}.")]
for name in names:
    importlib.import_module(name)
print(len(names), engine.Surfaces.__module__)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return package.built(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return package.environment(tmp_path_factory.mktemp("environment"), wheel)


def test_an_installation_is_small(python: Path) -> None:
    listed = package.told(package.UV, "pip", "list", "--quiet", "--python", python)
    distributions = listed.splitlines()[2:]
    assert len(distributions) <= MAX_DISTRIBUTIONS, distributions
    files = (python.parents[1] / "lib").rglob("*")
    size = sum(file.stat().st_size for file in files if file.is_file())
    assert size <= MAX_MEGABYTES * 1_000_000


def test_every_module_needs_only_what_the_package_asks_for(python: Path) -> None:
    count, home = package.told(python, "-I", "-c", MODULES).split()
    assert int(count) > 100
    assert home == "strawberry_surfaces.facade"


def test_links_between_its_two_pages_lead_to_headings_of_one_text(python: Path) -> None:
    home = next((python.parents[1] / "lib").rglob("strawberry_surfaces-*.dist-info"))
    text = (home / "METADATA").read_text()
    slugs = {re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in HEADING.findall(text)}
    assert {*LINK.findall(text)} <= slugs
    assert ".md" not in "".join(re.findall(r"\]\(([^)]+)\)", text))


def test_the_package_is_typed_and_has_its_command(python: Path) -> None:
    folder = next((python.parents[1] / "lib").rglob("strawberry_surfaces"))
    assert (folder / "py.typed").is_file()
    assert "Serve stored operations" in package.told(python.with_name("surfaces"), "--help")


@pytest.mark.parametrize(("file", "count"), [(package.MOUNTED, 6), (package.FORUM, 29)])
def test_in_other_frameworks_what_they_promise_holds(
    python: Path, wheel: Path, tmp_path: Path, file: str, count: int
) -> None:
    package.with_tools(python, wheel, "package")
    package.engine_tests(tmp_path)
    done = package.pytest(python, file, folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{count} passed" in done.stdout
