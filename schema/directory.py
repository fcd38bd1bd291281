"""The directory (the data of discovery documents), the index, and the guides for agents."""

from typing import Annotated

from schema.sections import Licensing
from sdl.types.declare import Output
from sdl.types.marks import Heading, Inline, Prose, Summary
from sdl.types.scalar_types import Email, LanguageCode, Line, Path, Text, Url


class Link(Output):
    """A link to one resource of this service."""

    title: Annotated[Line, Heading()]
    """Its title."""
    path: Path
    """Its path on this service."""
    url: Url
    """Its absolute address."""
    reading_url: Url
    """Its absolute address in the form that language models read best."""
    note: Annotated[Line, Summary()]
    """What it contains, in one sentence."""


class LinkSection(Output):
    """A section of the index."""

    title: Annotated[Line, Heading()]
    """The section's title."""
    links: Annotated[list[Link], Inline()]
    """The links."""


class Directory(Output):
    """The data of the discovery documents of this service."""

    name: Annotated[Line, Heading()]
    """The studio's name."""
    summary: Annotated[Line, Summary()]
    """The studio in one sentence."""
    studio_url: Url
    """The URL of the studio's own site."""
    owner: Line
    """The person who is responsible for it."""
    email: Email
    """The e-mail address of a human."""
    base_url: Url
    """The URL of this service."""
    version: Line
    """The version of this interface."""
    language: LanguageCode | None = None
    """The language of its texts."""
    language_note: Line | None = None
    """What callers are told of this language, if they may expect another."""
    licensing: Licensing | None = None
    """How the content may be used, if the owner says it."""
    licensing_url: Url | None = None
    """The URL of the full policy."""
    notices: list[str]
    """What callers are told of what is kept about them."""
    sections: list[LinkSection]
    """Everything that can be read."""


class ServiceIndex(Output):
    """The index: what this service is, and everything that can be read on it."""

    name: Annotated[Line, Heading()]
    """The studio's name."""
    summary: Annotated[Line, Summary()]
    """The studio in one sentence."""
    about: Text
    """What this service is and how to use it."""
    licensing: str | None = None
    """How the content may be used, in one sentence."""
    contact: str
    """How to reach a human."""
    sections: Annotated[list[LinkSection], Inline()]
    """Everything that can be read, by section."""


class SkillStep(Output):
    """One thing that an agent does with this service, and how."""

    title: Annotated[Line, Heading()]
    """What the agent does."""
    text: Annotated[str, Prose()]
    """How it does it."""


class Skill(Output):
    """The skill of working with this studio."""

    title: Annotated[Line, Heading()]
    """Its title."""
    description: Annotated[str, Summary()]
    """What it does and when to use it."""
    steps: Annotated[list[SkillStep], Inline()]
    """What an agent can do here."""
    rules: list[str]
    """The rules of acting."""


class AgentGuide(Output):
    """The index for agents that act: the rules of acting, and everything that can be read."""

    name: Annotated[Line, Heading()]
    """The studio's name."""
    summary: Annotated[Line, Summary()]
    """The studio in one sentence."""
    rules: list[str]
    """The rules of acting."""
    licensing: str | None = None
    """How the content may be used, in one sentence."""
    contact: str
    """How to reach a human."""
    sections: Annotated[list[LinkSection], Inline()]
    """Everything that can be read, by section."""
