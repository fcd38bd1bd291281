"""What an owner loses, what is said then, and the one way out: the transcript of docs/operating.md.

Somebody has checked the service before each loss, and checks it again after it.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree, rmtree

import pytest
from generated_studios import write_generated_studio
from outside_reader import command, started
from running_server import running
from tampering import Proxy, source_of, tampering

Captured = pytest.CaptureFixture[str]
BACKUP = "saved.tar.gz"


@pytest.fixture(scope="module")
def door() -> Iterator[Proxy]:
    """The address of the studio, which stays the same when its server does not."""
    with tampering(lambda _: (503, b"")) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def begun(door: Proxy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A studio that was published, verified and saved, with what its verifier remembers."""
    home = tmp_path_factory.mktemp("begun") / "studio"
    with running(write_generated_studio(home / "content", 4)) as web:
        door.reset(source_of(web))
        assert command(home, "verify", door.address) == 0
    assert command(home, "backup", BACKUP) == 0
    return home


@pytest.fixture
def home(begun: Path, tmp_path: Path) -> Path:
    copytree(begun, tmp_path / "studio", symlinks=True)
    return tmp_path / "studio"


Verify = Callable[[], tuple[int, str]]


@pytest.fixture
def verify(home: Path, door: Proxy, capsys: Captured) -> Verify:
    """What somebody who remembers says of the studio as it is now, which is started for it."""

    def once() -> tuple[int, str]:
        with running(home / "content") as web:
            door.reset(source_of(web))
            capsys.readouterr()
            code = command(home, "verify", door.address)
            return code, capsys.readouterr().out.splitlines()[-1]

    return once


def refusal(home: Path) -> str:
    """What a start says that is refused."""
    code, out, err = started(home / "content")
    assert (code, out, err.count("\n")) == (1, "", 1), err
    return err


STILL = r"ok     /api/words/\S+: the log still (has the size|begins with what was) seen before, .*"
ANOTHER = (
    r"WRONG  /api/words: the log \S+/words/\d{8}T\d{6}Z was seen by the last check; now"
    r" \S+/words/\d{8}T\d{6}Z is there, and nothing connects the two"
)


def test_lost_keys_a_lost_database_and_both_come_back_with_the_backup(
    home: Path, verify: Verify, capsys: Captured
) -> None:
    rmtree(home / "var" / "keys")
    said = refusal(home)
    assert re.search(
        r"studio-4-\w{8}-\d{4}-\d\d: this key was published from here and is missing", said
    )
    assert "Fix: run `studiograph keys import FILE` with the exported keys" in said
    database = (home / "var" / "studio.db").unlink
    losses: list[Callable[[], object]] = [str, database, lambda: rmtree(home / "var")]
    for lose in losses:
        lose()
        assert command(home, "restore", BACKUP) == 0, capsys.readouterr().err
        code, line = verify()
        assert code == 0
        assert re.fullmatch(STILL, line)


def test_without_a_backup_a_lost_database_begins_another_log_and_whoever_remembers_is_told(
    home: Path, door: Proxy, verify: Verify
) -> None:
    for file in (home / "var").glob("studio.db*"):
        file.unlink()
    code, line = verify()
    assert code == 1
    assert re.fullmatch(ANOTHER, line)
    seen = home / "state" / "studiograph" / "seen.json"
    assert door.address in seen.read_text()
    seen.unlink()
    assert verify()[0] == 0
