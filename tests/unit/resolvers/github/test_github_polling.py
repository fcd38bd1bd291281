"""`studiograph github sync`: what GitHub says now, written whole into the content folder or not."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from github_mirrors import DOWN, TOKEN
from github_server import LOGIN, Hub, always, github_server, http, readme, star

from content.reading.reader import load
from studiograph.__main__ import main

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def hub(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """GitHub, as the environment names it, beside a copy of the sample studio."""
    with github_server() as served:
        monkeypatch.chdir(folder.parent)
        monkeypatch.setenv("STUDIOGRAPH_GITHUB_USER", LOGIN)
        monkeypatch.setenv("STUDIOGRAPH_GITHUB_TOKEN", TOKEN)
        monkeypatch.setenv("STUDIOGRAPH_GITHUB_API_URL", served.address)
        yield served


def test_what_github_says_is_written_as_a_section_that_is_sound(
    hub: Hub, folder: Path, capsys: Captured
) -> None:
    hub.stars[0]["repo"]["description"] = '# "Tides" \\ <b>bold</b>'
    hub.readme = readme('# Maren\n\n"""\n\\\n')
    assert main(["github", "sync"]) == 0
    out, err = capsys.readouterr()
    line = rf"content/github\.toml: {LOGIN} as of [\dTZ:-]+, 3 events, 2 stars, 3 repositories\n"
    assert re.fullmatch(line, out)
    assert err == ""
    assert main(["check", "--quiet"]) == 0
    found = load(folder).github
    assert found is not None
    assert found.stars[0].description == '"Tides" \\ < b>bold< /b>'
    assert found.readme is not None
    assert found.readme.markdown == '# Maren\n\n"""\n\\'
    assert {headers["authorization"] for _, headers in hub.heard} == {f"Bearer {TOKEN}"}
    assert TOKEN not in "".join(path.read_text() for path in folder.iterdir())


def test_an_account_with_nothing_but_itself_is_sound_too(hub: Hub) -> None:
    hub.events, hub.stars, hub.repos = [], [], []
    assert main(["github", "sync", "--quiet"]) == 0
    assert main(["check", "--quiet"]) == 0


def test_as_json_and_quietly(hub: Hub, folder: Path, capsys: Captured) -> None:
    assert main(["github", "sync", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    found = load(folder).github
    assert found is not None
    assert told == {"ok": True, "file": "content/github.toml", "asOf": found.to_json()["asOf"]}
    assert main(["github", "sync", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    assert hub.statuses == [200] * 10


def test_without_an_account_it_names_the_setting(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.delenv("STUDIOGRAPH_GITHUB_USER")
    assert main(["github", "sync"]) == 1
    out, err = capsys.readouterr()
    assert (out, err) == (
        "",
        "STUDIOGRAPH_GITHUB_USER is not set. Fix: set it to a GitHub login.\n",
    )
    assert hub.heard == []


def test_a_failure_is_told_with_its_fix_and_leaves_the_file_as_it_was(
    hub: Hub, folder: Path, capsys: Captured
) -> None:
    before = (folder / "github.toml").read_text()
    reset = f"X-RateLimit-Reset: {int(time.time()) + 3600}"  # an instant, the same in both messages
    limited = always(*http("403 No", "X-RateLimit-Remaining: 0", reset))
    for answer in (DOWN, always(*http("401 No")), limited):
        hub.instead = answer
        assert main(["github", "sync"]) == 1
        out, err = capsys.readouterr()
        assert (out, err.count("\n"), TOKEN in err) == ("", 1, False)
        assert " Fix: " in err
        assert main(["github", "sync", "--json", "--quiet"]) == 1
        assert json.loads(capsys.readouterr().out) == {"ok": False, "wrong": err.strip()}
    assert (folder / "github.toml").read_text() == before


def test_a_folder_that_is_not_there_is_told_with_the_fix(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("STUDIOGRAPH_CONTENT", "nowhere")
    assert main(["github", "sync"]) == 1
    assert capsys.readouterr().err == (
        "nowhere/github.toml: No such file or directory."
        " Fix: set STUDIOGRAPH_CONTENT to a writable folder.\n"
    )
    assert len(hub.heard) == 5


def test_more_than_a_section_may_hold_is_not_written(
    hub: Hub, folder: Path, capsys: Captured
) -> None:
    before = (folder / "github.toml").read_text()
    topics = ["reading-list"]
    hub.stars = [star(f"s{n}", description="\U0001f30a" * 400, topics=topics) for n in range(500)]
    assert main(["github", "sync"]) == 1
    assert "github.toml would be larger than 1 MiB" in capsys.readouterr().err
    assert (folder / "github.toml").read_text() == before
    assert main(["check", "--quiet"]) == 0
