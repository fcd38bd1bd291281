"""The smaller resources: status, engagement, FAQ, glossary, headline numbers, licensing."""

from typing import Annotated, ClassVar

import strawberry

from schema.entry_graph import Info
from schema.project import ProjectStatus
from sdl.declare import Named, Output, field
from sdl.marks import Heading, RefersTo
from sdl.scalar_types import Date, Flag, Instant, Line, Slug, Text, Url


class StudioStatus(Output):
    """The state of the studio, and whether it is open to work."""

    state: Slug
    """The studio's state, for example active."""
    open_to_work: Flag
    """Whether the studio takes on new work."""


class ProjectState(Output):
    """The stage of a project, in short."""

    slug: Annotated[Slug, Heading()]
    """The project's slug."""
    status: ProjectStatus
    """The project's stage."""
    version: Line | None = None
    """The version in use, if the project has versions."""
    url: Url | None = None
    """The project's website, if it has one."""


class StudyState(Output):
    """A course, book or field the founder is studying now, in short."""

    name: Annotated[Line, Heading()]
    """The course, book or field."""
    source: Line
    """Who teaches or publishes it."""
    status: Line
    """The progress."""


class Status(Output):
    """Current status of the studio, its projects and the founder's studies."""

    as_of: Instant
    """The time of the newest changelog entry or project update."""
    studio: StudioStatus
    """The state of the studio, and whether it is open to work."""
    projects: list[ProjectState]
    """The stage of each project."""
    studying: list[StudyState]
    """What the founder is studying now."""


class Engagement(Output):
    """Engagement terms: availability, services in and out of scope, response time, how to hire."""

    availability: Slug
    """Whether the studio takes on new work, for example open."""
    response_sla: Line
    """How soon an enquiry is answered."""
    scope: list[Line]
    """The kinds of work the studio takes on."""
    not_in_scope: list[Line]
    """The kinds of work the studio does not take on."""
    preferred_channel: Line
    """The preferred channel for enquiries."""


class FaqEntry(Named):
    """A frequently asked question and its answer."""

    named_by: ClassVar[str] = "q"
    q: Annotated[Line, Heading()]
    """The question."""
    a: Text
    """The answer."""
    tags: list[Line]
    """Search keywords."""


SomeTerm = Annotated["GlossaryEntry", strawberry.lazy("schema.sections")]


class GlossaryEntry(Output):
    """A term and what the studio means by it."""

    slug: Slug
    """The term's slug, unique among terms."""
    term: Annotated[Line, Heading()]
    """The term."""
    definition: Text
    """What the studio means by it."""
    aliases: list[Line] | None = None
    """Other names for it."""
    related: Annotated[list[Slug] | None, RefersTo("glossary")] = None
    """The slugs of related terms."""

    @field()
    def related_terms(self, info: Info) -> list[SomeTerm]:
        """The related terms."""
        return info.context.entries.get("glossary", self.related or ())


class HeadlineNumber(Output):
    """A key metric of the studio."""

    slug: Slug
    """The metric's slug, unique among metrics."""
    label: Annotated[Line, Heading()]
    """The quantity that the figure measures."""
    value: Line
    """The value, as a string."""
    unit: Line | None = None
    """The unit, if there is one."""
    detail: Line
    """What the metric means and how it is measured."""
    as_of: Date
    """The day the value is from."""
    source: Line | None = None
    """The source of the value."""
