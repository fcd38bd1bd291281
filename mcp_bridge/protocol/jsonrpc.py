"""JSON-RPC 2.0: read messages, write results and errors.

Source: JSON-RPC 2.0, without batches; MCP 2026-07-28, basic (an id is a string or an integer).
"""

import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from rest_bridge.representations.markdown import markdown_document
from rest_bridge.representations.rendering import Places, rendered
from rest_bridge.representations.responses import problem_members
from sdl.arguments.strict_json import MAX_INTEGER
from sdl.caller import Caller
from sdl.errors import ApiError, StudiographError
from sdl.operations.operation import Operation
from sdl.running.runner import Snapshot
from sdl.tools.code_in_text import inline_code
from sdl.types.shape import Shape

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND = -32700, -32600, -32601
INVALID_PARAMS, INTERNAL_ERROR = -32602, -32603
RESOURCE_NOT_FOUND = -32002
"""The code for an unknown resource in protocol versions before 2026-07-28."""
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022

RETRY = "retryAfterSeconds"
"""The key of an error's data with what `Retry-After` says over HTTP; of 429 and 503 alone."""
MAX_NAMES = 50
MAX_ID = 256
MAX_METHOD = 128

Id = str | int | None

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9-]*(?:\.[0-9]+(?:\.[A-Za-z]+)?)?")
"""A place as ours are named, such as `messages.0.content`; any other is a caller's word."""


class JsonRpcError(StudiographError):
    """An error response: a code of the protocol, a message of ours, and data."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    @classmethod
    def of(cls, code: int, error: ApiError) -> "JsonRpcError":
        """Return an error of the service in the protocol's form."""
        return cls(code, error_text(error), problem_document(error))


@dataclass(frozen=True)
class Message:
    """A request, or a notification, which has no id and gets no response."""

    method: str
    params: Mapping[str, Any]
    id: Id = None


@dataclass(frozen=True)
class Result:
    """The result of a method: a JSON object as bytes, its freshness and its `_meta`."""

    body: bytes
    fresh_seconds: int | None = None
    """How long clients may reuse the result; None if nothing is said of it."""
    meta: Mapping[str, Any] = field(default_factory=dict)
    cache_scope: str = "public"


def read_message(value: Any) -> Message:
    """Return the message in a JSON value. Raises: JsonRpcError."""
    if isinstance(value, list):
        raise JsonRpcError(
            INVALID_REQUEST, "Batches are not supported; send one message at a time."
        )
    if not isinstance(value, dict):
        raise JsonRpcError(INVALID_REQUEST, "A message must be a JSON object.")
    if "id" in value and id_of(value) is None:
        rule = f"a string of at most {MAX_ID} characters or an integer within 2^53-1"
        raise JsonRpcError(INVALID_REQUEST, f"The id must be {rule}.")
    if value.get("jsonrpc") != "2.0":
        raise JsonRpcError(INVALID_REQUEST, 'The member "jsonrpc" must be "2.0".')
    if "method" in value and ("result" in value or "error" in value):
        text = "A message is a request or a response: it has a method, or a result or an error."
        raise JsonRpcError(INVALID_REQUEST, text)
    method, params = value.get("method"), value.get("params", {})
    if not isinstance(method, str) or not 0 < len(method) <= MAX_METHOD:
        text = f"The method must be a string of 1 to {MAX_METHOD} characters."
        raise JsonRpcError(INVALID_REQUEST, text)
    if not isinstance(params, dict):
        code = INVALID_PARAMS if isinstance(params, list) else INVALID_REQUEST
        raise JsonRpcError(code, "The params must be a JSON object.")
    return Message(method, params, id_of(value))


def id_of(value: Any) -> Id:
    """Return the id of a message; None if it has no valid one."""
    candidate = value.get("id") if isinstance(value, dict) else None
    if isinstance(candidate, str):
        return candidate if len(candidate) <= MAX_ID else None
    if isinstance(candidate, int) and not isinstance(candidate, bool):
        return candidate if abs(candidate) <= MAX_INTEGER else None
    return None


def result_message(request_id: Id, result: bytes) -> bytes:
    """Return the response to a request."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (orjson.dumps(request_id), result)


def error_message(request_id: Id, error: JsonRpcError) -> bytes:
    """Return the error response; its id is null if the message has no valid id."""
    members: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        members["data"] = error.data
    return orjson.dumps({"jsonrpc": "2.0", "id": request_id, "error": members})


def problem_document(error: ApiError) -> dict[str, Any]:
    """Return an error as data: code, text, every problem of the input, when to try again."""
    members = problem_members(error, names=truncate_names)
    return members | ({RETRY: error.retry_seconds} if error.retry_seconds else {})


def truncate_names(names: Sequence[str]) -> list[str]:
    """Return the names; of too many, the first ones and their total."""
    if len(names) <= MAX_NAMES:
        return list(names)
    return [*names[:MAX_NAMES], f"… ({len(names)} in all)"]


def error_text(error: ApiError) -> str:
    """Return an error as text: its detail, a line for each problem, and when to try again."""
    lines = [error.detail]
    for problem in error.problems:
        names = ", ".join(truncate_names(problem.allowed))
        allowed = f" (allowed: {names})" if problem.allowed else ""
        name = problem.path if _PLAIN.fullmatch(problem.path) else inline_code(problem.path)
        lines.append(f"- {name}: {problem.rule}{allowed}")
    if error.retry_seconds:
        lines.append(f"Retry-After: {error.retry_seconds}")
    return "\n".join(lines)


Work = Coroutine[Any, Any, Any]
Watch = Callable[[Id, Work], Work]
"""Does the work of the request with this id; cancels it when the caller leaves or cancels it.

Raises: ClientDisconnect if it was cancelled.
"""


async def to_its_end(_: Id, work: Work) -> Any:
    """Do the work of a caller that cannot be seen to leave."""
    return await work


@dataclass(frozen=True)
class Request:
    """A message with its protocol version, its caller and the snapshot to answer it from."""

    message: Message
    version: str
    snapshot: Snapshot
    caller: Caller
    index: str
    """The path of the index, which markdown begins with."""
    watch: Watch = to_its_end

    @property
    def params(self) -> Mapping[str, Any]:
        """The message's params."""
        return self.message.params

    async def while_connected(self, work: Work) -> Any:
        """Return the result of the work. Raises: ClientDisconnect."""
        return await self.watch(self.message.id, work)

    def text(self, operation: Operation, body: Any, media_type: str) -> str:
        """Return the body of an operation as a text, as HTTP sends it in this media type."""
        return rendered(operation, operation.shape, body, media_type, Places(self.index)).decode()

    @property
    def base_url(self) -> str:
        """The address of this service."""
        return str(self.snapshot.directory["baseUrl"])

    def markdown(
        self, operation: Operation, shape: Shape, body: Any, addresses: Sequence[str] = ()
    ) -> str:
        """Return a body, or a part of one, as markdown; a text stays as it is."""
        if isinstance(body, str):
            return body
        shape, body = operation.unwrapped(shape, body)
        return markdown_document(
            operation.title, shape, body, addresses, is_foreign=not operation.is_strict
        )
