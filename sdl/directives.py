"""The directives: what a stored operation says of its surfaces, and what the schema says of itself.

Operation directives are declared as GraphQL text and checked by graphql-core's own validation;
their values arrive as the frozen classes below.
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

"""Reached over HTTP at this path."""
directive @rest(
  "The path; `{name}` stands for the variable of that name."
  path: String!
  "GET for a read; POST and DELETE for what acts, or for a query with a body."
  method: HttpMethod! = GET
  "The media types it is made in, the default first."
  media: [Media!]! = [JSON, MARKDOWN]
  "The body is the data object, with the root field's name as its one key, not the field's value."
  whole: Boolean! = false
  "The link relation under which every answer points to this path."
  rel: String
  "The list whose items fill the path's variables: `Operation`, or `Operation.field`."
  each: String
  "The status of a success."
  status: Int! = 200
  "Where that is reached which was made; `{name}` stands for a member of the body."
  location: String
  "How many bytes a body may have."
  maxBytes: Int! = 65536
  "Errors are told as `ok` and a code alone."
  brief: Boolean! = false
  "What a caller who leaves was waiting for is not finished."
  whileConnected: Boolean! = false
) on QUERY | MUTATION | SUBSCRIPTION

"""Reached over MCP as a tool."""
directive @mcp(
  "The tool's name."
  tool: String!
  "The tool's title."
  title: String!
  "The lower, the earlier it is listed."
  order: Int! = 100
) on QUERY | MUTATION

"""Read over MCP as a resource, in the first of its media types."""
directive @resource(
  "Its URI after the scheme; `{name}` stands for the variable of that name."
  name: String!
  "Its title; else the operation's."
  title: String
  "The lower, the earlier it is listed."
  order: Int! = 100
) on QUERY

"""Offered over MCP as a prompt, which says what the operation's markdown form says."""
directive @prompt(
  "The prompt's name."
  name: String!
  "The prompt's title."
  title: String!
  "The list whose items' slugs its variables take: `Operation`, or `Operation.field`."
  each: String
  "The lower, the earlier it is listed."
  order: Int! = 100
) on QUERY

"""Listed in /llms.txt."""
directive @llms(
  "The section of the index."
  section: String!
  "The link's text; else the operation's name in words."
  title: String
  "The lower, the earlier it stands."
  order: Int! = 100
) on QUERY | MUTATION | SUBSCRIPTION

"""Signed: a second answer, at the operation's path with `.sig`, or as a section's snapshot."""
directive @sign(
  "The section that the body is the snapshot of."
  section: String
  "Where snapshots of sections are reached; their parameter is `section`."
  snapshots: String! = "/api/snapshot.sig"
) on QUERY

"""How long an answer may be reused."""
directive @cache(
  "Seconds for which it is fresh."
  maxAge: Int!
  "Ask again once it is stale, instead of using it while asking."
  mustRevalidate: Boolean! = false
) on QUERY

"""A call that documents the operation, and is a test on every surface."""
directive @example(
  "What it shows, in a word or two."
  name: String!
  "The variables."
  variables: Json! = {}
  "The HTTP status it must have."
  status: Int! = 200
) repeatable on QUERY | MUTATION | SUBSCRIPTION

"""Filled from a header of the request, over HTTP alone."""
directive @from(
  "The header's name."
  header: String!
) on VARIABLE_DEFINITION

"""Goals, in a caller's words, that this operation serves."""
directive @intent(
  "The goals."
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
"""The media types behind the words of `@rest(media:)`."""

DECLARED: dict[str, GraphQLDirective] = {
    directive.name: directive
    for directive in _DECLARED.directives
    if not is_specified_directive(directive)
}


@dataclass(frozen=True)
class Rest:
    """Where an operation stands in HTTP."""

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
    """The tool that an operation is."""

    tool: str
    title: str
    order: int = 100


@dataclass(frozen=True)
class Resource:
    """The resource that an operation is."""

    name: str
    title: str | None = None
    order: int = 100


@dataclass(frozen=True)
class Prompt:
    """The prompt that an operation is."""

    name: str
    title: str
    each: str | None = None
    order: int = 100


@dataclass(frozen=True)
class Llms:
    """Where an operation is listed."""

    section: str
    title: str | None = None
    order: int = 100


@dataclass(frozen=True)
class Sign:
    """How an operation's body is signed: by itself, or as the snapshot of a section."""

    snapshots: str
    section: str | None = None


@dataclass(frozen=True)
class Cache:
    """How long an answer may be reused. Units: seconds."""

    max_age: int = 300
    must_revalidate: bool = False


@dataclass(frozen=True)
class Example:
    """One documented call."""

    name: str
    variables: dict[str, Any] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True)
class Intent:
    """Goals an operation serves."""

    goals: list[str]


def values_of(node: DirectiveNode) -> dict[str, Any]:
    """The arguments of an operation directive, defaults filled in, by Python name."""
    declared = DECLARED[node.name.value]
    given = get_argument_values(declared, node)
    return {_python_name(name): value for name, value in given.items()}


def _python_name(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


ARGUMENTS = {
    ("fails", "codes"): "The errors' codes.",
    ("spends", "budget"): "The budget's name.",
    ("wire", "word"): "The word.",
}
"""Descriptions of the schema directives' arguments, for which Strawberry has no place."""


@strawberry.schema_directive(
    locations=[Location.FIELD_DEFINITION],
    description="The errors that this field can meet, by their codes.",
)
class Fails:
    """Printed on a field as `@fails(codes: [...])`."""

    codes: list[str] = strawberry.directive_field(name="codes")


@strawberry.schema_directive(
    locations=[Location.FIELD_DEFINITION],
    description="The budget of calls that this field spends, one window a caller.",
)
class Spends:
    """Printed on a field as `@spends(budget: "...")`."""

    budget: str = strawberry.directive_field(name="budget")


@strawberry.schema_directive(
    locations=[Location.ENUM_VALUE],
    description="How this enum value is written on every surface but raw GraphQL.",
)
class Wire:
    """Printed on an enum value as `@wire(word: "...")`."""

    word: str = strawberry.directive_field(name="word")
