"""The MCP server: answers each message by itself and keeps no session.

Source: MCP 2024-11-05 to 2025-11-25 (with a handshake) and 2026-07-28 (without).
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import orjson
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect

from mcp_bridge import prompts, resources
from mcp_bridge.listing import ServerListing, listing_of, registry_of
from mcp_bridge.protocol.jsonrpc import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    Id,
    JsonRpcError,
    Message,
    Request,
    Result,
    Watch,
    error_message,
    id_of,
    read_message,
    result_message,
    to_its_end,
)
from mcp_bridge.protocol.protocol_versions import (
    DISCOVER,
    HANDSHAKE,
    SERVER_INFO,
    STATELESS,
    check_notification,
    version_of,
)
from mcp_bridge.tools import all_tools as tools
from mcp_bridge.tools.all_tools import ToolOptions
from sdl.arguments.strict_json import read_json
from sdl.caller import Caller
from sdl.errors import ApiError, InternalError
from sdl.operations.catalog import READ
from sdl.running.runner import CurrentSnapshot, Operations

LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
FRESH_SECONDS = 300
"""How long clients may reuse a list."""
STATUSES = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
    INTERNAL_ERROR: 500,
}
"""The HTTP status of each error code since 2026-07-28."""
ALWAYS = (PARSE_ERROR, INVALID_REQUEST, HEADER_MISMATCH, UNSUPPORTED_VERSION)
"""The codes with that status in every version; before 2026-07-28 the others have status 200."""

PONG = b"{}"
NO_OPTIONS = ToolOptions()

LISTEN = "subscriptions/listen"
CANCELLED = "notifications/cancelled"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
TOOLS_CHANGED = "toolsListChanged"
"""The one kind of notification that a client can ask for here."""
POLL_SECONDS = 0.5
MAX_SECONDS = 3600
"""How long a stream lasts; then it ends in order, and a client opens another one."""

_FLAGS = (TOOLS_CHANGED, "promptsListChanged", "resourcesListChanged")

error_log = logging.getLogger("studiograph.faults")


@dataclass(frozen=True)
class Subscription:
    """The stream that answers one request."""

    id: Id
    """The id of the request."""
    messages: Callable[[Callable[[], bool]], AsyncGenerator[bytes, None]]
    """Yields messages until its argument returns true, the last of them the response."""


@dataclass(frozen=True)
class Answer:
    """The response to a message, None for a notification, and its status for HTTP."""

    body: bytes | None
    status: int = 200
    subscription: Subscription | None = None
    """The stream that is sent instead of one response."""
    cancels: Id = None
    """The id of the request that a notification cancels."""


Method = Callable[[Request], Awaitable[Result]]


class Server:
    """Answers messages from stored operations."""

    def __init__(
        self,
        operations: Operations,
        current: CurrentSnapshot,
        index: str,
        options: ToolOptions = NO_OPTIONS,
    ) -> None:
        """Check the tools; `index` is the path of the index. Raises: OperationError."""
        self.registry = registry_of(operations, options)
        self._current = current
        self._index = index
        shared: dict[str, Method] = {
            **dict.fromkeys(LISTS, self._list),
            "tools/call": partial(tools.call, self.registry.tools),
            "resources/read": partial(
                resources.read, self.registry.readable, READ in self.registry.tools
            ),
            "prompts/get": partial(prompts.get, self.registry.prompts),
            "completion/complete": partial(
                prompts.complete, self.registry.prompts, self.registry.resources
            ),
        }
        declared = {*self.listing.capabilities}
        shared = {n: own for n, own in shared.items() if _capability_of(n) in declared}
        self._stateless: dict[str, Method] = {**shared, DISCOVER: self._list}
        if self.registry.skills:
            get = partial(resources.get_skill, self.registry.skills, FRESH_SECONDS)
            self._stateless |= {resources.LIST_SKILLS: self._list, resources.GET_SKILL: get}
        self._handshake: dict[str, Method] = {
            **shared,
            "initialize": self._initialize,
            "ping": _ping,
        }
        tools.check_tools(self.registry.tools, self.listing.tools, options)
        self.listing.lists  # noqa: B018 - built now, so that an error in it stops the start

    @property
    def is_live(self) -> bool:
        """Whether each call runs for its caller."""
        return self._current().is_live

    @property
    def listing(self) -> ServerListing:
        """The listing of the current snapshot."""
        return listing_of(self.registry, self._current())

    async def exchange(
        self, text: bytes, headers: Headers | None, caller: Caller, watch: Watch = to_its_end
    ) -> Answer:
        """Return the answer to one message; `headers` is None on stdio.

        On stdio only requests are answered. Source: JSON-RPC 2.0 section 4.1.
        Raises: ClientDisconnect if `watch` does.
        """
        request_id: Id = None
        value: Any = None
        version = STATELESS  # used for the status of an error before the version is known
        try:
            value = read_json(text, "message")
            request_id = id_of(value)
            message = read_message(value)
            if request_id is None:
                check_notification(headers)
                return Answer(None, 202, cancels=cancelled_by(message))
            version = version_of(message, headers)
            if message.method == LISTEN and version == STATELESS:
                stream = subscription(message, lambda: self.listing)
                return Answer(None, subscription=stream)
            return Answer(await self._run_method(message, version, caller, watch))
        except ApiError as problem:  # the text is not valid JSON
            error = JsonRpcError.of(PARSE_ERROR, problem)
        except JsonRpcError as raised:
            error = raised
        if headers is None and _expects_no_response(value):
            return Answer(None, 202)
        return Answer(error_message(request_id, error), _status(error, version))

    async def _run_method(
        self, message: Message, version: str, caller: Caller, watch: Watch
    ) -> bytes:
        """Return the response to a request, with its result.

        Raises: JsonRpcError, ClientDisconnect.
        """
        methods = self._stateless if version == STATELESS else self._handshake
        method = methods.get(message.method)
        if method is None:
            known = sorted({*methods, LISTEN} if version == STATELESS else methods)
            named = f" in version {version}" if version else ""
            text = f"Unknown method{named}. The methods are: {', '.join(known)}."
            raise JsonRpcError(METHOD_NOT_FOUND, text, {"methods": known})
        snapshot = self._current()
        try:
            result = await method(Request(message, version, snapshot, caller, self._index, watch))
        except (JsonRpcError, ClientDisconnect):
            raise
        except ApiError as error:
            if isinstance(error, InternalError):
                error_log.error("MCP %s failed", message.method, exc_info=error)
            raise JsonRpcError.of(INTERNAL_ERROR, error) from None
        except Exception:  # noqa: BLE001 - an internal error must have the protocol's form
            error_log.exception("MCP %s failed", message.method)
            raise JsonRpcError(INTERNAL_ERROR, "Internal error; it has been logged.") from None
        listing = listing_of(self.registry, snapshot)
        is_discovery = message.method == DISCOVER
        body = _with_version_members(result, version, listing, is_discovery=is_discovery)
        return result_message(message.id, body)

    async def _list(self, request: Request) -> Result:
        if request.params.get("cursor") is not None:
            raise JsonRpcError(INVALID_PARAMS, "The list has one page; leave out the cursor.")
        listing = listing_of(self.registry, request.snapshot)
        return Result(listing.lists[request.message.method], FRESH_SECONDS)

    async def _initialize(self, request: Request) -> Result:
        requested = request.params.get("protocolVersion")
        if not isinstance(requested, str):
            raise JsonRpcError(INVALID_PARAMS, "The protocolVersion must be a string.")
        for name in ("capabilities", "clientInfo"):
            if not isinstance(request.params.get(name, {}), dict):
                raise JsonRpcError(INVALID_PARAMS, f"The {name} must be a JSON object.")
        listing = listing_of(self.registry, request.snapshot)
        members = {
            "protocolVersion": requested if requested in HANDSHAKE else HANDSHAKE[-1],
            "capabilities": listing.capabilities,
            "serverInfo": listing.implementation,
            "instructions": listing.instructions,
        }
        return Result(orjson.dumps(members))


def _capability_of(method: str) -> str:
    """Return the capability that a method belongs to."""
    name = method.partition("/")[0]
    return "completions" if name == "completion" else name


async def _ping(_: Request) -> Result:
    return Result(PONG)


def _expects_no_response(value: Any) -> bool:
    """Whether a JSON value is a response or a notification, valid or not."""
    if not isinstance(value, dict):
        return False
    return "result" in value or "error" in value or ("method" in value and "id" not in value)


def _with_version_members(
    result: Result, version: str, listing: ServerListing, *, is_discovery: bool
) -> bytes:
    """Return the result's JSON with the members that the version adds, and its `_meta`."""
    members: dict[str, Any] = {}
    meta = dict(result.meta)
    snapshot = listing.snapshot
    if snapshot.revision is not None and result.body != PONG:
        meta[f"{snapshot.words.prefix}/revision"] = snapshot.revision
    if version == STATELESS:
        meta[SERVER_INFO] = listing.implementation if is_discovery else listing.short_name
        members["resultType"] = "complete"
        if result.fresh_seconds is not None:
            members |= {"ttlMs": result.fresh_seconds * 1000, "cacheScope": result.cache_scope}
    if meta:
        members["_meta"] = meta
    if not members:
        return result.body
    # The body may be long and cached, so its JSON is joined and not encoded again.
    return orjson.dumps(members)[:-1] + b"," + result.body[1:]


