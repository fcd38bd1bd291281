"""Projects and the domains they belong to."""

import enum
from typing import Annotated

import strawberry

from schema.entry_graph import Info
from sdl.declare import Output, enum_type, field
from sdl.marks import Heading, RefersTo, Summary
from sdl.scalar_types import Date, Flag, Line, Slug, Text, Url, YearMonth

SomeProject = Annotated["Project", strawberry.lazy("schema.project")]


class Domain(Output):
    """A field of work that projects belong to."""

    slug: Slug
    """The domain's slug, unique among domains."""
    name: Annotated[Line, Heading()]
    """The domain's name."""
    tagline: Annotated[Line, Summary()]
    """One line saying what the domain is about."""
    summary: Text
    """What the studio does in this domain and why."""

    @field()
    def projects(self, info: Info) -> list[SomeProject]:
        """The projects in this domain."""
        projects = info.context.entries.all_of("project")
        return [project for project in projects if self.slug in project.domain]


@enum_type
class ProjectStatus(enum.Enum):
    """The stage of a project."""

    IN_PRODUCTION = "in-production"
    """In use by the people it was made for."""
    IN_DEVELOPMENT = "in-development"
    """In development; not in use yet."""


@enum_type
class Ownership(enum.Enum):
    """Who owns a project."""

    STUDIO = "studio"
    """The studio's own product."""
    CLIENT = "client"
    """Made for a client, who owns it."""


class Highlight(Output):
    """A key figure of a project."""

    label: Annotated[Line, Heading()]
    """The quantity that the figure measures."""
    value: Line
    """The figure, with its unit."""
    detail: Line
    """How the figure was obtained."""


class Stance(Output):
    """A position that a project takes."""

    label: Annotated[Line, Heading()]
    """The position in a few words."""
    body: Text
    """The position and its reasons."""


class Client(Output):
    """The client that a project was made for."""

    name: Annotated[Line, Heading()]
    """The client's name."""
    role: Line
    """What the client does, or the client's part in the project."""
    location: Line
    """Where the client is."""


class ProjectAction(Output):
    """An action that an agent can take with a project."""

    verb: Annotated[Line, Heading()]
    """The action in a word or two."""
    description: Line
    """What the action does."""
    endpoint: Line
    """The URL or path to call."""
    tool: Line | None = None
    """The MCP tool for the same action, if there is one."""


class Project(Output):
    """A product or client project of the studio."""

    slug: Slug
    """The project's slug, unique among projects."""
    name: Annotated[Line, Heading()]
    """The project's name."""
    tagline: Annotated[Line, Summary()]
    """One line saying what the project is."""
    summary: Text
    """What the project does, for whom, and how it is built."""
    status: ProjectStatus
    """The stage of the project."""
    version: Line | None = None
    """The version in use, if the project has versions."""
    url: Url | None = None
    """The project's website, if it has one."""
    domain: Annotated[list[Slug], RefersTo("domain")]
    """The slugs of the domains it belongs to."""
    stack: list[Line]
    """The languages, libraries and services it is built with."""
    highlights: list[Highlight]
    """Key figures."""
    stance: list[Stance] | None = None
    """Positions the project takes."""
    llm_ready: Flag | None = None
    """Whether language models can use the project directly."""
    llm_ready_report_url: Url | None = None
    """The URL of the report that shows it."""
    client: Client | None = None
    """The client, if the project was made for one."""
    ownership: Ownership
    """Who owns the project."""
    started_at: YearMonth
    """The month in which work on it began."""
    keywords: list[Line]
    """Search keywords."""
    actions: list[ProjectAction]
    """Actions that an agent can take with it."""
    related_projects: Annotated[list[Slug], RefersTo("project")]
    """The slugs of related projects."""
    last_updated: Date
    """The day on which this description was last changed."""

    @field()
    def domains(self, info: Info) -> list[Domain]:
        """The domains it belongs to."""
        return info.context.entries.get("domain", self.domain)

    @field()
    def related(self, info: Info) -> list[SomeProject]:
        """The related projects."""
        return info.context.entries.get("project", self.related_projects)
