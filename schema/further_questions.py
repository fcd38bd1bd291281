"""Further wordings of the questions that fields answer, which the schema does not print."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Topic:
    """What agents ask of a studio and no field holds, such as payment terms."""

    questions: tuple[str, ...]
    """Example questions."""
    words: frozenset[str]
    """Words of which one is in any answer or its title, in lower case."""


def further_questions(type_name: str, field: str, *, published: bool) -> tuple[str, ...]:
    """Return the further wordings for a field of a type; none if it has none of its own.

    A field may be asked for as what is `published`, and as the way to ask for what is not.
    """
    table = _wordings() if published else _wordings()["unpublished"]
    return tuple(table.get(type_name, {}).get(field, ()))


def topics_without_field() -> list[Topic]:
    """Return the topics that agents ask about and no field holds."""
    return [
        Topic(tuple(item["questions"]), frozenset(item["words"].split()))
        for item in _wordings()["topics"]
    ]


@cache
def _wordings() -> dict[str, Any]:
    text = files("schema").joinpath("further_questions.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
