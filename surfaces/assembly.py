"""The parts of one service, put together: routes, documents, the MCP server, the guard."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from urllib.parse import urlsplit

from starlette.routing import BaseRoute, Router
from starlette.types import ASGIApp, Scope

from mcp_bridge.protocol.http import McpHttp, mcp_routes
from mcp_bridge.protocol.server import Server
from mcp_bridge.tools.all_tools import ToolOptions
from rest_bridge.discovery.documents import Document, document_routes
from rest_bridge.endpoints.graphql import PATH, Queries, graphql_routes
from rest_bridge.endpoints.write import AgentOf, CallerOf
from rest_bridge.http.middleware import RequestGuard
from rest_bridge.http.ready_answers import ReadyAnswers
from rest_bridge.openapi.description import Limits, MoreMembers
from rest_bridge.representations.responses import Relations, index_path, links
from rest_bridge.routes import relations_of, router, write_routes
from sdl.running.runner import CurrentSnapshot, Operations


@dataclass(frozen=True)
class GraphQL:
    """The GraphQL endpoint: what runs its queries, the SDL, and a query that shows how."""

    queries: Queries
    sdl: Callable[[], str]
    example: str
    path: str = PATH


@dataclass(frozen=True, kw_only=True)
class Assembly:
    """What one service is made of."""

    operations: Operations
    current: CurrentSnapshot
    base_url: str
    documents: Sequence[Document]
    related: Sequence[Document]
    """The documents that every response links to, if they have a relation."""
    tools: ToolOptions
    caller_of: CallerOf
    graphql: GraphQL | None = None
    limits: Limits = field(default_factory=dict)
    """The limit of each budget, such as `30/hour`."""
    more_members: Mapping[str, MoreMembers] = field(default_factory=dict)
    """Additional members of the descriptions of writes, by the name of the operation."""
    agent_of: AgentOf | None = None
    """Verifies who signed a request."""
    today: Callable[[], date] = date.today
    more_routes: Sequence[BaseRoute] = ()
    hosts: Iterable[str] | None = None
    """The names that Host may have; None for any."""
    keeps_answers: bool = False
    """Whether answers are kept ready for the current snapshot."""
    wrap: Callable[[ASGIApp], ASGIApp] = lambda app: app
    """What stands between the guard and the routes."""
    challenge: str = "Bearer"
    """The `WWW-Authenticate` of a 401."""
    preview: bool = False

    def server(self) -> Server:
        """Return the MCP server. Raises: OperationError."""
        relations = self._relations()
        return Server(self.operations, self.current, index_path(relations), self.tools)

    def application(self) -> tuple[RequestGuard, Router]:
        """Return the ASGI application, and the router in it. Raises: OperationError."""
        relations = self._relations()
        mcp = McpHttp(self.server(), self.base_url, relations, self._address)
        # GraphQL comes first: no other single path is asked so often with different questions.
        own = self.graphql
        graphql = (
            graphql_routes(own.queries, own.sdl, own.example, self.current, relations, own.path)
            if own is not None
            else ()
        )
        routes = router(
            self.operations,
            self.current,
            relations,
            [
                *graphql,
                *write_routes(
                    self.operations,
                    self.current,
                    self.caller_of,
                    self.limits,
                    relations,
                    more_members=self.more_members,
                    agent_of=self.agent_of,
                ),
                *mcp_routes(mcp),
                *document_routes(self.documents, self.current, relations, self.today),
                *self.more_routes,
            ],
        )
        guard = RequestGuard(
            self.wrap(routes),
            self.hosts,
            ", ".join(links(relations)),
            ReadyAnswers(self.current) if self.keeps_answers else None,
            preview=self.preview,
            is_shared=not self.current().is_live,
            challenge=self.challenge,
        )
        return guard, routes

    def _relations(self) -> Relations:
        return relations_of(self.operations, self.related, urlsplit(self.base_url).path.rstrip("/"))

    def _address(self, scope: Scope) -> str:
        return self.caller_of(scope).address
