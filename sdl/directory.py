"""What documents about a service are made of: who answers, under which terms, what can be read."""

from typing import Annotated

from sdl.declare import Output
from sdl.licensing import Licensing
from sdl.marks import Heading, Inline, Summary
from sdl.scalar_types import Email, LanguageCode, Line, Path, Text, Url


class Link(Output):
    """A pointer to one thing that can be read here."""

    title: Annotated[Line, Heading()]
    """What it is."""
    path: Path
    """Its path on this service."""
    url: Url
    """Its absolute address."""
    reading_url: Url
    """Its absolute address in the form that language models read best."""
    note: Annotated[Line, Summary()]
    """What a reader finds there."""


class LinkSection(Output):
    """Links that belong together."""

    title: Annotated[Line, Heading()]
    """What they have in common."""
    links: Annotated[list[Link], Inline()]
    """The links."""


class Directory(Output):
    """What documents about this service are made of."""

    name: Annotated[Line, Heading()]
    """The studio's name."""
    summary: Annotated[Line, Summary()]
    """The studio in one sentence."""
    studio_url: Url
    """The studio's own address."""
    owner: Line
    """The person who answers for it."""
    email: Email
    """The address a human answers."""
    base_url: Url
    """The address of this service."""
    version: Line
    """The version of this interface."""
    language: LanguageCode | None = None
    """The language of its texts."""
    licensing: Licensing
    """What may be done with the content."""
    licensing_url: Url
    """Where the policy stands in full."""
    sections: list[LinkSection]
    """Everything that can be read."""


class Index(Output):
    """What this service is and everything that can be read on it."""

    name: Annotated[Line, Heading()]
    """The studio's name."""
    summary: Annotated[Line, Summary()]
    """The studio in one sentence."""
    about: Text
    """What this service is and how to use it."""
    licensing: str
    """What may be done with the content, in one sentence."""
    contact: str
    """How to reach the human."""
    sections: Annotated[list[LinkSection], Inline()]
    """Everything that can be read, by section."""
