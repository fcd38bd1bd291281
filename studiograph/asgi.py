"""The service over HTTP: the application behind its routes and the request guard."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from functools import partial

from starlette.types import ASGIApp

from resolvers.ai.embedding_count import Bar, no_bar
from resolvers.executable_schema import public_part, public_sdl
from resolvers.http_client.targets import TargetPolicy
from resolvers.jobs.store import STORE
from rest_bridge.document_list import DOCUMENTS
from rest_bridge.endpoints.health import health_routes
from rest_bridge.http.access_log import access_log
from rest_bridge.http.client_address import caller_of
from rest_bridge.http.middleware import RequestGuard
from rest_bridge.server.preparation import prepare
from sdl.running.public_query import PublicQueries
from sdl.running.runner import Operations, Snapshot
from studiograph.application import Application, index_entries, make_application, own_operations
from studiograph.reload import running
from studiograph.settings import LOCAL_HOSTS, Settings
from studiograph.wiring.background import delivering, mail_service, working
from studiograph.wiring.documents import documents_of, options_of
from studiograph.wiring.metrics import measuring
from studiograph.wiring.services import agent_verification, counting
from surfaces.assembly import Assembly, GraphQL

Beside = Callable[[Application, ASGIApp], AbstractAsyncContextManager[None]]
"""What runs while the service does, given its application and the service itself."""
EXAMPLE_QUERY = "{ projects { slug name domains { name } } }"
"""The query that the documentation of GraphQL shows."""


def _paths(snapshot: Snapshot) -> Iterator[str]:
    """Yield every path of the index that can be asked for as it is."""
    for entry in index_entries(snapshot):
        for path in (entry.path, entry.reading_path):
            if "?" not in path and "{" not in path:
                yield path


@asynccontextmanager
async def _run(
    app: Application,
    asgi: ASGIApp,
    queries: PublicQueries,
    beside: AbstractAsyncContextManager[None],
) -> AsyncIterator[None]:
    """Follow the content, take mails and work on jobs until the block ends."""
    async with (
        app.lifespan(),
        running(prepare(asgi, app.current, _paths, queries.prepare)),
        working(app) as background,
        mail_service(app, background.mailbox, background.queue),
        nullcontext() if app.services.preview else delivering(background),
        measuring(app),
        nullcontext() if app.services.preview else counting(app.settings, app.services.usage),
        beside,
    ):
        yield


def _written(operations: Operations) -> list[str]:
    """Return the requests that change something, each with its title."""
    writes = operations.write_operations.items()
    firsts = [(path, method, next(iter(forms.values()))) for (path, method), forms in writes]
    return [
        f"POST {path} ({first.title.lower()})"
        for path, method, first in firsts
        if method == "POST" and not first.is_query and first.rest and not first.rest.while_connected
    ]


def build(  # noqa: PLR0913 - keywords name all but the first
    settings: Settings,
    *,
    watch: bool = False,
    preview: bool = False,
    operations: Operations | None = None,
    destinations: TargetPolicy | None = None,
    beside: Beside = lambda _app, _service: nullcontext(),
    bar: Bar = no_bar,
) -> RequestGuard:
    """Build the ASGI application; the bar shows how many texts are embedded.

    Raises: what `make_application` raises.
    """
    operations = operations or own_operations()
    queries = PublicQueries(public_part(operations.schema), writes=_written(operations))
    app = make_application(
        settings,
        watch=watch,
        preview=preview,
        operations=operations,
        destinations=destinations,
        prepare=queries.prepare,
    )
    current, services = app.current, app.services
    services.models.bar = bar
    access_log.trusted = settings.trusted_proxies

    def more_state() -> dict[str, str]:
        mode = {"mode": "preview"} if services.preview else {}
        jobs = {"jobs": "unavailable"} if STORE.fault else {}
        return {"answers": services.models.state, **jobs, **mode}

    service, asgi = Assembly(
        operations=operations,
        current=current,
        base_url=settings.public_url,
        documents=documents_of(settings),
        related=[d for d in DOCUMENTS if d.is_there(current())],
        tools=options_of(settings),
        caller_of=partial(caller_of, trusted=settings.trusted_proxies),
        graphql=GraphQL(queries, public_sdl, EXAMPLE_QUERY),
        limits=services.limit_texts,
        more_members=services.public_keys,
        agent_of=agent_verification(settings, services.webhooks.outbound),
        today=lambda: services.proofs.clock().date(),
        more_routes=health_routes(lambda: {**current.state, **more_state()}),
        # a preview answers to no name of a page that leads here
        hosts=LOCAL_HOSTS if services.preview else settings.hosts,
        keeps_answers=True,
        preview=services.preview,
    ).application()
    asgi.lifespan_context = lambda _: _run(app, asgi, queries, beside(app, service))
    return service
