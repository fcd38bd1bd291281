"""The studio's profile: who it is, what it practises and believes, and how it came to be."""

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
    """An account on some platform."""

    platform: Annotated[Line, Heading()]
    """The platform."""
    handle: Line
    """The account's name there."""
    url: Url
    """The account's address."""


class Personality(Output):
    """A personality type, as the founder describes themselves."""

    type: Annotated[Line, Heading()]
    """The type's name."""
    framework: Line
    """The framework it comes from."""
    description: Text
    """What it means in daily work."""


class Formation(Output):
    """A course of study."""

    institution: Annotated[Line, Heading()]
    """Where it was studied."""
    subject: Line
    """What was studied."""
    honors: Line | None = None
    """A distinction, where there was one."""


class Founder(Output):
    """The one person behind the studio."""

    name: Annotated[Line, Heading()]
    """The founder's name."""
    role: Annotated[Line, Summary()]
    """What the founder does."""
    identity: Text
    """Who the founder is, in their own words."""
    based: Line
    """Where the founder lives."""
    works_from: Line
    """Where the founder works from."""
    personality: Personality
    """How the founder describes their own temper."""
    traits: list[Line]
    """Traits that show in the work."""
    mantras: list[Line]
    """Sentences the founder works by."""
    formation: list[Formation]
    """What the founder studied."""
    handles: list[Handle]
    """The founder's personal accounts."""
    ens: Line
    """The founder's ENS name."""


class Contact(Output):
    """How to reach the studio."""

    email: Email
    """The address a human answers."""
    programmatic_email: Email
    """The mailbox for agents."""
    programmatic_email_hint: Line
    """What the agents' mailbox does with a message."""


class Study(Output):
    """Something the founder is learning now."""

    name: Annotated[Line, Heading()]
    """The course, book or field."""
    source: Line
    """Where it is learnt."""
    subjects: list[Line]
    """What it covers."""
    status: Line
    """How far it is."""


class PracticeArea(Named):
    """An area the studio practises in."""

    named_by: ClassVar[str] = "area"
    area: Annotated[Line, Heading()]
    """The area's name."""
    category: Slug
    """The area's category, for example engineering, ai, finance, marketing or climate."""
    summary: Text
    """What the studio does in this area."""
    evidence: Annotated[list[Reference], Cites(EVIDENCE)]
    """What shows it: ids of projects, artifacts, certifications and practice areas."""
    active: Flag
    """Whether the studio takes on work in this area now."""


class Conviction(Named):
    """Something the studio believes and works by."""

    named_by: ClassVar[str] = "headline"
    headline: Annotated[Line, Heading()]
    """The belief in one sentence."""
    body: Text
    """The belief, its reasons and what follows from it."""


class LookingFor(Named):
    """Something the studio would like to be approached with."""

    named_by: ClassVar[str] = "headline"
    headline: Annotated[Line, Heading()]
    """What is looked for, in one sentence."""
    body: Text
    """What would fit and what would not."""


class Scheduling(Output):
    """When the studio works and how soon it answers."""

    timezone: TimeZone
    """The IANA time zone that all hours are in."""
    working_hours: Line
    """The hours in which the founder is at work."""
    response_sla: Line
    """How soon a message is answered."""


class Certification(Named):
    """A certificate the founder holds."""

    named_by: ClassVar[str] = "title"
    title: Annotated[Line, Heading()]
    """The certificate's title."""
    issuer: Line
    """Who issued it."""
    issued_at: YearMonth | None = None
    """The month in which it was issued."""
    credential_id: Line | None = None
    """The issuer's id of it."""
    honors: Line | None = None
    """A distinction, where there was one."""
    skills: list[Line] | None = None
    """What it covers."""
    category: Slug
    """The certificate's category, for example ai, quantum, finance, blockchain, marketing,
    cs-fundamentals, frontend, backend, devtools, climate, leadership, project-management, data."""


Evidence = Annotated[
    Project | Artifact | Certification | PracticeArea,
    strawberry.union("Evidence", description="Something that shows what is claimed."),
]


class JourneyStep(Output):
    """A stretch of the way the studio came."""

    period: Line
    """The years or months it covers."""
    headline: Annotated[Line, Heading()]
    """The stretch in one sentence."""
    body: Text
    """What happened and what was learnt."""
    evidence: Annotated[list[Reference] | None, Cites(EVIDENCE)] = None
    """What shows it: ids of projects, artifacts, certifications and practice areas."""
    reinforces: Annotated[list[Line], RefersTo("conviction", by_name=True)]
    """The headlines of the convictions it led to or strengthened."""

    @field()
    def evidence_items(self, info: Info) -> list[Evidence]:
        """What shows it."""
        return info.context.entries.citations_of(self.evidence or ())

    @field()
    def convictions(self, info: Info) -> list[Conviction]:
        """The convictions it led to or strengthened."""
        known = info.context.entries.all_of("conviction")
        return [found for found in known if found.headline in self.reinforces]


class Studio(Output):
    """The studio's whole profile."""

    name: Annotated[Line, Heading()]
    """The studio's name."""
    url: Url
    """The studio's own address."""
    tagline: Annotated[Line, Summary()]
    """The studio in a few words."""
    one_liner: Line
    """The studio in one sentence."""
    description: Text
    """What the studio is and does."""
    founded: YearMonth
    """The month in which the studio was founded."""
    founder: Founder
    """The one person behind it."""
    contact: Contact
    """How to reach it."""
    ens: Line
    """The studio's ENS name."""
    social: list[Handle]
    """The studio's accounts."""
    languages: list[LanguageCode]
    """The languages the studio works in."""
    currently_studying: list[Study]
    """What the founder is learning now."""
    thesis: Annotated[Text, Searchable("thesis")]
    """What the studio holds to be true about its field, and builds on."""
    practice: Annotated[list[PracticeArea], Searchable("practice")]
    """The areas it practises in."""
    convictions: Annotated[list[Conviction], Searchable("conviction")]
    """What it believes and works by."""
    looking_for: Annotated[list[LookingFor], Searchable("lookingFor")]
    """What it would like to be approached with."""
    scheduling: Scheduling
    """When it works and how soon it answers."""
    on_chain: OnChain
    """Its identity on public chains."""
    journey: list[JourneyStep]
    """The way it came, oldest first."""
    certifications: Annotated[list[Certification], Citable("certification")]
    """The certificates its founder holds."""
