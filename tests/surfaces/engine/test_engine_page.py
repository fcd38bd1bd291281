"""docs/engine.md: what each of its three examples shows is what comes, and its commands run."""

import re
import shlex
import sys
from importlib import import_module
from pathlib import Path

import pytest
from asgi_call import asking
from repository import ROOT

import surfaces
from surfaces.cli import main

PAGE = (ROOT / "docs/engine.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8080"
EXAMPLES = {"tasks": "In ten minutes", "people": "DataSQRL", "space": "Apollo"}
APPLICATION = """from strawberry_surfaces import Surfaces

from tasks import schema

agents = Surfaces(schema, "operations/")
"""
BLOCK = re.compile(r"(?ms)^```(python|graphql|console)\n(.*?)^```")


def section(words: str) -> str:
    """The section whose heading has these words, which is in no block."""
    lines, found, is_code = list[str](), False, False
    for line in PAGE.splitlines():
        is_code ^= line.startswith("```")
        if line.startswith("## ") and not is_code:
            found = words in line
        lines += [line] if found else []
    return "\n".join(lines)


def shown(block: str) -> list[tuple[str, str]]:
    """The commands of a block, each with the output below it."""
    parts = re.split(r"(?m)^\$ ", block)[1:]
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts)]


@pytest.mark.parametrize("module", EXAMPLES)
def test_an_example_gives_what_it_shows(
    module: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "strawberry_surfaces", surfaces)
    commands = 0
    for kind, text in BLOCK.findall(section(EXAMPLES[module])):
        if kind != "console":
            file = tmp_path / text.partition("\n")[0].removeprefix("# ")
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
            continue
        for command, output in shown(text):
            commands += 1
            program, *words = shlex.split(command)
            if program == "surfaces":
                assert main(words) == 0
                assert capsys.readouterr().out == output, command
            else:
                assert program == "curl"
                answer = re.sub(r'(?<="request_id":")\w+', "...", asked(module, words))
                assert answer.rstrip("\n") == output.rstrip("\n"), command
    assert commands > 1
    del sys.modules[module]


def test_commands_take_a_schema_or_an_application(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "strawberry_surfaces", surfaces)
    tasks, operations = (
        next(text for kind, text in BLOCK.findall(section("In ten minutes")) if kind == wanted)
        for wanted in ("python", "graphql")
    )
    (tmp_path / "operations").mkdir()
    (tmp_path / "operations/tasks.graphql").write_text(operations)
    (tmp_path / "tasks.py").write_text(tasks)
    (tmp_path / "agents.py").write_text(APPLICATION)
    shown_there = section("In your application")
    calls = re.findall(r"`surfaces ((?:check|test|export) \w+:[^`]+)`", shown_there)
    assert len(calls) == 6
    for call in calls:
        assert main(shlex.split(call)) == 0, call
    for module in ("agents", "tasks"):
        del sys.modules[module]


def asked(module: str, words: list[str]) -> str:
    """What curl would print."""
    service = surfaces.Surfaces(import_module(module).schema, "operations/", url=ADDRESS)
    path = words[0].removeprefix(ADDRESS)
    if "-d" not in words:
        return asking(service)(path).text
    body = words[words.index("-d") + 1]
    headers = dict([words[words.index("-H") + 1].split(": ")])
    return asking(service)(path, "POST", content=body, headers=headers).text


def test_the_names_of_the_package_are_there() -> None:
    names = re.findall(r"(?m)^from strawberry_surfaces import (.+)$", PAGE)
    assert names
    for name in ", ".join(names).split(", "):
        assert hasattr(surfaces, name)
