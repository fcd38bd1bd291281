"""A backup that continues what is here is restored without a question."""

import shutil
from pathlib import Path

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
