"""The smaller resources: status, engagement, FAQ, glossary, headline numbers, licensing."""

import enum
from typing import Annotated, ClassVar

import strawberry

from schema.declare import Named, Output, field, words
from schema.graph import Info
from schema.marks import Heading, RefersTo
from schema.project import ProjectStatus
from schema.words import Date, Flag, Instant, Line, Slug, Text, Url


class StudioStatus(Output):
    """Whether the studio is at work and open to more."""

    state: Slug
    """The studio's state, for example active."""
    open_to_work: Flag
    """Whether new work is welcome."""


class ProjectState(Output):
    """A project's state in short."""

    slug: Annotated[Slug, Heading()]
    """The project's slug."""
    status: ProjectStatus
    """How far the project is."""
    version: Line | None = None
    """The version in use, where the project has versions."""
    url: Url | None = None
    """The project's own address, where it has one."""


class StudyState(Output):
    """What the founder is learning now, in short."""

    name: Annotated[Line, Heading()]
    """The course, book or field."""
    source: Line
    """Where it is learnt."""
    status: Line
    """How far it is."""


class Status(Output):
    """The studio's state at one instant."""

    as_of: Instant
    """The newest of all changelog entries and project updates."""
    studio: StudioStatus
    """Whether the studio is at work and open to more."""
    projects: list[ProjectState]
    """Each project's state."""
    studying: list[StudyState]
    """What the founder is learning now."""


class Engagement(Output):
    """The terms on which the studio works with others."""

    availability: Slug
    """Whether new work is taken on, for example open."""
    response_sla: Line
    """How soon an enquiry is answered."""
    scope: list[Line]
    """What the studio takes on."""
    not_in_scope: list[Line]
    """What the studio does not take on."""
    preferred_channel: Line
    """The channel that enquiries should come by."""


class FaqEntry(Named):
    """A question and its answer."""

    named_by: ClassVar[str] = "q"
    q: Annotated[Line, Heading()]
    """The question."""
    a: Text
    """The answer."""
    tags: list[Line]
    """Words by which to find it."""


SomeTerm = Annotated["GlossaryEntry", strawberry.lazy("schema.pages")]


class GlossaryEntry(Output):
    """A term as the studio uses it."""

    slug: Slug
    """The term's slug, unique among terms."""
    term: Annotated[Line, Heading()]
    """The term."""
    definition: Text
    """What the studio means by it."""
    aliases: list[Line] | None = None
    """Other words for it."""
    related: Annotated[list[Slug] | None, RefersTo("glossary")] = None
    """The slugs of related terms."""

    @field()
    def related_terms(self, info: Info) -> list[SomeTerm]:
        """The related terms."""
        return info.context.graph.named("glossary", self.related or ())


class HeadlineNumber(Output):
    """A figure that says something about the studio."""

    slug: Slug
    """The figure's slug, unique among figures."""
    label: Annotated[Line, Heading()]
    """What is counted or measured."""
    value: Line
    """The figure, as written."""
    unit: Line | None = None
    """The figure's unit, where it has one."""
    detail: Line
    """What the figure means and how it is counted."""
    as_of: Date
    """The day for which it holds."""
    source: Line | None = None
    """Where it comes from."""


@words
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
