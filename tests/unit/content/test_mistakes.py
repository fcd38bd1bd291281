"""The mistakes of owners: `mistakes.toml` has each with everything that is said of it."""

import tomllib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fix_follower import LEFT_TO_THE_OWNER, follow
from minimal_studio import write_minimal_studio

from content.checking.errors import NO_KEY, ContentError, ContentProblem
from content.reading.files import files_elsewhere
from content.reading.reader import load
from studiograph.__main__ import main
from studiograph.settings import SettingsError, read_settings

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
MOST_STEPS = 12
MISTAKES = tomllib.loads((Path(__file__).parent / "mistakes.toml").read_text(encoding="utf-8"))


def each(kind: str) -> pytest.MarkDecorator:
    """The test, once for each mistake of this kind and under its name."""
    return pytest.mark.parametrize("mistake", MISTAKES[kind], ids=lambda found: found["name"])


def made(mistake: dict[str, Any], folder: Path) -> Path:
    """The minimal studio with the mistake in it."""
    write_minimal_studio(folder)
    if "replace" in mistake:
        words = (folder / "studio.toml").read_text(encoding="utf-8")
        assert words.count(mistake["replace"]) == 1
        changed = words.replace(mistake["replace"], mistake["by"])
        (folder / "studio.toml").write_text(changed, encoding="utf-8")
    else:
        path = folder / mistake["file"]
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(mistake["text"].encode(mistake.get("encoding", "utf-8")))
    return folder


def faults(folder: Path) -> tuple[ContentProblem, ...]:
    """Everything that is wrong with a folder."""
    try:
        load(folder, now=NOW)
    except ContentError as error:
        return error.problems
    return ()


@each("mistake")
def test_a_mistake_is_said_with_its_place_and_its_fix(
    mistake: dict[str, Any], tmp_path: Path
) -> None:
    folder = made(mistake, tmp_path / "content")
    assert [str(fault) for fault in faults(folder)] == mistake["messages"]


@each("unread")
def test_a_file_that_nothing_reads_is_named(
    mistake: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = made(mistake, tmp_path / "content")
    monkeypatch.chdir(tmp_path)
    assert main(["check"]) == 0
    assert capsys.readouterr().out.splitlines()[: len(mistake["messages"])] == mistake["messages"]
    (warning,) = files_elsewhere(folder)
    follow(folder, warning)
    assert not [*files_elsewhere(folder), *faults(folder)]


@each("mistake")
def test_a_fix_that_is_followed_word_for_word_ends_its_fault(
    mistake: dict[str, Any], tmp_path: Path
) -> None:
    folder = made(mistake, tmp_path / "content")
    before, steps = faults(folder), 0
    while fault := next((f for f in before if not LEFT_TO_THE_OWNER.match(f.fix)), None):
        follow(folder, fault)
        after, steps = faults(folder), steps + 1
        is_gone = after.count(fault) < before.count(fault) or fault.line not in same_lines(
            fault, after
        )
        # the next entry may take the place of one that is removed, with the same fault
        assert is_gone or (fault.fix.startswith("remove this entry") and len(after) < len(before))
        assert not [each for each in after if not was_there(each, fault, before)]
        assert steps < MOST_STEPS
        before = after


def test_few_fixes_are_left_to_the_owner() -> None:
    first = [mistake["messages"][0].partition(" Fix: ")[2] for mistake in MISTAKES["mistake"]]
    left = [fix for fix in first if LEFT_TO_THE_OWNER.match(fix)]
    assert len(left) < len(first) / 15


def same_lines(fault: ContentProblem, others: Sequence[ContentProblem]) -> set[int]:
    """The lines where others have the rule of a fault."""
    place = (fault.file, fault.key, fault.rule)
    return {each.line for each in others if (each.file, each.key, each.rule) == place}


def was_there(
    other: ContentProblem, fault: ContentProblem, before: Sequence[ContentProblem]
) -> bool:
    """Whether a fault is none that following the fix of another one has made.

    A file that is no TOML, a text and a value of another type hide what else is wrong in them.
    """
    if fault.key == NO_KEY:
        return (other.file, other.line, other.key) != (fault.file, fault.line, fault.key)
    if other.key == fault.key and fault.rule.startswith(("line ", "in line ")):
        return other.rule != fault.rule
    known = {(each.key, each.rule) for each in before}
    return (other.key, other.rule) in known or other.key.startswith(f"{fault.key}[")


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
    lines = (said.out + said.err).splitlines()
    assert [line for line in lines if "agents ask" not in line] == mistake["messages"]


def test_there_are_enough_and_no_two_are_the_same() -> None:
    names = [found["name"] for kind in MISTAKES for found in MISTAKES[kind]]
    assert len(names) == len(set(names)) > 250
