"""Starts refused for their keys or their data folder: what is said, and what helps then."""

import os
from collections.abc import Callable
from pathlib import Path
from shutil import copytree, rmtree

import pytest
from key_files import file_of, short
from repository import SAMPLE

from schema.site import Site
from studiograph.__main__ import main
from studiograph.settings import Settings
from studiograph.wiring.proofs import Proofs, key_store

Captured = pytest.CaptureFixture[str]
Harm = Callable[[Path, str], object]
"""What happens to a data folder with one key of this name."""


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, sample: Site) -> Path:
    """A data folder after the first start."""
    data = tmp_path_factory.mktemp("begun") / "var"
    Proofs(Settings(data=data), sample)
    return data


@pytest.fixture(scope="module")
def kid(begun: Path) -> str:
    """The name of its key."""
    (file,) = (begun / "keys").glob("*.json")
    return file.stem


@pytest.fixture
def data(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, used by the commands of the test, which are run in an empty folder."""
    copytree(begun, tmp_path / "var")
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("STUDIOGRAPH_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("STUDIOGRAPH_CONTENT", str(SAMPLE))
    return tmp_path / "var"


def lose(data: Path, _: str) -> None:
    rmtree(data / "keys")


def replace(data: Path, kid: str) -> None:
    file = data / "keys" / f"{kid}.json"
    folder = key_store(Settings(data=data.with_name("another")))
    (other,) = folder.load_or_create("quillmere")
    file.write_text(file_of(folder, short(kid)).read_text().replace(other.kid, kid))


def block(data: Path, _: str) -> None:
    rmtree(data)
    data.write_text("in the way")


def garble_journal(data: Path, _: str) -> None:
    (data / "studio.db").write_bytes(b"no database" * 999)


MISSING = "`studiograph keys import FILE` with the exported keys, or, if it is lost for good,"
REFUSED: dict[Harm, tuple[str, ...]] = {
    lose: ("{kid}: this key was published from here and is missing", MISSING),
    replace: ("{kid}: this key was published from here and is a different one in", MISSING),
    block: ("{data}", "STUDIOGRAPH_DATA"),
    garble_journal: ("{data}/studio.db: cannot be used", "Fix: the file is damaged: restore it"),
}


@pytest.mark.parametrize("harm", REFUSED, ids=lambda harm: harm.__name__)
def test_no_start_without_sound_keys_and_the_refusal_names_the_fix(
    harm: Harm, data: Path, kid: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIOGRAPH_DATA", str(data))
    harm(data, kid)
    assert main(["get", "/api/thesis"]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert [part for part in REFUSED[harm] if part.format(kid=kid, data=data) not in err] == []


def published(sample: Site) -> tuple[list[str], list[str]]:
    """The names of the keys and of the revoked ones after a start."""
    key_set = Proofs(Settings(), sample).key_ring.key_set
    return [key.kid for key in key_set.keys], [key.kid for key in key_set.revoked]


def test_a_lost_key_that_is_revoked_lets_the_start_work(
    data: Path, kid: str, sample: Site, capsys: Captured
) -> None:
    lose(data, kid)
    assert main(["keys", "revoke", kid]) == 0
    (made,), revoked = published(sample)
    assert (short(made), revoked) == (f"{short(kid)}-2", [kid])
    assert f"{kid} is revoked; its secret is gone. {made} signs" in capsys.readouterr().err
    assert main(["get", "/api/thesis"]) == 0


def test_lost_keys_are_named_one_after_the_other(
    data: Path, kid: str, sample: Site, capsys: Captured
) -> None:
    assert main(["keys", "rotate", "--now"]) == 0
    newer, older = published(sample)[0]
    assert older == kid
    lose(data, kid)
    named = []
    for _ in range(2):
        capsys.readouterr()
        assert main(["get", "/api/thesis"]) == 1
        lost, _, rest = capsys.readouterr().err.partition(": ")
        assert rest.startswith("this key was published from here")
        assert main(["keys", "revoke", lost]) == 0
        named.append(lost)
    assert {*named} == {newer, older}
    (made,), revoked = published(sample)
    assert (short(made), {*revoked}) == (f"{short(kid)}-3", {newer, older})


def test_a_kid_is_never_given_twice(data: Path, kid: str, sample: Site) -> None:
    given = [kid]
    for number in range(2, 4):
        lose(data, kid)
        for known in given:
            assert main(["keys", "revoke", known]) == 0
        (made,) = published(sample)[0]
        assert short(made) == f"{short(kid)}-{number}"
        given.append(made)
