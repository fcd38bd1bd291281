"""Marks on fields (through `Annotated`) that say what a field is used for."""

from dataclasses import dataclass

EVIDENCE = ("project", "onchain", "certification", "practice")


@dataclass(frozen=True)
class Section:
    """A field of `Site` in the manifest, with the selection of the operation that reads it."""


@dataclass(frozen=True)
class Citable:
    """A list whose entries other entries can cite as `<kind>/<slug>`."""

    kind: str


@dataclass(frozen=True)
class Searchable(Citable):
    """A citable list, or a text, that search and chat find."""


@dataclass(frozen=True)
class RefersTo:
    """Slugs (or names) of entries of this kind; each entry must exist."""

    kind: str
    by_name: bool = False


@dataclass(frozen=True)
class Cites:
    """References `<kind>/<slug>` of these kinds, or of any; each entry must exist."""

    kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Heading:
    """The name of its object: the heading in markdown, the title in lists."""


@dataclass(frozen=True)
class Summary:
    """The summary of its object in one line."""


@dataclass(frozen=True)
class Prose:
    """A text of one or more paragraphs."""


@dataclass(frozen=True)
class Inline:
    """A list that markdown shows without a heading of its own."""
