"""A newer backup is restored without a question; what stops a restore is named with its fix."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from minimal_studio import write_minimal_studio

from studiograph.__main__ import main
from studiograph.application import make_application
from studiograph.settings import Settings


def test_a_backup_that_continues_the_logs_is_restored(tmp_path: Path) -> None:
    content = write_minimal_studio(tmp_path / "content")
    settings = Settings(content=content, data=tmp_path / "var")

    def run(*words: str) -> int:
        return main([*words], settings=lambda: settings)

    make_application(settings)
    older, newer = str(tmp_path / "older.tar.gz"), str(tmp_path / "newer.tar.gz")
    assert run("backup", older) == 0
    assert run("publish", "Later", "--yes", "--quiet") == 0
    make_application(settings)
    assert run("backup", newer) == 0
    shutil.rmtree(settings.data)
    assert run("restore", older) == 0
    assert run("restore", newer) == 0
    assert run("restore", older) == 1


def test_a_restore_that_fails_says_how_to_mend_what_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = write_minimal_studio(tmp_path / "content")
    settings = Settings(content=content, data=tmp_path / "var")
    make_application(settings)
    saved = str(tmp_path / "saved.tar.gz")
    assert main(["backup", saved], settings=lambda: settings) == 0
    for second in range(300):
        time = datetime.now(UTC) + timedelta(seconds=second)
        (settings.data / f"before-{time:%Y%m%dT%H%M%SZ}").mkdir(exist_ok=True)
    capsys.readouterr()
    assert main(["restore", saved], settings=lambda: settings) == 1
    error = capsys.readouterr().err
    assert "File exists. Fix: see that the data folder can be written" in error
    assert (settings.data / "studio.db").is_file()
    absent = str(tmp_path / "absent.tar.gz")
    assert main(["restore", absent], settings=lambda: settings) == 1
    assert "Fix: name a file made by `studiograph backup`." in capsys.readouterr().err
