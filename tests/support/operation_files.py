"""Copies of the stored operations that a test can break."""

import shutil
from pathlib import Path

import pytest

import sdl
from sdl.operations.rules import OperationError
from studiograph.application import load_operations

PROJECT, PROJECTS = "get_project.graphql", "list_projects.graphql"
THESIS, CONTACT = "get_thesis.graphql", "send_contact.graphql"
SKILL = "get_skill.graphql"


def copied(folder: Path) -> Path:
    """A copy of the stored operations in this folder."""
    for name in ("operations", "fragments"):
        shutil.copytree(Path(sdl.__file__).parent / name, folder / "sdl" / name)
    return folder / "sdl"


def faults_after(copy: Path, file: str, old: str, new: str) -> list[str]:
    """The faults once `old` is `new` in one operation."""
    path = copy / "operations" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(OperationError) as caught:
        load_operations(copy)
    return [str(fault) for fault in caught.value.problems]
