"""Lists that have lost most of their entries, as those of a file do that is empty or cut."""

from collections.abc import Iterator, Mapping
from typing import Any

from sdl.types.declare import Output


def losses(before: Any, after: Any, place: str = "") -> Iterator[str]:
    """Yield each list with less than half of its entries of before, such as `faq (3 of 24)`.

    Both are sites, or the JSON of manifests. Lists within entries are not looked at; an object that
    is gone counts as a list of one.
    """
    now = _members(after)
    for name, old in _members(before).items():
        path, new = f"{place}{name}", now.get(name)
        if isinstance(old, list):
            left = len(new) if isinstance(new, list) else 0
            if 2 * left < len(old):
                yield f"{path} ({left} of {len(old)})"
        elif isinstance(old, Output | Mapping):
            if new is None:
                yield f"{path} (0 of 1)"
            else:
                yield from losses(old, new, f"{path}.")


def _members(value: Any) -> Mapping[str, Any]:
    if isinstance(value, Output):
        fields = type(value).model_fields.items()
        return {info.alias or name: getattr(value, name) for name, info in fields}
    return value if isinstance(value, Mapping) else {}
