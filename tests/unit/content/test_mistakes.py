"""The mistakes of owners: `mistakes.toml` has each with everything that is said of it."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from content_breakage import faults_in
from minimal_studio import write_minimal_studio

MISTAKES = tomllib.loads((Path(__file__).parent / "mistakes.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("mistake", MISTAKES["mistake"], ids=lambda mistake: mistake["name"])
def test_a_mistake_is_said_with_its_place_and_its_fix(
    mistake: dict[str, Any], tmp_path: Path
) -> None:
    folder = write_minimal_studio(tmp_path / "content")
    if "replace" in mistake:
        words = (folder / "studio.toml").read_text(encoding="utf-8")
        assert words.count(mistake["replace"]) == 1
        changed = words.replace(mistake["replace"], mistake["by"])
        (folder / "studio.toml").write_text(changed, encoding="utf-8")
    else:
        (folder / mistake["file"]).write_text(mistake["text"], encoding="utf-8")
    assert [str(fault) for fault in faults_in(folder)] == mistake["messages"]
