"""Projects, the domains they belong to, and finished works."""

import enum
from typing import Annotated, ClassVar

import strawberry
from pydantic import Field

from schema.services.entry_graph import Info
from sdl.types.declare import Named, Output, asked, enum_type, field
from sdl.types.marks import Heading, LinkedAs, RefersTo, Summary
from sdl.types.scalar_types import Date, Flag, Line, Slug, Text, Url, YearMonth, YearOrMonth

SomeProject = Annotated["Project", strawberry.lazy("schema.project")]


class Domain(Output):
    """A field of work that projects belong to."""

    slug: Annotated[Slug, asked()]
    """The domain's slug, unique among domains."""
    name: Annotated[Line, Heading(), asked()]
    """The domain's name."""
    tagline: Annotated[Line, Summary(), asked("what is the domain about", says="{name}: {tagline}")]
    """One line saying what the domain is about."""
    summary: Annotated[
        Text,
        asked(
            "what does the studio do in the domain",
            "why do they work in this field",
            says="{summary}",
        ),
    ]
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
    slug: Annotated[Slug, LinkedAs("identifier"), asked()]
    """The project's slug, unique among projects."""
    name: Annotated[Line, Heading(), LinkedAs("name"), asked()]
    """The project's name."""
    tagline: Annotated[
        Line,
        Summary(),
        LinkedAs("disambiguatingDescription"),
        asked("what is the project", "what kind of thing is the project", says="{name}: {tagline}"),
    ]
    """One line saying what the project is."""
    summary: Annotated[
        Text,
        LinkedAs("description"),
        asked(
            "tell me about the project",
            "what does the project do",
            "what problem does the project solve",
            "how does the project work and for whom",
            says="{summary}",
        ),
    ]
    """What the project does, for whom, and how it is built."""
    status: Annotated[
        ProjectStatus,
        LinkedAs("creativeWorkStatus"),
        asked(
            "is the project in production or in development",
            "what is the state of the project",
            "is the project finished and in use",
            "can the project be used already",
            "is the project live or still a prototype",
            says="{name} is {status}.",
        ),
    ]
    """The stage of the project."""
    version: Annotated[
        Line | None,
        LinkedAs("version"),
        asked(
            "which version of the project is current",
            "the current release number of the project",
            "what is the latest release of the project",
            says="The version of {name} in use is {version}.",
        ),
    ] = None
    """The version in use, if the project has versions."""
    url: Annotated[
        Url | None,
        LinkedAs("url"),
        asked(
            "what is the address of the project's website",
            "where can I find the project online",
            says="{name} is at {url}.",
        ),
    ] = None
    """The project's website, if it has one."""
    domain: Annotated[
        list[Slug],
        RefersTo("domain"),
        asked(
            "which domain does the project belong to",
            "what field is the project in",
            says="{name} belongs to: {domain}.",
        ),
    ] = Field(default_factory=list)
    """The slugs of the domains it belongs to."""
    stack: Annotated[
        list[Line],
        asked(
            "what is the project built with",
            "what is the project written in",
            "what is the project made of",
            "which technologies does the project use",
            "which technologies do they work with",
            "what programming language is the project written in",
            "which tools and materials were used for the project",
            "what is the tech stack of the project",
            "which database or framework does the project run on",
            says="{name} is made with {stack}.",
        ),
    ] = Field(default_factory=list)
    """The languages, libraries and services it is built with."""
    highlights: Annotated[
        list[Highlight],
        asked(
            "what are the key figures of the project",
            "how many people use the project",
            "what numbers or results does the project have",
            "how good or accurate is the project",
            says="[{highlights.label}: {highlights.value}. {highlights.detail}]",
        ),
    ] = Field(default_factory=list)
    """Key figures."""
    stance: Annotated[
        list[Stance] | None,
        asked(
            "which positions does the project take",
            "what design decisions were made for the project",
            says="[{stance.label}].",
        ),
    ] = None
    """Positions the project takes."""
    llm_ready: Annotated[
        Flag | None,
        asked(
            "can language models use the project directly",
            "is the project ready for AI agents",
            says="{name} is {llmReady?|not }ready for language models[; report: "
            "{llmReadyReportUrl}].",
        ),
    ] = None
    """Whether language models can use the project directly."""
    llm_ready_report_url: Annotated[
        Url | None,
        asked(
            "where is the report on language models and the project",
            says="The report on {name} is at {llmReadyReportUrl}.",
        ),
    ] = None
    """The URL of the report that shows it."""
    client: Annotated[
        Client | None,
        asked(
            "who was the project made for",
            "who is the client of the project",
            "on whose behalf was the project done",
            "which customer commissioned the project",
            "who commissioned the project",
            "who ordered and paid for the project",
            "who asked for the project",
            says="{name} was made for {client.name} ({client.role}, {client.location}).",
        ),
    ] = None
    """The client, if the project was made for one."""
    ownership: Annotated[
        Ownership,
        asked(
            "who owns the project",
            "is the project the studio's own product or client work",
            "does the client own the project",
            says="{name} is owned by the {ownership}.",
        ),
    ]
    """Who owns the project."""
    started_at: Annotated[
        YearMonth,
        LinkedAs("dateCreated"),
        asked(
            "when did work on the project begin",
            "when was the project started",
            "since when has the project been running",
            "how old is the project",
            says="Work on {name} began in {startedAt}.",
        ),
    ]
    """The month in which work on it began."""
    keywords: Annotated[list[Line], LinkedAs("keywords"), asked()] = Field(default_factory=list)
    """Search keywords."""
    actions: Annotated[
        list[ProjectAction],
        asked(
            "what can I do with the project",
            "how can I try the project",
            "which actions does the project offer to agents",
            "how do I get access to the project",
            says="[{actions.verb}: {actions.description} ({actions.endpoint})].",
        ),
    ] = Field(default_factory=list)
    """Actions that an agent can take with it."""
    related_projects: Annotated[
        list[Slug],
        RefersTo("project"),
        asked(
            "which projects are related to the project",
            "what is similar to the project",
            says="Related to {name}: {relatedProjects}.",
        ),
    ] = Field(default_factory=list)
    """The slugs of related projects."""
    last_updated: Annotated[
        Date,
        LinkedAs("dateModified"),
        asked(
            "when was the description of the project last updated",
            says="The description of {name} was last changed on {lastUpdated}.",
        ),
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
    name: Annotated[Line, Heading(), LinkedAs("name"), asked()]
    """The work's name."""
    kind: Annotated[
        Line | None,
        LinkedAs("genre"),
        asked("what kind of work is it", says="{name} is of the kind {kind}."),
    ] = None
    """The kind of work, for example book, building or translation."""
    summary: Annotated[
        Text | None,
        LinkedAs("description"),
        asked("what is the work about", "tell me about the work", says="{summary}"),
    ] = None
    """What it is and how it was made."""
    finished_at: Annotated[
        YearOrMonth | None,
        LinkedAs("dateCreated"),
        asked(
            "when was the work finished",
            "in which year was the work published",
            says="{name} was finished in {finishedAt}.",
        ),
    ] = None
    """The year or month in which it was finished or published."""
    role: Annotated[
        Line | None,
        asked("what did the founder do for the work", says="{name}: {role}."),
    ] = None
    """The part that the studio or its founder had in it, for example author."""
    client: Annotated[
        Line | None,
        asked(
            "for whom was the work made",
            "who commissioned or published the work",
            says="{name} was made for {client}.",
        ),
    ] = None
    """The client or the publisher."""
    place: Annotated[
        Line | None,
        LinkedAs("locationCreated", node="Place", inner="name"),
        asked("where is the work", "where can one see the work", says="{name}: {place}."),
    ] = None
    """Where it stands or was shown."""
    url: Annotated[
        Url | None, LinkedAs("url"), asked("where is the work on the web", says="{name}: {url}")
    ] = None
    """The address of its page."""
    picture: Annotated[
        Url | None,
        LinkedAs("image"),
        asked("is there a picture of the work", says="A picture of {name} is at {picture}"),
    ] = None
    """The address of a picture of it."""
    picture_description: Annotated[Line | None, asked()] = None
    """What the picture shows."""
    keywords: Annotated[list[Line], LinkedAs("keywords"), asked()] = Field(default_factory=list)
    """Search keywords."""
