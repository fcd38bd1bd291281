"""OpenAPI path items of the GraphQL endpoint, its documentation and its schema's text."""

from collections.abc import Iterator
from typing import Any

from rest_bridge.endpoints.graphql import (
    DESCRIPTION,
    GRAPHQL,
    MAX_GET_QUERY,
    PATH,
    RESPONSE,
    SCHEMA_PATH,
)
from rest_bridge.http.rendering import JSON, MARKDOWN, TEXT
from rest_bridge.openapi.responses import (
    COMMON_ERRORS,
    SCHEMAS,
    SUFFIX_ERRORS,
    PathItem,
    responses,
    strict_object,
)
from sdl.catalog import with_suffix
from sdl.errors import TimedOutError
from sdl.limits import MAX_CHARACTERS, MAX_ERRORS

_OWN = ("400", "406", "408", "413", "415")
"""The refusals that come in GraphQL's form; the others come before the query is read."""

_TEXT = {"type": "string"}
_QUERY = {
    "type": "string",
    "format": "graphql",
    "description": (
        f"A GraphQL document of at most {MAX_CHARACTERS} characters, within the limits that the"
        " documentation tells."
    ),
}
_VARIABLES = "The variables, a JSON object: integers within 2^53-1, no U+0000."
_EXTENSIONS = "A JSON object that is read as strictly as the variables, and not used."
_NAME = {
    "type": "string",
    "format": "graphql-name",
    "pattern": "^(?:[_A-Za-z][_0-9A-Za-z]*)?$",
    "description": "Which of several operations to run.",
}
_EXAMPLES: dict[str, dict[str, Any]] = {
    "a query": {"query": "{ projects { slug name } }"},
    "a variable": {
        "query": "query ($since: DateTime) { changes(since: $since) { id title } }",
        "variables": {"since": "2026-06-01T00:00:00Z"},
    },
}
_ALONE = {"a query": {"value": _EXAMPLES["a query"]["query"]}}


def graphql_items() -> Iterator[tuple[str, PathItem]]:
    """The paths of the endpoint, each with its item."""
    yield PATH, {"get": _asked(), "post": _posted()}
    told: list[tuple[str, str, PathItem]] = [
        (".md", MARKDOWN, _TEXT),
        (".json", JSON, _documented()),
    ]
    for suffix, form, schema in told:
        name = f"GetGraphqlAs{suffix[1:].title()}"
        item = _page(name, "The schema's documentation.", responses({form: schema}, SUFFIX_ERRORS))
        yield with_suffix(PATH, suffix), item
    text = responses({TEXT: _TEXT}, COMMON_ERRORS)
    yield SCHEMA_PATH, _page("GetGraphqlSchema", "The schema's text.", text)


def graphql_schemas() -> Iterator[tuple[str, PathItem]]:
    """The schemas that the items refer to, by name."""
    yield "GraphqlAnswer", _answer()
    yield "GraphqlRefusal", strict_object({"errors": _errors()})
    yield "GraphqlDocumentation", _documentation()


def _asked() -> PathItem:
    answer = {"anyOf": [_reference("GraphqlAnswer"), _documented()]}
    bodies = {JSON: answer, RESPONSE: _reference("GraphqlAnswer"), MARKDOWN: _TEXT, TEXT: _TEXT}
    return {
        "operationId": "AskGraphql",
        "summary": "A GraphQL query, or without one the documentation.",
        "description": f"{DESCRIPTION} The other parameters are taken beside `query` alone.",
        "tags": ["Query"],
        "parameters": [
            {
                **_parameter("query", f"A GraphQL document of at most {MAX_GET_QUERY} bytes."),
                "schema": _QUERY,
                "examples": _ALONE,
            },
            {**_parameter("operationName", _NAME["description"]), "schema": _NAME},
            _member("variables", _VARIABLES),
            _member("extensions", _EXTENSIONS),
        ],
        "responses": _graphql(responses(bodies, COMMON_ERRORS)),
    }


def _posted() -> PathItem:
    optional = {"type": ["object", "null"]}
    members = {
        "query": _QUERY,
        "operationName": {**_NAME, "type": ["string", "null"]},
        "variables": {**optional, "description": _VARIABLES},
        "extensions": {**optional, "description": _EXTENSIONS},
    }
    shown = {name: {"value": value} for name, value in _EXAMPLES.items()}
    content = {
        JSON: {"schema": {**strict_object(members), "required": ["query"]}, "examples": shown},
        GRAPHQL: {"schema": _QUERY, "examples": _ALONE},
    }
    answers = {JSON: _reference("GraphqlAnswer"), RESPONSE: _reference("GraphqlAnswer")}
    return {
        "operationId": "PostGraphql",
        "summary": "A GraphQL query.",
        "description": DESCRIPTION,
        "tags": ["Query"],
        "requestBody": {"required": True, "content": content},
        "responses": _graphql(responses(answers, [*COMMON_ERRORS, TimedOutError], kept=False)),
    }


def _page(name: str, summary: str, found: PathItem) -> PathItem:
    told = {"operationId": name, "summary": summary, "description": DESCRIPTION}
    return {"get": {**told, "tags": ["Query"], "responses": found}}


def _graphql(found: PathItem) -> PathItem:
    """The responses, the errors of which come in GraphQL's form."""
    refusal = {"schema": _reference("GraphqlRefusal")}
    refused = {
        "description": "The query is refused.",
        "content": {JSON: refusal, RESPONSE: refusal},
    }
    return {status: refused if status in _OWN else each for status, each in found.items()}


def _parameter(name: str, description: str) -> PathItem:
    return {"name": name, "in": "query", "description": description}


def _member(name: str, description: str) -> PathItem:
    content = {JSON: {"schema": {"type": ["object", "null"]}}}
    return {**_parameter(name, description), "content": content}


def _documented() -> PathItem:
    return _reference("GraphqlDocumentation")


def _reference(name: str) -> PathItem:
    return {"$ref": f"{SCHEMAS}{name}"}


def _answer() -> PathItem:
    """Data, and beside it what kept some of it away."""
    answer = strict_object({"data": {"type": ["object", "null"]}, "errors": _errors()})
    return {**answer, "required": ["data"]}


def _errors() -> PathItem:
    place = {"type": "integer", "minimum": 1}
    members = {
        "message": _TEXT,
        "locations": {"type": "array", "items": strict_object({"line": place, "column": place})},
        "path": {"type": "array", "items": {"type": ["string", "integer"]}},
        "extensions": strict_object(
            {"code": {"type": "string", "description": "The error's code."}}
        ),
    }
    error = {**strict_object(members), "required": ["message", "extensions"]}
    return {"type": "array", "items": error, "minItems": 1, "maxItems": MAX_ERRORS}


def _documentation() -> PathItem:
    texts = ("name", "description", "path", "schema")
    listed = {"type": "array", "items": _TEXT}
    described = {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"name": _TEXT, "description": _TEXT},
            "required": ["name", "description"],
        },
    }
    return strict_object(
        {
            **dict.fromkeys(texts, _TEXT),
            **dict.fromkeys(("methods", "mediaTypes"), listed),
            "limits": {"type": "object", "additionalProperties": {"type": "integer"}},
            "example": strict_object({"query": _TEXT}),
            **dict.fromkeys(("queries", "types"), described),
        }
    )
