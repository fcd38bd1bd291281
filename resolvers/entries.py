"""The entries of one revision by kind and slug, found once."""

from collections.abc import Iterable, Iterator
from typing import Any

from schema.site import Site
from sdl.declare import Output, marks_of
from sdl.marks import Citable


class EntryIndex:
    """Every citable entry of a site."""

    def __init__(self, site: Site) -> None:
        self._kinds: dict[str, dict[str, Any]] = {}
        for kind, entries in _citable(site):
            self._kinds.setdefault(kind, {}).update((entry.slug, entry) for entry in entries)

    def get(self, kind: str, slugs: Iterable[str]) -> list[Any]:
        """The entries of a kind with these slugs, in their order."""
        return [self._kinds[kind][slug] for slug in slugs]

    def all_of(self, kind: str) -> list[Any]:
        """All entries of a kind."""
        return list(self._kinds[kind].values())

    def citations_of(self, references: Iterable[str]) -> list[Any]:
        """The entries behind references `<kind>/<slug>`, in their order."""
        return [self._kinds[kind][slug] for kind, _, slug in map(_parts, references)]


def _parts(reference: str) -> tuple[str, str, str]:
    return reference.partition("/")


def _citable(value: Output) -> Iterator[tuple[str, list[Any]]]:
    for name, info in type(value).model_fields.items():
        inner = getattr(value, name)
        for mark in marks_of(info):
            if isinstance(mark, Citable) and isinstance(inner, list):
                yield mark.kind, [entry for entry in inner if hasattr(entry, "slug")]
        if isinstance(inner, Output):
            yield from _citable(inner)
