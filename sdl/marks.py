"""Marks put on fields through `Annotated`: what a field is for. They do nothing themselves."""

from dataclasses import dataclass

EVIDENCE = ("project", "onchain", "certification", "practice")


@dataclass(frozen=True)
class Section:
    """A field of `Site` that stands in the manifest, selected as by the operation that reads it."""


@dataclass(frozen=True)
class Citable:
    """A list whose entries can be named elsewhere as `<kind>/<slug>`."""

    kind: str


@dataclass(frozen=True)
class Searchable(Citable):
    """A citable list, or a text, that search and chat find."""


@dataclass(frozen=True)
class RefersTo:
    """Slugs of entries of this kind, or their names; each must exist."""

    kind: str
    by_name: bool = False


@dataclass(frozen=True)
class Cites:
    """References `<kind>/<slug>`, each of which must exist, of these kinds or of any."""

    kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Heading:
    """The field that names its object: a heading in markdown, a title in lists."""


@dataclass(frozen=True)
class Summary:
    """The one line that says what its object is."""


@dataclass(frozen=True)
class Prose:
    """A text of paragraphs."""


@dataclass(frozen=True)
class Inline:
    """A list whose items stand for themselves, without a heading for the list."""
