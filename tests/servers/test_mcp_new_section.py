"""A new section is a tool and a resource too, without a line in the bridge to MCP."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp_messages import message
from test_new_section import OPERATION, tree

__all__ = ["tree"]


@pytest.fixture(scope="module")
def with_talks(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The product with the section, whose operation is a resource besides."""
    copy = Path(shutil.copytree(tree, tmp_path_factory.mktemp("mcp") / "copy"))
    told = OPERATION.replace("  @llms", '  @resource(name: "talks")\n  @llms')
    (copy / "sdl" / "operations" / "list_talks.graphql").write_text(told)
    return copy


def spoken(copy: Path, *asked: dict[str, Any]) -> list[Any]:
    """The results, in the order of the requests."""
    lines = [json.dumps({**value, "id": number}) for number, value in enumerate(asked)]
    done = subprocess.run(
        [sys.executable, "-m", "studiograph", "mcp"],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    answers = sorted(map(json.loads, done.stdout.splitlines()), key=lambda answer: answer["id"])
    return [answer["result"] for answer in answers]


def test_a_new_section_is_a_tool_and_a_resource(with_talks: Path) -> None:
    tools, resources, called, read, told = spoken(
        with_talks,
        message("tools/list"),
        message("resources/list"),
        message("tools/call", name="list_talks"),
        message("resources/read", uri="studio://talks"),
        message("initialize", protocolVersion="2025-11-25"),
    )
    tool = next(found for found in tools["tools"] if found["name"] == "list_talks")
    assert set(tool["inputSchema"]["properties"]) == {"fields", "limit", "offset"}
    members = called["structuredContent"]["items"][0]
    assert set(members) == {"title", "event", "heldOn", "abstract"}
    assert tool["annotations"]["readOnlyHint"] is True
    assert "studio://talks" in [found["uri"] for found in resources["resources"]]
    assert called["structuredContent"]["items"][0]["title"] == "Books that agree"
    assert "## Books that agree" in called["content"][0]["text"]
    [contents] = read["contents"]
    assert json.loads(contents["text"]) == called["structuredContent"]["items"]
    assert "list_talks" in told["instructions"]
