"""An item of a list, whose values fill the path of an operation."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import shorten
from typing import Any
from urllib.parse import quote

MAX_NOTE = 300


@dataclass(frozen=True)
class ListedItem:
    """One item of a list that fills the path of an operation."""

    values: Mapping[str, Any]
    title: str
    note: str

    def has(self, values: Mapping[str, str]) -> bool:
        """Whether the item has these values, compared as texts."""
        return {name: str(value) for name, value in self.values.items()} == values

    def path(self, template: str) -> str:
        """Return the path with the item's values in place of its variables."""
        for name, value in self.values.items():
            template = template.replace(f"{{{name}}}", quote(str(value), safe=""))
        return template


def first_sentence(text: str | None) -> str | None:
    """Return the first sentence of a text as one line of at most `MAX_NOTE` characters, if any."""
    sentence = " ".join(re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0].split()) if text else ""
    if len(sentence) > MAX_NOTE:
        sentence = shorten(sentence, MAX_NOTE, placeholder=" …")
    return sentence or None
