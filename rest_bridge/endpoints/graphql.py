"""GraphQL over HTTP: the endpoint of the public schema, its documentation and its SDL.

Source: the GraphQL over HTTP draft; it answers a bad `application/json` request with 200, where
the specification of this service asks for 400.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from graphql import GraphQLSchema
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from rest_bridge.endpoints.graphql_docs import documentation_markdown
from rest_bridge.http.body import check_no_body, content_type, read_body
from rest_bridge.http.compression import MIN_BYTES, choose_encoding, encode
from rest_bridge.http.endpoint import Endpoint, check_method, options_response
from rest_bridge.http.negotiation import Accept
from rest_bridge.http.query_string import query_parameters
from rest_bridge.http.rendering import JSON, TEXT
from rest_bridge.http.responses import Relations, Representation, error_headers
from rest_bridge.http.static import StaticDocument, static_document, static_headers
from sdl.catalog import IndexEntry, with_suffix
from sdl.documentation import documentation
from sdl.errors import ApiError, FieldProblem, InvalidInputError
from sdl.limits import LIMITS
from sdl.public_query import GraphQLRequest, execute_request
from sdl.runner import CurrentSnapshot
from sdl.strict_json import read_json
from sdl.text_variables import unknown_name

PATH = "/api/graphql"
SCHEMA_PATH = f"{PATH}/schema"
RESPONSE, GRAPHQL = "application/graphql-response+json", "application/graphql"
METHODS = ("GET", "HEAD", "POST", "OPTIONS")
BODY_MEMBERS = ("query", "variables", "operationName", "extensions")
MAX_GET_QUERY = 4 * 1024
DESCRIPTION = "All data of this service in one GraphQL schema: select the fields you need."
INDEX_ENTRIES = (
    IndexEntry("Query", "GraphQL", PATH, with_suffix(PATH, ".md"), DESCRIPTION),
    IndexEntry("Query", "GraphQL schema", SCHEMA_PATH, SCHEMA_PATH, "The schema in SDL."),
)


def graphql_routes(
    schema: GraphQLSchema, text: str, example: str, current: CurrentSnapshot, relations: Relations
) -> list[BaseRoute]:
    """Return the routes of the endpoint, of its documentation and of the schema's SDL."""
    headers = static_headers(relations)
    members = _documentation(schema, example)
    markdown = documentation_markdown(members)
    document = static_document(PATH, orjson.dumps(members), markdown, relations)
    sdl = {TEXT: Representation.build(text.encode(), TEXT, headers)}
    return [
        Route(PATH, GraphQLEndpoint(schema, current, headers, document)),
        *document.by_suffix(),
        Route(SCHEMA_PATH, StaticDocument(SCHEMA_PATH, sdl)),
    ]


@dataclass(frozen=True)
class GraphQLEndpoint(Endpoint):
    """The GraphQL endpoint; a GET without a query returns the documentation."""

    schema: GraphQLSchema
    current: CurrentSnapshot
    headers: Mapping[str, str]
    document: StaticDocument
    path: str = PATH

    @property
    def methods(self) -> tuple[str, ...]:
        """The allowed methods."""
        return METHODS

    async def respond(self, request: Request) -> Response:
        """Return the response to one request, for pages of any origin. Raises: ApiError."""
        check_method(request, METHODS)
        if request.method == "OPTIONS":
            return options_response(METHODS, from_anywhere=True)
        return await self.answer(request)

    async def answer(self, request: Request) -> Response:
        """Return the result of a query, or the documentation. Raises: ApiError."""
        if request.method == "POST":
            query = await _from_body(request)
        else:
            check_no_body(request.headers)
            parameters = query_parameters(request)
            if not parameters:
                return self.document.response(request)
            query = _from_parameters(parameters)
        media_type = Accept.parse(request.headers).negotiate([JSON, RESPONSE])
        result = await execute_request(self.schema, self.current(), query)
        if request.method == "POST" or not result.executed or "errors" in result.body:
            status = 200 if result.executed else 400
            return _uncached_response(result.body, status, media_type, request)
        representation = Representation.build(orjson.dumps(result.body), media_type, self.headers)
        return representation.response(request.headers, head=request.method == "HEAD")

    def error_response(self, error: ApiError, request: Request) -> Response:
        """Return the error as a GraphQL response."""
        texts = [f"{problem.path}: {problem.rule}" for problem in error.problems] or [error.detail]
        errors = [{"message": text, "extensions": {"code": error.code}} for text in texts]
        media_type = Accept.parse(request.headers).choose([JSON, RESPONSE]) or JSON
        response = _uncached_response({"errors": errors}, error.status, media_type, request)
        response.headers.update(error_headers(error))
        return response


def _documentation(schema: GraphQLSchema, example: str) -> dict[str, Any]:
    return {
        "name": "GraphQL",
        "description": DESCRIPTION,
        "path": PATH,
        "schema": SCHEMA_PATH,
        "methods": ["GET", "POST"],
        "mediaTypes": [JSON, RESPONSE],
        "limits": {**LIMITS, "bytes of a query in a GET": MAX_GET_QUERY},
        "example": {"query": example},
        **documentation(schema),
    }


async def _from_body(request: Request) -> GraphQLRequest:
    media_type = content_type(request, (JSON, GRAPHQL))
    if request.scope["query_string"]:
        raise _invalid("query", "must be empty in a POST; send the parameters in the body")
    body = await read_body(request)
    if media_type == GRAPHQL:
        try:
            return GraphQLRequest(body.decode())
        except UnicodeDecodeError:
            raise _invalid("query", "must be UTF-8") from None
    members = read_json(body)
    if not isinstance(members, dict):
        raise _invalid("body", "must be an object with the member `query`")
    return _to_request(members)


def _from_parameters(parameters: list[tuple[str, str]]) -> GraphQLRequest:
    members: dict[str, Any] = dict(parameters)
    if len(members) != len(parameters):
        raise _invalid("query", "must have each parameter at most once")
    for name in ("variables", "extensions"):
        if name in members:
            members[name] = read_json(members[name].encode(), name) if members[name] else None
    request = _to_request(members)
    if len(request.query.encode()) > MAX_GET_QUERY:
        raise _invalid("query", f"must have at most {MAX_GET_QUERY} bytes in a GET; use POST")
    return request


def _to_request(members: Mapping[str, Any]) -> GraphQLRequest:
    problems = [
        unknown_name("member", name, BODY_MEMBERS) for name in members if name not in BODY_MEMBERS
    ]
    if not isinstance(members.get("query"), str):
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
    return GraphQLRequest(
        members["query"], members.get("variables"), members.get("operationName") or None
    )


def _invalid(path: str, rule: str) -> InvalidInputError:
    return InvalidInputError("The request is not a GraphQL request.", [FieldProblem(path, rule)])


def _uncached_response(
    body: dict[str, Any], status: int, media_type: str, request: Request
) -> Response:
    """Return a response that must not be cached; any origin may read it, as queries only read."""
    data = orjson.dumps(body)
    headers = {
        "content-type": f"{media_type}; charset=utf-8",
        "cache-control": "no-store",
        "vary": "Accept, Accept-Encoding",
        "access-control-allow-origin": "*",
    }
    encoding = choose_encoding(", ".join(request.headers.getlist("accept-encoding")))
    if encoding is not None and len(data) >= MIN_BYTES:
        data, headers["content-encoding"] = encode(data, encoding), encoding
    response = Response(data, status, headers)
    if request.method == "HEAD":
        response.body = b""  # the headers stay as in a GET
    return response
