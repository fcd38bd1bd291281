"""A path depends on one operation document: without it every trace of the path is gone."""

from pathlib import Path

import pytest
from removed_operations import FILES, Service, broken_without

from sdl.running.runner import Snapshot

# What runs here is measured by the tests of the surfaces already, and takes half as long again.
pytestmark = pytest.mark.no_cover


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Service:
    return Service.complete(tmp_path_factory.mktemp("data"))


@pytest.mark.parametrize("name", FILES)
def test_without_an_operation_document_its_path_is_nowhere_and_all_others_stay(
    name: str, complete: Service, reading: Snapshot, tmp_path: Path
) -> None:
    assert broken_without(name, tmp_path, complete, reading) == []
