"""The directives of stored operations and of the schema.

Operation directives are declared in SDL and validated by graphql-core; the frozen classes below
hold their values.
"""

from collections.abc import Collection, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, cast

import strawberry
from graphql import (
    DirectiveNode,
    GraphQLDirective,
    GraphQLInputType,
    build_schema,
    get_argument_values,
    get_nullable_type,
    is_specified_directive,
    print_directive,
    print_type,
)
from strawberry.schema_directive import Location

_DECLARED = build_schema('''
"An HTTP method."
enum HttpMethod { GET POST PUT PATCH DELETE }

"Who may reuse a response: every cache, or the caller's own."
enum CacheScope { PUBLIC PRIVATE }

"A media type of a response."
enum Media { JSON MARKDOWN LINKED_DATA TEXT FEED ATOM EVENTS }

"Any JSON value."
scalar Json

"""Serves the operation over HTTP at this path."""
directive @rest(
  "The path; `{name}` is replaced by the variable of that name."
  path: String!
  "GET for a read or for events; another for a write, POST also for a query with a body."
  method: HttpMethod! = GET
  "The media types of the response, the default first."
  media: [Media!]! = [JSON, MARKDOWN]
  "Return the data object, with the root field as its one key, instead of the field's value."
  whole: Boolean! = false
  "The relation of a link to this path that every response has."
  rel: String
  "The list whose items fill the path's variables: `Operation`, or `Operation.field`."
  each: String
  "The status of a success: 200, 201 or 202."
  status: Int! = 200
  "URL of the created resource; `{name}` is replaced by a member of the body, percent-encoded."
  location: String
  "The maximum size of a request body in bytes."
  maxBytes: Int! = 65536
  "Of a write, return what is wrong with a call as `ok` and the code only."
  brief: Boolean! = false
  "Cancel the operation when the caller disconnects."
  whileConnected: Boolean! = false
  "The arguments of a POST that a GET takes as query parameters, so that it is answered alike."
  getParameters: [String!]! = []
  "Ask agents to sign their requests, where the service verifies that; signing is optional."
  asksSignature: Boolean! = false
  "Answer 200 with what could be read and with `errors`, where a part of it failed."
  partial: Boolean! = false
) on QUERY | MUTATION | SUBSCRIPTION

"""Serves the operation over MCP as a tool."""
directive @mcp(
  "The tool's name."
  tool: String!
  "The tool's title."
  title: String!
  "The lower, the earlier it is listed."
  order: Int! = 100
  "The tool's description; the default is the operation's."
  description: String
  "The form of a result's text, MARKDOWN or JSON."
  text: Media! = MARKDOWN
  "Whether a call of a mutation may delete or overwrite something; clients ask their users first."
  destructive: Boolean! = true
) on QUERY | MUTATION

"""Serves the operation over MCP as a resource, in the first of its media types."""
directive @resource(
  "Its URI after the scheme; `{name}` is replaced by the variable of that name."
  name: String!
  "Its title; the default is the operation's."
  title: String
  "The lower, the earlier it is listed."
  order: Int! = 100
) on QUERY

"""Serves the operation over MCP as a prompt, whose text is the operation's markdown."""
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

"""Serves the operation's markdown as an agent skill, with a YAML head, over HTTP and MCP."""
directive @skill(
  "The skill's name; its description is the summary of the body."
  name: String!
) on QUERY

"""Lists the operation in the directory, and in the index of /llms.txt."""
directive @llms(
  "The section of the index."
  section: String!
  "The link's text; the default is the operation's name in words."
  title: String
  "The lower, the earlier it is listed."
  order: Int! = 100
  "Left out of the short index; the API catalog and the sitemap have it."
  minor: Boolean! = false
) on QUERY | MUTATION | SUBSCRIPTION

"""Makes the body of a webhook's event, which OpenAPI describes."""
directive @webhook(
  "The event's name."
  name: String!
) on QUERY

"""Signs the body: at the operation's path with `.sig`, or as the snapshot of a section."""
directive @sign(
  "The section; the body is its snapshot."
  section: String
  "The path of section snapshots; its parameter is `section`."
  snapshots: String! = "/api/snapshot.sig"
) on QUERY

"""How long a response may be reused."""
directive @cache(
  "Seconds for which it is fresh."
  maxAge: Int! = 300
  "Revalidate a stale response before using it, instead of in the background."
  mustRevalidate: Boolean! = false
  "Who may reuse it; by default everybody where all callers get the same, else the caller alone."
  scope: CacheScope
) on QUERY

"""The status of an answer whose object is a failure; the operation must select `__typename`."""
directive @fails(
  "The type of the failure."
  type: String!
  "The status, from 400 to 599."
  status: Int!
) repeatable on QUERY | MUTATION

"""A call that documents the operation; those of queries and mutations are tested."""
directive @example(
  "What it shows, in a word or two."
  name: String!
  "The variables."
  variables: Json! = {}
  "The HTTP status it must have."
  status: Int! = 200
) repeatable on QUERY | MUTATION | SUBSCRIPTION

"""Fills the variable from a request header; over HTTP only."""
directive @from(
  "The header's name."
  header: String!
) on VARIABLE_DEFINITION

"""The goals, in a caller's words, that the operation serves."""
directive @intent(
  "The goals."
  goals: [String!]!
) on QUERY | MUTATION | SUBSCRIPTION

type Query { none: Boolean }
''')

MEDIA_TYPES = {
    "JSON": "application/json",
    "MARKDOWN": "text/markdown",
    "LINKED_DATA": "application/ld+json",
    "TEXT": "text/plain",
    "FEED": "application/feed+json",
    "ATOM": "application/atom+xml",
    "EVENTS": "text/event-stream",
}
"""The media types of the words in `@rest(media:)`."""

