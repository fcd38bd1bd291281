"""Webhook subscriptions: the request, the answer and what is delivered."""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from schema.changelog import ChangeKind, ChangelogEntry
from sdl.types.declare import Input, Output
from sdl.types.marks import CallerName, CallersWords, Heading
from sdl.types.scalar_types import Flag, Instant, Line, Path, TextConstraint, Url

MAX_KINDS = 10
_KINDS = [kind.value for kind in ChangeKind]


@dataclass(frozen=True)
class KindWord:
    """A changelog kind as callers write it: `added`, not GraphQL's `ADDED`."""

    def check(self, text: str) -> str:
        """Return the text; raise PydanticCustomError if it is not one of the kinds."""
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


_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_PRIVATE = "localhost|local|internal|invalid|test|onion|arpa"
_LAST = rf"(?!(?:{_PRIVATE})(?:[:/?]|$))[A-Za-z][A-Za-z0-9-]{{0,61}}[A-Za-z0-9]"
_TARGET = "[/?](?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*"


@dataclass(frozen=True)
class PublicHttps:
    """A URL to which deliveries can be sent, as far as its text tells; for the JSON Schema alone.

    The service refuses more: names that are not in the public DNS, and its own.
    """

    pattern: str = rf"^https://(?:{_LABEL}\.)+{_LAST}(?::(?:443|8443))?(?:{_TARGET})?$"

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), "pattern": self.pattern}


class SubscribeInput(Input):
    """A request for webhook deliveries of new changelog entries."""

    url: Annotated[Url, PublicHttps()]
    """Where to deliver: an https URL on port 443 or 8443 with a public host name."""
    kinds: Annotated[list[Annotated[str, KindWord()]], Field(max_length=MAX_KINDS)] | None = None
    """The kinds of entries to deliver; absent means all."""
    agent: Annotated[str, TextConstraint(0, 120), CallerName()] | None = None
    """Name and version of the calling AI agent; please always give it."""


class Unsubscription(Output):
    """The request that ends a subscription."""

    method: Line
    """The HTTP method."""
    path: Path
    """The path."""
    header: Line
    """The header to send with it; replace `{secret}` with the secret."""


class Subscribed(Output):
    """A new subscription, with its secret."""

    ok: Flag
    """Always true; a failure is an error response."""
    id: Annotated[Line, Heading()]
    """The subscription's id."""
    url: Annotated[Url, CallersWords()]
    """The URL that deliveries are sent to."""
    kinds: list[ChangeKind]
    """The kinds of entries that are delivered."""
    secret: Line
    """The secret, shown only once. Use it to verify `v1` signatures and to end the subscription."""
    public_key: Line
    """The public key that verifies `v1a` signatures; every subscription has the same one."""
    created_at: Instant
    """When it was created. Entries published before are not delivered."""
    unsubscribe: Unsubscription
    """How to end the subscription."""


class Unsubscribed(Output):
    """The subscription was removed."""

    ok: Flag
    """Always true; a failure is an error response."""


class Delivery(Output):
    """The JSON body that a webhook receives when an entry is published."""

    type: Annotated[Line, Heading()]
    """`changelog.` and the entry's kind, for example `changelog.added`."""
    timestamp: Instant
    """When the entry was published."""
    data: ChangelogEntry
    """The entry."""
