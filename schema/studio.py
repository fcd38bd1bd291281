"""The studio's profile: contact, services, principles, working hours and history."""

from typing import Annotated, ClassVar

import strawberry
from pydantic import Field

from schema.contact_details import Contact, Scheduling
from schema.founder import Certification, Founder, Handle, Study
from schema.onchain import Artifact, OnChain
from schema.project import Project
from schema.services.entry_graph import Info
from sdl.types.declare import Internal, Named, Output, asked, field
from sdl.types.marks import (
    EVIDENCE,
    Citable,
    Cites,
    Heading,
    LinkedAs,
    RefersTo,
    Searchable,
    Summary,
)
from sdl.types.scalar_types import (
    Flag,
    LanguageCode,
    Line,
    Reference,
    Slug,
    Text,
    Url,
    YearMonth,
)


class PracticeArea(Named):
    """A service or skill of the studio, with evidence."""

    named_by: ClassVar[str] = "area"
    area: Annotated[Line, Heading(), asked()]
    """The area's name."""
    category: Annotated[Slug, asked()]
    """The area's category, for example engineering, ai, finance, marketing or climate."""
    summary: Annotated[
        Text,
        asked(
            "what does the studio do in the practice area",
            "tell me about this service",
            says="{summary}",
        ),
    ]
    """What the studio does in this area."""
    evidence: Annotated[
        list[Line],
        Cites(EVIDENCE, or_text=True),
        asked(
            "what evidence is there for the practice area",
            "what proves that they can do this service",
            says="Evidence for {area}: {evidence}.",
        ),
    ] = Field(default_factory=list)
    """The evidence: references to projects, artifacts, certifications and practice areas, or
    sentences."""
    active: Annotated[
        Flag,
        asked(
            "is the practice area still offered",
            "does the studio take on work in this service now",
            says="{active?Yes, the studio takes on work in|No, the studio takes on no new work in}"
            " {area}.",
        ),
    ]
    """Whether the studio takes on work in this area now."""


class Conviction(Named):
    """A principle the studio works by."""

    named_by: ClassVar[str] = "headline"
    headline: Annotated[Line, Heading(), asked()]
    """The principle in one sentence."""
    body: Annotated[
        Text,
        asked("what does the conviction mean", "why do they hold this principle", says="{body}"),
    ]
    """The principle, its reasons and what follows from it."""


class LookingFor(Named):
    """A kind of client or project the studio is looking for."""

    named_by: ClassVar[str] = "headline"
    headline: Annotated[Line, Heading(), asked()]
    """What is looked for, in one sentence."""
    body: Annotated[
        Text,
        asked(
            "what would fit what the studio is looking for",
            "what kind of client is meant",
            says="{body}",
        ),
    ]
    """What would fit and what would not."""


Evidence = Annotated[
    Project | Artifact | Certification | PracticeArea,
    strawberry.union("Evidence", description="An entry that serves as evidence."),
]


