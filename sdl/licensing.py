"""The licensing policy of a site, from which robots.txt, license.xml and agent.json are made."""

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
    """Allowed if the studio is named as the source."""
    NOT_ALLOWED = "not-allowed"
    """Not allowed."""


class Licensing(Output):
    """The licensing policy: crawling, summarising, redistribution and training."""

    summary: Annotated[Line, Heading()]
    """The policy in one sentence."""
    crawling: Permission
    """Whether the content may be crawled and indexed."""
    summarization: Permission
    """Whether the content may be summarised and quoted in answers."""
    redistribution: Permission
    """Whether the content may be redistributed."""
    training: Permission
    """Whether models may be trained on the content."""
    license: Line
    """The name of the licence with the conditions."""
    license_url: Url
    """The URL of the licence's text."""
    attribution: Line
    """The attribution text to use."""
    body: Text
    """The policy in full."""
