"""The entries of a list's file, parsed one by one, so that a change costs one entry's time.

Each part from one `[[key]]` to the next is parsed alone. If each is a document that holds one entry
and nothing else, every string and bracket of it is closed where it ends; so the next part begins
where the whole document would have a statement begin, and the whole says the same. A part that is
no such document, as where `[[key]]` stands in a text, has the whole file parsed at once.
"""

import re
import tomllib
from collections.abc import Mapping
from typing import Any


def parts_of(text: str, key: str) -> list[str]:
    """Return the text before the first line that is `[[key]]`, and that from each to the next.

    They are without the line ends behind them, which say nothing.
    """
    parts = re.split(rf"^(?=\[\[{re.escape(key)}\]\]$)", text, flags=re.MULTILINE)
    return [part.rstrip("\n") for part in parts]


def entries_in(text: str, key: str, known: Mapping[str, Any]) -> list[Any] | None:
    """Return the entries of a file; None if the whole file must be parsed, or has an error.

    `known` has entries by their parts; they are returned as they are.
    """
    head, *parts = parts_of(text, key)
    try:
        if not parts or tomllib.loads(head):
            return None
        return [known[part] if part in known else _entry(part, key) for part in parts]
    except (ValueError, RecursionError):  # the whole file is parsed, and says what is wrong
        return None


def _entry(part: str, key: str) -> Any:
    """Return the one entry in a part. Raises: ValueError."""
    table = tomllib.loads(part)
    [(name, entries)] = table.items()
    [entry] = entries
    if name != key:
        raise ValueError(name)
    return entry
