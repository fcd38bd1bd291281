"""Projects, the domains they belong to, and finished works."""

import enum
from typing import Annotated, ClassVar

import strawberry
from pydantic import Field

from schema.services.entry_graph import Info
from sdl.types.declare import Named, Output, enum_type, field
from sdl.types.marks import Heading, LinkedAs, RefersTo, Says, Summary
from sdl.types.scalar_types import Date, Flag, Line, Slug, Text, Url, YearMonth, YearOrMonth

SomeProject = Annotated["Project", strawberry.lazy("schema.project")]


class Domain(Output):
    """A field of work that projects belong to."""

    slug: Slug
    """The domain's slug, unique among domains."""
    name: Annotated[Line, Heading()]
    """The domain's name."""
    tagline: Annotated[Line, Summary(), Says("{name}: {tagline}")]
    """One line saying what the domain is about."""
    summary: Annotated[Text, Says("{summary}")]
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
    """Live and finished: in use by the people it was made for."""
    IN_DEVELOPMENT = "in-development"
    """Still being built; not in use yet."""


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

    linked_type = "CreativeWork"
    slug: Annotated[Slug, LinkedAs("identifier")]
    """The project's slug, unique among projects."""
    name: Annotated[Line, Heading(), LinkedAs("name")]
    """The project's name."""
    tagline: Annotated[
        Line, Summary(), LinkedAs("disambiguatingDescription"), Says("{name}: {tagline}")
    ]
    """One line saying what the project is."""
    summary: Annotated[Text, LinkedAs("description"), Says("{summary}")]
    """What the project does, for whom, and how it is built."""
    status: Annotated[ProjectStatus, LinkedAs("creativeWorkStatus"), Says("{name} is {status}.")]
    """The stage of the project."""
    version: Annotated[
        Line | None, LinkedAs("version"), Says("The version of {name} in use is {version}.")
    ] = None
    """The version in use, if the project has versions."""
    url: Annotated[Url | None, LinkedAs("url"), Says("{name} is at {url}.")] = None
    """The project's website, if it has one."""
    domain: Annotated[list[Slug], RefersTo("domain"), Says("{name} belongs to: {domain}.")] = Field(
        default_factory=list
    )
    """The slugs of the domains it belongs to."""
    stack: Annotated[list[Line], Says("{name} is made with {stack}.")] = Field(default_factory=list)
    """The languages, libraries and services it is built with."""
    highlights: Annotated[
        list[Highlight], Says("[{highlights.label}: {highlights.value}. {highlights.detail}]")
    ] = Field(default_factory=list)
    """Key figures."""
    stance: Annotated[list[Stance] | None, Says("[{stance.label}].")] = None
    """Positions the project takes."""
    llm_ready: Annotated[
        Flag | None,
        Says("{name} is {llmReady?|not }ready for language models[; report: {llmReadyReportUrl}]."),
    ] = None
    """Whether language models can use the project directly."""
    llm_ready_report_url: Annotated[
        Url | None, Says("The report on {name} is at {llmReadyReportUrl}.")
    ] = None
    """The URL of the report that shows it."""
    client: Annotated[
        Client | None, Says("{name} was made for {client.name} ({client.role}, {client.location}).")
    ] = None
    """The client, if the project was made for one."""
    ownership: Annotated[Ownership, Says("{name} is owned by the {ownership}.")]
    """Who owns the project."""
    started_at: Annotated[
        YearMonth, LinkedAs("dateCreated"), Says("Work on {name} began in {startedAt}.")
    ]
    """The month in which work on it began."""
    keywords: Annotated[list[Line], LinkedAs("keywords")] = Field(default_factory=list)
    """Search keywords."""
    actions: Annotated[
        list[ProjectAction], Says("[{actions.verb}: {actions.description} ({actions.endpoint})].")
    ] = Field(default_factory=list)
    """Actions that an agent can take with it."""
    related_projects: Annotated[
        list[Slug], RefersTo("project"), Says("Related to {name}: {relatedProjects}.")
    ] = Field(default_factory=list)
    """The slugs of related projects."""
    last_updated: Annotated[
        Date,
        LinkedAs("dateModified"),
        Says("The description of {name} was last changed on {lastUpdated}."),
    ]
    """The day on which this description was last changed."""

    @field()
    def domains(self, info: Info) -> list[Domain]:
        """The domains it belongs to."""
        return info.context.entries.get("domain", self.domain)

    @field()
    def related(self, info: Info) -> list[SomeProject]:
        """The related projects."""
        return info.context.entries.get("project", self.related_projects)


class Work(Named):
    """A finished work that is no product or project: a book, a building, a film, a garden."""

    named_by: ClassVar[str] = "name"
    linked_type = "CreativeWork"
    name: Annotated[Line, Heading(), LinkedAs("name")]
    """The work's name."""
    kind: Annotated[Line | None, LinkedAs("genre"), Says("{name} is of the kind {kind}.")] = None
    """The kind of work, for example book, building or translation."""
    summary: Annotated[Text | None, LinkedAs("description"), Says("{summary}")] = None
    """What it is and how it was made."""
    finished_at: Annotated[
        YearOrMonth | None, LinkedAs("dateCreated"), Says("{name} was finished in {finishedAt}.")
    ] = None
    """The year or month in which it was finished or published."""
    role: Annotated[Line | None, Says("{name}: {role}.")] = None
    """The part that the studio or its founder had in it, for example author."""
    client: Annotated[Line | None, Says("{name} was made for {client}.")] = None
    """The client or the publisher."""
    place: Annotated[
        Line | None,
        LinkedAs("locationCreated", node="Place", inner="name"),
        Says("{name}: {place}."),
    ] = None
    """Where it stands or was shown."""
    url: Annotated[Url | None, LinkedAs("url"), Says("{name}: {url}")] = None
    """The address of its page."""
    picture: Annotated[
        Url | None, LinkedAs("image"), Says("A picture of {name} is at {picture}")
    ] = None
    """The address of a picture of it."""
    picture_description: Line | None = None
    """What the picture shows."""
    keywords: Annotated[list[Line], LinkedAs("keywords")] = Field(default_factory=list)
    """Search keywords."""