def _status(error: JsonRpcError, version: str) -> int:
    if version == STATELESS or error.code in ALWAYS:
        return STATUSES.get(error.code, 200)
    return 200


def subscription(message: Message, current: Callable[[], ServerListing]) -> Subscription:
    """Return the stream that a request asks for. Raises: JsonRpcError.

    Of the lists only that of the tools depends on the content: it names slugs and sections.
    Source: MCP 2026-07-28, basic/patterns/subscriptions.
    """
    asked = _filter(message.params.get("notifications"))
    honoured = {TOOLS_CHANGED: True} if asked.get(TOOLS_CHANGED) else {}
    meta = {SUBSCRIPTION: message.id}
    listing = current()

    async def messages(is_over: Callable[[], bool]) -> AsyncGenerator[bytes, None]:
        seen, end = listing, time.monotonic() + MAX_SECONDS
        acknowledged = {"notifications": honoured, "_meta": meta}
        yield _notification("notifications/subscriptions/acknowledged", acknowledged)
        while not is_over() and time.monotonic() < end:
            await asyncio.sleep(POLL_SECONDS)
            now = current()
            if honoured and now is not seen and now.tools != seen.tools:
                yield _notification("notifications/tools/list_changed", {"_meta": meta})
            seen = now
        yield result_message(message.id, orjson.dumps({"resultType": "complete", "_meta": meta}))

    return Subscription(message.id, messages)


def cancelled_by(message: Message) -> Id:
    """Return the id of the request that a notification cancels; None if it cancels none."""
    requested = message.params.get("requestId") if message.method == CANCELLED else None
    return requested if isinstance(requested, str | int) else None


def _filter(value: Any) -> dict[str, Any]:
    """Return what a client asks to be told. Raises: JsonRpcError."""
    if not isinstance(value, dict):
        text = "The notifications must be an object that says what to listen for."
        raise JsonRpcError(INVALID_PARAMS, text)
    wrong = [name for name in _FLAGS if not isinstance(value.get(name, False), bool)]
    if wrong:
        raise JsonRpcError(INVALID_PARAMS, f"{' and '.join(wrong)} must be true or false.")
    uris = value.get("resourceSubscriptions", [])
    if not isinstance(uris, list) or not all(isinstance(uri, str) for uri in uris):
        raise JsonRpcError(INVALID_PARAMS, "resourceSubscriptions must be a list of URIs.")
    return value


def _notification(method: str, params: dict[str, Any]) -> bytes:
    return orjson.dumps({"jsonrpc": "2.0", "method": method, "params": params})
