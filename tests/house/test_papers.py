"""What documents say is so: settings, commands, addresses, files, links and names are there."""

import ast
import json
import os
import re
import shlex
import subprocess
import tomllib
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import jsonschema
import pytest
import yaml  # type: ignore[import-untyped] # it brings no types
from local_service import Ask
from offenders import offenders
from packaging.version import Version
from repository import ROOT

from docs.reference import PAGES
from studiograph.__main__ import COMMANDS
from studiograph.settings import PREFIX, Settings
from studiograph.version import __version__

README = (ROOT / "README.md").read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES: list[str] = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]

PAPERS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
    if path.name != "CHANGELOG.md"
}
LOCAL = r"https?://(?:127\.0\.0\.1|localhost):8000"
ADDRESSES = sorted(
    {
        path.rstrip(",.;")
        for text in PAPERS.values()
        for path in re.findall(rf"{LOCAL}(/[^\s`)#'\"]*)", text)
    }
)


def commands_in(text: str) -> list[str]:
    """The lines of the blocks of shell commands; what is continued is one line."""
    blocks = re.findall(r"(?ms)^```(?:sh|bash|console)\n(.*?)^```", text)
    lines = "\n".join(blocks).replace("\\\n", " ")
    return [line for line in lines.splitlines() if line.strip()]


def posts_in(text: str) -> list[tuple[str, str, str]]:
    """The path, media type and body of each POST that a page shows with curl."""
    posts = []
    for call in re.findall(r"(?m)^curl (?:[^\n']|'[^']*')*", text.replace("\\\n", " ")):
        words = shlex.split(call, comments=True)
        if "-d" in words:
            address = next(word for word in words if word.startswith("http"))
            kinds = [word for word in words if word.startswith("content-type: ")]
            media_type = kinds[0].removeprefix("content-type: ")
            posts.append((urlsplit(address).path, media_type, words[words.index("-d") + 1]))
    return posts


def test_the_first_two_commands_start_it_and_test_it() -> None:
    assert commands_in(README)[:2] == ["make serve", "make test"]


@pytest.mark.parametrize("name", PAGES)
def test_a_reference_page_is_what_it_describes(name: str) -> None:
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == PAGES[name](), "run `make docs`"


def test_every_setting_and_command_that_a_page_names_is_there() -> None:
    settings = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    found = []
    for page, text in PAPERS.items():
        called = re.findall(r"(?:`|bin/)studiograph ([a-z]+)\b", text)
        lines = "\n".join(commands_in(text))
        called += re.findall(r"(?m)^studiograph ([a-z]+)\b", lines)
        names = {*re.findall(rf"(?<!\w){PREFIX}[A-Z]\w*", text), *called} - settings - {*COMMANDS}
        found += [f"{page}: {name}" for name in names]
    assert found == []


def test_a_client_that_starts_the_server_is_shown_with_a_base_url() -> None:
    (block,) = re.findall(r"(?ms)^```json\n(\{\"mcpServers\".*?)^```", PAPERS["docs/mcp.md"])
    servers = json.loads(block)["mcpServers"].values()
    assert [f"{PREFIX}BASE_URL" in server["env"] for server in servers if "env" in server] == [True]


def test_every_target_of_make_that_a_page_names_is_there() -> None:
    targets = set(re.findall(r"(?m)^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8")))
    named = {
        (page, target)
        for page, text in PAPERS.items()
        for call in re.findall(r"(?m)(?:^|`)make ((?:[a-z-]+ ?)+)(?=`|\n|  )", text)
        for target in call.split()
    }
    assert len(named) > 10
    assert {(page, target) for page, target in named if target not in targets} == set()


@pytest.mark.parametrize("path", ADDRESSES)
def test_every_address_that_a_page_asks_answers(path: str, ask: Ask) -> None:
    parts = urlsplit(path)
    address = parts.path + (f"?{parts.query}" if parts.query else "")
    if ask(address).status_code != 200:
        assert path in {post for text in PAPERS.values() for post, *_ in posts_in(text)}


def test_every_call_that_a_page_posts_is_taken(ask: Ask) -> None:
    def check(path: str, media_type: str, body: str) -> None:
        if path == "/api/subscribe":  # it would look for the host in the DNS
            jsonschema.validate(json.loads(body), ask(path).json()["request"])
            return
        response = ask(path, "POST", content=body, headers={"content-type": media_type})
        assert response.status_code == 200, response.text
        assert '"errors"' not in response.text

    posts = [post for text in PAPERS.values() for post in posts_in(text)]
    assert len(posts) >= 6
    assert offenders(check, posts) == []


