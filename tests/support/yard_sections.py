"""Two sections as an owner adds them: a list of entries with names, and a single object."""

import enum
from typing import Annotated, ClassVar

import strawberry

from sdl.errors import NotFoundError
from sdl.types.declare import Named, Output, enum_type, field
from sdl.types.marks import Heading, LinkedAs, LinkedList, OtherName, Says, Searchable, Section
from sdl.types.scalar_types import Count, Date, Flag, LanguageCode, Line, Slug, Text


@enum_type
class Berth(enum.Enum):
    """Where a boat is."""

    AFLOAT = "afloat"
    """In the water."""
    ASHORE = "ashore"
    """Under repair."""


class Boat(Named):
    """A boat of the yard."""

    named_by: ClassVar[str] = "name"
    linked_type = "Product"
    name: Annotated[Line, Heading(), LinkedAs("name")]
    """The boat's name."""
    called: Annotated[list[Line], OtherName()]
    """Further names of it."""
    berth: Annotated[Berth, Says("{name} is {berth}.")]
    """Where it is."""
    rig: Annotated[Line, Says("{name} is rigged as a {rig}.")]
    """How it is rigged."""
    launched: Annotated[Date, Says("{name} was launched on {launched}.")]
    """The day of its launch."""
    crew: Annotated[Count, Says("{name} needs {crew} hands.")]
    """How many people sail it."""
    insured: Annotated[Flag, Says("{name} is {insured?insured|not insured}.")]
    """Whether it is insured."""
    spoken: Annotated[list[LanguageCode], Says("Aboard {name}: {spoken}.")]
    """What is spoken aboard."""
    story: Annotated[Text, LinkedAs("description"), Says("{story}")]
    """Its story."""


class Slipway(Output):
    """The yard's slipway."""

    rule: Annotated[Text, Searchable("slipway"), Says("{rule}")]
    """Who may use it, and how."""
    draught: Annotated[Line, Says("The slipway takes boats of up to {draught}.")]
    """The greatest draught."""


class YardSections(Output):
    """The two sections."""

    boats: Annotated[
        list[Boat],
        Section(),
        Searchable("boat"),
        LinkedList("ItemList", "itemListElement"),
        Says("Boats: [{boats.name} ({boats.berth})]."),
    ]
    """The boats."""
    slipway: Annotated[Slipway, Section()]
    """The slipway."""

    @field(fails=(NotFoundError,))
    def boat(
        self, slug: Annotated[Slug, strawberry.argument(description="The boat's slug.")]
    ) -> Boat | None:
        """One boat by its slug."""
        return next((boat for boat in self.boats if boat.slug == slug), None)
