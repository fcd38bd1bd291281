"""JSON-RPC 2.0: one message read, one answer written. Knows no method.

Source: JSON-RPC 2.0, without batches; MCP 2026-07-28, basic (an id is a text or a whole number).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from sdl.errors import StudioError, StudiographError
from sdl.strict_json import MAX_INTEGER

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND = -32700, -32600, -32601
INVALID_PARAMS, INTERNAL_ERROR = -32602, -32603
RESOURCE_NOT_FOUND = -32002
"""What revisions before 2026-07-28 say of an unknown resource."""
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022

MAX_NAMES = 50
MAX_ID = 256
MAX_METHOD = 128

Id = str | int | None


class JsonRpcError(StudiographError):
    """A message that is not served: a code of the protocol and a text of ours."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


@dataclass(frozen=True)
class Message:
    """A request, or a notification, which has no id and gets no answer."""

    method: str
    params: Mapping[str, Any]
    id: Id = None


@dataclass(frozen=True)
class Result:
    """What a method answers: a JSON object as bytes, and what stands beside it."""

    body: bytes
    fresh_seconds: int | None = None
    """How long a list or a reading may be reused."""
    meta: Mapping[str, Any] = field(default_factory=dict)


def read_message(value: Any) -> Message:
    """The message in a JSON value. Raises: Refusal."""
    if isinstance(value, list):
        raise JsonRpcError(INVALID_REQUEST, "Batches are not taken: send one message at a time.")
    if not isinstance(value, dict):
        raise JsonRpcError(INVALID_REQUEST, "A message is a JSON object.")
    if "id" in value and id_of(value) is None:
        text = f"An id is a text of at most {MAX_ID} characters or a whole number within 2^53-1."
        raise JsonRpcError(INVALID_REQUEST, text)
    if value.get("jsonrpc") != "2.0":
        raise JsonRpcError(
            INVALID_REQUEST, 'A message has the member "jsonrpc" with the value "2.0".'
        )
    method, params = value.get("method"), value.get("params", {})
    if not isinstance(method, str) or not 0 < len(method) <= MAX_METHOD:
        text = f"A message names its method in at most {MAX_METHOD} characters."
        raise JsonRpcError(INVALID_REQUEST, text)
    if not isinstance(params, dict):
        code = INVALID_PARAMS if isinstance(params, list) else INVALID_REQUEST
        raise JsonRpcError(code, "The params of a message are a JSON object.")
    return Message(method, params, id_of(value))


def id_of(value: Any) -> Id:
    """The id of a message, where it is one."""
    found = value.get("id") if isinstance(value, dict) else None
    if isinstance(found, str):
        return found if len(found) <= MAX_ID else None
    if isinstance(found, int) and not isinstance(found, bool):
        return found if abs(found) <= MAX_INTEGER else None
    return None


def result_message(asked: Id, result: bytes) -> bytes:
    """The answer to a request."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (orjson.dumps(asked), result)


def error_message(asked: Id, refusal: JsonRpcError) -> bytes:
    """The answer to what is not served; its id is null where the message has none."""
    error: dict[str, Any] = {"code": refusal.code, "message": refusal.message}
    if refusal.data is not None:
        error["data"] = refusal.data
    return orjson.dumps({"jsonrpc": "2.0", "id": asked, "error": error})


def problem_document(error: StudioError) -> dict[str, Any]:
    """An error of ours as data: its code, its text and everything that is wrong."""
    found: dict[str, Any] = {
        "error": error.code,
        "title": error.title,
        "status": error.status,
        "detail": error.detail,
    }
    if error.problems:
        found["fields"] = [
            {"path": fault.path, "rule": fault.rule}
            | ({"allowed": truncate_names(fault.allowed)} if fault.allowed else {})
            for fault in error.problems
        ]
    return found


def truncate_names(names: Sequence[str]) -> list[str]:
    """The names, or the first of them and how many there are."""
    if len(names) <= MAX_NAMES:
        return list(names)
    return [*names[:MAX_NAMES], f"… ({len(names)} in all)"]


def error_text(error: StudioError) -> str:
    """An error of ours as text: one line for each thing that is wrong, with what is allowed."""
    lines = [error.detail]
    for fault in error.problems:
        allowed = f" (allowed: {', '.join(truncate_names(fault.allowed))})" if fault.allowed else ""
        lines.append(f"- {fault.path}: {fault.rule}{allowed}")
    return "\n".join(lines)
