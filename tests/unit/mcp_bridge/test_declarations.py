"""What an operation says of itself for MCP is checked at the start, with the place of the fault."""

import shutil
from pathlib import Path

from repository import ROOT

from studiograph.application import load_operations


def test_lists_within_an_object_have_slugs_too(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(ROOT / "sdl", tmp_path / "sdl"))
    path = folder / "operations" / "compare_projects.graphql"
    path.write_text(path.read_text().replace('"ListProjects"', '"GetOnChain.artifacts"'))
    operations = load_operations(folder)
    prompt = operations.by_name["CompareProjects"].prompt
    assert prompt is not None
    assert prompt.each == "GetOnChain.artifacts"
