"""What a process does of the work, by its role, is said in its log."""

import shutil
from pathlib import Path

from repository import SAMPLE
from running_server import eventually, running

TOLD = "wait until a process with STUDIOGRAPH_JOBS_ROLE=worker does them"


def test_a_process_that_does_no_jobs_says_who_must(tmp_path: Path) -> None:
    content = tmp_path / "content"
    shutil.copytree(SAMPLE, content, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (tmp_path / ".env").write_text("STUDIOGRAPH_JOBS_ROLE=web\n")
    with running(content) as server:
        eventually(lambda: any(TOLD in line for line in server.errors))
    (tmp_path / ".env").write_text("STUDIOGRAPH_JOBS_ROLE=all\n")
    with running(content) as server:
        eventually(lambda: server.get("/readyz").status == 200)
    assert not any(TOLD in line for line in server.errors)
