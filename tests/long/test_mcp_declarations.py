"""What an operation says of itself for MCP is checked at the start, with the place of the fault."""

import shutil
from pathlib import Path

import pytest
from repository import ROOT

from sdl.operations.rules import OperationError
from studiograph.application import load_operations

CASES = [
    ("get_status", '@resource(name: "status"', '@resource(name: "no spaces"', "segments"),
    ("get_status", '@resource(name: "status"', '@resource(name: "a/{b}"', "variables of the path"),
    ("get_status", '@resource(name: "status"', '@resource(name: "about"', "resource 'about'"),
    ("get_project", '"projects/{slug}"', '"projects/one"', "variables of the path"),
    ("get_founder", "@llms", '@resource(name: "founder") @llms', "give it a path by @rest"),
    ("send_contact", "@llms", '@resource(name: "contact") @llms', "resource"),
    ("get_status", '@mcp(tool: "get_status"', '@mcp(tool: "get_about"', "tool 'get_about'"),
    ("introduce_studio", '"introduce_studio"', '"Introduce"', "lower-case"),
    ("introduce_studio", '"introduce_studio"', '"draft_outreach"', "prompt 'draft_outreach'"),
    ("introduce_studio", "@prompt", '@rest(path: "/api/x") @prompt', "may not have a path"),
    ("compare_projects", '"ListProjects"', '"ListFaq"', "is not a list whose items have slugs"),
    ("compare_projects", '"ListProjects"', '"GetStatus"', "is not a list whose items have slugs"),
    ("compare_projects", '"ListProjects"', '"Nothing"', "is not a list whose items have slugs"),
]


@pytest.mark.parametrize(("name", "old", "new", "message"), CASES, ids=[str(c[2:]) for c in CASES])
def test_a_wrong_declaration_stops_the_start(
    tmp_path: Path, name: str, old: str, new: str, message: str
) -> None:
    folder = Path(shutil.copytree(ROOT / "sdl", tmp_path / "sdl"))
    path = folder / "operations" / f"{name}.graphql"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(OperationError) as caught:
        load_operations(folder)
    assert message in str(caught.value)
    assert f"{name}.graphql:" in str(caught.value) or "get_about.graphql" in str(caught.value)
