"""Drafts: entries with `draft = true`, which a preview shows and nothing publishes."""

from collections.abc import Collection, Iterator
from typing import Any

from content.checking.errors import Finding
from content.reading.toml_positions import KeyPath

KEY = "draft"


def drafts_in(table: dict[str, Any], path: KeyPath = ()) -> Iterator[tuple[KeyPath, Any]]:
    """Yield the path of each list entry with the key `draft`, and the key's value."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from drafts_in(value, (*path, name))
        elif isinstance(value, list):
            for index, entry in enumerate(value):
                if isinstance(entry, dict) and KEY in entry:
                    yield (*path, name, index), entry[KEY]


def without_drafts(
    table: dict[str, Any], drafts: Collection[KeyPath], path: KeyPath = ()
) -> dict[str, Any]:
    """Return the content without the entries at these paths, and without any key `draft`."""
    result: dict[str, Any] = {}
    for name, value in table.items():
        here = (*path, name)
        if isinstance(value, dict):
            result[name] = without_drafts(value, drafts, here)
        elif isinstance(value, list):
            result[name] = [
                {key: inner for key, inner in entry.items() if key != KEY}
                if isinstance(entry, dict)
                else entry
                for index, entry in enumerate(value)
                if (*here, index) not in drafts
            ]
        else:
            result[name] = value
    return result


def check_marks(marks: Collection[tuple[KeyPath, Any]]) -> Iterator[Finding]:
    """Yield a finding for each `draft` that is neither true nor false."""
    for path, value in marks:
        if not isinstance(value, bool):
            yield Finding(
                (*path, KEY), "must be true or false", "write draft = true, without quotes"
            )


def path_with_drafts(path: KeyPath, drafts: Collection[KeyPath]) -> KeyPath:
    """Return where a value stands in the content with these drafts, from where it is without."""
    result: KeyPath = ()
    for part in path:
        place = part
        if isinstance(place, int):
            for draft in sorted(int(own[-1]) for own in drafts if own[:-1] == result):
                place += draft <= place  # each draft before it moves it by one
        result = (*result, place)
    return result
