"""README and CHANGELOG say what is so, and LICENSE what may be done."""

import re
import tomllib
from collections.abc import Callable
from itertools import pairwise
from urllib.parse import urlsplit

import httpx
import pytest
from packaging.version import Version
from repository import ROOT

from docs.reference import PAGES
from studiograph.__main__ import COMMANDS
from studiograph.settings import PREFIX, Settings
from studiograph.version import __version__

README = (ROOT / "README.md").read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]

BLOCKS = re.findall(r"(?ms)^```(?:sh|bash|console)?\n(.*?)^```", README)
LINES = [line for block in BLOCKS for line in block.splitlines() if line.strip()]
ADDRESSES = sorted(
    set(re.findall(r"https?://(?:127\.0\.0\.1|localhost):8000(/[^\s`)#'\"]*)", README))
)


def test_the_first_two_commands_start_it_and_test_it() -> None:
    assert LINES[:2] == ["make serve", "make test"]


@pytest.mark.parametrize("name", PAGES)
def test_a_reference_page_is_what_it_describes(name: str) -> None:
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == PAGES[name](), "run `make docs`"


def test_every_setting_and_command_that_a_page_names_is_there() -> None:
    settings = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    found = []
    for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        called = re.findall(r"(?:`|bin/)studiograph ([a-z]+)\b", text)
        names = {*re.findall(rf"{PREFIX}[A-Z]\w*", text), *called} - settings - {*COMMANDS}
        found += [f"{path.name}: {name}" for name in names]
    assert found == []


@pytest.mark.parametrize("path", ADDRESSES)
def test_every_address_that_the_readme_asks_answers(
    path: str, ask: Callable[..., httpx.Response]
) -> None:
    parts = urlsplit(path)
    assert ask(parts.path + (f"?{parts.query}" if parts.query else "")).status_code == 200


def test_the_readme_asks_for_something() -> None:
    assert "/llms.txt" in ADDRESSES


def test_the_changelog_is_in_the_form_of_keep_a_changelog() -> None:
    head, *releases = re.split(r"(?m)^## ", CHANGELOG)
    assert head.startswith("# Changelog\n")
    assert "https://keepachangelog.com/en/1.1.0/" in head
    assert "https://semver.org/spec/v2.0.0.html" in head
    names = [release.splitlines()[0] for release in releases]
    assert names[0] == "[Unreleased]"
    dated = [re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})", name) for name in names[1:]]
    assert all(dated)
    known = [(Version(found[1]), found[2]) for found in dated if found is not None]
    assert all(newer > older and day >= before for (newer, day), (older, before) in pairwise(known))


def test_every_section_of_the_changelog_is_of_a_known_kind_and_has_entries() -> None:
    for release in re.split(r"(?m)^## ", CHANGELOG)[1:]:
        name, *sections = re.split(r"(?m)^### ", release)
        assert sections or name.startswith("[Unreleased]")
        kinds = [section.splitlines()[0] for section in sections]
        assert kinds == [kind for kind in KINDS if kind in kinds]
        for section in sections:
            lines = [line for line in section.splitlines()[1:] if line]
            assert lines
            assert all(re.match(r"- \S|  \S|\[.+\]: http", line) for line in lines)


def test_no_release_is_newer_than_the_project() -> None:
    released = re.findall(r"(?m)^## \[(\d\S*)\]", CHANGELOG)
    assert all(Version(found) <= Version(__version__) for found in released)


def test_the_licence_is_the_one_the_project_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text().startswith("MIT License\n")
