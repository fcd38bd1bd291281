"""The folder of keys: who can read it, what may stand in it, and what changes it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from concurrent_processes import Race, racers
from key_files import (
    START,
    Clock,
    key_store,
    kids,
    short,
)

from resolvers.signing.keystore import KeyStore


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def race() -> Iterator[Race]:
    """Four processes."""
    with racers(4) as made:
        yield made


@pytest.fixture
def keys(tmp_path: Path, clock: Clock) -> KeyStore:
    """A folder with its first key."""
    folder = key_store(tmp_path / "data" / "keys", clock)
    folder.load_or_create("studio")
    return folder


@pytest.mark.parametrize("number", range(2))
def test_processes_that_begin_at_the_same_moment_have_one_first_key(
    tmp_path: Path, race: Race, number: int
) -> None:
    path, names = str(tmp_path / "keys"), [f"studio-{number}-{letter}" for letter in "abcd"]
    answers = race("begin", [[path, name, START.isoformat()] for name in names])
    made = kids(key_store(Path(path), Clock()).read())
    assert [[short(kid) for kid in answer] for answer in answers] == [made] * 4
    assert len(made) == len({kid for answer in answers for kid in answer}) == 1
