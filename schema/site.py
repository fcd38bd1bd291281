"""The whole site as it is read from the content folder: every root field that is not computed."""

from typing import Annotated

from pydantic import Field

from schema.changelog import ChangelogEntry
from schema.github import GithubSnapshot
from schema.project import Domain, Project, Work
from schema.sections import (
    Business,
    Engagement,
    FaqEntry,
    GlossaryEntry,
    HeadlineNumber,
    Licensing,
    Price,
    Status,
)
from schema.studio import Studio
from sdl.types.declare import Internal, Output
from sdl.types.marks import Citable, LinkedList, Says, Searchable, Section
from sdl.types.scalar_types import Digest, Line, Slug

INTERFACE_VERSION = "2.0.0"


class Site(Output):
    """Everything the studio publishes."""

    studio: Annotated[Studio, Section()]
    """The studio's full profile."""
    domains: Annotated[
        list[Domain], Section(), Searchable("domain"), Says("Domains: [{domains.name}].")
    ] = Field(default_factory=list)
    """The fields of work that projects belong to."""
    projects: Annotated[
        list[Project],
        Section(),
        Searchable("project"),
        LinkedList("ItemList", "itemListElement"),
        Says("[{projects.name} ({projects.status}): {projects.tagline}]"),
    ] = Field(default_factory=list)
    """The studio's products and client projects."""
    status: Annotated[Status, Section()]
    """Current status of the studio, its projects and the founder's studies."""
    engagement: Annotated[Engagement | None, Section()] = None
    """Terms of hiring: availability, what is in scope, response time and how to ask for a price."""
    faq: Annotated[
        list[FaqEntry],
        Section(),
        Searchable("faq"),
        LinkedList("FAQPage", "mainEntity"),
        Says("Questions that are answered: [{faq.q}]"),
    ] = Field(default_factory=list)
    """Frequently asked questions and their answers."""
    glossary: Annotated[
        list[GlossaryEntry], Section(), Searchable("glossary"), Says("Terms: [{glossary.term}].")
    ] = Field(default_factory=list)
    """Glossary: terms and what the studio means by them."""
    headline_numbers: Annotated[
        list[HeadlineNumber],
        Section(),
        Citable("headlineNumber"),
        Says("[{headlineNumbers.label}: {headlineNumbers.value}[ {headlineNumbers.unit}]]."),
    ] = Field(default_factory=list)
    """Key metrics, each with its definition and date."""
    changelog: Annotated[
        list[ChangelogEntry],
        Section(),
        Searchable("changelogEntry", by_name_only=True),
        Says("[3: {changelog.publishedAt}: {changelog.title}]."),
    ] = Field(default_factory=list)
    """The changelog, newest entry first."""
    prices: Annotated[
        list[Price],
        Section(),
        Searchable("price"),
        LinkedList("OfferCatalog", "itemListElement"),
        Says(
            "[{prices.name}:[ {prices.amount}][ from {prices.minAmount}]"
            "[ up to {prices.maxAmount}] {prices.currency}[ per {prices.unit}]"
            "[ (until {prices.validUntil})]]."
        ),
    ] = Field(default_factory=list)
    """Prices: what things cost, each with its currency and unit."""
    works: Annotated[
        list[Work],
        Section(),
        Searchable("work"),
        LinkedList("ItemList", "itemListElement"),
        Says("Works: [{works.name}[ ({works.finishedAt})]]."),
    ] = Field(default_factory=list)
    """Finished works that are no products: books, buildings, films, translations."""
    business: Annotated[Business | None, Section()] = None
    """Business facts: legal name, address, phone, tax and register numbers, levels of languages."""
    licensing: Annotated[Licensing | None, Section()] = None
    """The licensing policy: crawling, summarising, redistribution and training."""
    github: Annotated[GithubSnapshot | None, Internal] = None
    """Data of the studio's GitHub account, for as long as GitHub has not been polled."""


class EntrySlugs(Output):
    """The slugs of entries whose JSON has no `slug`, in the order of their section."""

    practice: list[Slug]
    """Of `studio.practice`."""
    convictions: list[Slug]
    """Of `studio.convictions`."""
    looking_for: list[Slug]
    """Of `studio.lookingFor`."""
    certifications: list[Slug]
    """Of `studio.certifications`."""
    faq: list[Slug]
    """Of `faq`."""


class Manifest(Site):
    """The whole content in one object, with its digest and tree head."""

    slugs: EntrySlugs
    """The slugs of entries whose JSON has no `slug`."""
    revision: Digest
    """The SHA-256 digest of the content: equal content, equal revision, on every machine."""
    rollup_hash: Digest
    """The RFC 9162 Merkle tree head over all changelog entries, oldest first."""
    version: Line
    """The version of this API."""
