"""The folder of the vector store: refused before a start, while another process has it."""

import os
from pathlib import Path

import pytest

from resolvers.answers.held import held_folder
from studiograph.answers import refuse_taken
from studiograph.settings import Settings, SettingsError


def test_a_folder_that_another_has_is_refused_and_named_until_it_is_given_back(
    tmp_path: Path,
) -> None:
    settings = Settings(data=tmp_path, vector_store="chroma-path")
    held = held_folder(tmp_path / "chroma")
    with pytest.raises(SettingsError, match=r"STUDIOGRAPH_VECTOR_STORE.*Another process"):
        refuse_taken(settings)
    refuse_taken(Settings(data=tmp_path))
    os.close(held)
    refuse_taken(settings)
    refuse_taken(settings)


def test_a_folder_that_cannot_be_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "chroma").write_text("")
    with pytest.raises(SettingsError, match=r"cannot be used.*STUDIOGRAPH_DATA"):
        refuse_taken(Settings(data=tmp_path, vector_store="chroma-path"))
