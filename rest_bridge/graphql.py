"""GraphQL over HTTP: the public schema at one path, its documentation, its text.

Source: the GraphQL over HTTP draft; where it answers 200 to a bad request made as
`application/json`, the specification of this service says 400.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from graphql import GraphQLSchema
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from rest_bridge.body import content_type, read_body, refuse_body
from rest_bridge.coding import LEAST_BYTES, choose_coding, encode
from rest_bridge.documentation import documentation_markdown
from rest_bridge.fixed_page import JSON, TEXT, FixedPage, fixed_page, fresh_headers
from rest_bridge.methods import check_method, options
from rest_bridge.negotiation import accepted, choose, negotiate
from rest_bridge.parameters import query_parameters
from rest_bridge.replies import Relations, Representation, error_headers
from schema.errors import Fault, InvalidInput, StudioError
from schema.json_text import read_json
from sdl.cards import Card, suffixed
from sdl.documentation import documentation
from sdl.inquiry import Inquiry, answer
from sdl.limits import LIMITS
from sdl.runner import Now
from sdl.variables import unknown

PATH = "/api/graphql"
SCHEMA_PATH = f"{PATH}/schema"
RESPONSE, GRAPHQL = "application/graphql-response+json", "application/graphql"
METHODS = ("GET", "HEAD", "POST", "OPTIONS")
MEMBERS = ("query", "variables", "operationName", "extensions")
MAX_GET_QUERY = 4 * 1024
DESCRIPTION = "Every read of this service as one graph: ask for what you need."
CARDS = (
    Card("Query", "GraphQL", PATH, suffixed(PATH, ".md"), DESCRIPTION),
    Card("Query", "GraphQL schema", SCHEMA_PATH, SCHEMA_PATH, "The schema as GraphQL text."),
)


def graphql_routes(
    schema: GraphQLSchema, text: str, now: Now, relations: Relations
) -> list[BaseRoute]:
    """The routes of the endpoint, of its documentation and of the schema's text."""
    fresh = fresh_headers(relations)
    told = _documentation(schema)
    documented = fixed_page(PATH, orjson.dumps(told), documentation_markdown(told), relations)
    sdl = {TEXT: Representation.of(text.encode(), TEXT, fresh)}
    return [
        Route(PATH, Endpoint(schema, now, fresh, documented)),
        *documented.by_suffix(),
        Route(SCHEMA_PATH, FixedPage(SCHEMA_PATH, sdl)),
    ]


@dataclass(frozen=True)
class Endpoint:
    """Queries by GET and POST; without a query, the documentation."""

    schema: GraphQLSchema
    now: Now
    fresh: Mapping[str, str]
    document: FixedPage

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; every error that has a name comes in GraphQL's form."""
        scope["studiograph.route"] = PATH
        request = Request(scope, receive)
        try:
            response = await self._answer(request)
        except StudioError as error:
            response = _refusal(error, request.headers)
        if scope["method"] == "HEAD":
            response.body = b""
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        check_method(request, METHODS)
        if request.method == "OPTIONS":
            return options(METHODS, from_anywhere=True)
        if request.method == "POST":
            inquiry = await _posted(request)
        else:
            refuse_body(request.headers)
            given = query_parameters(request)
            if not given:
                return self.document.reply(request)
            inquiry = _from_parameters(given)
        media_type = negotiate(request.headers, [JSON, RESPONSE])
        found = await answer(self.schema, self.now(), inquiry)
        if request.method == "POST" or not found.executed or "errors" in found.body:
            return _unkept(found.body, 200 if found.executed else 400, media_type, request.headers)
        shown = Representation.of(orjson.dumps(found.body), media_type, self.fresh)
        return shown.reply(request.headers, head=request.method == "HEAD")


def _documentation(schema: GraphQLSchema) -> dict[str, Any]:
    return {
        "name": "GraphQL",
        "description": DESCRIPTION,
        "path": PATH,
        "schema": SCHEMA_PATH,
        "methods": ["GET", "POST"],
        "mediaTypes": [JSON, RESPONSE],
        "limits": {**LIMITS, "bytes of a query in a GET": MAX_GET_QUERY},
        "example": {"query": "{ projects { slug name domains { name } } }"},
        **documentation(schema),
    }


async def _posted(request: Request) -> Inquiry:
    media_type = content_type(request, (JSON, GRAPHQL))
    if request.scope["query_string"]:
        raise _invalid("query", "a POST has its parameters in the body")
    body = await read_body(request)
    if media_type == GRAPHQL:
        try:
            return Inquiry(body.decode())
        except UnicodeDecodeError:
            raise _invalid("query", "must be UTF-8") from None
    given = read_json(body)
    if not isinstance(given, dict):
        raise _invalid("body", "must be an object with the member `query`")
    return _inquiry(given)


def _from_parameters(given: list[tuple[str, str]]) -> Inquiry:
    members: dict[str, Any] = dict(given)
    if len(members) != len(given):
        raise _invalid("query", "no parameter may be given twice")
    for name in ("variables", "extensions"):
        if name in members:
            members[name] = read_json(members[name].encode(), name) if members[name] else None
    inquiry = _inquiry(members)
    if len(inquiry.query.encode()) > MAX_GET_QUERY:
        raise _invalid("query", f"must have at most {MAX_GET_QUERY} bytes in a GET; use POST")
    return inquiry


def _inquiry(members: Mapping[str, Any]) -> Inquiry:
    faults = [unknown("member", name, MEMBERS) for name in members if name not in MEMBERS]
    if not isinstance(members.get("query"), str):
        faults.append(Fault("query", "is required, as a string"))
    if not isinstance(members.get("operationName"), str | None):
        faults.append(Fault("operationName", "must be a string"))
    faults += [
        Fault(name, "must be an object")
        for name in ("variables", "extensions")
        if not isinstance(members.get(name), dict | None)
    ]
    if faults:
        raise InvalidInput("The request is not a GraphQL request.", faults)
    return Inquiry(members["query"], members.get("variables"), members.get("operationName") or None)


def _invalid(path: str, rule: str) -> InvalidInput:
    return InvalidInput("The request does not fit.", [Fault(path, rule)])


def _refusal(error: StudioError, headers: Headers) -> Response:
    told = [f"{fault.path}: {fault.rule}" for fault in error.faults] or [error.detail]
    errors = [{"message": text, "extensions": {"code": error.code}} for text in told]
    media_type = choose(accepted(headers), [JSON, RESPONSE]) or JSON
    response = _unkept({"errors": errors}, error.status, media_type, headers)
    response.headers.update(error_headers(error))
    return response


def _unkept(body: dict[str, Any], status: int, media_type: str, headers: Headers) -> Response:
    """An answer that is not kept; every origin may ask, since nothing is written here."""
    data = orjson.dumps(body)
    made = {
        "content-type": f"{media_type}; charset=utf-8",
        "cache-control": "no-store",
        "vary": "Accept, Accept-Encoding",
        "access-control-allow-origin": "*",
    }
    coding = choose_coding(", ".join(headers.getlist("accept-encoding")))
    if coding is not None and len(data) >= LEAST_BYTES:
        data, made["content-encoding"] = encode(data, coding), coding
    return Response(data, status, made)
