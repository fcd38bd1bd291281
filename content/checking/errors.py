"""What can be wrong with content: findings, problems with file and line, and their error."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from content.reading.toml_positions import KeyPath
from sdl.errors import StudiographError

NO_KEY = "-"
"""Stands for the key where a whole file or line is wrong."""


class Finding(NamedTuple):
    """A broken rule at a path of the whole content; its file and line are not known yet."""

    path: KeyPath
    rule: str
    fix: str


@dataclass(frozen=True, order=True)
class ContentProblem:
    """A broken rule in a file: where it is, which rule it is and how to fix it."""

    file: str
    line: int
    key: str
    rule: str
    fix: str
    named: str = ""
    """The key with the slugs of the entries on its way: `faq[0] "who-owns-the-code".tags`."""

    def __str__(self) -> str:
        end = "" if self.fix.endswith("?") else "."
        key = "" if self.key == NO_KEY else f"{self.named or self.key}: "
        return f"{self.file}:{self.line}: {key}{self.rule}. Fix: {self.fix}{end}"


class ContentError(StudiographError):
    """The content cannot be served; `problems` lists everything that is wrong with it."""

    def __init__(self, problems: Iterable[ContentProblem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(str(problem) for problem in self.problems))