class JourneyStep(Output):
    """A step in the history of the studio and the founder's career."""

    period: Annotated[
        Line,
        asked(
            "when was this step of the journey",
            "in which years did this happen",
            says="{headline}: {period}.",
        ),
    ]
    """The years or months it covers."""
    headline: Annotated[Line, Heading(), asked()]
    """The step in one sentence."""
    body: Annotated[
        Text,
        asked(
            "what happened in this step of the journey",
            "tell me about that time in the career",
            says="{period}: {body}",
        ),
    ]
    """What happened and what was learned."""
    evidence: Annotated[list[Reference] | None, Cites(EVIDENCE), asked()] = None
    """The evidence: references to projects, artifacts, certifications and practice areas."""
    reinforces: Annotated[list[Line], RefersTo("conviction", by_name=True), asked()] = Field(
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
    name: Annotated[
        Line,
        Heading(),
        LinkedAs("name"),
        asked(
            "what is the studio called",
            "what is the name of the studio",
            "trading name of the company",
            says="The studio is called {name}.",
        ),
    ]
    """The studio's name."""
    url: Annotated[
        Url,
        LinkedAs("url"),
        asked(
            "what is the studio's website",
            "the homepage of the studio",
            "which web address does the studio have",
            says="The studio's website is {url}.",
        ),
    ]
    """The studio's website."""
    tagline: Annotated[Line | None, Summary(), LinkedAs("slogan"), asked()] = None
    """The studio in a few words."""
    one_liner: Annotated[
        Line,
        LinkedAs("disambiguatingDescription"),
        asked(
            "what is this studio",
            "what is it",
            "what is the studio exactly",
            "what is it in one line",
            "what is this site about",
            "what does the studio do",
            "what line of work are they in",
            "who are you and what do you do",
            "what kind of business is this",
            "describe the studio in one sentence",
            "give me a short introduction to this company",
            "in a nutshell, what does this business do",
            says="{oneLiner}",
        ),
    ]
    """The studio in one sentence."""
    description: Annotated[
        Text | None,
        LinkedAs("description"),
        asked(
            "tell me about the studio in detail",
            "give me an overview of the studio",
            "how does the studio work and what has it built",
            says="{description}",
        ),
    ] = None
    """What the studio is and does."""
    founded: Annotated[
        YearMonth | None,
        LinkedAs("foundingDate"),
        asked(
            "when was the studio founded",
            "since when does the studio exist",
            "year of establishment",
            "how long have they been in business",
            "how old is the studio",
            "founding year of the business",
            "operating since which year",
            says="{name} was founded in {founded}.",
        ),
    ] = None
    """The month in which the studio was founded."""
    founder: Annotated[Founder, LinkedAs("founder"), asked()]
    """The founder, who runs the studio alone."""
    contact: Annotated[Contact, asked()]
    """Contact addresses of the studio."""
    ens: Annotated[
        Line | None,
        asked(
            "what is the ENS name of the studio",
            "which ENS domain belongs to the studio",
            says="The studio's ENS name is {ens}.",
        ),
    ] = None
    """The studio's ENS name, if it has one."""
    social: Annotated[
        list[Handle],
        LinkedAs("sameAs", of="url"),
        asked(
            "where else is the studio online",
            "which social media accounts does the studio have",
            "is the studio on GitHub, Mastodon or LinkedIn",
            "where can I follow the studio",
            "the company's own social media profile",
            says="The studio's accounts: [{social.platform} {social.handle} ({social.url})].",
        ),
    ] = Field(default_factory=list)
    """The studio's accounts on other platforms."""
    languages: Annotated[
        list[LanguageCode],
        LinkedAs("knowsLanguage"),
        asked(
            "which languages does the studio work in",
            "which languages do they speak",
            "can we talk in another language than English",
            "in which language can I write to them",
            "can I write in German or French",
            says="The studio works in these languages: {languages}.",
        ),
    ] = Field(default_factory=list)
    """The languages the studio works in."""
    language: Annotated[LanguageCode | None, Internal] = None
    """The language that the content is written in. Without it, English (`en`)."""
    currently_studying: Annotated[
        list[Study],
        asked(
            "what is the founder studying now",
            "what are they learning at the moment",
            "is the founder learning anything these days",
            "which course is the founder taking now",
            says="The founder is studying [{currentlyStudying.name} "
            "({currentlyStudying.source}, {currentlyStudying.status})].",
        ),
    ] = Field(default_factory=list)
    """What the founder is studying now."""
    thesis: Annotated[
        Text | None,
        Searchable("thesis"),
        asked(
            "what is the studio's thesis",
            "what does the studio believe about its field",
            "what is the philosophy of the studio",
            "the main idea behind the studio",
            says="{thesis}",
        ),
    ] = None
    """The studio's thesis: what it holds to be true about its field and builds on."""
    practice: Annotated[
        list[PracticeArea],
        Searchable("practice"),
        LinkedAs("knowsAbout", of="area"),
        asked(
            "which services does the studio offer",
            "what can I order or buy from them",
            "a short list of what they offer",
            "what are they good at",
            "what do they specialise in",
            "what are their areas of expertise",
            "what skills does the founder have",
            "what fields do they practise",
            says="Services and skills: [{practice.area}{practice.active?| (no new work)}].",
        ),
    ] = Field(default_factory=list)
    """Services and skills, each with evidence that proves it."""
    convictions: Annotated[
        list[Conviction],
        Searchable("conviction"),
        asked(
            "which principles does the studio work by",
            "what are the values of the studio",
            "what are their convictions",
            says="The studio's principles: [{convictions.headline}].",
        ),
    ] = Field(default_factory=list)
    """The principles the studio works by."""
    looking_for: Annotated[
        list[LookingFor],
        Searchable("lookingFor"),
        asked(
            "what kind of clients is the studio looking for",
            "what would be an ideal project for them",
            "who is a good fit for the studio",
            "for whom do they like to work",
            "which collaborations do they want",
            says="The studio is looking for: [{lookingFor.headline}].",
        ),
    ] = Field(default_factory=list)
    """Kinds of clients and projects the studio is looking for."""
    scheduling: Annotated[Scheduling | None, asked()] = None
    """Time zone, working hours and response time."""
    on_chain: Annotated[OnChain | None, asked()] = None
    """On-chain identity: ENS names, wallets and artifacts of the studio."""
    journey: Annotated[
        list[JourneyStep],
        asked(
            "what is the history of the studio",
            "what is the studio's background",
            "what did the founder do before the studio",
            "what did they do before",
            "where did the founder work before that",
            "earlier employers of the founder",
            "what is the founder's professional background",
            "how experienced is the founder",
            "previous jobs and experience of the founder",
            "the career of the founder",
            says="[{journey.period}: {journey.headline}].",
        ),
    ] = Field(default_factory=list)
    """History of the studio and its founder's career, oldest first."""
    certifications: Annotated[
        list[Certification],
        Citable("certification"),
        LinkedAs("hasCredential"),
        asked(
            "which certificates does the founder hold",
            "what qualifications or credentials do they have",
            "is the founder certified",
            "which certifications were earned",
            says="Certificates: [{certifications.title} ({certifications.issuer}[, "
            "{certifications.issuedAt}])].",
        ),
    ] = Field(default_factory=list)
    """The founder's certificates."""
