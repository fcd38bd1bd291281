"""OpenAPI path items of the GraphQL endpoint, its documentation and its SDL."""

from collections.abc import Iterator
from typing import Any

from rest_bridge.endpoints.graphql import (
    DESCRIPTION,
    GRAPHQL,
    MAX_GET_QUERY,
    RESPONSE,
    schema_path,
)
from rest_bridge.openapi.responses import (
    COMMON_ERRORS,
    STRING,
    PathItem,
    parameter,
    references_to,
    refused_by,
    responses,
    schema_named,
    strict_object,
)
from rest_bridge.representations.rendering import JSON, MARKDOWN, TEXT
from sdl.errors import TimedOutError, UnavailableError
from sdl.running.query_limits import MAX_CHARACTERS, MAX_ERRORS

_GRAPHQL_ERRORS = ("400", "406", "408", "413", "415", "503")
"""The statuses of errors in GraphQL's form; the others occur before the query is read."""

_QUERY = {
    "type": "string",
    "minLength": 1,
    "format": "graphql",
    "description": (
        f"A GraphQL document of at most {MAX_CHARACTERS} characters, within the limits in the"
        " documentation."
    ),
}
_VARIABLES = "The variables, a JSON object with integers within 2^53-1 and without U+0000."
_EXTENSIONS = "A JSON object under the same rules as the variables; it is ignored."
_NAMED = "GraphqlOperationName"
_NAME = {
    "type": "string",
    "format": "graphql-name",
    "pattern": "^(?:[_A-Za-z][_0-9A-Za-z]*)?$",
    "description": "The operation to run, if the document has several.",
}
_MEMBERS = {"type": "string", "format": "json-object", "contentMediaType": JSON}
_EXAMPLES: dict[str, dict[str, Any]] = {
    "what can be asked": {"query": "{ __schema { queryType { fields { name description } } } }"},
    "a variable": {
        "query": "query ($name: String!) { __type(name: $name) { fields { name } } }",
        "variables": {"name": "Query"},
    },
}
"""Valid for every schema: the documentation has an example with fields of its own."""
_QUERY_EXAMPLE = {
    name: {"value": body["query"]} for name, body in _EXAMPLES.items() if "variables" not in body
}


def graphql_items(path: str) -> Iterator[tuple[str, PathItem]]:
    """Yield the paths of the endpoint, each with its item."""
    yield path, {"get": _get(), "post": _post()}
    answers = responses({TEXT: STRING})
    yield schema_path(path), _page("GetGraphqlSchema", "The schema in SDL.", answers)


def graphql_schemas() -> Iterator[tuple[str, PathItem]]:
    """Yield the schemas that the items refer to, by name."""
    yield "GraphqlDocument", _QUERY
    yield _NAMED, _NAME
    yield "GraphqlErrors", _errors()
    yield "GraphqlAnswer", _response_schema()
    yield "GraphqlRefusal", strict_object({"errors": schema_named("GraphqlErrors")})
    yield "GraphqlDocumentation", _documentation()


def graphql_responses() -> Iterator[tuple[str, PathItem]]:
    """Yield the responses that the items refer to, by name."""
    body = {"schema": schema_named("GraphqlRefusal")}
    content = {JSON: body, RESPONSE: body}
    retry = references_to("headers", ("Retry-After",))
    yield "GraphqlRefused", {"description": "The query was refused.", "content": content}
    later = {"description": "Too many queries are waiting.", "headers": retry, "content": content}
    yield "GraphqlDelayed", later


def _get() -> PathItem:
    answer = {"anyOf": [schema_named("GraphqlAnswer"), schema_named("GraphqlDocumentation")]}
    bodies = {JSON: answer, RESPONSE: schema_named("GraphqlAnswer"), MARKDOWN: STRING, TEXT: STRING}
    answers = responses(bodies, [*COMMON_ERRORS, UnavailableError])
    return {
        "operationId": "AskGraphql",
        "summary": "Run a GraphQL query; without one, get the documentation.",
        "description": (
            f"{DESCRIPTION} Only `operationName`, which is then ignored, is allowed without"
            " `query`."
        ),
        "tags": ["Query"],
        "parameters": [
            parameter(
                "query",
                "query",
                f"A GraphQL document of at most {MAX_GET_QUERY} bytes.",
                {"schema": schema_named("GraphqlDocument"), "examples": _QUERY_EXAMPLE},
            ),
            parameter(
                "operationName", "query", _NAME["description"], {"schema": schema_named(_NAMED)}
            ),
            _parameter("variables", _VARIABLES, _MEMBERS),
            _parameter("extensions", _EXTENSIONS, _MEMBERS),
        ],
        "responses": refused_by("Graphql", _GRAPHQL_ERRORS, answers),
    }


def _post() -> PathItem:
    optional = {"type": ["object", "null"]}
    members = {
        "query": schema_named("GraphqlDocument"),
        "operationName": {**_NAME, "type": ["string", "null"]},
        "variables": {**optional, "description": _VARIABLES},
        "extensions": {**optional, "description": _EXTENSIONS},
    }
    examples = {name: {"value": value} for name, value in _EXAMPLES.items()}
    content = {
        JSON: {"schema": {**strict_object(members), "required": ["query"]}, "examples": examples},
        GRAPHQL: {"schema": schema_named("GraphqlDocument"), "examples": _QUERY_EXAMPLE},
    }
    answers = {JSON: schema_named("GraphqlAnswer"), RESPONSE: schema_named("GraphqlAnswer")}
    return {
        "operationId": "PostGraphql",
        "summary": "Run a GraphQL query.",
        "description": DESCRIPTION,
        "tags": ["Query"],
        "requestBody": {"required": True, "content": content},
        "responses": refused_by(
            "Graphql",
            _GRAPHQL_ERRORS,
            responses(answers, [*COMMON_ERRORS, TimedOutError, UnavailableError], cached=False),
        ),
    }


def _page(name: str, summary: str, answers: PathItem) -> PathItem:
    item = {"operationId": name, "summary": summary, "description": DESCRIPTION}
    return {"get": {**item, "tags": ["Query"], "responses": answers}}


def _parameter(name: str, description: str, schema: PathItem) -> PathItem:
    return parameter(name, "query", description, {"schema": schema})


def _response_schema() -> PathItem:
    """Return the schema of a GraphQL response: data, and the errors of missing parts."""
    members = {"data": {"type": ["object", "null"]}, "errors": schema_named("GraphqlErrors")}
    return {**strict_object(members), "required": ["data"]}


def _errors() -> PathItem:
    place = {"type": "integer", "minimum": 1}
    members = {
        "message": STRING,
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
    text_list = {"type": "array", "items": STRING}
    item_list = {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"name": STRING, "description": STRING},
            "required": ["name", "description"],
        },
    }
    return strict_object(
        {
            **dict.fromkeys(texts, STRING),
            **dict.fromkeys(("methods", "mediaTypes"), text_list),
            "limits": {"type": "object", "additionalProperties": {"type": "integer"}},
            "example": strict_object({"query": STRING}),
            **dict.fromkeys(("queries", "types"), item_list),
        }
    )
