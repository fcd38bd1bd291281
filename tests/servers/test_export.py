"""`studiograph export`: what a plain file server serves is what the service says, and verifies."""

import json
import re
from contextlib import AbstractContextManager
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
from http_service import http_service
from outside_reader import command
from repository import SAMPLE
from running_server import running
from verifier_scripts import both

ADDRESS = "https://studio.example"


class Files(SimpleHTTPRequestHandler):
    """Python's file server, with the one rule of `docs/owner.md` for names."""

    def translate_path(self, path: str) -> str:
        target, _, query = path.partition("?")
        name = f"{'/index' if target == '/' else target}{'@' * bool(query)}{query}"
        found = (
            super(Files, self).translate_path(name + end) for end in ("", ".json", ".md", ".txt")
        )
        return next((file for file in found if Path(file).is_file()), f"{self.directory}/none")

    def log_message(self, format: str, *_: object) -> None:  # noqa: A002 - the base's name
        pass


def serving_files(folder: Path) -> AbstractContextManager[str]:
    """The address of a file server, stopped at the end."""
    return http_service(partial(Files, directory=str(folder)))


def check_what_is_signed(public: Path, files: dict[str, str]) -> None:
    """Check every saved envelope and proof by the saved key set, as `verify FILE --keys` does."""
    for start in ("/api/snapshot.sig?", "/api/proof?name="):
        found = [name for target, name in files.items() if target.startswith(start)]
        assert found
        for name in found:
            assert both(public / name, public / ".well-known/jwks.json")[0] == 0, name


def test_an_export_is_what_the_service_says_and_verifies_without_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copytree(SAMPLE, tmp_path / "content", ignore=ignore_patterns("*.py", "__pycache__"))
    (tmp_path / ".env").write_text(
        f"STUDIOGRAPH_BASE_URL={ADDRESS}\nSTUDIOGRAPH_AI_EMBEDDER=hash\n"
    )
    with running(tmp_path / "content") as server:
        assert command(tmp_path, "export", "public", "--quiet") == 0
        assert capsys.readouterr().out == ""
        files = json.loads((tmp_path / "public" / "export.json").read_bytes())["files"]
        sections = files.pop("/api/snapshot.sig")  # an error, which has an id of its own each time
        for target, name in files.items():
            assert (tmp_path / "public" / name).read_bytes() == server.get(target).body, target
        listed = json.loads((tmp_path / "public" / sections).read_bytes())
        assert listed == {**server.get("/api/snapshot.sig").json(), "request_id": None}
    with serving_files(tmp_path / "public") as address:
        code = command(tmp_path, "verify", address)
    told = capsys.readouterr().out
    assert code == 0, told
    proven = re.findall(r"/api/log/proof\?index=(\d+): the entry is in the log", told)
    last = sum(target.startswith("/api/log/proof?") for target in files) - 1
    assert {*map(int, proven)} == ({0, last} if last >= 0 else set())
    check_what_is_signed(tmp_path / "public", files)


def test_an_export_replaces_an_earlier_one_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("init", "studio", "--name", "Saltmarsh", "--url", ADDRESS, "--one-line", "Tide tables")
    more = ("--founder", "Ana Silva", "--email", "ana@saltmarsh.example")
    assert command(tmp_path, *words, *more) == 0
    studio = tmp_path / "studio"
    (studio / "content" / "glossary.toml").write_text(
        '[[glossary]]\nslug = "chart-datum"\nterm = "Chart datum"\ndefinition = "Lowest tide."\n'
    )
    assert command(studio, "export", "public") == 0
    entry = studio / "public" / "api" / "glossary" / "chart-datum.json"
    assert "Lowest tide." in entry.read_text()
    (studio / "content" / "glossary.toml").unlink()
    assert command(studio, "export", "public") == 0
    assert not entry.exists()
    (studio / "var" / "export.json").write_text("{}")
    capsys.readouterr()
    assert command(studio, "export", "var") == 1
    assert "Fix: name a new or an empty folder." in capsys.readouterr().err
    assert (studio / "var" / "keys").is_dir()
