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
    SCHEMAS,
    PathItem,
    references_to,
    responses,
    strict_object,
)
from rest_bridge.representations.rendering import JSON, MARKDOWN, TEXT
from sdl.errors import TimedOutError, UnavailableError
from sdl.running.query_limits import MAX_CHARACTERS, MAX_ERRORS

_GRAPHQL_ERRORS = ("400", "406", "408", "413", "415", "503")
"""The statuses of errors in GraphQL's form; the others occur before the query is read."""

_TEXT = {"type": "string"}
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
    answers = responses({TEXT: _TEXT})
    yield schema_path(path), _page("GetGraphqlSchema", "The schema in SDL.", answers)


def graphql_schemas() -> Iterator[tuple[str, PathItem]]:
    """Yield the schemas that the items refer to, by name."""
    yield "GraphqlDocument", _QUERY
    yield _NAMED, _NAME
    yield "GraphqlErrors", _errors()
    yield "GraphqlAnswer", _response_schema()
    yield "GraphqlRefusal", strict_object({"errors": _reference("GraphqlErrors")})
    yield "GraphqlDocumentation", _documentation()


def graphql_responses() -> Iterator[tuple[str, PathItem]]:
    """Yield the responses that the items refer to, by name."""
    body = {"schema": _reference("GraphqlRefusal")}
    content = {JSON: body, RESPONSE: body}
    retry = references_to("headers", ("Retry-After",))
    yield "GraphqlRefused", {"description": "The query was refused.", "content": content}
    later = {"description": "Too many queries are waiting.", "headers": retry, "content": content}
    yield "GraphqlDelayed", later


def _get() -> PathItem:
    answer = {"anyOf": [_reference("GraphqlAnswer"), _reference("GraphqlDocumentation")]}
    bodies = {JSON: answer, RESPONSE: _reference("GraphqlAnswer"), MARKDOWN: _TEXT, TEXT: _TEXT}
    return {
        "operationId": "AskGraphql",
        "summary": "Run a GraphQL query; without one, get the documentation.",
        "description": (
            f"{DESCRIPTION} Only `operationName`, which is then ignored, is allowed without"
            " `query`."
        ),
        "tags": ["Query"],
        "parameters": [
            {
                **_parameter("query", f"A GraphQL document of at most {MAX_GET_QUERY} bytes."),
                "schema": _reference("GraphqlDocument"),
                "examples": _QUERY_EXAMPLE,
            },
            {**_parameter("operationName", _NAME["description"]), "schema": _reference(_NAMED)},
            _member("variables", _VARIABLES),
            _member("extensions", _EXTENSIONS),
        ],
        "responses": _with_graphql_errors(responses(bodies, [*COMMON_ERRORS, UnavailableError])),
    }


def _post() -> PathItem:
    optional = {"type": ["object", "null"]}
    members = {
        "query": _reference("GraphqlDocument"),
        "operationName": {**_NAME, "type": ["string", "null"]},
        "variables": {**optional, "description": _VARIABLES},
        "extensions": {**optional, "description": _EXTENSIONS},
    }
    examples = {name: {"value": value} for name, value in _EXAMPLES.items()}
    content = {
        JSON: {"schema": {**strict_object(members), "required": ["query"]}, "examples": examples},
        GRAPHQL: {"schema": _reference("GraphqlDocument"), "examples": _QUERY_EXAMPLE},
    }
    answers = {JSON: _reference("GraphqlAnswer"), RESPONSE: _reference("GraphqlAnswer")}
    return {
        "operationId": "PostGraphql",
        "summary": "Run a GraphQL query.",
        "description": DESCRIPTION,
        "tags": ["Query"],
        "requestBody": {"required": True, "content": content},
        "responses": _with_graphql_errors(
            responses(answers, [*COMMON_ERRORS, TimedOutError, UnavailableError], cached=False)
        ),
    }


def _page(name: str, summary: str, answers: PathItem) -> PathItem:
    item = {"operationId": name, "summary": summary, "description": DESCRIPTION}
    return {"get": {**item, "tags": ["Query"], "responses": answers}}


def _with_graphql_errors(answers: PathItem) -> PathItem:
    """Return the responses with the errors that come in GraphQL's form."""
    refusal = {"$ref": "#/components/responses/GraphqlRefused"}
    later = {"503": {"$ref": "#/components/responses/GraphqlDelayed"}}
    return {
        status: later.get(status, refusal) if status in _GRAPHQL_ERRORS else answer
        for status, answer in answers.items()
    }


def _parameter(name: str, description: str) -> PathItem:
    return {"name": name, "in": "query", "description": description}


def _member(name: str, description: str) -> PathItem:
    schema = {"type": "string", "format": "json-object", "contentMediaType": JSON}
    return {**_parameter(name, description), "schema": schema}


def _reference(name: str) -> PathItem:
    return {"$ref": f"{SCHEMAS}{name}"}


def _response_schema() -> PathItem:
    """Return the schema of a GraphQL response: data, and the errors of missing parts."""
    members = {"data": {"type": ["object", "null"]}, "errors": _reference("GraphqlErrors")}
    return {**strict_object(members), "required": ["data"]}


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
