"""The founder: the person, education, accounts, studies and certificates."""

from typing import Annotated, ClassVar

from pydantic import Field

from sdl.types.declare import Named, Output, asked
from sdl.types.marks import Heading, LinkedAs, Summary
from sdl.types.scalar_types import Line, Slug, Text, Url, YearMonth


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
        Line,
        Heading(),
        LinkedAs("name"),
        asked(
            "who is behind the studio",
            "who is behind it",
            "who runs it",
            "who are you",
            "who runs the studio",
            "who is the founder",
            "name of the person in charge",
            "who owns this business",
            "which person stands behind the company",
            "whose company is this",
            "is it one person or a team",
            "how many people work there",
            "who would do the work",
            says="{name} is behind the studio[. Role: {role}]",
        ),
    ]
    """The founder's name."""
    role: Annotated[
        Line | None,
        Summary(),
        LinkedAs("jobTitle"),
        asked(
            "what is the founder's role",
            "what is the job title of the founder",
            says="Role of {name}: {role}",
        ),
    ] = None
    """The founder's role."""
    identity: Annotated[
        Text | None,
        LinkedAs("description"),
        asked(
            "who is the founder as a person",
            "tell me about the founder",
            "a short biography of the founder",
            says="{identity}",
        ),
    ] = None
    """Who the founder is, in their own words."""
    based: Annotated[
        Line | None,
        LinkedAs("homeLocation", node="Place", inner="name"),
        asked(
            "where is the studio based",
            "where is the studio located",
            "in which town and region is the business",
            "from where do they operate",
            "which city and country are they in",
            "what is their location",
            "where does the founder live",
            says="{name} is based in {based}.",
        ),
    ] = None
    """Where the founder lives."""
    works_from: Annotated[
        Line | None,
        LinkedAs("workLocation", node="Place", inner="name"),
        asked(
            "where does the founder work from",
            "do they have an office or workshop",
            "do they work remotely or on site",
            says="Place of work: {worksFrom}",
        ),
    ] = None
    """Where the founder works from."""
    personality: Annotated[
        Personality | None,
        asked(
            "what is the founder's personality type",
            "what is the founder like to work with",
            says="{personality.type} ({personality.framework}): {personality.description}",
        ),
    ] = None
    """The founder's personality type, if the founder gives one."""
    traits: Annotated[
        list[Line],
        asked(
            "what are the founder's traits",
            "which character traits does the founder have",
            says="Traits: {traits}.",
        ),
    ] = Field(default_factory=list)
    """Traits that show in the work."""
    mantras: Annotated[
        list[Line],
        asked(
            "what are the founder's mantras",
            "which sayings does the founder work by",
            says="Mantras: {mantras}",
        ),
    ] = Field(default_factory=list)
    """Sentences the founder works by."""
    formation: Annotated[
        list[Formation],
        LinkedAs("alumniOf"),
        asked(
            "where did the founder study",
            "what education does the founder have",
            "which degree does the founder have",
            "which university or school did the founder attend",
            says="Education: [{formation.subject}, {formation.institution}[ "
            "({formation.honors})]].",
        ),
    ] = Field(default_factory=list)
    """The founder's education."""
    handles: Annotated[
        list[Handle],
        LinkedAs("sameAs", of="url"),
        asked(
            "which personal accounts does the founder have",
            "where is the founder online",
            "is the founder on GitHub or Mastodon",
            says="The founder's accounts: [{handles.platform} {handles.handle} ({handles.url})].",
        ),
    ] = Field(default_factory=list)
    """The founder's personal accounts."""
    ens: Annotated[
        Line | None,
        asked("what is the founder's ENS name", says="The founder's ENS name is {ens}."),
    ] = None
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
    title: Annotated[Line, Heading(), LinkedAs("name"), asked()]
    """The certificate's title."""
    issuer: Annotated[
        Line,
        LinkedAs("recognizedBy", node="Organization", inner="name"),
        asked(
            "who issued the certification",
            "which body gave the certificate",
            says="{title} was issued by {issuer}.",
        ),
    ]
    """The issuer."""
    issued_at: Annotated[
        YearMonth | None,
        LinkedAs("dateCreated"),
        asked(
            "when was the certification issued",
            "which year was the certificate earned",
            says="{title} was issued in {issuedAt}.",
        ),
    ] = None
    """The month of issue."""
    credential_id: Annotated[
        Line | None,
        LinkedAs("identifier"),
        asked(
            "what is the id of the certification",
            "the credential number of the certificate",
            says="The credential id of {title} is {credentialId}.",
        ),
    ] = None
    """The issuer's id for this certificate."""
    honors: Annotated[
        Line | None,
        asked(
            "was the certification passed with honours",
            "which grade or distinction has the certificate",
            says="{title}: {honors}.",
        ),
    ] = None
    """A distinction, if there was one."""
    skills: Annotated[
        list[Line] | None,
        LinkedAs("competencyRequired"),
        asked(
            "which skills does the certification cover",
            "what was learned for the certificate",
            says="{title} covers {skills}.",
        ),
    ] = None
    """The skills it covers."""
    category: Annotated[
        Slug,
        LinkedAs("credentialCategory"),
        asked(
            "which category does the certification belong to",
            says="{title} belongs to the category {category}.",
        ),
    ]
    """The certificate's category in a word, for example finance."""
