"""OpenAPI path items of the GraphQL endpoint, its documentation and its SDL."""

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

_GRAPHQL_ERRORS = ("400", "406", "408", "413", "415")
"""The statuses of errors in GraphQL's form; the others occur before the query is read."""

_TEXT = {"type": "string"}
_QUERY = {
    "type": "string",
    "format": "graphql",
    "description": (
        f"A GraphQL document of at most {MAX_CHARACTERS} characters, within the limits in the"
        " documentation."
    ),
}
_VARIABLES = "The variables, a JSON object with integers within 2^53-1 and without U+0000."
_EXTENSIONS = "A JSON object under the same rules as the variables; it is ignored."
_NAME = {
    "type": "string",
    "format": "graphql-name",
    "pattern": "^(?:[_A-Za-z][_0-9A-Za-z]*)?$",
    "description": "The operation to run, if the document has several.",
}
_EXAMPLES: dict[str, dict[str, Any]] = {
    "a query": {"query": "{ projects { slug name } }"},
    "a variable": {
        "query": "query ($since: DateTime) { changes(since: $since) { id title } }",
        "variables": {"since": "2026-06-01T00:00:00Z"},
    },
}
_QUERY_EXAMPLE = {"a query": {"value": _EXAMPLES["a query"]["query"]}}


def graphql_items() -> Iterator[tuple[str, PathItem]]:
    """Yield the paths of the endpoint, each with its item."""
    yield PATH, {"get": _get(), "post": _post()}
    suffixes: list[tuple[str, str, PathItem]] = [
        (".md", MARKDOWN, _TEXT),
        (".json", JSON, _reference("GraphqlDocumentation")),
    ]
    for suffix, form, schema in suffixes:
        name = f"GetGraphqlAs{suffix[1:].title()}"
        answers = responses({form: schema}, SUFFIX_ERRORS)
        yield with_suffix(PATH, suffix), _page(name, "The documentation of the schema.", answers)
    answers = responses({TEXT: _TEXT}, COMMON_ERRORS)
    yield SCHEMA_PATH, _page("GetGraphqlSchema", "The schema in SDL.", answers)


def graphql_schemas() -> Iterator[tuple[str, PathItem]]:
    """Yield the schemas that the items refer to, by name."""
    yield "GraphqlAnswer", _response_schema()
    yield "GraphqlRefusal", strict_object({"errors": _errors()})
    yield "GraphqlDocumentation", _documentation()


def _get() -> PathItem:
    answer = {"anyOf": [_reference("GraphqlAnswer"), _reference("GraphqlDocumentation")]}
    bodies = {JSON: answer, RESPONSE: _reference("GraphqlAnswer"), MARKDOWN: _TEXT, TEXT: _TEXT}
    return {
        "operationId": "AskGraphql",
        "summary": "Run a GraphQL query; without one, get the documentation.",
        "description": f"{DESCRIPTION} The other parameters are allowed only with `query`.",
        "tags": ["Query"],
        "parameters": [
            {
                **_parameter("query", f"A GraphQL document of at most {MAX_GET_QUERY} bytes."),
                "schema": _QUERY,
                "examples": _QUERY_EXAMPLE,
            },
            {**_parameter("operationName", _NAME["description"]), "schema": _NAME},
            _member("variables", _VARIABLES),
            _member("extensions", _EXTENSIONS),
        ],
        "responses": _with_graphql_errors(responses(bodies, COMMON_ERRORS)),
    }


def _post() -> PathItem:
    optional = {"type": ["object", "null"]}
    members = {
        "query": _QUERY,
        "operationName": {**_NAME, "type": ["string", "null"]},
        "variables": {**optional, "description": _VARIABLES},
        "extensions": {**optional, "description": _EXTENSIONS},
    }
    examples = {name: {"value": value} for name, value in _EXAMPLES.items()}
    content = {
        JSON: {"schema": {**strict_object(members), "required": ["query"]}, "examples": examples},
        GRAPHQL: {"schema": _QUERY, "examples": _QUERY_EXAMPLE},
    }
    answers = {JSON: _reference("GraphqlAnswer"), RESPONSE: _reference("GraphqlAnswer")}
    return {
        "operationId": "PostGraphql",
        "summary": "Run a GraphQL query.",
        "description": DESCRIPTION,
        "tags": ["Query"],
        "requestBody": {"required": True, "content": content},
        "responses": _with_graphql_errors(
            responses(answers, [*COMMON_ERRORS, TimedOutError], cached=False)
        ),
    }


def _page(name: str, summary: str, answers: PathItem) -> PathItem:
    item = {"operationId": name, "summary": summary, "description": DESCRIPTION}
    return {"get": {**item, "tags": ["Query"], "responses": answers}}


def _with_graphql_errors(answers: PathItem) -> PathItem:
    """Return the responses with the errors that come in GraphQL's form."""
    body = {"schema": _reference("GraphqlRefusal")}
    refusal = {"description": "The query was refused.", "content": {JSON: body, RESPONSE: body}}
    return {
        status: refusal if status in _GRAPHQL_ERRORS else answer
        for status, answer in answers.items()
    }


def _parameter(name: str, description: str) -> PathItem:
    return {"name": name, "in": "query", "description": description}


def _member(name: str, description: str) -> PathItem:
    content = {JSON: {"schema": {"type": ["object", "null"]}}}
    return {**_parameter(name, description), "content": content}


def _reference(name: str) -> PathItem:
    return {"$ref": f"{SCHEMAS}{name}"}


def _response_schema() -> PathItem:
    """Return the schema of a GraphQL response: data, and the errors of missing parts."""
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
    text_list = {"type": "array", "items": _TEXT}
    item_list = {
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
            **dict.fromkeys(("methods", "mediaTypes"), text_list),
            "limits": {"type": "object", "additionalProperties": {"type": "integer"}},
            "example": strict_object({"query": _TEXT}),
            **dict.fromkeys(("queries", "types"), item_list),
        }
    )
