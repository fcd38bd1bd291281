"""`studiograph export`: what a plain file server serves is what the service says, and verifies."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
from repository import ROOT, SAMPLE
from running_server import running
from shortcuts import program

ADDRESS = "https://studio.example"
STUDIOS = {"sample": SAMPLE, "second": ROOT / "evals" / "second"}


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


@contextmanager
def serving_files(folder: Path) -> Iterator[str]:
    """The address of a file server, stopped at the end."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def call(folder: Path, *words: object) -> "subprocess.CompletedProcess[str]":
    """One call of the program in a studio's folder."""
    return subprocess.run(
        [sys.executable, *program(), *map(str, words)],
        cwd=folder,
        env={**os.environ, "XDG_STATE_HOME": str(folder / "state")},
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )


@pytest.mark.parametrize("studio", STUDIOS)
def test_an_export_is_what_the_service_says_and_verifies_without_it(
    tmp_path: Path, studio: str
) -> None:
    copytree(STUDIOS[studio], tmp_path / "content", ignore=ignore_patterns("*.py", "__pycache__"))
    (tmp_path / ".env").write_text(f"STUDIOGRAPH_BASE_URL={ADDRESS}\n")
    with running(tmp_path / "content") as server:
        done = call(tmp_path, "export", "public", "--quiet")
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        files = json.loads((tmp_path / "public" / "export.json").read_bytes())["files"]
        sections = files.pop("/api/snapshot.sig")  # an error, which has an id of its own each time
        for target, name in files.items():
            assert (tmp_path / "public" / name).read_bytes() == server.get(target).body, target
        listed = json.loads((tmp_path / "public" / sections).read_bytes())
        assert listed == {**server.get("/api/snapshot.sig").json(), "request_id": None}
    with serving_files(tmp_path / "public") as address:
        done = call(tmp_path, "verify", address)
    assert done.returncode == 0, done.stdout
    assert "/api/log/proof?index=0: the entry is in the log" in done.stdout
    proofs = [target for target in files if target.startswith("/api/proof?name=")]
    saved, keys = tmp_path / "public" / files[proofs[0]], tmp_path / "public/.well-known/jwks.json"
    done = call(tmp_path, "verify", saved, "--keys", keys)
    assert done.returncode == 0, done.stdout


def test_an_export_replaces_an_earlier_one_and_nothing_else(tmp_path: Path) -> None:
    words = ("init", "studio", "--name", "Saltmarsh", "--url", ADDRESS, "--one-line", "Tide tables")
    done = call(tmp_path, *words, "--founder", "Ana Silva", "--email", "ana@saltmarsh.example")
    studio = tmp_path / "studio"
    assert done.returncode == 0, done.stderr
    (studio / "content" / "glossary.toml").write_text(
        '[[glossary]]\nslug = "chart-datum"\nterm = "Chart datum"\ndefinition = "Lowest tide."\n'
    )
    assert call(studio, "export", "public").returncode == 0
    entry = studio / "public" / "api" / "glossary" / "chart-datum.json"
    assert "Lowest tide." in entry.read_text()
    (studio / "content" / "glossary.toml").unlink()
    again = call(studio, "export", "public")
    assert again.returncode == 0, again.stderr
    assert not entry.exists()
    (studio / "var" / "export.json").write_text("{}")
    refused = call(studio, "export", "var")
    assert refused.returncode == 1
    assert "Fix: name a new or an empty folder." in refused.stderr
    assert (studio / "var" / "keys").is_dir()
