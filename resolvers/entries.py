"""An index of the entries of one revision, by kind and slug."""

from collections.abc import Iterable, Iterator
from typing import Any

from schema.site import Site
from sdl.types.declare import Output, marks_of
from sdl.types.marks import Citable


class EntryIndex:
    """An index of all entries of a site that can be cited."""

    def __init__(self, site: Site) -> None:
        self._kinds: dict[str, dict[str, Any]] = {}
        for kind, entries in _citable(site):
            self._kinds.setdefault(kind, {}).update((entry.slug, entry) for entry in entries)

    def get(self, kind: str, slugs: Iterable[str]) -> list[Any]:
        """Return the entries of a kind with these slugs, in the order of the slugs."""
        return [self._kinds[kind][slug] for slug in slugs]

    def find(self, kind: str, slug: str) -> Any | None:
        """Return the entry of a kind with this slug; None if there is none."""
        return self._kinds.get(kind, {}).get(slug)

    def all_of(self, kind: str) -> list[Any]:
        """Return all entries of a kind."""
        return list(self._kinds.get(kind, {}).values())

    def citations_of(self, references: Iterable[str]) -> list[Any]:
        """Return the entries behind references `<kind>/<slug>`, in their order.

        Sentences among them, which evidence may have, stand for no entry.
        """
        parts = (reference.partition("/") for reference in references)
        found = (self.find(kind, slug) for kind, _, slug in parts)
        return [entry for entry in found if entry is not None]


def _citable(value: Output) -> Iterator[tuple[str, list[Any]]]:
    """Yield each citable list of entries in a value with its kind, at any depth."""
    for name, info in type(value).model_fields.items():
        inner = getattr(value, name)
        for mark in marks_of(info):
            if isinstance(mark, Citable) and isinstance(inner, list):
                yield mark.kind, [entry for entry in inner if hasattr(entry, "slug")]
        if isinstance(inner, Output):
            yield from _citable(inner)
