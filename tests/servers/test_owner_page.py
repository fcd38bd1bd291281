"""The commands of the page for owners, one after the other, in an empty folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

from repository import ROOT

PAGE = (ROOT / "docs" / "owner.md").read_text(encoding="utf-8")


def test_every_command_of_the_page_does_what_the_page_says(tmp_path: Path) -> None:
    block = re.search(r"(?ms)^```sh\n(.*?)^```", PAGE)
    assert block is not None
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith("STUDIOGRAPH_")
    }
    done = subprocess.run(
        ["bash", "-euc", block[1]],
        cwd=tmp_path,
        env={
            **kept,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "STUDIOGRAPH_AI_EMBEDDER": "hash",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )
    assert done.returncode == 0, done.stderr
    assert "# Saltmarsh" in done.stdout
    assert "A person answers at ana@saltmarsh.example." in done.stdout
    assert '"title":"Tide tables for Porto"' in done.stdout
    assert (tmp_path / "saltmarsh.tar.gz").is_file()
    assert {path.name for path in (tmp_path / "studio").iterdir()} == {
        *("content", "var", ".env", ".gitignore", "public")
    }
