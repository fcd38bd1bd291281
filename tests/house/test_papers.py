"""README and CHANGELOG say what is so, and LICENSE what may be done."""

import re
import tomllib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from packaging.version import Version

from studiograph.__main__ import main
from studiograph.ai_settings import AiSettings
from studiograph.settings import PREFIX, Settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]

BLOCKS = re.findall(r"(?ms)^```(?:sh|bash|console)?\n(.*?)^```", README)
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if line.strip()]
SETTINGS = re.findall(rf"(?m)^\| `({PREFIX}\w+)` \| (.+?) \| (.+?) \|$", README)
ADDRESSES = sorted(
    set(re.findall(r"https?://(?:127\.0\.0\.1|localhost):8000(/[^\s`)#'\"]*)", README))
)
OURS = (
    *("serve", "check", "get", "verify"),
    *("keys list", "keys rotate", "keys revoke", "keys export", "keys import"),
    *("log show", "log restart", "identity"),
    *("inbox list", "inbox show", "inbox done", "mailbox serve", "mailbox deliver"),
    *("subscribers list", "subscribers enable", "subscribers disable", "subscribers remove"),
    *("jobs list", "jobs retry", "jobs dead", "webhook test"),
    *("github sync", "models pull", "models list", "index", "mcp", "schema"),
)


def written(value: object) -> str:
    """A default as the settings table shows it."""
    if isinstance(value, tuple):
        return f"`{','.join(map(str, value))}`" if value else "none"
    return f"`{value}`" if str(value) else "none"


def test_the_first_two_commands_start_it_and_test_it() -> None:
    assert COMMANDS[:2] == ["make serve", "make test"]


def test_the_settings_table_names_every_setting_and_no_other() -> None:
    assert [name for name, _, _ in SETTINGS] == [
        f"{PREFIX}{name.upper()}"
        for name in (*Settings.__annotations__, *AiSettings.__annotations__)
    ]
    assert set(re.findall(rf"{PREFIX}[A-Z]\w*", README)) == {name for name, _, _ in SETTINGS}


@pytest.mark.parametrize(("name", "default", "meaning"), SETTINGS, ids=[s[0] for s in SETTINGS])
def test_a_row_of_the_settings_table_says_what_is_so(name: str, default: str, meaning: str) -> None:
    field = Settings.model_fields[name.removeprefix(PREFIX).lower()]
    base_url = name == f"{PREFIX}BASE_URL"
    assert default == (f"`{Settings().public_url}`" if base_url else written(field.default))
    assert meaning == " ".join((field.description or "").split())


@pytest.mark.parametrize("command", OURS)
def test_the_commands_table_names_every_option_and_no_other(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    row = re.search(rf"(?m)^\| `studiograph {command}\b([^`]*)` \|", README)
    assert row is not None
    with pytest.raises(SystemExit):
        main([*command.split(), "--help"])
    options = set(re.findall(r"--[a-z]+", capsys.readouterr().out)) - {"--help"}
    assert set(re.findall(r"--[a-z]+", row[1])) == options


def test_there_are_no_other_commands(capsys: pytest.CaptureFixture[str]) -> None:
    def helped(*words: str) -> list[str]:
        with pytest.raises(SystemExit):
            main([*words, "--help"])
        return re.findall(r"(?m)^ {4}(\w+)(?: {2,}\w|$)", capsys.readouterr().out)

    found = [(name, helped(name)) for name in helped()]
    ours = [f"{name} {action}".strip() for name, own in found for action in own or [""]]
    assert sorted(ours) == sorted(OURS)
    rows = re.findall(r"(?m)^\| `studiograph ([a-z]+(?: [a-z]+)?)", README)
    assert sorted(rows) == sorted(OURS)


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
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    released = re.findall(r"(?m)^## \[(\d\S*)\]", CHANGELOG)
    assert all(Version(found) <= Version(version) for found in released)


def test_the_licence_is_the_one_the_project_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text().startswith("MIT License\n")
