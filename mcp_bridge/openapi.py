"""OpenAPI path items of the MCP endpoint and its description."""

from collections.abc import Iterator, Mapping

from mcp_bridge.description import DESCRIPTION, MAX_BODY, PATH
from mcp_bridge.protocol.jsonrpc import MAX_ID, MAX_METHOD
from rest_bridge.openapi.responses import (
    COMMON_ERRORS,
    SCHEMAS,
    PathItem,
    references_to,
    responses,
)
from rest_bridge.representations.rendering import JSON, MARKDOWN, TEXT
from sdl.errors import ForbiddenError, MethodNotAllowedError, TimedOutError, UnavailableError

EVENTS = "text/event-stream"
_RPC_ERRORS = ("400", "403", "406", "408", "413", "415", "500", "503")
"""The statuses of errors in JSON-RPC's form; the others occur before the message is read."""
_TEXT = {"type": "string"}
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
    "properties": {"code": {"type": "integer"}, "message": _TEXT, "data": {}},
    "required": ["code", "message"],
    "additionalProperties": False,
}
_LISTED = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"title": _TEXT, "description": _TEXT},
        "required": ["title", "description"],
    },
}
_DESCRIPTION = {
    "type": "object",
    "description": "The address of the MCP endpoint, its limits, and everything it lists.",
    "properties": {
        **dict.fromkeys(("name", "path"), _TEXT),
        "protocolVersions": {"type": "array", "items": _TEXT},
        **dict.fromkeys(("tools", "resources", "prompts"), _LISTED),
    },
    "required": ["name", "path", "protocolVersions", "tools", "resources", "prompts"],
}


def mcp_items() -> Iterator[tuple[str, PathItem]]:
    """Yield the path of the endpoint and of its description with its item."""
    bodies = {JSON: _reference("McpDescription"), MARKDOWN: _TEXT, TEXT: _TEXT}
    errors = [*COMMON_ERRORS, ForbiddenError, MethodNotAllowedError]
    summary = "The tools, resources and prompts of the MCP server."
    description = _item("GetMcp", summary, _with_rpc_errors(responses(bodies, errors)))
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
    bodies = {JSON: _reference("JsonRpcResponse"), EVENTS: _TEXT}
    errors = [*COMMON_ERRORS, ForbiddenError, TimedOutError, UnavailableError]
    answers = _with_rpc_errors(responses(bodies, errors, cached=False))
    example = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    schema = _reference("JsonRpcMessage")
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


def _reference(name: str) -> PathItem:
    return {"$ref": f"{SCHEMAS}{name}"}


def _item(name: str, summary: str, answers: PathItem) -> PathItem:
    item = {"operationId": name, "summary": summary, "description": DESCRIPTION}
    return {**item, "tags": ["Query"], "responses": answers}


def _with_rpc_errors(answers: PathItem) -> PathItem:
    """Return the responses with the errors that come in JSON-RPC's form."""
    refusal = {"$ref": "#/components/responses/JsonRpcRefused"}
    later = {"503": {"$ref": "#/components/responses/JsonRpcDelayed"}}
    return {
        status: later.get(status, refusal) if status in _RPC_ERRORS else answer
        for status, answer in answers.items()
    }


def _rpc_error(description: str) -> PathItem:
    content = {JSON: {"schema": _reference("JsonRpcFailure")}}
    return {"description": description, "content": content}


def _message(members: Mapping[str, PathItem], required: list[str]) -> PathItem:
    """Return the schema of a JSON-RPC response with some of these members."""
    return {
        "type": "object",
        "properties": {"jsonrpc": {"const": "2.0"}, "id": _ID, **members},
        "required": ["jsonrpc", "id", *required],
        "additionalProperties": False,
    }
