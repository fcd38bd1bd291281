"""The smaller sections: status, engagement, FAQ, glossary, headline numbers."""

from typing import Annotated, ClassVar

import strawberry
from pydantic import Field

from schema.business import PRICE_QUESTIONS
from schema.project import ProjectStatus
from schema.services.entry_graph import Info
from sdl.types.declare import Named, Output, asked, field
from sdl.types.directives import Asked
from sdl.types.marks import Heading, LinkedAs, OtherName, RefersTo
from sdl.types.scalar_types import Date, Flag, Instant, Line, Slug, Text, Url


class StudioStatus(Output):
    """The state of the studio, and whether it is open to work."""

    state: Annotated[
        Slug,
        asked(
            "what state is the studio in",
            "is the studio still active",
            "does the studio still exist",
            says="The studio is {state}.",
        ),
    ]
    """The studio's state, for example active."""
    open_to_work: Annotated[
        Flag,
        asked(
            "is the studio open to work",
            "is the studio free now",
            "are they accepting new clients at the moment",
            "can I hire them now",
            "do they take on new projects now",
            "are they taking on jobs right now",
            "are they taking customers or is there a waiting list",
            "can they start work now",
            "are they fully booked",
            "any free capacity left",
            says="{openToWork?Yes, the studio is open to new work|No, the studio takes "
            "on no new work now}.",
        ),
    ]
    """Whether the studio takes on any new work; `availability` of the terms says how much."""


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

    as_of: Annotated[
        Instant | None,
        asked(
            "how current is this information",
            "when was the content last updated",
            says="The newest change is of {asOf}.",
        ),
    ] = None
    """The time of the newest changelog entry or project update, if there is one."""
    studio: Annotated[StudioStatus | None, asked()] = None
    """The state of the studio, and whether it is open to work."""
    projects: Annotated[list[ProjectState], asked()]
    """The stage of each project."""
    studying: Annotated[list[StudyState], asked()]
    """What the founder is studying now."""


class Engagement(Output):
    """Terms of hiring: availability, what is in scope, response time and how to ask for a price."""

    linked_type = "Service"
    availability: Annotated[
        Slug,
        asked(
            "what is the studio's availability",
            "when could they start",
            "how soon can a new project begin",
            "what is the earliest start date",
            "when is the next free slot",
            says="Availability: {availability}.",
        ),
    ]
    """Whether the studio takes on new work, for example open."""
    response_sla: Annotated[
        Line,
        LinkedAs("termsOfService"),
        asked(
            "how quickly do they reply",
            "by when will somebody answer my message",
            "what is the response time",
            "how long does it take to get an answer",
            "how soon will I hear back",
            "how many days until they answer mails",
            "turnaround for messages and e-mails",
            says="{responseSla}",
        ),
    ]
    """How soon an enquiry is answered."""
    scope: Annotated[
        list[Line],
        LinkedAs("offers", node="Offer", inner="name"),
        asked(
            "what work do they take on",
            "in which ways can one hire them",
            "what forms of engagement are there",
            "which kinds of projects do they accept",
            "which jobs can I give them",
            "what is in scope",
            says="The studio takes on: {scope}.",
        ),
    ] = Field(default_factory=list)
    """The kinds of work the studio takes on."""
    not_in_scope: Annotated[
        list[Line],
        asked(
            "what work do they refuse",
            "which jobs do they reject or turn down",
            "list everything they refuse to do",
            "what will they not touch",
            "what do they not do",
            "which requests are declined",
            "what is out of scope",
            "what are the limits of their services",
            says="The studio does not take on: {notInScope}.",
        ),
    ] = Field(default_factory=list)
    """The kinds of work the studio does not take on."""
    preferred_channel: Annotated[
        Line,
        LinkedAs("availableChannel", node="ServiceChannel", inner="description"),
        asked(
            "how do I hire the studio",
            "how can I start working with them",
            "how do I commission a project",
            "what are the steps to become a client",
            "what is the best way to get in touch about work",
            "how do I book them or request a quote",
            "where do I send a project enquiry",
            says="To hire the studio, use its preferred channel: {preferredChannel}",
            unpublished=Asked(
                questions=[*PRICE_QUESTIONS],
                says="No prices are published; to ask for one, use the preferred channel: "
                "{preferredChannel}",
                published=False,
            ),
        ),
    ]
    """The preferred channel for enquiries."""


class FaqEntry(Named):
    """A frequently asked question and its answer."""

    named_by: ClassVar[str] = "q"
    linked_type = "Question"
    q: Annotated[Line, Heading(), LinkedAs("name"), asked()]
    """The question."""
    a: Annotated[
        Text,
        LinkedAs("acceptedAnswer", node="Answer", inner="text"),
        asked("what is the answer to this frequently asked question", says="{a}"),
    ]
    """The answer."""
    tags: Annotated[list[Line], LinkedAs("keywords"), asked()] = Field(default_factory=list)
    """Search keywords."""


SomeTerm = Annotated["GlossaryEntry", strawberry.lazy("schema.sections")]


class GlossaryEntry(Output):
    """A term and what the studio means by it."""

    slug: Annotated[Slug, asked()]
    """The term's slug, unique among terms."""
    term: Annotated[Line, Heading(), asked()]
    """The term."""
    definition: Annotated[
        Text,
        asked(
            "what does the glossary entry mean",
            "define the glossary entry",
            "what is meant by this word",
            says="{definition}",
        ),
    ]
    """What the studio means by it."""
    aliases: Annotated[
        list[Line] | None,
        OtherName(),
        asked(
            "what else is the glossary entry called",
            "synonyms of the glossary entry",
            says="{term} is also called {aliases}.",
        ),
    ] = None
    """Other names for it."""
    related: Annotated[
        list[Slug] | None,
        RefersTo("glossary"),
        asked(
            "which terms are related to the glossary entry", says="Related to {term}: {related}."
        ),
    ] = None
    """The slugs of related terms."""

    @field()
    def related_terms(self, info: Info) -> list[SomeTerm]:
        """The related terms."""
        return info.context.entries.get("glossary", self.related or ())


class HeadlineNumber(Output):
    """A key metric of the studio."""

    slug: Annotated[Slug, asked()]
    """The metric's slug, unique among metrics."""
    label: Annotated[Line, Heading(), asked()]
    """The quantity that the figure measures."""
    value: Annotated[
        Line,
        asked(
            "what is the value of this figure",
            "how large is this number",
            says="{label}: {value}[ {unit}] ({asOf}).",
        ),
    ]
    """The value, as a string."""
    unit: Annotated[Line | None, asked()] = None
    """The unit, if there is one."""
    detail: Annotated[
        Line,
        asked(
            "how is this figure measured",
            "what does this number mean",
            says="{label}: {value}[ {unit}] ({asOf}): {detail}",
        ),
    ]
    """What the metric means and how it is measured."""
    as_of: Annotated[Date, asked("from which day is this figure", says="{label} is of {asOf}.")]
    """The day the value is from."""
    source: Annotated[
        Line | None, asked("what is the source of this figure", says="{label}: {source}.")
    ] = None
    """The source of the value."""
