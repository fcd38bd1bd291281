"""Whether the service lives, and whether it serves what its owner wrote last."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from rest_bridge.body import refuse_body
from rest_bridge.methods import check_method, options
from rest_bridge.negotiation import negotiate
from rest_bridge.parameters import refuse_parameters
from rest_bridge.response_items import EVERYWHERE, Item, closed, responses
from schema.directives import MEDIA_TYPES

LIVE, READY = "/healthz", "/readyz"
JSON = MEDIA_TYPES["JSON"]

State = Mapping[str, str]


@dataclass(frozen=True)
class Health:
    """The ASGI application of one path that tells a state."""

    path: str
    state: Callable[[], State]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises: StudioError."""
        scope["studiograph.route"] = self.path
        response = self._answer(Request(scope))
        await response(scope, receive, send)

    def _answer(self, request: Request) -> Response:
        check_method(request)
        if request.method == "OPTIONS":
            return options()
        refuse_body(request.headers)
        refuse_parameters(request)
        negotiate(request.headers, [JSON])
        data = orjson.dumps(self.state())
        headers = {"cache-control": "no-store", "content-length": str(len(data))}
        body = b"" if request.method == "HEAD" else data
        return Response(body, headers=headers, media_type=JSON)


def health_routes(ready: Callable[[], State]) -> list[BaseRoute]:
    """The routes of both."""
    live = Health(LIVE, lambda: {"status": "ok"})
    return [Route(LIVE, live), Route(READY, Health(READY, ready))]


def health_items() -> Iterator[tuple[str, Item]]:
    """Both as OpenAPI path items."""
    status = {"status": {"const": "ok"}}
    yield LIVE, _item("GetHealth", "Whether the service lives.", status)
    content = {"enum": ["current", "stale"], "description": "Stale: the last change is not sound."}
    models = {
        "enum": ["ready", "loading", "unavailable"],
        "description": "Whether search, chat, embeddings and intent answer.",
    }
    told = {
        "status": {"const": "ready"},
        "revision": {"type": "string"},
        "content": content,
        "answers": models,
    }
    yield READY, _item("GetReadiness", "Whether it serves what was written last.", told)


def _item(name: str, summary: str, told: Mapping[str, object]) -> Item:
    found = responses({JSON: closed(told)}, EVERYWHERE, kept=False)
    told_of = {"operationId": name, "summary": summary, "description": summary}
    return {"get": {**told_of, "responses": found}}
