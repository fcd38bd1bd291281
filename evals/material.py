"""The questions and goals of the evaluation, as their authors write them.

A file has questions for chat (`[[chat]]`), questions for search (`[[search]]`) and goals
(`[[goal]]`). Its name says who wrote it and for which studio: `<author>-<studio>.toml`. The
files of `questions/tune` are there to tune on; those of `questions/report` are asked and scored,
and read by nobody.
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

ChatStyle = Literal[
    "first",
    "field",
    "list",
    "fit",
    "prose",
    "due",
    "condition",
    "follow-up",
    "other-language",
    "near-miss",
    "off-topic",
]
SearchStyle = Literal["keyword", "identifier", "paraphrase", "goal"]
Verdict = Literal["yes", "partly", "no"]
Half = Literal["tune", "report"]

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "evals/questions"
HALVES: tuple[Half, ...] = ("tune", "report")
STUDIOS = {
    "sample": ROOT / "content",
    "second": ROOT / "evals/second",
    "third": ROOT / "evals/third",
}
"""The studios that are asked, and their content."""
ANSWERS = 2
"""The grade of an entry that answers a question; a lower one is only related."""


def _compiled(pattern: Any) -> Any:
    """Return a regular expression that ignores case. Raises: PydanticCustomError."""
    if not isinstance(pattern, str):
        return pattern
    try:
        return re.compile(pattern, re.IGNORECASE)
    except re.error:
        raise PydanticCustomError("pattern", "is no regular expression") from None


Pattern = Annotated[re.Pattern[str], BeforeValidator(_compiled)]
Turn = tuple[Literal["user", "assistant"], Annotated[str, Field(min_length=1, max_length=4000)]]


class _Table(BaseModel):
    """One table of a file; a key that it does not know is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class Chat(_Table):
    """A question for chat, and patterns that tell a right answer from a wrong one.

    `answered` is what an honest answer says of itself. Each of `must` is found in a right answer,
    none of `must_not`. `history` has the turns before the question.
    """

    text: str = Field(min_length=2, max_length=2000)
    style: ChatStyle
    answered: Verdict
    must: tuple[Pattern, ...] = ()
    must_not: tuple[Pattern, ...] = ()
    history: tuple[Turn, ...] = ()

    @property
    def unanswerable(self) -> bool:
        """Whether it is right as long as no answer is claimed."""
        return self.style in {"near-miss", "off-topic"} or self.answered == "no"

    @model_validator(mode="after")
    def _can_be_wrong(self) -> Self:
        if self.unanswerable:
            if self.answered == "yes":
                raise PydanticCustomError("verdict", "answered is yes, but no answer exists")
        elif not (self.must or self.must_not):
            raise PydanticCustomError("always", "any answer would be right: must is empty")
        if (self.style == "follow-up") != bool(self.history):
            raise PydanticCustomError("history", "history and the style follow-up go together")
        return self


class Search(_Table):
    """A question for search; `relevant` grades entries from 1 (related) to 3 (the best)."""

    text: str = Field(min_length=2, max_length=500)
    style: SearchStyle
    relevant: dict[
        Annotated[str, Field(pattern=r"^[^/]+/[^/]+$")], Annotated[int, Field(ge=1, le=3)]
    ] = Field(min_length=1)

    @property
    def right(self) -> frozenset[str]:
        """The entries that answer it."""
        return frozenset(name for name, grade in self.relevant.items() if grade >= ANSWERS)


class Goal(_Table):
    """A goal and the operations that achieve it, the best first.

    `path` (with its query) and `body` are those of the request that does exactly what was asked.
    """

    text: str = Field(min_length=4, max_length=500)
    operations: tuple[str, ...] = Field(min_length=1)
    path: Annotated[str, Field(pattern="^/")] | None = None
    body: dict[str, Any] | None = None

    @property
    def tells_request(self) -> bool:
        """Whether the author told the request that does it."""
        return self.path is not None or self.body is not None


KINDS: dict[str, type[Chat | Search | Goal]] = {"chat": Chat, "search": Search, "goal": Goal}
"""The tables of a file and their types."""


@dataclass(frozen=True)
class Material:
    """What one author wrote for one studio, of one half."""

    author: str
    chats: tuple[Chat, ...] = ()
    searches: tuple[Search, ...] = ()
    goals: tuple[Goal, ...] = ()


def materials(half: Half, studio: str) -> list[Material]:
    """Return the questions of all authors for a studio. Raises: ValidationError."""
    return [read(file) for file in sorted((FOLDER / half).glob(f"*-{studio}.toml"))]


def read(file: Path) -> Material:
    """Return the questions of a file. Raises: ValidationError."""
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    return Material(
        file.stem.rpartition("-")[0],
        tuple(map(Chat.model_validate, tables.get("chat", ()))),
        tuple(map(Search.model_validate, tables.get("search", ()))),
        tuple(map(Goal.model_validate, tables.get("goal", ()))),
    )
