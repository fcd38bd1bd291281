"""OpenAPI path items of the MCP endpoint and its description."""

from collections.abc import Iterator, Mapping

from mcp_bridge.description import DESCRIPTION, MAX_BODY, PATH
from mcp_bridge.protocol.jsonrpc import MAX_ID, MAX_METHOD
from rest_bridge.openapi.responses import (
    COMMON_ERRORS,
    STRING,
    PathItem,
    references_to,
    refused_by,
    responses,
    schema_named,
)
from rest_bridge.representations.events import EVENTS
from rest_bridge.representations.rendering import JSON, MARKDOWN, TEXT
from sdl.errors import ForbiddenError, MethodNotAllowedError, TimedOutError, UnavailableError

_RPC_ERRORS = ("400", "403", "406", "408", "413", "415", "500", "503")
"""The statuses of errors in JSON-RPC's form; the others occur before the message is read."""
_ID = {"type": ["string", "integer", "null"], "maxLength": MAX_ID}
_MESSAGE = {
    "type": "object",
    "description": (
        f"A JSON-RPC 2.0 request, or a notification without an id, of at most {MAX_BODY} bytes,"
        " with integers within 2^53-1 and without U+0000."
    ),
    "properties": {
        "jsonrpc": {"const": "2.0"},
        "id": {"type": ["string", "integer"], "maxLength": MAX_ID},
        "method": {"type": "string", "minLength": 1, "maxLength": MAX_METHOD},
        "params": {"type": "object"},
    },
    "required": ["jsonrpc", "method"],
}
_ERROR = {
    "type": "object",
    "properties": {"code": {"type": "integer"}, "message": STRING, "data": {}},
    "required": ["code", "message"],
    "additionalProperties": False,
}
_LISTED = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"title": STRING, "description": STRING},
        "required": ["title", "description"],
    },
}
_DESCRIPTION = {
    "type": "object",
    "description": "The address of the MCP endpoint, its limits, and everything it lists.",
    "properties": {
        **dict.fromkeys(("name", "path"), STRING),
        "protocolVersions": {"type": "array", "items": STRING},
        **dict.fromkeys(("tools", "resources", "prompts"), _LISTED),
    },
    "required": ["name", "path", "protocolVersions", "tools", "resources", "prompts"],
}


def mcp_items() -> Iterator[tuple[str, PathItem]]:
    """Yield the path of the endpoint and of its description with its item."""
    bodies = {JSON: schema_named("McpDescription"), MARKDOWN: STRING, TEXT: STRING}
    errors = [*COMMON_ERRORS, ForbiddenError, MethodNotAllowedError]
    summary = "The tools, resources and prompts of the MCP server."
    description = _item(
        "GetMcp", summary, refused_by("JsonRpc", _RPC_ERRORS, responses(bodies, errors))
    )
    yield PATH, {"get": description, "post": _post()}


def mcp_components() -> dict[str, dict[str, PathItem]]:
    """Return the components that the item refers to, by kind and name."""
    schemas = {
        "McpDescription": _DESCRIPTION,
        "JsonRpcMessage": _MESSAGE,
        "JsonRpcResponse": {
            **_message({"result": {"type": "object"}, "error": _ERROR}, []),
            "oneOf": [{"required": ["result"]}, {"required": ["error"]}],
        },
        "JsonRpcFailure": _message({"error": _ERROR}, ["error"]),
    }
    return {
        "schemas": schemas,
        "responses": {
            "JsonRpcRefused": _rpc_error("The message was refused."),
            "JsonRpcDelayed": _rpc_error("Not available now.")
            | {"headers": references_to("headers", ("Retry-After",))},
        },
    }


def _post() -> PathItem:
    bodies = {JSON: schema_named("JsonRpcResponse"), EVENTS: STRING}
    errors = [*COMMON_ERRORS, ForbiddenError, TimedOutError, UnavailableError]
    answers = refused_by("JsonRpc", _RPC_ERRORS, responses(bodies, errors, cached=False))
    example = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    schema = schema_named("JsonRpcMessage")
    content = {JSON: {"schema": schema, "examples": {"the tools": {"value": example}}}}
    return {
        **_item("PostMcp", "Send one message of the Model Context Protocol.", {}),
        "requestBody": {"required": True, "content": content},
        "responses": {
            **answers,
            "202": {"description": "The notification was accepted; it has no response."},
            "404": _rpc_error("Since 2026-07-28: the method is unknown."),
        },
    }


def _item(name: str, summary: str, answers: PathItem) -> PathItem:
    item = {"operationId": name, "summary": summary, "description": DESCRIPTION}
    return {**item, "tags": ["Query"], "responses": answers}


def _rpc_error(description: str) -> PathItem:
    content = {JSON: {"schema": schema_named("JsonRpcFailure")}}
    return {"description": description, "content": content}


def _message(members: Mapping[str, PathItem], required: list[str]) -> PathItem:
    """Return the schema of a JSON-RPC response with some of these members."""
    return {
        "type": "object",
        "properties": {"jsonrpc": {"const": "2.0"}, "id": _ID, **members},
        "required": ["jsonrpc", "id", *required],
        "additionalProperties": False,
    }
