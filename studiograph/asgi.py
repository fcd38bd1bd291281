"""The service over HTTP: the application behind its routes and the request guard."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from mcp_bridge.http import McpHttp, mcp_routes
from mcp_bridge.server import Server
from resolvers.executable_schema import public_schema
from resolvers.http_client.targets import TargetPolicy
from rest_bridge.discovery.documents import document_routes
from rest_bridge.document_list import DOCUMENTS
from rest_bridge.endpoints.graphql import graphql_routes
from rest_bridge.endpoints.health import health_routes
from rest_bridge.http.client_address import caller_of
from rest_bridge.http.middleware import RequestGuard
from rest_bridge.http.responses import index_path, links
from rest_bridge.routes import relations_of, router, write_routes
from sdl.runner import Operations
from studiograph.application import Application, make_application
from studiograph.settings import Settings
from studiograph.wiring.jobs import delivering, working
from studiograph.wiring.mail import mail_service
from studiograph.wiring.mcp import DOCUMENTS as MCP_DOCUMENTS

EXAMPLE_QUERY = "{ projects { slug name domains { name } } }"
"""The query that the documentation of GraphQL shows."""


@asynccontextmanager
async def _run(app: Application) -> AsyncIterator[None]:
    """Follow the content, take mails and work on jobs until the block ends."""
    async with (
        app.lifespan(),
        working(app) as background,
        mail_service(app, background.mailbox, background.queue),
        delivering(app, background),
    ):
        yield


def build(
    settings: Settings,
    *,
    watch: bool = False,
    operations: Operations | None = None,
    destinations: TargetPolicy | None = None,
) -> RequestGuard:
    """Build the ASGI application. Raises: what `make_application` raises."""
    app = make_application(settings, watch=watch, operations=operations, destinations=destinations)
    operations, current, services = app.operations, app.current, app.services
    relations = relations_of(operations, DOCUMENTS)
    public = public_schema()
    schema = public._schema  # noqa: SLF001 - as above
    callers = partial(caller_of, trusted=settings.trusted_proxies)
    mcp = McpHttp(
        Server(operations, current, index_path(relations)),
        settings.public_url,
        relations,
        lambda scope: callers(scope).address,
    )
    documents = (*DOCUMENTS, *MCP_DOCUMENTS)
    asgi = router(
        operations,
        current,
        relations,
        [
            *write_routes(
                operations,
                current,
                callers,
                services.limit_texts,
                relations,
                more_members=services.public_keys,
            ),
            *graphql_routes(schema, public.as_str(), EXAMPLE_QUERY, current, relations),
            *mcp_routes(mcp),
            *document_routes(documents, current, relations, lambda: services.proofs.clock().date()),
            *health_routes(lambda: {**current.state, "answers": services.models.state}),
        ],
    )
    asgi.lifespan_context = lambda _: _run(app)
    return RequestGuard(asgi, settings.hosts, ", ".join(links(relations)))
