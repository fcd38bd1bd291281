"""Two sections as an owner adds them: a list of entries with names, and a single object."""

import enum
from typing import Annotated, ClassVar

import strawberry

from sdl.errors import NotFoundError
from sdl.types.declare import Named, Output, asked, enum_type, field
from sdl.types.marks import Heading, LinkedAs, LinkedList, OtherName, Searchable, Section
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
    name: Annotated[Line, Heading(), LinkedAs("name"), asked()]
    """The boat's name."""
    called: Annotated[list[Line], OtherName(), asked()]
    """Further names of it."""
    berth: Annotated[
        Berth,
        asked("where is the boat moored", "is the boat in the water", says="{name} is {berth}."),
    ]
    """Where it is."""
    rig: Annotated[Line, asked("how is the boat rigged", says="{name} is rigged as a {rig}.")]
    """How it is rigged."""
    launched: Annotated[
        Date, asked("when was the boat launched", says="{name} was launched on {launched}.")
    ]
    """The day of its launch."""
    crew: Annotated[
        Count, asked("how many hands does the boat need", says="{name} needs {crew} hands.")
    ]
    """How many people sail it."""
    insured: Annotated[
        Flag, asked("is the boat insured", says="{name} is {insured?insured|not insured}.")
    ]
    """Whether it is insured."""
    spoken: Annotated[
        list[LanguageCode],
        asked("which languages does the skipper speak", says="Aboard {name}: {spoken}."),
    ]
    """What is spoken aboard."""
    story: Annotated[
        Text,
        LinkedAs("description"),
        asked("what is the story of the boat", "tell me about the boat", says="{story}"),
    ]
    """Its story."""


class Slipway(Output):
    """The yard's slipway."""

    rule: Annotated[
        Text,
        Searchable("slipway"),
        asked(
            "who may use the slipway",
            "what are the rules of the slipway",
            says="{rule}",
        ),
    ]
    """Who may use it, and how."""
    draught: Annotated[
        Line,
        asked(
            "how deep is the water at the slipway",
            "what is the greatest draught for hauling out",
            says="The slipway takes boats of up to {draught}.",
        ),
    ]
    """The greatest draught."""


class YardSections(Output):
    """The two sections."""

    boats: Annotated[
        list[Boat],
        Section(),
        Searchable("boat"),
        LinkedList("ItemList", "itemListElement"),
        asked(
            "which boats lie in the yard",
            "list all boats",
            says="Boats: [{boats.name} ({boats.berth})].",
        ),
    ]
    """The boats."""
    slipway: Annotated[Slipway, Section(), asked()]
    """The slipway."""

    @field(fails=(NotFoundError,))
    def boat(
        self, slug: Annotated[Slug, strawberry.argument(description="The boat's slug.")]
    ) -> Boat | None:
        """One boat by its slug."""
        return next((boat for boat in self.boats if boat.slug == slug), None)
