"""GraphQL over HTTP: the endpoint of the public schema, its documentation and its SDL.

Source: the GraphQL over HTTP draft; it answers a bad `application/json` request with 200, where
the specification of this service asks for 400.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Protocol

import orjson
from graphql import GraphQLSchema
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from rest_bridge.http.body import check_no_body, content_type, read_body
from rest_bridge.http.compression import MIN_BYTES, encode
from rest_bridge.http.endpoint import Endpoint, run_until_disconnect
from rest_bridge.http.live import as_set, live_caller
from rest_bridge.http.negotiation import choose_encoding, negotiate, preferred
from rest_bridge.http.query_string import query_parameters
from rest_bridge.http.ready_answers import keepable
from rest_bridge.representations.pages import Forms, Page, page_forms
from rest_bridge.representations.rendering import JSON, TEXT
from rest_bridge.representations.responses import (
    Relations,
    Representation,
    error_headers,
    static_headers,
)
from sdl.arguments.strict_json import read_json
from sdl.arguments.values import unknown_name
from sdl.caller import Caller
from sdl.errors import ApiError, FieldProblem, InvalidInputError
from sdl.operations.catalog import IndexEntry
from sdl.operations.documentation import documentation
from sdl.operations.operation import with_suffix
from sdl.running.public_query import GraphQLRequest, GraphQLResponse, QueryWorker
from sdl.running.query_limits import LIMITS
from sdl.running.runner import CurrentSnapshot, Snapshot

PATH = "/api/graphql"
SCHEMA_PATH = f"{PATH}/schema"
RESPONSE, GRAPHQL = "application/graphql-response+json", "application/graphql"
METHODS = ("GET", "HEAD", "POST", "OPTIONS")
BODY_MEMBERS = ("query", "variables", "operationName", "extensions")
MAX_GET_QUERY = 4 * 1024
LARGE = 64 * 1024
"""Compressing so many bytes takes a third of a millisecond."""
DESCRIPTION = "The content in one read-only GraphQL schema: select the fields you need."
OFFERED = (JSON, RESPONSE)
PERSISTED = "persistedQuery"
"""The extension by which a client names a query by its hash."""
NOT_SUPPORTED = {
    "message": "PersistedQueryNotSupported",
    "extensions": {"code": "PERSISTED_QUERY_NOT_SUPPORTED"},
}
"""The error after which a client sends its queries themselves. Source: Apollo Server, APQ."""
_GOALS = (
    "run a GraphQL query",
    "GraphQL endpoint",
    "select only the fields I need from all data in one request",
    "query several sections at once with GraphQL",
)
_SCHEMA_GOALS = (
    "GraphQL schema",
    "GraphQL SDL",
    "which types and fields does the GraphQL API have",
    "schema definition language file of the types",
)
INDEX_ENTRIES = (
    IndexEntry("Query", "GraphQL", PATH, with_suffix(PATH, ".md"), DESCRIPTION, _GOALS),
    IndexEntry(
        "Query", "GraphQL schema", SCHEMA_PATH, SCHEMA_PATH, "The schema in SDL.", _SCHEMA_GOALS
    ),
)


class Queries(Protocol):
    """Runs the queries of callers on one schema."""

    schema: GraphQLSchema
    worker: QueryWorker

    def at_once(self, snapshot: Snapshot, request: GraphQLRequest) -> GraphQLResponse | None:
        """Return the response if it takes a fraction of a millisecond; None for all others."""
        ...

    async def execute(
        self, snapshot: Snapshot, request: GraphQLRequest, caller: Caller | None
    ) -> GraphQLResponse:
        """Run the request; return its response. Raises: UnavailableError."""
        ...


def graphql_routes(  # noqa: PLR0913, PLR0917 - the assembly names each
    queries: Queries,
    text: Callable[[], str],
    example: str,
    current: CurrentSnapshot,
    relations: Relations,
    path: str = PATH,
) -> list[BaseRoute]:
    """Return the routes of the endpoint, of its documentation and of the schema's SDL.

    `text` writes the SDL.
    """
    headers = static_headers(relations)

    @cache  # it is made when somebody first asks: most readers ask for other things
    def documented() -> Forms:
        members = _documentation(queries.schema, example, current().path(path))
        return page_forms(members, documentation_markdown(members), relations)

    @cache
    def written() -> Forms:
        return {TEXT: Representation.build(text().encode(), TEXT, headers)}

    document = Page(path, documented)
    return [
        Route(path, GraphQLEndpoint(queries, current, headers, document, path)),
        *document.by_suffix(),
        Route(schema_path(path), Page(schema_path(path), written)),
    ]


def schema_path(path: str) -> str:
    """Return the path of the SDL."""
    return f"{path}/schema"


def path_among(paths: Iterable[str]) -> str | None:
    """Return the path of the GraphQL endpoint among served paths; None if it is not served."""
    return next((path for path in paths if path.endswith("/graphql")), None)


@dataclass(frozen=True)
class GraphQLEndpoint(Endpoint):
    """The GraphQL endpoint; a GET without a query returns the documentation."""

    queries: Queries
    current: CurrentSnapshot
    headers: Mapping[str, str]
    document: Page
    path: str = PATH
    from_anywhere = True

    @property
    def methods(self) -> tuple[str, ...]:
        """The allowed methods."""
        return METHODS

    async def answer(self, request: Request) -> Response:
        """Return the result of a query, or the documentation. Raises: ApiError."""
        payload = await _input(request)
        if request.method != "POST" and _asks_for_documentation(query_parameters(request)):
            return self.document.response(request)
        query = _query(request, payload)
        media_type = negotiate(request.headers, OFFERED)
        if query is None:  # with another status, older clients do not send the query after it
            error = orjson.dumps({"errors": [NOT_SUPPORTED]})
            return _uncached_response(error, 200, media_type, request)
        snapshot = self.current()
        result = self.queries.at_once(snapshot, query)
        caller = live_caller(request) if snapshot.is_live else None
        if result is None:
            work = self.queries.execute(snapshot, query, caller)
            result = await run_until_disconnect(request, work)
        data, is_good = orjson.dumps(result.body), result.executed and "errors" not in result.body
        if request.method != "POST" and is_good and caller is None:
            answer = Representation.build(data, media_type, self.headers)
            respond = partial(answer.response, request.headers, head=request.method == "HEAD")
        else:
            status = 200 if result.executed else 400
            respond = partial(_uncached_response, data, status, media_type, request)
        response = await self._coded(request, data, respond)
        if result.is_lasting:
            keepable(request.scope, OFFERED, payload)
        return response if caller is None else as_set(response, caller)

    async def _coded(
        self, request: Request, body: bytes, respond: Callable[[], Response]
    ) -> Response:
        """Return the response; a large body is compressed beside the event loop."""
        if len(body) < LARGE or _coding(request) is None:
            return respond()
        return await self.queries.worker.run(respond)

    def error_response(self, error: ApiError, request: Request) -> Response:
        """Return the error as a GraphQL response."""
        texts = [problem.text for problem in error.problems] or [error.detail]
        errors = [{"message": text, "extensions": {"code": error.code}} for text in texts]
        media_type = preferred(request.headers, OFFERED) or JSON
        body = orjson.dumps({"errors": errors})
        response = _uncached_response(body, error.status, media_type, request)
        response.headers.update(error_headers(error))
        return response


def _asks_for_documentation(parameters: list[tuple[str, str]]) -> bool:
    """Whether a GET has no query, but perhaps the name of an operation."""
    names = {name for name, _ in parameters}
    return not names or {"operationName"} <= names <= {"operationName", "variables"}


def _documentation(schema: GraphQLSchema, example: str, path: str) -> dict[str, Any]:
    return {
        "name": "GraphQL",
        "description": DESCRIPTION,
        "path": path,
        "schema": schema_path(path),
        "methods": ["GET", "POST"],
        "mediaTypes": [JSON, RESPONSE],
        "limits": {**LIMITS, "bytes of a query in a GET": MAX_GET_QUERY},
        "example": {"query": example},
        **documentation(schema),
    }


async def _input(request: Request) -> bytes:
    """Return the body of a POST, or the query string. Raises: ApiError."""
    if request.method != "POST":
        check_no_body(request.headers)
        return bytes(request.scope["query_string"])
    content_type(request, (JSON, GRAPHQL))
    if request.scope["query_string"]:
        raise _invalid("query", "must be empty in a POST; send the parameters in the body")
    return await read_body(request)


def _query(request: Request, payload: bytes) -> GraphQLRequest | None:
    """Return the GraphQL request; None if it names its query by a hash. Raises: ApiError."""
    if request.method == "POST":
        return _from_body(content_type(request, (JSON, GRAPHQL)), payload)
    return _from_parameters(query_parameters(request))


def _from_body(media_type: str, body: bytes) -> GraphQLRequest | None:
    if media_type == GRAPHQL:
        try:
            return GraphQLRequest(body.decode())
        except UnicodeDecodeError:
            raise _invalid("query", "must be UTF-8") from None
    members = read_json(body)
    if not isinstance(members, dict):
        raise _invalid("body", "must be an object with the member `query`")
    return _to_request(members)


def _from_parameters(parameters: list[tuple[str, str]]) -> GraphQLRequest | None:
    members: dict[str, Any] = dict(parameters)
    if len(members) != len(parameters):
        raise _invalid("query", "must have each parameter at most once")
    for name in ("variables", "extensions"):
        if name in members:
            members[name] = read_json(members[name].encode(), name) if members[name] else None
    request = _to_request(members)
    if request is not None and len(request.query.encode()) > MAX_GET_QUERY:
        raise _invalid("query", f"must have at most {MAX_GET_QUERY} bytes in a GET; use POST")
    return request


def _to_request(members: Mapping[str, Any]) -> GraphQLRequest | None:
    """Return the request; None if its query is named by a hash. Raises: InvalidInputError."""
    problems = [
        unknown_name("member", name, BODY_MEMBERS) for name in members if name not in BODY_MEMBERS
    ]
    is_hash_alone = _is_hash_alone(members)
    if not isinstance(members.get("query"), str) and not is_hash_alone:
        problems.append(FieldProblem("query", "is required, as a string"))
    if not isinstance(members.get("operationName"), str | None):
        problems.append(FieldProblem("operationName", "must be a string"))
    problems += [
        FieldProblem(name, "must be an object")
        for name in ("variables", "extensions")
        if not isinstance(members.get(name), dict | None)
    ]
    if problems:
        raise InvalidInputError("The request is not a GraphQL request.", problems)
    if is_hash_alone:
        return None
    return GraphQLRequest(
        members["query"], members.get("variables"), members.get("operationName") or None
    )


def _is_hash_alone(members: Mapping[str, Any]) -> bool:
    """Whether a client names a query by its hash alone, to see whether it is known."""
    extensions = members.get("extensions")
    return "query" not in members and isinstance(extensions, dict) and PERSISTED in extensions


def _invalid(path: str, rule: str) -> InvalidInputError:
    return InvalidInputError("The request is not a GraphQL request.", [FieldProblem(path, rule)])


def _uncached_response(data: bytes, status: int, media_type: str, request: Request) -> Response:
    """Return a response that must not be cached; any origin may read it, as queries only read."""
    headers = {
        "content-type": f"{media_type}; charset=utf-8",
        "cache-control": "no-store",
        "vary": "Accept, Accept-Encoding",
        "access-control-allow-origin": "*",
    }
    encoding = _coding(request)
    if encoding is not None and len(data) >= MIN_BYTES:
        data, headers["content-encoding"] = encode(data, encoding, once=True), encoding
    response = Response(data, status, headers)
    if request.method == "HEAD":
        response.body = b""  # the headers stay as in a GET
    return response


def _coding(request: Request) -> str | None:
    """Return the content coding of a body that is long enough; None to leave it as it is."""
    return choose_encoding(", ".join(request.headers.getlist("accept-encoding")))


def documentation_markdown(document: Mapping[str, Any]) -> str:
    """Return the JSON documentation as markdown: how to ask, the limits, queries and types."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    path, example = document["path"], document["example"]["query"]
    yield f"# {document['name']}\n"
    yield f"> {document['description']}\n"
    yield f"GET {path}?query=..., or POST {path} with a JSON object (`query`, `variables`,"
    yield "`operationName`) or with only the query as application/graphql. The schema in SDL is at"
    yield f"{document['schema']}. For example:\n"
    yield f"```graphql\n{example}\n```\n"
    yield "What is not published, and a name that nothing has, is null or an empty list."
    yield "In a query an enum value is written as in `ADDED`; elsewhere its word is `added`. Errors"
    yield "stand in `errors`, each with a `code`.\n"
    yield "## Limits\n"
    yield "A query beyond a limit is refused before it runs.\n"
    for name, limit in document["limits"].items():
        yield f"- At most {limit} {name}"
    yield "\n## Queries\n"
    for query in document["queries"]:
        yield _item(query)
        for argument in query.get("arguments", ()):
            yield f"  {_item(argument)}"
    yield "\n## Types"
    for kind in document["types"]:
        yield f"\n### {kind['name']}\n"
        yield kind["description"]
        members = [*map(_item, kind.get("fields", ())), *map(_value, kind.get("values", ()))]
        if members:
            yield ""
            yield from members
        elif "members" in kind:
            yield f"\nOne of: {', '.join(kind['members'])}."


def _item(item: dict[str, Any]) -> str:
    return f"- `{item['name']}: {item['type']}` {item['description']}"


def _value(value: dict[str, Any]) -> str:
    return f"- `{value['name']}` (`{value['word']}`) {value['description']}"
