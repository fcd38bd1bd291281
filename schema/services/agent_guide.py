"""How agents work with the studio: the skill, and the rules of acting beside the index."""

from typing import Annotated

from schema.directory import LinkSection
from sdl.types.declare import Output
from sdl.types.marks import Heading, Inline, Prose, Summary
from sdl.types.scalar_types import Line


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
