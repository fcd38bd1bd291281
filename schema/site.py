"""The whole site, as content fills it: every root field that needs no computing."""

from typing import Annotated

from schema.changelog import ChangelogEntry
from schema.github import GithubSnapshot
from schema.project import Domain, Project
from schema.sections import Engagement, FaqEntry, GlossaryEntry, HeadlineNumber, Status
from schema.studio import Studio
from sdl.declare import Internal, Output
from sdl.licensing import Licensing
from sdl.marks import Citable, Searchable, Section
from sdl.scalar_types import Digest, Line

INTERFACE_VERSION = "2.0.0"


class Site(Output):
    """Everything the studio says."""

    studio: Annotated[Studio, Section()]
    """The studio's whole profile."""
    domains: Annotated[list[Domain], Section(), Searchable("domain")]
    """The fields of work that projects belong to."""
    projects: Annotated[list[Project], Section(), Searchable("project")]
    """The studio's products and engagements."""
    status: Annotated[Status, Section()]
    """The studio's state, as of the newest change."""
    engagement: Annotated[Engagement, Section()]
    """The terms on which the studio works with others."""
    faq: Annotated[list[FaqEntry], Section(), Searchable("faq")]
    """Frequent questions and their answers."""
    glossary: Annotated[list[GlossaryEntry], Section(), Searchable("glossary")]
    """Terms as the studio uses them."""
    headline_numbers: Annotated[list[HeadlineNumber], Section(), Citable("headlineNumber")]
    """Figures that say something about the studio."""
    changelog: Annotated[list[ChangelogEntry], Section()]
    """What changed, newest first."""
    licensing: Annotated[Licensing, Section()]
    """What may be done with the studio's content."""
    github: Annotated[GithubSnapshot | None, Internal] = None
    """What the studio's GitHub account showed when it was last asked."""


class Manifest(Site):
    """Every section of the site in one object, with what binds them together."""

    revision: Digest
    """The digest of the whole content: equal content, equal revision, on every machine."""
    rollup_hash: Digest
    """The RFC 9162 tree head over all changelog entries, oldest first."""
    version: Line
    """The version of this interface."""
