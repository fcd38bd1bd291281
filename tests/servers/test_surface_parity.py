"""All surfaces say what was published, and the one that says something else is named."""

import json
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import pytest
from generated_studios import write_generated_studio
from outside_reader import command, studio_in
from repository import ROOT
from running_server import running
from surface_checks import Change, compared, exported_to, served

from resolvers.signing.verify import VerificationError
from rest_bridge.http.middleware import RequestGuard
from sdl.runner import Operations

FULL, ENTRY = "/llms-full.txt", "faq/what-is-quillmere"
COMPARED = ("REST", "GraphQL", "MCP", "export", FULL, "markdown", "MCP fetch")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, operations: Operations) -> RequestGuard:
    return served(studio_in(tmp_path_factory.mktemp("surfaces")), operations)


def test_all_surfaces_of_the_sample_say_the_same(
    service: RequestGuard, operations: Operations
) -> None:
    lines = compared(service, operations)
    assert tuple(line.partition(":")[0] for line in lines) == COMPARED


def test_all_surfaces_of_the_second_studio_say_the_same(
    tmp_path: Path, operations: Operations
) -> None:
    folder = ROOT / "evals" / "second"
    copytree(folder, tmp_path / "content", ignore=ignore_patterns("*.py"))
    assert len(compared(served(tmp_path / "content", operations), operations)) == len(COMPARED)


@pytest.mark.parametrize("seed", range(3))
def test_all_surfaces_of_a_generated_studio_say_the_same(
    seed: int, tmp_path: Path, operations: Operations
) -> None:
    service = served(write_generated_studio(tmp_path / "content", seed), operations)
    lines = compared(service, operations, export=exported_to(tmp_path / "public", service))
    assert tuple(line.partition(":")[0] for line in lines) == COMPARED
    assert not any("not compared;" in line for line in lines)


def where(place: str, sent: str = "") -> Any:
    """Whether a request goes to a place, and has a text in its body."""
    return lambda path, body: path == place and sent in json.dumps(body)


WORD, OTHER = b"used by 38 desks", b"used by 83 desks"
PLANTED: dict[str, tuple[Any, bytes, bytes, str]] = {
    "REST": (where(f"/api/{ENTRY}"), WORD, OTHER, ENTRY),
    "GraphQL": (where("/api/graphql", "GetThesis"), b"borrowed", b"burrowed", "thesis"),
    "MCP": (where("/mcp", "get_status"), b"active", b"asleep", "status"),
    "MCP tools": (where("/mcp", "tools/list"), b"Send a message", b"Send a coin", "tool/"),
    FULL: (where(FULL), WORD, OTHER, "faq"),
    "markdown": (where(f"/api/{ENTRY}"), WORD, OTHER, ENTRY),
    "MCP fetch": (where("/mcp", f'"{ENTRY}"'), WORD, OTHER, ENTRY),
}


@pytest.mark.parametrize("surface", PLANTED)
def test_a_planted_difference_is_named_with_its_surface_and_statement(
    surface: str, service: RequestGuard, operations: Operations
) -> None:
    is_meant, old, new, name = PLANTED[surface]
    changed = []

    def change(path: str, sent: Any, body: bytes) -> bytes:
        is_markdown = not body.startswith(b"{")
        if is_meant(path, sent) and is_markdown is (surface in ("markdown", FULL)):
            changed.append(body.replace(old, new))
            return changed[-1]
        return body

    planted: Change = change
    with pytest.raises(VerificationError) as refused:
        compared(service, operations, planted)
    assert changed
    assert refused.value.where.startswith(surface.removesuffix(" tools"))
    assert name in refused.value.why


def test_the_command_compares_a_running_server_and_an_export(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = write_generated_studio(tmp_path / "content", 4)
    with running(content) as server:
        words = ("verify", server.address, "--surfaces")
        assert command(tmp_path, "export", "public", "--quiet") == 0
        assert command(tmp_path, *words, "--export", "public") == 0
        lines = capsys.readouterr().out.splitlines()
        found = [line.removeprefix("ok     ").partition(":")[0] for line in lines]
        assert tuple(found[-len(COMPARED) :]) == COMPARED
        file = tmp_path / "public" / "api" / "thesis.json"
        file.write_text(file.read_text().replace("A ", "B "))
        assert command(tmp_path, *words, "--export", "public", "--quiet") == 1
        said = "WRONG  export: differs from what was published: thesis\n"
        assert capsys.readouterr().out == said
        assert command(tmp_path, *words, "--export", "content", "--quiet") == 1
        assert "export.json: is no list of an export" in capsys.readouterr().out
    for wrong in (("a.json", "--surfaces"), ("http://localhost", "--export", "public")):
        assert command(tmp_path, "verify", *wrong) == 2
