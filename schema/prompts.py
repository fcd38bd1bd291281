"""What prompts say: an instruction, and what a model needs to follow it."""

import enum
from typing import Annotated

from schema.project import Project
from schema.sections import Engagement
from schema.studio import Studio
from sdl.declare import Output, enum_type
from sdl.marks import Prose


@enum_type
class IntroductionLength(enum.Enum):
    """How long an introduction is."""

    SENTENCE = "sentence"
    """One sentence."""
    PARAGRAPH = "paragraph"
    """One paragraph."""
    PAGE = "page"
    """About a page."""


class Introduction(Output):
    """The task of introducing the studio, with what is to be told."""

    instruction: Annotated[str, Prose()]
    """The task."""
    studio: Studio
    """The studio."""
    projects: list[Project]
    """What it made."""


class Outreach(Output):
    """The task of writing to the studio's human, with what makes a message welcome."""

    instruction: Annotated[str, Prose()]
    """The task."""
    studio: Studio
    """The studio."""
    engagement: Engagement
    """The terms on which it works with others."""


class Comparison(Output):
    """The task of comparing two projects, with both."""

    instruction: Annotated[str, Prose()]
    """The task."""
    projects: list[Project]
    """The two projects."""
