"""`subscriptions/listen`: a stream that says when a reload has changed the list of tools.

Of the lists only that of the tools depends on the content: it names slugs and sections.
Source: MCP 2026-07-28, basic/patterns/subscriptions.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Any

import orjson

from mcp_bridge.listing import ServerListing
from mcp_bridge.protocol.jsonrpc import INVALID_PARAMS, Id, JsonRpcError, Message, result_message

LISTEN = "subscriptions/listen"
CANCELLED = "notifications/cancelled"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
TOOLS_CHANGED = "toolsListChanged"
"""The one kind of notification that a client can ask for here."""
POLL_SECONDS = 0.5
MAX_SECONDS = 3600
"""How long a stream lasts; then it ends in order, and a client opens another one."""

_FLAGS = (TOOLS_CHANGED, "promptsListChanged", "resourcesListChanged")


@dataclass(frozen=True)
class Subscription:
    """The stream that answers one request."""

    id: Id
    """The id of the request."""
    messages: Callable[[Callable[[], bool]], AsyncGenerator[bytes, None]]
    """Yields messages until its argument returns true, the last of them the response."""


def subscription(message: Message, current: Callable[[], ServerListing]) -> Subscription:
    """Return the stream that a request asks for. Raises: JsonRpcError."""
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
