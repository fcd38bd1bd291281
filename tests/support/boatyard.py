"""A studio that consists of two sections alone, and what an owner writes to have them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, ClassVar

from yard_sections import Berth, Boat, Slipway, YardSections

from resolvers.answers.fields import FactTable
from sdl.caller import Caller
from sdl.operations.compiler import compile_operations
from sdl.running.runner import Operations, Snapshot
from sdl.types.scalars import build_schema


class Yard(YardSections):
    """A studio of these sections alone."""

    graphql_name: ClassVar[str] = "Query"


OPERATIONS = {
    "list_boats": '''"""
Every boat in the yard.
"""
query ListBoats
  @rest(path: "/api/boats", media: [JSON, MARKDOWN, LINKED_DATA])
  @llms(section: "Yard")
  @sign(section: "boats")
  @example(name: "all")
  @intent(
    goals: [
      "list the boats of the yard"
      "which boats are under repair ashore"
      "the fleet with its rigs and crews"
      "find a boat to sail"
    ]
  )
{
  boats { name called berth rig launched crew insured spoken story }
}
''',
    "get_boat": '''"""
One boat by its slug.
"""
query GetBoat(
  "The boat's slug."
  $slug: Slug!
)
  @rest(path: "/api/boats/{slug}", each: "ListBoats", media: [JSON, MARKDOWN, LINKED_DATA])
  @example(name: "one boat")
{
  boat(slug: $slug) { name called berth rig launched crew insured spoken story }
}
''',
    "get_slipway": '''"""
The slipway: its rule and its depth.
"""
query GetSlipway
  @rest(path: "/api/slipway")
  @llms(section: "Yard")
  @sign(section: "slipway")
  @example(name: "slipway")
  @intent(
    goals: [
      "haul a boat out of the water"
      "rules for using the slipway"
      "how deep is the water at the slip"
      "book the slipway"
    ]
  )
{
  slipway { rule draught }
}
''',
}
"""The stored operations that read them, by the names of their files."""


def boat(name: str, story: str = "She sails.", **values: Any) -> Boat:
    """A boat; what is not told of it is ordinary."""
    ordinary = {
        "called": [],
        "berth": Berth.AFLOAT,
        "rig": "sloop",
        "launched": date(2001, 5, 4),
        "crew": 2,
        "insured": True,
        "spoken": ["nb"],
    }
    return Boat.model_validate({**ordinary, "name": name, "story": story, **values})


BOATS = (
    boat(
        "The Grey Heron",
        "The Grey Heron was built for the herring fleet. She now carries pupils of the harbour"
        " school. Nobody is paid aboard.",
        called=["Old Spindrift"],
        launched=date(1962, 3, 9),
        rig="ketch",
        crew=5,
    ),
    boat("Heron", berth=Berth.ASHORE, launched=date(2019, 8, 1), insured=False),
    boat("Marigold", rig="yawl", launched=date(1988, 6, 30), spoken=["pt", "nb"]),
    boat("Saltwind", berth=Berth.ASHORE, rig="ketch", crew=4),
)
SLIPWAY = Slipway(
    rule="Members may use the slipway at any tide. Visitors ask the harbour master a day before.",
    draught="2.4 metres",
)


@dataclass(frozen=True)
class Anybody:
    """The context of resolvers that need none."""

    def for_caller(self, caller: Caller) -> "Anybody":  # noqa: ARG002 - everybody may ask the same
        return self


@cache
def yard_operations() -> Operations:
    """The stored operations on a studio of these sections alone."""
    executable = build_schema(Yard)._schema  # noqa: SLF001 - Strawberry has no public name for it
    folder = Path(mkdtemp(prefix="studiograph-yard-"))
    write_operations(folder)
    return Operations(executable, compile_operations(executable, folder))


def yard_table(boats: Sequence[Boat] = BOATS, slipway: Slipway = SLIPWAY) -> FactTable:
    """The fields of a studio of these sections alone."""
    words = Yard(boats=list(boats), slipway=slipway)
    return FactTable(Snapshot(yard_operations(), words, Anybody(), 0.0))


def write_operations(folder: Path) -> None:
    """Write the stored operations of the two sections."""
    (folder / "operations").mkdir(parents=True, exist_ok=True)
    for name, text in OPERATIONS.items():
        (folder / "operations" / f"{name}.graphql").write_text(text)
