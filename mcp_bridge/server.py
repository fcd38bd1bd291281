"""The dispatcher: one message in, one answer out, nothing remembered between them.

Source: MCP 2024-11-05 to 2025-11-25 by handshake, 2026-07-28 by what each request says itself.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from starlette.datastructures import Headers

from mcp_bridge import completion, prompts, resources, tools
from mcp_bridge.messages import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    Id,
    Message,
    Refusal,
    Result,
    answered,
    id_of,
    problem_of,
    read_message,
    refused,
    told,
)
from mcp_bridge.offer import Catalogue, Offer, offer_of
from mcp_bridge.revisions import (
    DISCOVER,
    HANDSHAKE,
    SERVER_INFO,
    STATELESS,
    check_notification,
    revision_of,
)
from schema.caller import Caller
from schema.errors import Internal, StudioError
from schema.json_text import read_json
from sdl.runner import Now, Operations, Reading

FRESH_SECONDS = 300
"""How long a list may be reused."""
STATUSES = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
    INTERNAL_ERROR: 500,
}
"""The HTTP status of a refusal since 2026-07-28."""
ALWAYS = (PARSE_ERROR, INVALID_REQUEST, HEADER_MISMATCH, UNSUPPORTED_VERSION)
"""The refusals with that status in every revision; before it, others are answers with 200."""

faults = logging.getLogger("studiograph.faults")


@dataclass(frozen=True)
class Answer:
    """What goes back: nothing for a notification. The status is for HTTP alone."""

    body: bytes | None
    status: int = 200


@dataclass(frozen=True)
class Request:
    """A message with what it is answered from."""

    message: Message
    revision: str
    reading: Reading
    offer: Offer
    caller: Caller

    @property
    def params(self) -> Mapping[str, Any]:
        """The message's params."""
        return self.message.params


Method = Callable[[Request], Awaitable[Result]]


class Server:
    """Answers messages from stored operations. Raises: OperationError for tools that do not fit."""

    def __init__(self, operations: Operations, now: Now, render: tools.Render) -> None:
        self.catalogue = Catalogue(operations)
        self.now = now
        self._render = render
        listing = dict.fromkeys(
            ("tools/list", "resources/list", "resources/templates/list", "prompts/list"), _list
        )
        shared: dict[str, Method] = {
            **listing,
            "tools/call": self._call,
            "resources/read": self._read,
            "prompts/get": self._prompt,
            "completion/complete": self._complete,
        }
        self._methods: dict[bool, dict[str, Method]] = {
            True: {**shared, DISCOVER: _list},
            False: {**shared, "initialize": _initialize, "ping": _ping},
        }
        tools.check_tools(self.catalogue.tools, self.offer.tools)
        self.offer.lists  # noqa: B018 - made now, so that no fault in it waits for a caller

    @property
    def offer(self) -> Offer:
        """What is announced now."""
        return offer_of(self.catalogue, self.now())

    async def exchange(self, text: bytes, headers: Headers | None, caller: Caller) -> Answer:
        """The answer to one message; without headers, it came on stdio.

        There what is no request is never answered. Source: JSON-RPC 2.0 section 4.1.
        """
        asked: Id = None
        value: Any = None
        revision = STATELESS  # what is refused before it is known has the status of this one
        try:
            value = read_json(text, "message")
            asked = id_of(value)
            message = read_message(value)
            if asked is None:
                check_notification(headers)
                return Answer(None, 202)
            revision = revision_of(message, headers)
            return Answer(await self._answer(message, revision, caller))
        except StudioError as error:  # of the JSON text
            refusal = Refusal(PARSE_ERROR, told(error), problem_of(error))
        except Refusal as found:
            refusal = found
        if headers is None and _is_no_request(value):
            return Answer(None, 202)
        return Answer(refused(asked, refusal), _status(refusal, revision))

    async def _answer(self, message: Message, revision: str, caller: Caller) -> bytes:
        method = self._methods[revision == STATELESS].get(message.method)
        if method is None:
            raise Refusal(METHOD_NOT_FOUND, "There is no such method in this revision.")
        reading = self.now()
        offer = offer_of(self.catalogue, reading)
        try:
            result = await method(Request(message, revision, reading, offer, caller))
        except Refusal:
            raise
        except StudioError as error:
            if isinstance(error, Internal):
                faults.error("MCP %s failed", message.method, exc_info=error)
            raise Refusal(INTERNAL_ERROR, told(error), problem_of(error)) from None
        except Exception:  # noqa: BLE001 - a fault of ours has the protocol's form here
            faults.exception("MCP %s failed", message.method)
            raise Refusal(INTERNAL_ERROR, "The fault is ours; the log knows it.") from None
        return answered(message.id, _framed(result, revision, offer))

    async def _call(self, asked: Request) -> Result:
        found = self.catalogue.tools
        return await tools.call(found, asked.params, asked.reading, asked.caller, self._render)

    async def _read(self, asked: Request) -> Result:
        found = self.catalogue.resources
        return resources.read(found, asked.params, asked.reading, self._render, asked.revision)

    async def _prompt(self, asked: Request) -> Result:
        found = self.catalogue.prompts
        return await prompts.get(found, asked.params, asked.reading, asked.caller, self._render)

    async def _complete(self, asked: Request) -> Result:
        known = self.catalogue
        return completion.complete(known.prompts, known.resources, asked.params, asked.reading)


def _is_no_request(value: Any) -> bool:
    """Whether it is an answer, or a notification, however odd."""
    if not isinstance(value, dict):
        return False
    return "result" in value or "error" in value or ("method" in value and "id" not in value)


async def _list(asked: Request) -> Result:
    if asked.params.get("cursor") is not None:
        raise Refusal(INVALID_PARAMS, "The list has one page: leave the cursor out.")
    return Result(asked.offer.lists[asked.message.method], FRESH_SECONDS)


async def _ping(_: Request) -> Result:
    return Result(b"{}")


async def _initialize(asked: Request) -> Result:
    wanted = asked.params.get("protocolVersion")
    if not isinstance(wanted, str):
        raise Refusal(INVALID_PARAMS, "initialize names a protocolVersion, a text.")
    told_of = {
        "protocolVersion": wanted if wanted in HANDSHAKE else HANDSHAKE[-1],
        "capabilities": asked.offer.capabilities,
        "serverInfo": asked.offer.implementation,
        "instructions": asked.offer.instructions,
    }
    return Result(orjson.dumps(told_of))


def _framed(result: Result, revision: str, offer: Offer) -> bytes:
    """The result with what the revision puts beside it; what is kept is not written again."""
    beside: dict[str, Any] = {}
    meta = dict(result.meta)
    if revision == STATELESS:
        meta[SERVER_INFO] = offer.implementation
        beside["resultType"] = "complete"
        if result.fresh_seconds is not None:
            beside |= {"ttlMs": result.fresh_seconds * 1000, "cacheScope": "public"}
    if meta:
        beside["_meta"] = meta
    if not beside:
        return result.body
    return orjson.dumps(beside)[:-1] + b"," + result.body[1:]


def _status(refusal: Refusal, revision: str) -> int:
    if revision == STATELESS or refusal.code in ALWAYS:
        return STATUSES.get(refusal.code, 200)
    return 200
