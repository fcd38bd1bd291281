"""What fields that lead to related entries need of the context they run in."""

from collections.abc import Iterable
from typing import Any, Protocol

import strawberry


class EntryGraph(Protocol):
    """The entries of one revision of the content."""

    def get(self, kind: str, slugs: Iterable[str]) -> list[Any]:
        """Return the entries of a kind with these slugs, in the order of the slugs."""
        ...

    def find(self, kind: str, slug: str) -> Any | None:
        """Return the entry of a kind with this slug; None if there is none."""
        ...

    def all_of(self, kind: str) -> list[Any]:
        """Return all entries of a kind."""
        ...

    def citations_of(self, references: Iterable[str]) -> list[Any]:
        """Return the entries behind references `<kind>/<slug>`, in their order."""
        ...


class Context(Protocol):
    """The part of a request's context that fields leading to related entries need."""

    @property
    def entries(self) -> EntryGraph:
        """The entries of the revision that answers the request."""
        ...

    def proof_path(self, url: str) -> str | None:
        """Return the path of the proof that what stands at a path was published, if it has one."""
        ...


Info = strawberry.Info[Context, Any]
