"""The directives of stored operations, and those of the schema.

Operation directives are declared as GraphQL text, which graphql-core's own validation checks; their
values are read into the frozen classes below.
"""

from dataclasses import dataclass, field
from typing import Any

import strawberry
from graphql import (
    DirectiveNode,
    GraphQLDirective,
    build_schema,
    get_argument_values,
    is_specified_directive,
)
from strawberry.schema_directive import Location

_DECLARED = build_schema('''
"An HTTP method."
enum HttpMethod { GET POST DELETE }

"A media type that a body can be made in."
enum Media { JSON MARKDOWN TEXT FEED ATOM EVENTS }

"Any JSON value."
scalar Json

"""The HTTP endpoint of the operation."""
directive @rest(
  "The path; `{name}` stands for the variable of that name."
  path: String!
  "GET for a read; POST or DELETE for a mutation, POST also for a query with a body."
  method: HttpMethod! = GET
  "The media types of the response, the default first."
  media: [Media!]! = [JSON, MARKDOWN]
  "Whether the body is an object with the root field as its only key, instead of the field's value."
  whole: Boolean! = false
  "The link relation with which every response links to this path."
  rel: String
  "The list whose items give the values of the path's variables: `Operation` or `Operation.field`."
  each: String
  "The HTTP status of a success."
  status: Int! = 200
  "The URL of the created resource; `{name}` stands for a member of the body."
  location: String
  "The maximum size of the request body, in bytes."
  maxBytes: Int! = 65536
  "Whether error bodies have only `ok` and a code."
  brief: Boolean! = false
  "Whether the work is cancelled when the caller disconnects."
  whileConnected: Boolean! = false
) on QUERY | MUTATION | SUBSCRIPTION

"""The MCP tool of the operation."""
directive @mcp(
  "The tool's name."
  tool: String!
  "The tool's title."
  title: String!
  "The lower, the earlier it is listed."
  order: Int! = 100
) on QUERY | MUTATION

"""The MCP resource of the operation, in the first of its media types."""
directive @resource(
  "The URI after the scheme; `{name}` stands for the variable of that name."
  name: String!
  "The title; by default that of the operation."
  title: String
  "The lower, the earlier it is listed."
  order: Int! = 100
) on QUERY

"""The MCP prompt of the operation; its text is the operation's markdown form."""
directive @prompt(
  "The prompt's name."
  name: String!
  "The prompt's title."
  title: String!
  "The list whose slugs its variables accept: `Operation` or `Operation.field`."
  each: String
  "The lower, the earlier it is listed."
  order: Int! = 100
) on QUERY

"""The entry of the operation in /llms.txt."""
directive @llms(
  "The section of the index."
  section: String!
  "The text of the link; by default the operation's name in words."
  title: String
  "The lower, the earlier it is listed."
  order: Int! = 100
) on QUERY | MUTATION | SUBSCRIPTION

"""A signed form of the response: at the path with `.sig`, or as the snapshot of a section."""
directive @sign(
  "The section of which the body is the snapshot."
  section: String
  "The path of section snapshots; its query parameter is `section`."
  snapshots: String! = "/api/snapshot.sig"
) on QUERY

"""How long a response may be cached."""
directive @cache(
  "How long it is fresh, in seconds."
  maxAge: Int!
  "Whether a stale response must be revalidated before it is used."
  mustRevalidate: Boolean! = false
) on QUERY

"""An example call: documentation, and a test on every surface."""
directive @example(
  "What the example shows, in a few words."
  name: String!
  "The variables."
  variables: Json! = {}
  "The HTTP status it must get."
  status: Int! = 200
) repeatable on QUERY | MUTATION | SUBSCRIPTION

"""The request header that gives the variable its value, over HTTP only."""
directive @from(
  "The header's name."
  header: String!
) on VARIABLE_DEFINITION

"""Example goals, in a caller's words, that this operation achieves."""
directive @intent(
  "The example goals."
  goals: [String!]!
) on QUERY | MUTATION | SUBSCRIPTION

type Query { none: Boolean }
''')

MEDIA_TYPES = {
    "JSON": "application/json",
    "MARKDOWN": "text/markdown",
    "TEXT": "text/plain",
    "FEED": "application/feed+json",
    "ATOM": "application/atom+xml",
    "EVENTS": "text/event-stream",
}
"""The media types by their names in `@rest(media:)`."""

DECLARED: dict[str, GraphQLDirective] = {
    directive.name: directive
    for directive in _DECLARED.directives
    if not is_specified_directive(directive)
}


@dataclass(frozen=True)
class Rest:
    """The HTTP endpoint of an operation."""

    path: str
    media: list[str]
    method: str = "GET"
    whole: bool = False
    rel: str | None = None
    each: str | None = None
    status: int = 200
    location: str | None = None
    max_bytes: int = 65536
    brief: bool = False
    while_connected: bool = False


@dataclass(frozen=True)
class Mcp:
    """The MCP tool of an operation."""

    tool: str
    title: str
    order: int = 100


@dataclass(frozen=True)
class Resource:
    """The MCP resource of an operation."""

    name: str
    title: str | None = None
    order: int = 100


@dataclass(frozen=True)
class Prompt:
    """The MCP prompt of an operation."""

    name: str
    title: str
    each: str | None = None
    order: int = 100


@dataclass(frozen=True)
class Llms:
    """The entry of an operation in the index."""

    section: str
    title: str | None = None
    order: int = 100


@dataclass(frozen=True)
class Sign:
    """The signed form of an operation: of its own, or as the snapshot of a section."""

    snapshots: str
    section: str | None = None


@dataclass(frozen=True)
class Cache:
    """How long a response may be cached. Units: seconds."""

    max_age: int = 300
    must_revalidate: bool = False


@dataclass(frozen=True)
class Example:
    """An example call of an operation."""

    name: str
    variables: dict[str, Any] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True)
class Intent:
    """Example goals that an operation achieves."""

    goals: list[str]


def values_of(node: DirectiveNode) -> dict[str, Any]:
    """Return the arguments of an operation directive by Python name, with defaults filled in."""
    declared = DECLARED[node.name.value]
    arguments = get_argument_values(declared, node)
    return {_python_name(name): value for name, value in arguments.items()}


def _python_name(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


ARGUMENTS = {
    ("fails", "codes"): "The error codes.",
    ("spends", "budget"): "The name of the rate limit.",
    ("wire", "word"): "The value as it is written.",
}
"""Descriptions of the schema directives' arguments, which Strawberry cannot declare."""


@strawberry.schema_directive(
    locations=[Location.FIELD_DEFINITION],
    description="The codes of the errors that this field can return.",
)
class Fails:
    """Printed on a field as `@fails(codes: [...])`."""

    codes: list[str] = strawberry.directive_field(name="codes")


@strawberry.schema_directive(
    locations=[Location.FIELD_DEFINITION],
    description="The rate limit that calls of this field count towards, for each caller.",
)
class Spends:
    """Printed on a field as `@spends(budget: "...")`."""

    budget: str = strawberry.directive_field(name="budget")


@strawberry.schema_directive(
    locations=[Location.ENUM_VALUE],
    description="How this enum value is written on all surfaces except GraphQL itself.",
)
class Wire:
    """Printed on an enum value as `@wire(word: "...")`."""

    word: str = strawberry.directive_field(name="word")
