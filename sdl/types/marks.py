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

    by_name_only: bool = False
    """Whether a search finds its entries only by their name.

    News of a thing is near to what is asked about the thing, and would stand in its place.
    """


@dataclass(frozen=True)
class RefersTo:
    """Slugs (or names) of entries of this kind; each entry must exist."""

    kind: str
    by_name: bool = False


@dataclass(frozen=True)
class Cites:
    """References `<kind>/<slug>` of these kinds, or of any; each entry must exist."""

    kinds: tuple[str, ...] = ()
    or_text: bool = False
    """Whether sentences may stand beside the references."""


@dataclass(frozen=True)
class Heading:
    """The name of its object: the heading in markdown, the title in lists."""


@dataclass(frozen=True)
class Says:
    """The sentence that holds the value, see `answer_template`; `questions.toml` has its questions.

    `of` names a field, `Type.field`, whose questions it answers when that has no value.
    """

    sentence: str
    of: str = ""


@dataclass(frozen=True)
class OtherName:
    """A further name of its object, or a list of them; questions find it by these too."""


@dataclass(frozen=True)
class Summary:
    """The summary of its object in one line."""


@dataclass(frozen=True)
class Prose:
    """A text of one or more paragraphs."""


@dataclass(frozen=True)
class Foreign:
    """A text from outside of the content, which answers never quote as the owner's."""


@dataclass(frozen=True)
class CallerName:
    """The name that a caller gives itself, which stands in the log."""


@dataclass(frozen=True)
class CallersWords:
    """What a caller sent, or what is made of it.

    In markdown it is one line of inline code that is named as the caller's. So it is no heading, no
    summary and no prose, whatever other marks its type has.
    """


@dataclass(frozen=True)
class LinkedAs:
    """The property of schema.org that the field is in JSON-LD.

    `of` names the field whose value replaces the object; `node` wraps the value in a node of that
    type, under its property `inner`.
    """

    property: str
    of: str = ""
    node: str = ""
    inner: str = ""


@dataclass(frozen=True)
class LinkedList:
    """A list that JSON-LD has as one node of this type, with the items as its `property`."""

    type: str
    property: str


@dataclass(frozen=True)
class OverHttp:
    """How to do over HTTP what another member of the object says for MCP.

    Left out over MCP where that member has a value.
    """

    instead_of: str


@dataclass(frozen=True)
class Measured:
    """How an answer was made: for those who measure it, so markdown leaves it out."""


@dataclass(frozen=True)
class Inline:
    """A list that markdown shows without a heading of its own."""
