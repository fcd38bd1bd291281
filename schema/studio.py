"""The studio's profile: contact, working hours, founder, services, principles and history."""

from typing import Annotated, ClassVar

import strawberry
from pydantic import Field

from schema.onchain import Artifact, OnChain
from schema.project import Project
from schema.services.entry_graph import Info
from sdl.types.declare import Internal, Named, Output, field
from sdl.types.marks import (
    EVIDENCE,
    Citable,
    Cites,
    Heading,
    LinkedAs,
    RefersTo,
    Says,
    Searchable,
    Summary,
)
from sdl.types.scalar_types import (
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


class Contact(Output):
    """Contact addresses of the studio."""

    email: Annotated[
        Email,
        LinkedAs("email"),
        Says("A person answers at {email}[; agents write to {programmaticEmail}]."),
    ]
    """The e-mail address that a human answers."""
    programmatic_email: Annotated[Email | None, Says("Agents write to {programmaticEmail}.")] = None
    """The e-mail address for AI agents, if they have one of their own."""
    programmatic_email_hint: Annotated[Line | None, Says("{programmaticEmailHint}")] = None
    """What happens to e-mail to the address for agents."""

    @property
    def agents_email(self) -> str:
        """The address for agents: their own, or the human's."""
        return self.programmatic_email or self.email


class Scheduling(Output):
    """Time zone, working hours and response time."""

    timezone: Annotated[TimeZone, Says("Time zone: {timezone}; working hours: {workingHours}.")]
    """The IANA time zone of the working hours."""
    working_hours: Annotated[Line, Says("Working hours ({timezone}): {workingHours}")]
    """The hours in which the founder works."""
    response_sla: Annotated[Line, Says("{responseSla}")]
    """How soon a message is answered."""


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

    linked_type = "EducationalOrganization"
    institution: Annotated[Line, Heading(), LinkedAs("name")]
    """The school or university."""
    subject: Line
    """The subject."""
    honors: Line | None = None
    """A distinction, if there was one."""


class Founder(Output):
    """The founder, who runs the studio alone."""

    linked_type = "Person"
    name: Annotated[
        Line, Heading(), LinkedAs("name"), Says("{name} is behind the studio[. Role: {role}]")
    ]
    """The founder's name."""
    role: Annotated[
        Line | None, Summary(), LinkedAs("jobTitle"), Says("Role of {name}: {role}")
    ] = None
    """The founder's role."""
    identity: Annotated[Text | None, LinkedAs("description"), Says("{identity}")] = None
    """Who the founder is, in their own words."""
    based: Annotated[
        Line | None,
        LinkedAs("homeLocation", node="Place", inner="name"),
        Says("{name} is based in {based}."),
    ] = None
    """Where the founder lives."""
    works_from: Annotated[
        Line | None,
        LinkedAs("workLocation", node="Place", inner="name"),
        Says("Place of work: {worksFrom}"),
    ] = None
    """Where the founder works from."""
    personality: Annotated[
        Personality | None,
        Says("{personality.type} ({personality.framework}): {personality.description}"),
    ] = None
    """The founder's personality type, if the founder gives one."""
    traits: Annotated[list[Line], Says("Traits: {traits}.")] = Field(default_factory=list)
    """Traits that show in the work."""
    mantras: Annotated[list[Line], Says("Mantras: {mantras}")] = Field(default_factory=list)
    """Sentences the founder works by."""
    formation: Annotated[
        list[Formation],
        LinkedAs("alumniOf"),
        Says("Education: [{formation.subject}, {formation.institution}[ ({formation.honors})]]."),
    ] = Field(default_factory=list)
    """The founder's education."""
    handles: Annotated[
        list[Handle],
        LinkedAs("sameAs", of="url"),
        Says("The founder's accounts: [{handles.platform} {handles.handle} ({handles.url})]."),
    ] = Field(default_factory=list)
    """The founder's personal accounts."""
    ens: Annotated[Line | None, Says("The founder's ENS name is {ens}.")] = None
    """The founder's ENS name, if there is one."""


class Study(Output):
    """A course, book or field the founder is studying now."""

    name: Annotated[Line, Heading()]
    """The course, book or field."""
    source: Line
    """Who teaches or publishes it."""
    subjects: list[Line] = Field(default_factory=list)
    """The subjects it covers."""
    status: Line
    """The progress."""


class Certification(Named):
    """A certificate of the founder."""

    named_by: ClassVar[str] = "title"
    linked_type = "EducationalOccupationalCredential"
    title: Annotated[Line, Heading(), LinkedAs("name")]
    """The certificate's title."""
    issuer: Annotated[
        Line,
        LinkedAs("recognizedBy", node="Organization", inner="name"),
        Says("{title} was issued by {issuer}."),
    ]
    """The issuer."""
    issued_at: Annotated[
        YearMonth | None, LinkedAs("dateCreated"), Says("{title} was issued in {issuedAt}.")
    ] = None
    """The month of issue."""
    credential_id: Annotated[
        Line | None, LinkedAs("identifier"), Says("The credential id of {title} is {credentialId}.")
    ] = None
    """The issuer's id for this certificate."""
    honors: Annotated[Line | None, Says("{title}: {honors}.")] = None
    """A distinction, if there was one."""
    skills: Annotated[
        list[Line] | None, LinkedAs("competencyRequired"), Says("{title} covers {skills}.")
    ] = None
    """The skills it covers."""
    category: Annotated[
        Slug, LinkedAs("credentialCategory"), Says("{title} belongs to the category {category}.")
    ]
    """The certificate's category in a word, for example finance."""


class PracticeArea(Named):
    """A service or skill of the studio, with evidence."""

    named_by: ClassVar[str] = "area"
    area: Annotated[Line, Heading()]
    """The area's name."""
    category: Slug
    """The area's category, for example engineering, ai, finance, marketing or climate."""
    summary: Annotated[Text, Says("{summary}")]
    """What the studio does in this area."""
    evidence: Annotated[
        list[Line], Cites(EVIDENCE, or_text=True), Says("Evidence for {area}: {evidence}.")
    ] = Field(default_factory=list)
    """The evidence: references to projects, artifacts, certifications and practice areas, or
    sentences."""
    active: Annotated[
        Flag,
        Says(
            "{active?Yes, the studio takes on work in|No, the studio takes on no new work in}"
            " {area}."
        ),
    ]
    """Whether the studio takes on work in this area now."""


class Conviction(Named):
    """A principle the studio works by."""

    named_by: ClassVar[str] = "headline"
    headline: Annotated[Line, Heading()]
    """The principle in one sentence."""
    body: Annotated[Text, Says("{body}")]
    """The principle, its reasons and what follows from it."""


class LookingFor(Named):
    """A kind of client or project the studio is looking for."""

    named_by: ClassVar[str] = "headline"
    headline: Annotated[Line, Heading()]
    """What is looked for, in one sentence."""
    body: Annotated[Text, Says("{body}")]
    """What would fit and what would not."""


Evidence = Annotated[
    Project | Artifact | Certification | PracticeArea,
    strawberry.union("Evidence", description="An entry that serves as evidence."),
]


class JourneyStep(Output):
    """A step in the history of the studio and the founder's career."""

    period: Annotated[Line, Says("{headline}: {period}.")]
    """The years or months it covers."""
    headline: Annotated[Line, Heading()]
    """The step in one sentence."""
    body: Annotated[Text, Says("{period}: {body}")]
    """What happened and what was learned."""
    evidence: Annotated[list[Reference] | None, Cites(EVIDENCE)] = None
    """The evidence: references to projects, artifacts, certifications and practice areas."""
    reinforces: Annotated[list[Line], RefersTo("conviction", by_name=True)] = Field(
        default_factory=list
    )
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

    linked_type = "ProfessionalService"
    name: Annotated[Line, Heading(), LinkedAs("name"), Says("The studio is called {name}.")]
    """The studio's name."""
    url: Annotated[Url, LinkedAs("url"), Says("The studio's website is {url}.")]
    """The studio's website."""
    tagline: Annotated[Line | None, Summary(), LinkedAs("slogan")] = None
    """The studio in a few words."""
    one_liner: Annotated[Line, LinkedAs("disambiguatingDescription"), Says("{oneLiner}")]
    """The studio in one sentence."""
    description: Annotated[Text | None, LinkedAs("description"), Says("{description}")] = None
    """What the studio is and does."""
    founded: Annotated[
        YearMonth | None, LinkedAs("foundingDate"), Says("{name} was founded in {founded}.")
    ] = None
    """The month in which the studio was founded."""
    founder: Annotated[Founder, LinkedAs("founder")]
    """The founder, who runs the studio alone."""
    contact: Contact
    """Contact addresses of the studio."""
    ens: Annotated[Line | None, Says("The studio's ENS name is {ens}.")] = None
    """The studio's ENS name, if it has one."""
    social: Annotated[
        list[Handle],
        LinkedAs("sameAs", of="url"),
        Says("The studio's accounts: [{social.platform} {social.handle} ({social.url})]."),
    ] = Field(default_factory=list)
    """The studio's accounts on other platforms."""
    languages: Annotated[
        list[LanguageCode],
        LinkedAs("knowsLanguage"),
        Says("The studio works in these languages: {languages}."),
    ] = Field(default_factory=list)
    """The languages the studio works in."""
    language: Annotated[LanguageCode | None, Internal] = None
    """The language that the content is written in. Without it, English (`en`)."""
    currently_studying: Annotated[
        list[Study],
        Says(
            "The founder is studying [{currentlyStudying.name} "
            "({currentlyStudying.source}, {currentlyStudying.status})]."
        ),
    ] = Field(default_factory=list)
    """What the founder is studying now."""
    thesis: Annotated[Text | None, Searchable("thesis"), Says("{thesis}")] = None
    """The studio's thesis: what it holds to be true about its field and builds on."""
    practice: Annotated[
        list[PracticeArea],
        Searchable("practice"),
        LinkedAs("knowsAbout", of="area"),
        Says("Services and skills: [{practice.area}{practice.active?| (no new work)}]."),
    ] = Field(default_factory=list)
    """Services and skills, each with evidence that proves it."""
    convictions: Annotated[
        list[Conviction],
        Searchable("conviction"),
        Says("The studio's principles: [{convictions.headline}]."),
    ] = Field(default_factory=list)
    """The principles the studio works by."""
    looking_for: Annotated[
        list[LookingFor],
        Searchable("lookingFor"),
        Says("The studio is looking for: [{lookingFor.headline}]."),
    ] = Field(default_factory=list)
    """Kinds of clients and projects the studio is looking for."""
    scheduling: Scheduling | None = None
    """Time zone, working hours and response time."""
    on_chain: OnChain | None = None
    """On-chain identity: ENS names, wallets and artifacts of the studio."""
    journey: Annotated[list[JourneyStep], Says("[{journey.period}: {journey.headline}].")] = Field(
        default_factory=list
    )
    """History of the studio and its founder's career, oldest first."""
    certifications: Annotated[
        list[Certification],
        Citable("certification"),
        LinkedAs("hasCredential"),
        Says(
            "Certificates: [{certifications.title} ({certifications.issuer}[, "
            "{certifications.issuedAt}])]."
        ),
    ] = Field(default_factory=list)
    """The founder's certificates."""
