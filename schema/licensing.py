"""The licensing policy of a site, which robots.txt, license.xml and agent.json repeat."""

import enum
from typing import Annotated

from sdl.types.declare import Output, asked, enum_type
from sdl.types.marks import Heading
from sdl.types.scalar_types import Line, Text, Url


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
    """How the studio's content may be used."""

    summary: Annotated[
        Line,
        Heading(),
        asked(
            "under which terms may the content be used",
            "how is the content licensed",
            "may I reuse these texts",
            says="{summary}",
        ),
    ]
    """The policy in one sentence."""
    crawling: Annotated[
        Permission,
        asked(
            "may a crawler index this content",
            "is crawling allowed",
            says="Crawling is {crawling}.",
        ),
    ]
    """Whether it may be crawled and indexed."""
    summarization: Annotated[
        Permission,
        asked(
            "may I summarise or quote this content",
            "can I cite this in an answer",
            says="Summarising and quoting is {summarization}.",
        ),
    ]
    """Whether it may be summarised and quoted in answers."""
    redistribution: Annotated[
        Permission,
        asked(
            "may I republish or copy this content",
            "is redistribution allowed",
            says="Redistribution is {redistribution} ({license}).",
        ),
    ]
    """Whether it may be redistributed."""
    training: Annotated[
        Permission,
        asked(
            "may I train a model on this content",
            "is AI training allowed",
            "can the texts be used as training data",
            says="Training is {training} ({license}).",
        ),
    ]
    """Whether models may be trained on it."""
    license: Annotated[
        Line,
        asked(
            "what is the licence of the content",
            "which Creative Commons licence applies",
            says="The licence is {license}: {licenseUrl}",
        ),
    ]
    """The name of the licence with the conditions."""
    license_url: Annotated[Url, asked()]
    """The URL of the licence's text."""
    attribution: Annotated[
        Line,
        asked(
            "how must the source be named",
            "how must I credit the studio",
            "what credit line should I use",
            "how do I attribute the content",
            says="Name the source as: {attribution}",
        ),
    ]
    """The text to name the source with."""
    body: Annotated[Text, asked()]
    """The policy in full."""
