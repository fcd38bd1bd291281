"""The whole site as it is read from the content folder: every root field that is not computed."""

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
    """Everything the studio publishes."""

    studio: Annotated[Studio, Section()]
    """The studio's full profile."""
    domains: Annotated[list[Domain], Section(), Searchable("domain")]
    """The fields of work that projects belong to."""
    projects: Annotated[list[Project], Section(), Searchable("project")]
    """The studio's products and client projects."""
    status: Annotated[Status, Section()]
    """Current status of the studio, its projects and the founder's studies."""
    engagement: Annotated[Engagement, Section()]
    """Engagement terms: availability, services in and out of scope, response time, how to hire."""
    faq: Annotated[list[FaqEntry], Section(), Searchable("faq")]
    """Frequently asked questions and their answers."""
    glossary: Annotated[list[GlossaryEntry], Section(), Searchable("glossary")]
    """Glossary: terms and what the studio means by them."""
    headline_numbers: Annotated[list[HeadlineNumber], Section(), Citable("headlineNumber")]
    """Key metrics, each with its definition and date."""
    changelog: Annotated[list[ChangelogEntry], Section()]
    """The changelog, newest entry first."""
    licensing: Annotated[Licensing, Section()]
    """The licensing policy: crawling, summarising, redistribution and training."""
    github: Annotated[GithubSnapshot | None, Internal] = None
    """Data of the studio's GitHub account, for as long as GitHub has not been polled."""


class Manifest(Site):
    """The whole content in one object, with its digest and the changelog's tree head."""

    revision: Digest
    """The SHA-256 digest of the content: equal content, equal revision, on every machine."""
    rollup_hash: Digest
    """The RFC 9162 Merkle tree head over all changelog entries, oldest first."""
    version: Line
    """The version of this API."""
