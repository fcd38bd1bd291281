"""The folder of the vector store: refused before a start, while another process has it."""

import os
from pathlib import Path

import pytest

from resolvers.search.chroma import lock_folder
from studiograph.settings import Settings, SettingsError
from studiograph.wiring.ai import check_not_shared


def test_a_folder_that_another_has_is_refused_and_named_until_it_is_given_back(
    tmp_path: Path,
) -> None:
    settings = Settings(data=tmp_path, vector_store="chroma-path")
    held = lock_folder(tmp_path / "chroma")
    with pytest.raises(SettingsError, match=r"STUDIOGRAPH_VECTOR_STORE.*Another process"):
        check_not_shared(settings)
    check_not_shared(Settings(data=tmp_path))
    os.close(held)
    check_not_shared(settings)
    check_not_shared(settings)


def test_a_folder_that_cannot_be_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "chroma").write_text("")
    with pytest.raises(SettingsError, match=r"cannot be used.*STUDIOGRAPH_DATA"):
        check_not_shared(Settings(data=tmp_path, vector_store="chroma-path"))
