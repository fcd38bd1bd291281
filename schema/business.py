"""What a business says beside its work: its prices, and the facts that an invoice needs."""

from typing import Annotated, ClassVar

from pydantic import Field

from sdl.types.declare import Named, Output, asked
from sdl.types.marks import Heading, LinkedAs, Summary
from sdl.types.scalar_types import Amount, Currency, Date, LanguageCode, Line

PRICE_QUESTIONS = (
    "what does it cost",
    "is it free of charge",
    "how much do they charge",
    "ballpark price please",
    "what are their rates",
    "what is the studio's day rate",
    "what is the hourly rate",
    "do they have a price list",
    "what is the price of a project",
    "what does a project cost",
    "which fee or budget is needed",
    "what would a week of work cost",
)
"""What asks for a price: the list of prices answers it, or the terms say that there is none."""
_PRICE = (
    "{name}:[ {amount}][ from {minAmount}][ up to {maxAmount}] {currency}[ per {unit}]"
    "[ (until {validUntil})][. {note}]"
)


class Price(Named):
    """What one thing costs: an amount, or a range of amounts."""

    named_by: ClassVar[str] = "name"
    linked_type = "Offer"
    name: Annotated[Line, Heading(), LinkedAs("name"), asked()]
    """What is paid for."""
    amount: Annotated[
        Amount | None,
        LinkedAs("price"),
        asked("what does it cost", "what is the price of it", "how much is it", says=_PRICE),
    ] = None
    """The amount, if there is one for all."""
    min_amount: Annotated[
        Amount | None,
        LinkedAs("priceSpecification", node="PriceSpecification", inner="minPrice"),
        asked("from which price is it had", "what does it cost at least", says=_PRICE),
    ] = None
    """The least amount, if there is a range."""
    max_amount: Annotated[
        Amount | None,
        LinkedAs("priceSpecification", node="PriceSpecification", inner="maxPrice"),
        asked(),
    ] = None
    """The largest amount, if there is a range."""
    currency: Annotated[Currency, LinkedAs("priceCurrency"), asked()]
    """The currency."""
    unit: Annotated[Line | None, asked()] = None
    """For how much of it the amount is, for example day, hour or project."""
    valid_until: Annotated[
        Date | None,
        LinkedAs("priceValidUntil"),
        asked("until when is the price valid", says="{name}: the price holds until {validUntil}."),
    ] = None
    """The last day on which it holds."""
    note: Annotated[
        Line | None,
        Summary(),
        LinkedAs("description"),
        asked("what is included in the price", "what does the price cover", says="{name}: {note}"),
    ] = None
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
    legal_name: Annotated[
        Line | None,
        LinkedAs("legalName"),
        asked(
            "what is the legal name of the business",
            "what is its legal form",
            "which name goes on a contract",
            says="Legal name: {legalName}.",
        ),
    ] = None
    """The legal name, with the legal form if there is one."""
    phone: Annotated[
        Line | None,
        LinkedAs("telephone"),
        asked(
            "what is the phone number",
            "which telephone number can I ring",
            "can I call them",
            says="Phone: {phone}.",
        ),
    ] = None
    """The phone number."""
    address: Annotated[
        PostalAddress | None,
        LinkedAs("address"),
        asked(
            "what is the postal address",
            "where do I send a letter or a parcel",
            "what is the street address of the office",
            says="Postal address: {address.street},[ {address.postalCode}] {address.city}"
            "[, {address.region}], {address.country}.",
        ),
    ] = None
    """The postal address."""
    vat_id: Annotated[
        Line | None,
        LinkedAs("vatID"),
        asked(
            "what is the VAT number",
            "are they registered for VAT",
            "what is the tax number",
            says="VAT number: {vatId}.",
        ),
    ] = None
    """The VAT or tax number."""
    registration: Annotated[
        Line | None,
        LinkedAs("identifier"),
        asked(
            "what is the registration number of the company",
            "in which register is the business",
            "the number in the commercial register",
            says="Registration: {registration}.",
        ),
    ] = None
    """The register and the number in it."""
    availability: Annotated[
        Line | None,
        asked(
            "how far ahead are they booked",
            "how long is the waiting list",
            "when is the next free slot",
            says="{availability}",
        ),
    ] = None
    """When new work can begin, in words."""
    language_skills: Annotated[
        list[LanguageSkill],
        LinkedAs("knowsLanguage", of="language"),
        asked(
            "how well do they speak each language",
            "at which level do they write the language",
            "what is their mother tongue",
            says="Languages: [{languageSkills.language} ({languageSkills.level})].",
        ),
    ] = Field(default_factory=list)
    """The languages of the founder, each with its level."""
