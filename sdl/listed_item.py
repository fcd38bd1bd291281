"""An item of a list, whose values fill the path of an operation."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote


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
