"""What a caller sends to be told of changes, what is answered, and what is delivered later."""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from schema.changelog import ChangeKind, ChangelogEntry
from sdl.declare import Input, Output
from sdl.marks import Heading
from sdl.scalar_types import Flag, Instant, Line, Path, Url
from sdl.text_constraints import TextConstraint

MAX_KINDS = 10
_KINDS = [kind.value for kind in ChangeKind]


@dataclass(frozen=True)
class KindWord:
    """A changelog kind as callers write it: its wire word, whatever GraphQL calls it."""

    def check(self, text: str) -> str:
        """The text itself. Raises: PydanticCustomError with the words that there are."""
        if text not in _KINDS:
            allowed = {"expected": ", ".join(_KINDS)}
            raise PydanticCustomError("enum", "must be one of: {expected}", allowed)
        return text

    def __get_pydantic_core_schema__(self, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, core_schema.str_schema())

    def __get_pydantic_json_schema__(
        self, _: CoreSchema, __: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"type": "string", "enum": [*_KINDS]}


class SubscribeInput(Input):
    """A wish to be told of new changelog entries."""

    url: Url
    """Where deliveries go: an https address on port 443 or 8443, by the name of a public host."""
    kinds: Annotated[list[Annotated[str, KindWord()]], Field(max_length=MAX_KINDS)] | None = None
    """The kinds of entries to be told of; without it, all."""
    agent: Annotated[str, TextConstraint(0, 120)] | None = None
    """The AI that subscribes, by name and version; please always say it."""


class Unsubscription(Output):
    """The call that ends a subscription."""

    method: Line
    """The HTTP method."""
    path: Path
    """The path."""
    header: Line
    """The header that proves the right to call it; `{secret}` stands for the secret."""


class Subscribed(Output):
    """A subscription that was stored."""

    ok: Flag
    """Always true; what went wrong is an error."""
    id: Annotated[Line, Heading()]
    """The subscription's id."""
    url: Url
    """Where deliveries go."""
    kinds: list[ChangeKind]
    """The kinds of entries that are delivered."""
    secret: Line
    """The secret, shown this once: it checks `v1` signatures and ends the subscription."""
    public_key: Line
    """The key that checks `v1a` signatures, the same for every subscription."""
    created_at: Instant
    """When it was stored. Entries published before are not delivered."""
    unsubscribe: Unsubscription
    """How it is ended."""


class Unsubscribed(Output):
    """A subscription that is no more."""

    ok: Flag
    """Always true; what went wrong is an error."""


class Delivery(Output):
    """What is sent to a subscribed address when an entry is published."""

    type: Annotated[Line, Heading()]
    """`changelog.` and the entry's kind."""
    timestamp: Instant
    """When the entry was published."""
    data: ChangelogEntry
    """The entry."""
