"""Edits that break the sample studio, each with the fault that must be reported."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import content
from content.checking.errors import ContentError, ContentProblem
from content.reading.reader import load

Edit = Callable[[str], str]
SAMPLE = Path(content.__file__).parent


@dataclass(frozen=True)
class Breakage:
    """The fault stands under its key, on the line where `marker` first stands after the edit."""

    name: str
    edit: Edit
    marker: str
    key: str
    rule: str
    fix: str

    @property
    def file(self) -> str:
        """The file of the section that the key lies in."""
        parts = re.sub(r"\[\d+\]", "", self.key).split(".")
        names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
        return next(f"{name}.toml" for name in names if (SAMPLE / f"{name}.toml").exists())


def cases(breakages: list[Breakage]) -> pytest.MarkDecorator:
    """The test, once for each breakage and under its name."""
    return pytest.mark.parametrize("case", breakages, ids=[case.name for case in breakages])


def faults_in(folder: Path) -> tuple[ContentProblem, ...]:
    """What is wrong with the folder, of which something must be wrong."""
    with pytest.raises(ContentError) as caught:
        load(folder)
    return caught.value.problems


def line_of(marker: str, path: Path) -> int:
    """The line, from 1, on which the marker first stands."""
    text = path.read_text(encoding="utf-8")
    return 1 + text.count("\n", 0, text.index(marker))


def assert_found(case: Breakage, folder: Path) -> None:
    """The edit yields the fault with file, line, key, rule and fix, and no unexpected one."""
    path = folder / case.file
    before = path.read_text(encoding="utf-8")
    after = case.edit(before)
    assert after != before
    path.write_text(after, encoding="utf-8")
    (fault,) = faults_in(folder)
    place = (f"content/{case.file}", line_of(case.marker, path), case.key)
    assert (fault.file, fault.line, fault.key) == place
    assert case.rule in fault.rule
    assert case.fix in fault.fix


def value(name: str, path: str, written: str, rule: str, fix: str) -> Breakage:
    """The first value under the path's last key is another one, which breaks the rule."""
    key = re.sub(r"\[\d+\]$", "", path).rpartition(".")[2]
    return Breakage(name, put(key, written), f"{key} = {written}", path, rule, fix)


def line(under: str, added: str, path: str, rule: str, fix: str) -> Breakage:
    """A line added below another one, or above all, breaks the rule."""
    return Breakage(f"{added} at {path}", below(under, added), added, path, rule, fix)


def put(key: str, written: str, nth: int = 1) -> Edit:
    """The nth place that sets the key sets it to this."""
    place = re.compile(rf'^{key} = (?:"""[\s\S]*?"""|\[\n[\s\S]*?^\]|.*)$', re.MULTILINE)

    def edit(before: str) -> str:
        found = list(place.finditer(before))[nth - 1]
        return f"{before[: found.start()]}{key} = {written}{before[found.end() :]}"

    return edit


def drop(key: str) -> Edit:
    """The first line that sets the key is gone."""
    return lambda before: re.sub(rf"^{key} = .*\n", "", before, count=1, flags=re.MULTILINE)


def below(under: str, added: str) -> Edit:
    """Something is added below the first such line, or above all."""
    if not under:
        return lambda before: f"{added}\n{before}"
    return lambda before: before.replace(f"{under}\n", f"{under}\n{added}\n", 1)
