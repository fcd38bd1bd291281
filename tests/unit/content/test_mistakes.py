"""The mistakes of owners: `mistakes.toml` has each with everything that is said of it."""

import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from minimal_studio import write_minimal_studio

from content.errors import ContentError
from content.reader import load
from studiograph.__main__ import main
from studiograph.settings import SettingsError, read_settings

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
MISTAKES = tomllib.loads((Path(__file__).parent / "mistakes.toml").read_text(encoding="utf-8"))


def each(kind: str) -> pytest.MarkDecorator:
    """The test, once for each mistake of this kind and under its name."""
    return pytest.mark.parametrize("mistake", MISTAKES[kind], ids=lambda found: found["name"])


@each("mistake")
def test_a_mistake_is_said_with_its_place_and_its_fix(
    mistake: dict[str, Any], tmp_path: Path
) -> None:
    folder = write_minimal_studio(tmp_path / "content")
    if "replace" in mistake:
        words = (folder / "studio.toml").read_text(encoding="utf-8")
        assert words.count(mistake["replace"]) == 1
        changed = words.replace(mistake["replace"], mistake["by"])
        (folder / "studio.toml").write_text(changed, encoding="utf-8")
    else:
        written = mistake["text"].encode(mistake.get("encoding", "utf-8"))
        (folder / mistake["file"]).write_bytes(written)
    with pytest.raises(ContentError) as caught:
        load(folder, now=NOW)
    assert [str(fault) for fault in caught.value.problems] == mistake["messages"]


@each("link")
def test_a_link_that_nobody_can_follow_is_said_with_what_can(
    mistake: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = write_minimal_studio(tmp_path / "content")
    (folder / mistake["file"]).write_text(mistake["text"], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STUDIOGRAPH_BASE_URL", "https://saltmarsh.example")
    assert main(["check", "--quiet"]) == 1
    assert capsys.readouterr().out.splitlines() == mistake["messages"]


@each("setting")
def test_a_wrong_setting_is_named_with_what_is_allowed(mistake: dict[str, Any]) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings({mistake["setting"]: mistake["value"]})
    assert str(caught.value).splitlines() == mistake["messages"]


@each("command")
def test_a_wrong_command_says_what_to_write(
    mistake: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_minimal_studio(tmp_path / "content")
    monkeypatch.chdir(tmp_path)
    assert main(mistake["words"]) in {1, 2}
    said = capsys.readouterr()
    assert (said.out + said.err).splitlines() == mistake["messages"]


def test_there_are_enough_and_no_two_are_the_same() -> None:
    names = [found["name"] for kind in MISTAKES for found in MISTAKES[kind]]
    assert len(names) == len(set(names)) > 250
