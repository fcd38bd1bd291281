"""MCP at the roof: the server over one assembly, and what of HTTP its bridge is lent."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Scope

from mcp_bridge.description import CARD, CARD_PATH, DESCRIPTION, PATH, server_card
from mcp_bridge.offer import Catalogue
from mcp_bridge.server import Server
from rest_bridge.body import content_type, read_body
from rest_bridge.documents import Document, Facts
from rest_bridge.fixed_page import FixedPage, fixed_page
from rest_bridge.negotiation import accepted, choose
from rest_bridge.quota import rate_headers
from rest_bridge.replies import Relations, error_headers, index_path
from rest_bridge.resource import written
from schema.caller import Caller, Spent
from schema.errors import StudioError
from sdl.cards import Card, suffixed
from sdl.operation import Operation
from sdl.runner import Now, Operations
from studiograph.mcp_items import mcp_items

CARD_ALIAS = "/.well-known/mcp/server-card.json"
CARDS = (Card("Query", "MCP", PATH, suffixed(PATH, ".md"), DESCRIPTION),)


def _card(facts: Facts) -> bytes:
    return server_card(facts.reading, Catalogue(facts.reading.operations))


DOCUMENTS = (
    Document(
        CARD_PATH,
        CARD,
        "MCP server card",
        "Where MCP is spoken here, and how.",
        _card,
        beside=dict(mcp_items()),
    ),
    Document(
        CARD_ALIAS,
        "application/json",
        "MCP server card, where some look for it",
        "The same card under a well-known path.",
        _card,
    ),
)


def mcp_server(operations: Operations, now: Now, relations: Relations) -> Server:
    """The server. Raises: OperationError for tools that clients could not read."""
    index = index_path(relations)

    def render(operation: Operation, body: Any, media_type: str) -> str:
        return written(operation, operation.shape, body, media_type, index).decode()

    return Server(operations, now, render)


class Lent:
    """What of HTTP the bridge to MCP is lent."""

    def __init__(self, relations: Relations, callers: Callable[[Scope], Caller]) -> None:
        self._relations = relations
        self._callers = callers

    async def body(self, request: Request, media_type: str, longest: int) -> bytes:
        """The whole body, if it is of that type. Raises: StudioError."""
        body = await read_body(request, longest)
        content_type(request, (media_type,))
        return body

    def choose(self, request: Request, offered: Sequence[str]) -> str | None:
        """The offered media type that the caller likes best, if any."""
        return choose(accepted(request.headers), offered)

    def page(self, path: str, told: bytes, markdown: str, form: str | None) -> ASGIApp:
        """A page in JSON and markdown, or in one of them, with its validators."""
        page = fixed_page(path, told, markdown, self._relations)
        return page if form is None else FixedPage(path, {form: page.forms[form]}, named=True)

    def address(self, request: Request) -> str:
        """The caller's network address."""
        return self._callers(request.scope).address

    def error_headers(self, error: StudioError) -> Mapping[str, str]:
        """The headers of an error's answer."""
        return error_headers(error)

    def budget_headers(self, spent: Sequence[Spent]) -> Mapping[str, str]:
        """What an answer says of the budgets that it took from."""
        return rate_headers(spent)
