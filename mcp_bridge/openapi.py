"""OpenAPI path items of the MCP endpoint: one message posted, and what it gets."""

from collections.abc import Iterator, Mapping

from mcp_bridge.description import DESCRIPTION, MAX_BODY, PATH
from mcp_bridge.jsonrpc import MAX_ID, MAX_METHOD
from rest_bridge.http.rendering import JSON, MARKDOWN, TEXT
from rest_bridge.openapi.responses import COMMON_ERRORS, SUFFIX_ERRORS, PathItem, responses
from sdl.catalog import with_suffix
from sdl.errors import ForbiddenError, MethodNotAllowedError, TimedOutError

EVENTS = "text/event-stream"
_OWN = ("400", "403", "406", "408", "413", "415", "500")
"""The refusals that come in JSON-RPC's form; the others come before the message is read."""
_TEXT = {"type": "string"}
_ID = {"type": ["string", "integer", "null"], "maxLength": MAX_ID}
_MESSAGE = {
    "type": "object",
    "description": (
        f"A JSON-RPC 2.0 request, or a notification without an id, of at most {MAX_BODY} bytes:"
        " integers within 2^53-1, no U+0000."
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
_DESCRIPTION = {
    "type": "object",
    "properties": {"name": _TEXT, "path": _TEXT, "protocolVersions": {"type": "array"}},
    "required": ["name", "path", "protocolVersions", "tools", "resources", "prompts"],
}


def mcp_items() -> Iterator[tuple[str, PathItem]]:
    """The paths of the endpoint and of its description, each with its item."""
    told = {JSON: _DESCRIPTION, MARKDOWN: _TEXT, TEXT: _TEXT}
    asked = _own(responses(told, [*COMMON_ERRORS, ForbiddenError, MethodNotAllowedError]))
    yield PATH, {"get": _named("GetMcp", "What MCP offers here.", asked), "post": _posted()}
    for suffix, form in ((".md", MARKDOWN), (".json", JSON)):
        name, found = f"GetMcpAs{suffix[1:].title()}", responses({form: told[form]}, SUFFIX_ERRORS)
        yield with_suffix(PATH, suffix), {"get": _named(name, "What MCP offers here.", found)}


def _posted() -> PathItem:
    answers = {JSON: _answer({"result": {"type": "object"}, "error": _ERROR}), EVENTS: _TEXT}
    refused = [*COMMON_ERRORS, ForbiddenError, TimedOutError]
    found = _own(responses(answers, refused, cached=False))
    example = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    content = {JSON: {"schema": _MESSAGE, "examples": {"the tools": {"value": example}}}}
    return {
        **_named("PostMcp", "One message of the Model Context Protocol.", {}),
        "requestBody": {"required": True, "content": content},
        "responses": {
            **found,
            "202": {"description": "A notification was taken; it has no answer and no effect."},
            "404": _refusal("Since 2026-07-28: there is no such method."),
        },
    }


def _named(name: str, summary: str, found: PathItem) -> PathItem:
    told = {"operationId": name, "summary": summary, "description": DESCRIPTION}
    return {**told, "tags": ["Query"], "responses": found}


def _own(found: PathItem) -> PathItem:
    """The responses, the errors of which come in JSON-RPC's form."""
    return {
        status: _refusal("The message is refused.") if status in _OWN else told
        for status, told in found.items()
    }


def _refusal(description: str) -> PathItem:
    schema = _answer({"error": _ERROR})
    return {"description": description, "content": {JSON: {"schema": schema}}}


def _answer(members: Mapping[str, PathItem]) -> PathItem:
    """One of the members beside the id."""
    return {
        "type": "object",
        "properties": {"jsonrpc": {"const": "2.0"}, "id": _ID, **members},
        "required": ["jsonrpc", "id"],
        "oneOf": [{"required": [name]} for name in members],
        "additionalProperties": False,
    }
