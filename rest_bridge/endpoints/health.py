"""The health endpoints: liveness, and readiness with the state of content and models."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from rest_bridge.http.body import check_no_body
from rest_bridge.http.endpoint import Endpoint
from rest_bridge.http.negotiation import negotiate
from rest_bridge.http.query_string import check_no_parameters
from rest_bridge.representations.rendering import JSON
from sdl.operations.catalog import IndexEntry

LIVE, READY = "/healthz", "/readyz"
_SECTION = "Health"
ENTRIES = (
    IndexEntry(
        _SECTION,
        "Health",
        LIVE,
        LIVE,
        "Whether the service is running.",
        (
            "health check",
            "is the service up or down",
            "uptime monitoring",
            "liveness probe of a container",
        ),
    ),
    IndexEntry(
        _SECTION,
        "Readiness",
        READY,
        READY,
        "Whether the newest content is being served.",
        (
            "readiness probe of a load balancer",
            "are the models for search and chat loaded",
            "is the newest or stale content served",
            "has the service finished starting",
        ),
    ),
)
"""What intent recommends; the index does not list them."""

State = Mapping[str, str]


@dataclass(frozen=True)
class HealthEndpoint(Endpoint):
    """The endpoint of one health path."""

    path: str
    state: Callable[[], State]

    async def answer(self, request: Request) -> Response:
        """Return the current state. Raises: ApiError."""
        check_no_body(request.headers)
        check_no_parameters(request)
        negotiate(request.headers, (JSON,))
        data = orjson.dumps(self.state())
        headers = {"cache-control": "no-store", "content-length": str(len(data))}
        return Response(b"" if request.method == "HEAD" else data, headers=headers, media_type=JSON)


def health_routes(ready: Callable[[], State]) -> list[BaseRoute]:
    """Return the routes of both health paths; `ready` reads the current state."""
    live = HealthEndpoint(LIVE, lambda: {"status": "ok"})
    return [Route(LIVE, live), Route(READY, HealthEndpoint(READY, ready))]
