"""The licensing policy of a site: what robots.txt, license.xml and agent.json say."""

import enum
from typing import Annotated

from sdl.declare import Output, enum_type
from sdl.marks import Heading
from sdl.scalar_types import Line, Text, Url


@enum_type
class Permission(enum.Enum):
    """Whether a use of the content is allowed."""

    ALLOWED = "allowed"
    """Allowed without conditions."""
    WITH_ATTRIBUTION = "with-attribution"
    """Allowed where the studio is named as the source."""
    NOT_ALLOWED = "not-allowed"
    """Not allowed."""


class Licensing(Output):
    """What may be done with the studio's content."""

    summary: Annotated[Line, Heading()]
    """The policy in one sentence."""
    crawling: Permission
    """Whether it may be crawled and indexed."""
    summarization: Permission
    """Whether it may be summarised and quoted in answers."""
    redistribution: Permission
    """Whether it may be redistributed."""
    training: Permission
    """Whether models may be trained on it."""
    license: Line
    """The licence that carries the conditions."""
    license_url: Url
    """The licence's text."""
    attribution: Line
    """The words to attribute with."""
    body: Text
    """The policy in full."""
