"""The content of prompts: an instruction, and the facts a model needs to follow it."""

import enum
from typing import Annotated

from schema.project import Project
from schema.sections import Engagement
from schema.studio import Studio
from sdl.types.declare import Output, enum_type
from sdl.types.marks import CallersWords, Prose


@enum_type
class IntroductionLength(enum.Enum):
    """The length of an introduction."""

    SENTENCE = "sentence"
    """One sentence."""
    PARAGRAPH = "paragraph"
    """One paragraph."""
    PAGE = "page"
    """About a page."""


class Introduction(Output):
    """The task to introduce the studio, with the facts to use."""

    instruction: Annotated[str, Prose()]
    """The task in words."""
    reader: Annotated[str, CallersWords()] | None = None
    """Who will read the introduction."""
    studio: Studio
    """The studio's profile."""
    projects: list[Project]
    """The studio's projects."""


class Outreach(Output):
    """The task to draft a message to the founder, with the facts to use."""

    instruction: Annotated[str, Prose()]
    """The task in words."""
    purpose: Annotated[str, CallersWords()]
    """The purpose of the message."""
    sender: Annotated[str, CallersWords()] | None = None
    """The sender."""
    studio: Studio
    """The studio's profile."""
    engagement: Engagement | None = None
    """The engagement terms."""


class Comparison(Output):
    """The task to compare two projects, with both of them."""

    instruction: Annotated[str, Prose()]
    """The task in words."""
    projects: list[Project]
    """The two projects."""
