"""The facts that discovery documents are made from: owner, policy and all links; and the index."""

from typing import Annotated

from sdl.declare import Output
from sdl.licensing import Licensing
from sdl.marks import Heading, Inline, Summary
from sdl.scalar_types import Email, LanguageCode, Line, Path, Text, Url


class Link(Output):
    """A link to one thing that can be read on this service."""

    title: Annotated[Line, Heading()]
    """The title of what it links to."""
    path: Path
    """The path on this service."""
    url: Url
    """The absolute URL."""
    reading_url: Url
    """The absolute URL of the markdown form; of the only form if there is no markdown."""
    note: Annotated[Line, Summary()]
    """One line on what is there."""


class LinkSection(Output):
    """A group of links."""

    title: Annotated[Line, Heading()]
    """The title of the group."""
    links: Annotated[list[Link], Inline()]
    """The links."""


class Directory(Output):
    """The facts that discovery documents are made from: owner, policy and all links."""

    name: Annotated[Line, Heading()]
    """The studio's name."""
    summary: Annotated[Line, Summary()]
    """The studio in one sentence."""
    studio_url: Url
    """The studio's website."""
    owner: Line
    """The person responsible for this service."""
    email: Email
    """The e-mail address that a human answers."""
    base_url: Url
    """The base URL of this service."""
    version: Line
    """The version of this API."""
    language: LanguageCode | None = None
    """The language of the content."""
    licensing: Licensing
    """The licensing policy."""
    licensing_url: Url
    """The URL of the full policy."""
    sections: list[LinkSection]
    """Links to everything that can be read, by section."""


class Index(Output):
    """Start page: what this service is, with links to everything that can be read on it."""

    name: Annotated[Line, Heading()]
    """The studio's name."""
    summary: Annotated[Line, Summary()]
    """The studio in one sentence."""
    about: Text
    """What this service is and how to use it."""
    licensing: str
    """The licensing policy in one sentence."""
    contact: str
    """How to contact the founder."""
    sections: Annotated[list[LinkSection], Inline()]
    """Links to everything that can be read, by section."""
