"""What a reading keeps of the one before: what was checked, and has not changed since."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from content.checking.own_paths import OwnLink
from content.reading.section_names import Section


@dataclass(frozen=True)
class Kept:
    """The checked values of what is still the same, with the links in it."""

    sections: Mapping[Section, Any] = field(default_factory=dict)
    """The values of sections, by where they stand in the content."""
    entries: Mapping[Section, Mapping[int, Any]] = field(default_factory=dict)
    """The values of entries of other sections, by their new places in the list."""
    links: Sequence[OwnLink] = ()
    """The links of the sections to own pages."""

    def put_into(self, tree: dict[str, Any]) -> dict[str, Any]:
        """Return the content with these values in place of its tables."""
        result = {
            key: {**value} if isinstance(value, dict) else value for key, value in tree.items()
        }
        for section, value in self.sections.items():
            _holder(result, section)[section[-1]] = value
        for section, known in self.entries.items():
            holder, key = _holder(result, section), section[-1]
            holder[key] = [known.get(index, entry) for index, entry in enumerate(holder[key])]
        return result


def same_entries(
    before: Sequence[Any], values: Sequence[Any], now: Sequence[Any]
) -> dict[int, Any]:
    """Return the values of the entries that are the same at the beginning and at the end of a list.

    `values` are those of `before`; the keys are places in `now`. So a change of one entry leaves
    all others. Only those that were not parsed again are the same: 1 would be equal to true.
    """
    most = min(len(before), len(now))
    first = next((i for i in range(most) if before[i] is not now[i]), most)
    rest = range(1, most - first + 1)
    last = next((i - 1 for i in rest if before[-i] is not now[-i]), most - first)
    kept = {index: values[index] for index in range(first)}
    kept |= {len(now) - i: values[len(before) - i] for i in range(1, last + 1)}
    return kept


def _holder(tree: dict[str, Any], section: Section) -> dict[str, Any]:
    for part in section[:-1]:
        tree = tree[part]
    return tree
