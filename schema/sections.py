"""The smaller sections: prices, business, status, terms, FAQ, glossary, figures, licensing."""

import enum
from typing import Annotated, ClassVar

import strawberry
from pydantic import Field

from schema.project import ProjectStatus
from schema.services.entry_graph import Info
from sdl.types.declare import Named, Output, enum_type, field
from sdl.types.marks import Heading, LinkedAs, OtherName, RefersTo, Says, Summary
from sdl.types.scalar_types import (
    Amount,
    Currency,
    Date,
    Flag,
    Instant,
    LanguageCode,
    Line,
    Slug,
    Text,
    Url,
)

_PRICE = (
    "{name}:[ {amount}][ from {minAmount}][ up to {maxAmount}] {currency}[ per {unit}]"
    "[ (until {validUntil})][. {note}]"
)


class Price(Named):
    """What one thing costs: an amount, or a range of amounts."""

    named_by: ClassVar[str] = "name"
    linked_type = "Offer"
    name: Annotated[Line, Heading(), LinkedAs("name")]
    """What is paid for."""
    amount: Annotated[Amount | None, LinkedAs("price"), Says(_PRICE)] = None
    """The price, if it is one amount and no range."""
    min_amount: Annotated[
        Amount | None,
        LinkedAs("priceSpecification", node="PriceSpecification", inner="minPrice"),
        Says(_PRICE),
    ] = None
    """The lowest price, if the price is a range."""
    max_amount: Annotated[
        Amount | None, LinkedAs("priceSpecification", node="PriceSpecification", inner="maxPrice")
    ] = None
    """The highest price, if the price is a range."""
    currency: Annotated[Currency, LinkedAs("priceCurrency")]
    """The currency."""
    unit: Line | None = None
    """For how much of it the amount is, for example day, hour or project."""
    valid_until: Annotated[
        Date | None,
        LinkedAs("priceValidUntil"),
        Says("{name}: the price holds until {validUntil}."),
    ] = None
    """The last day on which it holds."""
    note: Annotated[Line | None, Summary(), LinkedAs("description"), Says("{name}: {note}")] = None
    """What is in it, and what it depends on."""


class PostalAddress(Output):
    """A postal address."""

    linked_type = "PostalAddress"
    street: Annotated[Line, Heading(), LinkedAs("streetAddress")]
    """The street with the number, or the post-office box."""
    postal_code: Annotated[Line | None, LinkedAs("postalCode")] = None
    """The postal code."""
    city: Annotated[Line, LinkedAs("addressLocality")]
    """The town."""
    region: Annotated[Line | None, LinkedAs("addressRegion")] = None
    """The region, where addresses have one."""
    country: Annotated[Line, LinkedAs("addressCountry")]
    """The country."""


class LanguageSkill(Output):
    """How well a language is spoken and written."""

    language: Annotated[LanguageCode, Heading()]
    """The language."""
    level: Line
    """How well, for example native or C1."""


class Business(Output):
    """What a business must say: its legal name, address, phone and numbers, and its languages."""

    linked_type = "ProfessionalService"
    legal_name: Annotated[Line | None, LinkedAs("legalName"), Says("Legal name: {legalName}.")] = (
        None
    )
    """The legal name, with the legal form if there is one."""
    phone: Annotated[Line | None, LinkedAs("telephone"), Says("Phone: {phone}.")] = None
    """The phone number."""
    address: Annotated[
        PostalAddress | None,
        LinkedAs("address"),
        Says(
            "Postal address: {address.street},[ {address.postalCode}] {address.city}"
            "[, {address.region}], {address.country}."
        ),
    ] = None
    """The postal address."""
    vat_id: Annotated[Line | None, LinkedAs("vatID"), Says("VAT number: {vatId}.")] = None
    """The VAT or tax number."""
    registration: Annotated[
        Line | None, LinkedAs("identifier"), Says("Registration: {registration}.")
    ] = None
    """The register and the number in it."""
    availability: Annotated[Line | None, Says("{availability}")] = None
    """When new work can begin, in words."""
    language_skills: Annotated[
        list[LanguageSkill],
        LinkedAs("knowsLanguage", of="language"),
        Says("Languages: [{languageSkills.language} ({languageSkills.level})]."),
    ] = Field(default_factory=list)
    """The languages of the founder, each with its level."""