def test_the_operation_of_the_readme_is_the_file() -> None:
    block = re.search(r"(?ms)^```graphql\n(.*?)^```", README)
    assert block is not None
    file = re.search(r"`(sdl/operations/\w+\.graphql)`", README)
    assert file is not None
    assert block[1] == (ROOT / file[1]).read_text(encoding="utf-8")


def test_every_link_between_pages_leads_somewhere() -> None:
    def check(page: str) -> None:
        links = re.findall(r"\]\(([^)\s]+)\)", PAPERS[page])
        for link in links:
            target, _, anchor = link.partition("#")
            path = (ROOT / page).parent / target if target else ROOT / page
            assert target.startswith("http") or path.exists(), link
            if anchor:
                heads = re.findall(r"(?m)^#+ (.+)$", path.read_text(encoding="utf-8"))
                assert anchor in {slug_of(head) for head in heads}, link

    assert offenders(check, [*PAPERS]) == []


def slug_of(heading: str) -> str:
    """The anchor of a heading, as hosts of repositories make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_every_page_is_reached_from_the_index() -> None:
    index = PAPERS["docs/README.md"]
    assert [
        page for page in PAPERS if page != "docs/README.md" and Path(page).name not in index
    ] == []


def test_every_file_that_a_page_names_is_there() -> None:
    folders = "|".join([*PACKAGES, "tests", "docs", "deploy", "evals", "benches"])
    named = [
        (page, name)
        for page, text in PAPERS.items()
        for name in re.findall(rf"`((?:{folders})/[\w./-]*)`", text)
    ]
    assert len(named) > 40
    assert [f"{page}: {name}" for page, name in named if not (ROOT / name).exists()] == []


def test_the_tree_of_folders_is_the_one_that_is_there() -> None:
    section = ARCHITECTURE.partition("## Folders")[2].partition("\n## ")[0]
    rows = [row.split("|")[1] for row in section.splitlines() if row.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`([\w/]+)`", row)}
    inner = {
        path.parent.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).glob("*/__init__.py")
    }
    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    files = [Path(name).parts for name in done.stdout.split("\0") if name]
    outer = {parts[0] for parts in files if len(parts) > 1 and parts[0][0] != "."}
    assert named == inner | outer


def identifiers() -> set[str]:
    """Every name in the Python code of the product."""
    names: set[str] = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                    names.add(node.name)
                elif isinstance(node, ast.Name):
                    names.add(node.id)
                elif isinstance(node, ast.Attribute):
                    names.add(node.attr)
    return names


def test_the_glossary_has_words_of_the_code_with_one_sentence_each() -> None:
    lines = ARCHITECTURE.partition("## Glossary")[2].strip().splitlines()
    entries = [match for line in lines if (match := re.fullmatch(r"- `(\w+)`: (.+)", line))]
    words = [entry[1] for entry in entries]
    assert len(words) >= 40
    assert words == sorted(set(words), key=str.lower)
    assert set(words) - identifiers() == set()
    assert [
        e[1] for e in entries if not re.fullmatch(r"[A-Z][^.!?]*(?:\.\w[^.!?]*)*\.", e[2])
    ] == []


def test_hooks_run_what_make_check_runs() -> None:
    outside = {k: v for k, v in os.environ.items() if k not in {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}}
    done = subprocess.run(
        ["make", "--dry-run", "--old-file=.venv/.ready", "check"],
        cwd=ROOT,
        env=outside,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    hooks = [hook for repository in config["repos"] for hook in repository["hooks"]]
    assert [repository["repo"] for repository in config["repos"]] == ["local"]
    assert [hook["entry"] for hook in hooks] == done.stdout.splitlines()
    assert {hook["language"] for hook in hooks} == {"system"}


def test_the_changelog_is_in_the_form_of_keep_a_changelog() -> None:
    head, *releases = re.split(r"(?m)^## ", CHANGELOG)
    assert head.startswith("# Changelog\n")
    assert "https://keepachangelog.com/en/1.1.0/" in head
    assert "https://semver.org/spec/v2.0.0.html" in head
    names = [release.splitlines()[0] for release in releases]
    released = names[names[0] == "[Unreleased]" :]
    dated = [re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})", name) for name in released]
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
            assert all(re.match(r"- \S|  \S|#### \S|\[.+\]: http", line) for line in lines)


def test_the_newest_release_is_that_of_the_project() -> None:
    released = re.findall(r"(?m)^## \[(\d\S*)\]", CHANGELOG)
    assert Version(released[0]) == Version(__version__)


def test_the_licence_is_the_one_the_project_names() -> None:
    assert PROJECT["project"]["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text().startswith("MIT License\n")
