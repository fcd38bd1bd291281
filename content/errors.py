"""What can be wrong with content: one fault a finding, all of them together. Reads no file."""

from collections.abc import Iterable
from dataclasses import dataclass

from sdl.errors import StudiographError


@dataclass(frozen=True, order=True)
class ContentProblem:
    """One finding: where it is, which rule it breaks and how to mend it."""

    file: str
    line: int
    key: str
    rule: str
    fix: str

    def __str__(self) -> str:
        end = "" if self.fix.endswith("?") else "."
        return f"{self.file}:{self.line}: {self.key}: {self.rule}. Fix: {self.fix}{end}"


class ContentError(StudiographError):
    """The content cannot be served; `faults` says everything that is wrong with it."""

    def __init__(self, faults: Iterable[ContentProblem]) -> None:
        self.problems = tuple(sorted(set(faults)))
        super().__init__("\n".join(str(fault) for fault in self.problems))
