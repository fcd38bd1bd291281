"""A new section is a type, a field, a content file and an operation; all else follows by itself."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from repository import ROOT
from running_server import Running, running

FOLDERS = ("schema", "content", "resolvers", "sdl", "rest_bridge", "mcp_bridge", "studiograph")

TYPE = '''

class Talk(Output):
    """A talk the studio gave."""

    title: Annotated[Line, Heading()]
    """The talk's title."""
    event: Line
    """Where it was given."""
    held_on: Date
    """The day on which it was given."""
    abstract: Text
    """What it was about."""
'''
LICENSING = "    licensing: Annotated[Licensing | None, Section(), asked()] = None\n"
FIELD = '''    talks: Annotated[
        list[Talk],
        Section(),
        Searchable("talk"),
        asked("which talks were given", "list the talks", says="Talks: [{talks.title}]."),
    ] = Field(default_factory=list)
    """The talks the studio gave."""
    licensing: Annotated[Licensing | None, Section(), asked()] = None
'''
WORDS = """[[talks]]
title = "Books that agree"
event = "The autumn ledger meeting"
heldOn = 2026-09-17
abstract = "Why two records of one event always differ, and what to do before it hurts."
"""
OPERATION = '''"""
Every talk the studio gave.
"""
query ListTalks
  @rest(path: "/api/talks")
  @mcp(tool: "list_talks", title: "List talks")
  @llms(section: "Talks")
  @sign(section: "talks")
  @example(name: "all")
  @intent(
    goals: [
      "which talks were given at meetings"
      "list all talks given at meetings"
      "talks given at a meeting last autumn"
      "abstracts of talks given at meetings"
    ]
  )
{
  talks { title event heldOn abstract }
}
'''


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the product with the four additions and nothing else."""
    root = tmp_path_factory.mktemp("talks")
    for folder in FOLDERS:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, root / folder, ignore=ignored)
    sections = root / "schema" / "sections.py"
    sections.write_text(sections.read_text() + TYPE)
    site = root / "schema" / "site.py"
    declared = site.read_text().replace(LICENSING, FIELD)
    assert "HeadlineNumber, Status\n" in declared
    site.write_text(declared.replace("HeadlineNumber, Status\n", "HeadlineNumber, Status, Talk\n"))
    (root / "content" / "talks.toml").write_text(WORDS)
    (root / "sdl" / "operations" / "list_talks.graphql").write_text(OPERATION)
    return root


def run(tree: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """The command, run on a copy."""
    return subprocess.run(
        [sys.executable, "-m", "studiograph", *words],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def server(tree: Path) -> Iterator[Running]:
    """The copy, served."""
    with running(tree / "content") as made:
        yield made


def text(server: Running, path: str) -> str:
    """What is answered at a path."""
    answer = server.get(path)
    assert answer.status == 200
    return answer.body.decode()


def test_check_accepts_it_and_the_schema_has_it(tree: Path) -> None:
    checked, printed = run(tree, "check"), run(tree, "schema")
    assert (checked.returncode, printed.returncode) == (0, 0)
    assert "valid" in checked.stdout
    assert "type Talk {" in printed.stdout
    assert '"""The talks the studio gave."""\n  talks: [Talk!]!' in printed.stdout


def test_rest_answers_it_by_its_derived_schema(server: Running) -> None:
    body = server.get("/api/talks").json()
    talk = {"title", "event", "heldOn", "abstract"}
    jsonschema.validate(body, {"type": "array", "minItems": 1, "items": {"required": [*talk]}})
    assert set(body[0]) == talk
    assert body[0]["heldOn"] == "2026-09-17"
    assert server.get("/api/manifest").json()["talks"] == body


def test_markdown_answers_it(server: Running) -> None:
    said = text(server, "/api/talks.md")
    assert "# List talks" in said
    assert "## Books that agree" in said
    assert "- Held on: 2026-09-17" in said


def test_llms_txt_lists_it_and_the_whole_site_holds_it(server: Running) -> None:
    listed = text(server, "/llms.txt")
    assert "## Talks" in listed
    assert "/api/talks.md): Every talk the studio gave." in listed
    for path in ("/llms-full.txt", "/api/manifest.md"):
        assert "### Books that agree" in text(server, path)


def test_registries_are_told_of_it(server: Running) -> None:
    rest, mcp = server.get("/.well-known/ard.json").json()["entries"][:2]
    for entry in (rest, mcp):
        assert "talks" in entry["tags"]
        assert any("talks" in query for query in entry["representativeQueries"])
    assert "list_talks" in mcp["capabilities"]


def test_without_its_operation_the_start_says_what_is_missing(tree: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tree, copy, ignore=shutil.ignore_patterns("var"))
    (copy / "sdl" / "operations" / "list_talks.graphql").unlink()
    done = run(copy, "check")
    assert done.returncode == 1
    assert "no operation reads the section 'talks'" in done.stdout