class StudioStatus(Output):
    """The state of the studio, and whether it is open to work."""

    state: Annotated[Slug, Says("The studio is {state}.")]
    """The studio's state, for example active."""
    open_to_work: Annotated[
        Flag,
        Says(
            "{openToWork?Yes, the studio is open to new work|No, the studio takes "
            "on no new work now}."
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

    as_of: Annotated[Instant | None, Says("The newest change is of {asOf}.")] = None
    """The time of the newest changelog entry or project update, if there is one."""
    studio: StudioStatus | None = None
    """The state of the studio, and whether it is open to work."""
    projects: list[ProjectState]
    """The stage of each project."""
    studying: list[StudyState]
    """What the founder is studying now."""


class Engagement(Output):
    """Terms of hiring: availability, what is in scope, response time and how to ask for a price."""

    linked_type = "Service"
    availability: Annotated[Slug, Says("Availability: {availability}.")]
    """Whether the studio takes on new work, for example open."""
    response_sla: Annotated[Line, LinkedAs("termsOfService"), Says("{responseSla}")]
    """How soon an enquiry is answered."""
    scope: Annotated[
        list[Line],
        LinkedAs("offers", node="Offer", inner="name"),
        Says("The studio takes on: {scope}."),
    ] = Field(default_factory=list)
    """The kinds of work the studio takes on."""
    not_in_scope: Annotated[list[Line], Says("The studio does not take on: {notInScope}.")] = Field(
        default_factory=list
    )
    """The kinds of work the studio does not take on."""
    preferred_channel: Annotated[
        Line,
        LinkedAs("availableChannel", node="ServiceChannel", inner="description"),
        Says("To hire the studio, use its preferred channel: {preferredChannel}"),
        Says(
            "No prices are published; to ask for one, use the preferred channel: "
            "{preferredChannel}",
            of="Site.prices",
        ),
    ]
    """The preferred channel for enquiries."""


class FaqEntry(Named):
    """A frequently asked question and its answer."""

    named_by: ClassVar[str] = "q"
    linked_type = "Question"
    q: Annotated[Line, Heading(), LinkedAs("name")]
    """The question."""
    a: Annotated[Text, LinkedAs("acceptedAnswer", node="Answer", inner="text"), Says("{a}")]
    """The answer."""
    tags: Annotated[list[Line], LinkedAs("keywords")] = Field(default_factory=list)
    """Search keywords."""


SomeTerm = Annotated["GlossaryEntry", strawberry.lazy("schema.sections")]


class GlossaryEntry(Output):
    """A term and what the studio means by it."""

    slug: Slug
    """The term's slug, unique among terms."""
    term: Annotated[Line, Heading()]
    """The term."""
    definition: Annotated[Text, Says("{definition}")]
    """What the studio means by it."""
    aliases: Annotated[list[Line] | None, OtherName(), Says("{term} is also called {aliases}.")] = (
        None
    )
    """Other names for it."""
    related: Annotated[
        list[Slug] | None, RefersTo("glossary"), Says("Related to {term}: {related}.")
    ] = None
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
    value: Annotated[Line, Says("{label}: {value}[ {unit}] ({asOf}).")]
    """The value, as a string."""
    unit: Line | None = None
    """The unit, if there is one."""
    detail: Annotated[Line, Says("{label}: {value}[ {unit}] ({asOf}): {detail}")]
    """What the metric means and how it is measured."""
    as_of: Annotated[Date, Says("{label} is of {asOf}.")]
    """The day the value is from."""
    source: Annotated[Line | None, Says("{label}: {source}.")] = None
    """The source of the value."""


@enum_type
class Permission(enum.Enum):
    """Whether a use of the content is allowed."""

    ALLOWED = "allowed"
    """Allowed without conditions."""
    WITH_ATTRIBUTION = "with-attribution"
    """Allowed if the studio is named as the source."""
    NOT_ALLOWED = "not-allowed"
    """Not allowed."""


class Licensing(Output):
    """How the studio's content may be used."""

    summary: Annotated[Line, Heading(), Says("{summary}")]
    """The policy in one sentence."""
    crawling: Annotated[Permission, Says("Crawling is {crawling}.")]
    """Whether it may be crawled and indexed."""
    summarization: Annotated[Permission, Says("Summarising and quoting is {summarization}.")]
    """Whether it may be summarised and quoted in answers."""
    redistribution: Annotated[Permission, Says("Redistribution is {redistribution} ({license}).")]
    """Whether it may be redistributed."""
    training: Annotated[Permission, Says("Training is {training} ({license}).")]
    """Whether models may be trained on it."""
    license: Annotated[Line, Says("The licence is {license}: {licenseUrl}")]
    """The name of the licence with the conditions."""
    license_url: Url
    """The URL of the licence's text."""
    attribution: Annotated[Line, Says("Name the source as: {attribution}")]
    """The text to name the source with."""
    body: Text
    """The policy in full."""
