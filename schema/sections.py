"""The smaller resources: status, engagement, FAQ, glossary, headline numbers, licensing."""

from typing import Annotated, ClassVar

import strawberry

from schema.entry_graph import Info
from schema.project import ProjectStatus
from sdl.declare import Named, Output, field
from sdl.marks import Heading, RefersTo
from sdl.scalar_types import Date, Flag, Instant, Line, Slug, Text, Url


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


SomeTerm = Annotated["GlossaryEntry", strawberry.lazy("schema.sections")]


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
        return info.context.entries.get("glossary", self.related or ())


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
