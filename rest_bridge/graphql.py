"""GraphQL over HTTP: the public schema at one path, its documentation, its text.

Source: the GraphQL over HTTP draft; where it answers 200 to a bad request made as
`application/json`, the specification of this service says 400.
"""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson
from graphql import GraphQLSchema
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from rest_bridge.body import content_type, read_body, refuse_body
from rest_bridge.documentation import documentation_markdown
from rest_bridge.negotiation import choose
from rest_bridge.parameters import query_parameters
from rest_bridge.replies import Representation
from schema.errors import Fault, InvalidInput, MethodNotAllowed, NotAcceptable, StudioError
from schema.json_text import read_json
from sdl.documentation import documentation
from sdl.inquiry import Answer, Inquiry, answer
from sdl.runner import Now

PATH = "/api/graphql"
JSON, RESPONSE = "application/json", "application/graphql-response+json"
MARKDOWN, TEXT, GRAPHQL = "text/markdown", "text/plain", "application/graphql"
METHODS = ("GET", "HEAD", "POST", "OPTIONS")
MEMBERS = ("query", "variables", "operationName", "extensions")
MAX_GET_QUERY = 4 * 1024
FRESH = {"cache-control": "public, max-age=300, stale-while-revalidate=86400"}


def graphql_routes(schema: GraphQLSchema, text: str, now: Now) -> list[BaseRoute]:
    """The routes of the endpoint and of the schema's text."""
    return [
        Route(PATH, Endpoint(schema, now)),
        Route(f"{PATH}/schema", SchemaText(text)),
    ]


@dataclass(frozen=True)
class SchemaText:
    """The public schema in SDL."""

    text: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises: StudioError."""
        scope["studiograph.route"] = f"{PATH}/schema"
        request = Request(scope)
        _check_method(request, ("GET", "HEAD", "OPTIONS"))
        response = Response(status_code=204, headers={"allow": "GET, HEAD, OPTIONS"})
        if request.method != "OPTIONS":
            if choose(request.headers.get("accept", ""), [TEXT]) is None:
                raise _not_acceptable([TEXT])
            shown = Representation.of(self.text.encode(), TEXT, FRESH)
            response = shown.reply(request.headers, head=request.method == "HEAD")
        await response(scope, receive, send)


@dataclass(frozen=True)
class Endpoint:
    """Queries by GET and POST; without a query, the documentation."""

    schema: GraphQLSchema
    now: Now

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; every error comes in GraphQL's form."""
        scope["studiograph.route"] = PATH
        try:
            response = await self._answer(Request(scope, receive))
        except StudioError as error:
            response = _refusal(error)
        if scope["method"] == "HEAD":
            response.body = b""
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        _check_method(request, METHODS)
        if request.method == "OPTIONS":
            return Response(status_code=204, headers={"allow": ", ".join(METHODS)})
        if request.method == "POST":
            if request.scope["query_string"]:
                raise _invalid("query", "a POST has its parameters in the body")
            media_type = _negotiate(request)
            found = answer(self.schema, self.now(), await _posted(request))
            return _reply(found, media_type)
        refuse_body(request.headers)
        given = query_parameters(request)
        if not given:
            return self._document(request)
        media_type = _negotiate(request)
        found = answer(self.schema, self.now(), _from_parameters(given))
        if not found.executed:
            return _reply(found, media_type)
        shown = Representation.of(orjson.dumps(found.body), media_type, FRESH)
        return shown.reply(request.headers, head=request.method == "HEAD")

    def _document(self, request: Request) -> Response:
        offered = [JSON, MARKDOWN, TEXT]
        media_type = choose(request.headers.get("accept", ""), offered)
        if media_type is None:
            raise _not_acceptable(offered)
        body = orjson.dumps(self._documentation)
        if media_type != JSON:
            body = documentation_markdown(self._documentation).encode()
        shown = Representation.of(body, media_type, FRESH)
        return shown.reply(request.headers, head=request.method == "HEAD")

    @cached_property
    def _documentation(self) -> dict[str, Any]:
        return {
            "name": "GraphQL",
            "description": "Every read of this service as one graph: ask for what you need.",
            "path": PATH,
            "schema": f"{PATH}/schema",
            "methods": ["GET", "POST"],
            "mediaTypes": [JSON, RESPONSE],
            "example": {"query": "{ projects { slug name domains { name } } }"},
            **documentation(self.schema),
        }


async def _posted(request: Request) -> Inquiry:
    media_type = content_type(request, (JSON, GRAPHQL))
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
            members[name] = read_json(members[name].encode()) if members[name] else None
    inquiry = _inquiry(members)
    if len(inquiry.query.encode()) > MAX_GET_QUERY:
        raise _invalid("query", f"must have at most {MAX_GET_QUERY} bytes in a GET; use POST")
    return inquiry


def _inquiry(members: Mapping[str, Any]) -> Inquiry:
    faults = [_unknown(name) for name in members if name not in MEMBERS]
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


def _unknown(name: str) -> Fault:
    close = difflib.get_close_matches(name, MEMBERS, n=1)
    rule = f"unknown member; did you mean {close[0]!r}?" if close else "unknown member"
    return Fault(name[:64], rule, MEMBERS)


def _invalid(path: str, rule: str) -> InvalidInput:
    return InvalidInput("The request is not a GraphQL request.", [Fault(path, rule)])


def _check_method(request: Request, methods: tuple[str, ...]) -> None:
    if request.method not in methods:
        raise MethodNotAllowed(
            "This path does not take this method.", [Fault("method", "is not taken here", methods)]
        )


def _negotiate(request: Request) -> str:
    chosen = choose(request.headers.get("accept", ""), [JSON, RESPONSE])
    if chosen is None:
        raise _not_acceptable([JSON, RESPONSE])
    return chosen


def _not_acceptable(offered: list[str]) -> NotAcceptable:
    return NotAcceptable(
        "Nothing that the Accept header allows is made here.",
        [Fault("Accept", "names no form of this resource", tuple(offered))],
    )


def _reply(found: Answer, media_type: str) -> Response:
    return _fresh(found.body, 200 if found.executed else 400, media_type)


def _refusal(error: StudioError) -> Response:
    told = [f"{fault.path}: {fault.rule}" for fault in error.faults] or [error.detail]
    errors = [{"message": text, "extensions": {"code": error.code}} for text in told]
    response = _fresh({"errors": errors}, error.status, JSON)
    if isinstance(error, MethodNotAllowed):
        response.headers["allow"] = ", ".join(error.faults[0].allowed)
    return response


def _fresh(body: dict[str, Any], status: int, media_type: str) -> Response:
    """An answer that is not kept; every origin may ask, since nothing is written here."""
    return Response(
        orjson.dumps(body),
        status,
        {
            "content-type": f"{media_type}; charset=utf-8",
            "cache-control": "no-store",
            "access-control-allow-origin": "*",
        },
    )
