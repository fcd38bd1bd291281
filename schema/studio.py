"""The studio's profile: founder, contact, services, principles, history and certificates."""

from typing import Annotated, ClassVar

import strawberry

from schema.entry_graph import Info
from schema.onchain import Artifact, OnChain
from schema.project import Project
from sdl.declare import Named, Output, field
from sdl.marks import EVIDENCE, Citable, Cites, Heading, RefersTo, Searchable, Summary
from sdl.scalar_types import (
    Email,
    Flag,
    LanguageCode,
    Line,
    Reference,
    Slug,
    Text,
    TimeZone,
    Url,
    YearMonth,
)


class Handle(Output):
    """An account on a platform."""

    platform: Annotated[Line, Heading()]
    """The platform, for example GitHub."""
    handle: Line
    """The account's name there."""
    url: Url
    """The account's URL."""


class Personality(Output):
    """The founder's personality type, in the founder's own words."""

    type: Annotated[Line, Heading()]
    """The type's name."""
    framework: Line
    """The framework it comes from."""
    description: Text
    """What it means in daily work."""


class Formation(Output):
    """A degree or course of study."""

    institution: Annotated[Line, Heading()]
    """The school or university."""
    subject: Line
    """The subject."""
    honors: Line | None = None
    """A distinction, if there was one."""


class Founder(Output):
    """The founder, who runs the studio alone."""

    name: Annotated[Line, Heading()]
    """The founder's name."""
    role: Annotated[Line, Summary()]
    """The founder's role."""
    identity: Text
    """Who the founder is, in their own words."""
    based: Line
    """Where the founder lives."""
    works_from: Line
    """Where the founder works from."""
    personality: Personality
    """The founder's personality type."""
    traits: list[Line]
    """Traits that show in the work."""
    mantras: list[Line]
    """Sentences the founder works by."""
    formation: list[Formation]
    """The founder's education."""
    handles: list[Handle]
    """The founder's personal accounts."""
    ens: Line
    """The founder's ENS name."""


class Contact(Output):
    """Contact addresses of the studio."""

    email: Email
    """The e-mail address that a human answers."""
    programmatic_email: Email
    """The e-mail address for AI agents."""
    programmatic_email_hint: Line
    """What happens to e-mail to the address for agents."""


class Study(Output):
    """A course, book or field the founder is studying now."""

    name: Annotated[Line, Heading()]
    """The course, book or field."""
    source: Line
    """Who teaches or publishes it."""
    subjects: list[Line]
    """The subjects it covers."""
    status: Line
    """The progress."""


class PracticeArea(Named):
    """A service or skill of the studio, with evidence."""

    named_by: ClassVar[str] = "area"
    area: Annotated[Line, Heading()]
    """The area's name."""
    category: Slug
    """The area's category, for example engineering, ai, finance, marketing or climate."""
    summary: Text
    """What the studio does in this area."""
    evidence: Annotated[list[Reference], Cites(EVIDENCE)]
    """The evidence: references to projects, artifacts, certifications and practice areas."""
    active: Flag
    """Whether the studio takes on work in this area now."""


class Conviction(Named):
    """A principle the studio works by."""

    named_by: ClassVar[str] = "headline"
    headline: Annotated[Line, Heading()]
    """The principle in one sentence."""
    body: Text
    """The principle, its reasons and what follows from it."""


class LookingFor(Named):
    """A kind of client or project the studio is looking for."""

    named_by: ClassVar[str] = "headline"
    headline: Annotated[Line, Heading()]
    """What is looked for, in one sentence."""
    body: Text
    """What would fit and what would not."""


class Scheduling(Output):
    """Time zone, working hours and response time."""

    timezone: TimeZone
    """The IANA time zone of the working hours."""
    working_hours: Line
    """The hours in which the founder works."""
    response_sla: Line
    """How soon a message is answered."""


class Certification(Named):
    """A certificate of the founder."""

    named_by: ClassVar[str] = "title"
    title: Annotated[Line, Heading()]
    """The certificate's title."""
    issuer: Line
    """The issuer."""
    issued_at: YearMonth | None = None
    """The month of issue."""
    credential_id: Line | None = None
    """The issuer's id for this certificate."""
    honors: Line | None = None
    """A distinction, if there was one."""
    skills: list[Line] | None = None
    """The skills it covers."""
    category: Slug
    """The certificate's category, for example ai, quantum, finance, blockchain, marketing,
    cs-fundamentals, frontend, backend, devtools, climate, leadership, project-management, data."""


Evidence = Annotated[
    Project | Artifact | Certification | PracticeArea,
    strawberry.union("Evidence", description="An entry that serves as evidence."),
]


class JourneyStep(Output):
    """A step in the history of the studio and the founder's career."""

    period: Line
    """The years or months it covers."""
    headline: Annotated[Line, Heading()]
    """The step in one sentence."""
    body: Text
    """What happened and what was learned."""
    evidence: Annotated[list[Reference] | None, Cites(EVIDENCE)] = None
    """The evidence: references to projects, artifacts, certifications and practice areas."""
    reinforces: Annotated[list[Line], RefersTo("conviction", by_name=True)]
    """The headlines of the convictions it led to or strengthened."""

    @field()
    def evidence_items(self, info: Info) -> list[Evidence]:
        """The entries that `evidence` refers to."""
        return info.context.entries.citations_of(self.evidence or ())

    @field()
    def convictions(self, info: Info) -> list[Conviction]:
        """The convictions in `reinforces`."""
        convictions = info.context.entries.all_of("conviction")
        return [conviction for conviction in convictions if conviction.headline in self.reinforces]


class Studio(Output):
    """The studio's full profile."""

    name: Annotated[Line, Heading()]
    """The studio's name."""
    url: Url
    """The studio's website."""
    tagline: Annotated[Line, Summary()]
    """The studio in a few words."""
    one_liner: Line
    """The studio in one sentence."""
    description: Text
    """What the studio is and does."""
    founded: YearMonth
    """The month in which the studio was founded."""
    founder: Founder
    """The founder, who runs the studio alone."""
    contact: Contact
    """Contact addresses of the studio."""
    ens: Line
    """The studio's ENS name."""
    social: list[Handle]
    """The studio's accounts on other platforms."""
    languages: list[LanguageCode]
    """The languages the studio works in."""
    currently_studying: list[Study]
    """What the founder is studying now."""
    thesis: Annotated[Text, Searchable("thesis")]
    """The studio's thesis: what it holds to be true about its field and builds on."""
    practice: Annotated[list[PracticeArea], Searchable("practice")]
    """Services and skills, each with evidence."""
    convictions: Annotated[list[Conviction], Searchable("conviction")]
    """The principles the studio works by."""
    looking_for: Annotated[list[LookingFor], Searchable("lookingFor")]
    """Kinds of clients and projects the studio is looking for."""
    scheduling: Scheduling
    """Time zone, working hours and response time."""
    on_chain: OnChain
    """On-chain identity: ENS names, wallets and artifacts of the studio."""
    journey: list[JourneyStep]
    """History of the studio and its founder's career, oldest first."""
    certifications: Annotated[list[Certification], Citable("certification")]
    """The founder's certificates."""