DECLARED: dict[str, GraphQLDirective] = {
    directive.name: directive
    for directive in _DECLARED.directives
    if not is_specified_directive(directive)
}


COMPLETED: Mapping[str, Collection[str]] = {
    "mcp": ("tool", "title"),
    "resource": ("name",),
    "prompt": ("name", "title"),
    "llms": ("section",),
    "example": ("name",),
}
"""The needed arguments that a folder which is not strict may leave out, by directive."""


def operation_directives(without: Collection[str] = (), *, strict: bool = True) -> str:
    """Return the directives of stored operations and their types in SDL, so that editors know them.

    The scalar and the enums are printed with the directives that use them. `without` names
    directives that a schema has itself, as a name stands for one alone. Those of a folder that is
    not `strict` need no argument that is completed.
    """
    kinds = [_DECLARED.type_map[name] for name in ("HttpMethod", "Media", "CacheScope", "Json")]
    own = [directive for name, directive in DECLARED.items() if name not in without]
    own = own if strict else [_with_optional(d, COMPLETED.get(d.name, ())) for d in own]
    return "\n\n".join([*map(print_type, kinds), *map(print_directive, own)])


def _with_optional(directive: GraphQLDirective, names: Collection[str]) -> GraphQLDirective:
    """Return a directive of which these arguments may be left out."""
    loose = copy(directive)
    loose.args = {name: copy(argument) for name, argument in directive.args.items()}
    for name in names:
        kind = get_nullable_type(loose.args[name].type)
        loose.args[name].type = cast("GraphQLInputType", kind)
    return loose


@dataclass(frozen=True)
class Rest:
    """The values of `@rest`: how an operation is served over HTTP."""

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
    get_parameters: list[str] = field(default_factory=list)
    asks_signature: bool = False
    partial: bool = False


@dataclass(frozen=True)
class Mcp:
    """The values of `@mcp`: an operation as a tool."""

    tool: str
    title: str
    order: int = 100
    description: str | None = None
    text: str = "MARKDOWN"
    destructive: bool = True


@dataclass(frozen=True)
class Resource:
    """The values of `@resource`: an operation as an MCP resource."""

    name: str
    title: str | None = None
    order: int = 100


@dataclass(frozen=True)
class Prompt:
    """The values of `@prompt`: an operation as an MCP prompt."""

    name: str
    title: str
    each: str | None = None
    order: int = 100


@dataclass(frozen=True)
class Skill:
    """The values of `@skill`: an operation as an agent skill."""

    name: str


@dataclass(frozen=True)
class Llms:
    """The values of `@llms`: the place of an operation in the index."""

    section: str
    title: str | None = None
    order: int = 100
    minor: bool = False


@dataclass(frozen=True)
class Webhook:
    """The values of `@webhook`: a body that is sent to webhooks."""

    name: str


@dataclass(frozen=True)
class Sign:
    """The values of `@sign`: a body is signed by itself, or as the snapshot of a section."""

    snapshots: str
    section: str | None = None


@dataclass(frozen=True)
class Cache:
    """The values of `@cache`: how long a response may be reused. Units: seconds."""

    max_age: int = 300
    must_revalidate: bool = False
    scope: str | None = None


@dataclass(frozen=True)
class Failure:
    """The values of an operation's `@fails`: a type of its result, and the status of such."""

    type: str
    status: int


@dataclass(frozen=True)
class Example:
    """The values of `@example`: one documented call."""

    name: str
    variables: dict[str, Any] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True)
class Intent:
    """The values of `@intent`: the goals that an operation serves."""

    goals: list[str]


def values_of(node: DirectiveNode) -> dict[str, Any]:
    """Return the arguments of an operation directive by Python name, with their defaults."""
    arguments = get_argument_values(DECLARED[node.name.value], node)
    return {_python_name(name): value for name, value in arguments.items()}


def _python_name(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


ARGUMENTS = {
    ("asked", "questions"): "The questions, in callers' words.",
    ("asked", "says"): "The sentence; `{field}` stands for a value.",
    (
        "asked",
        "published",
    ): "Whether the sentence answers; if not, it says that nothing is published.",
    ("fails", "codes"): "The errors' codes.",
    ("spends", "budget"): "The limit's name.",
    ("wire", "word"): "The word.",
}
"""Descriptions of the schema directives' arguments, which Strawberry cannot declare."""


@strawberry.schema_directive(
    locations=[Location.FIELD_DEFINITION],
    description="The errors that this field can return, by their codes.",
)
class Fails:
    """Printed on a field as `@fails(codes: [...])`."""

    codes: list[str] = strawberry.directive_field(name="codes")


@strawberry.schema_directive(
    locations=[Location.FIELD_DEFINITION],
    description="The rate limit that a call of this field counts for, one window per caller.",
)
class Spends:
    """Printed on a field as `@spends(budget: "...")`."""

    budget: str = strawberry.directive_field(name="budget")


@strawberry.schema_directive(
    locations=[Location.ENUM_VALUE],
    description="The word for this enum value on every interface except raw GraphQL.",
)
class Wire:
    """Printed on an enum value as `@wire(word: "...")`."""

    word: str = strawberry.directive_field(name="word")


@strawberry.schema_directive(
    locations=[Location.FIELD_DEFINITION],
    repeatable=True,
    description="Questions that this field answers, and the sentence that says it.",
)
class Asked:
    """Printed on a field as `@asked(questions: [...], says: "...")`.

    Without questions the field answers none, and is said by the fields around it.
    """

    questions: list[str] = strawberry.directive_field(name="questions")
    says: str = strawberry.directive_field(name="says", default="")
    published: bool = strawberry.directive_field(name="published", default=True)
