"""How one entry leads to others: what a connection's resolver asks of the run it stands in."""

from collections.abc import Iterable
from typing import Any, Protocol

import strawberry


class EntryGraph(Protocol):
    """The entries of the revision that a run is about."""

    def get(self, kind: str, slugs: Iterable[str]) -> list[Any]:
        """The entries of a kind with these slugs, in their order."""
        ...

    def all_of(self, kind: str) -> list[Any]:
        """All entries of a kind."""
        ...

    def citations_of(self, references: Iterable[str]) -> list[Any]:
        """The entries behind references `<kind>/<slug>`, in their order."""
        ...


class Context(Protocol):
    """The part of a run's context that connections need."""

    @property
    def entries(self) -> EntryGraph:
        """The entries."""
        ...


Info = strawberry.Info[Context, Any]
