"""Tokens of OAuth: verified before a resolver runs, asked for where they are needed.

Source: RFC 6750; RFC 9728; MCP, "Authorization".
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any

import orjson
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from rest_bridge.discovery.documents import Document, DocumentContext
from rest_bridge.http.query_string import route_path
from rest_bridge.representations.rendering import JSON
from sdl.errors import UnauthorizedError

RESOURCE_PATH = "/.well-known/oauth-protected-resource"
CLAIMS = "claims"
"""The name in `request.state` of what `verify` returned."""

Claims = Mapping[str, Any]
Verify = Callable[[str], Claims | Awaitable[Claims | None] | None]


@dataclass(frozen=True)
class Bearer:
    """How callers show who they are."""

    verify: Verify | None = None
    """Returns the claims of a token, None if it is not valid. Without it resolvers check it."""
    audience: str | None = None
    """What `aud` must have, if the claims have one; by default the address of the service."""
    authorization_servers: Sequence[str] = ()
    """The issuers of tokens, which clients find by RFC 9728."""
    scopes: Sequence[str] = ()
    required: bool = False
    """Whether every call of an operation needs a token, not only what its permissions ask."""

    def security(self) -> list[dict[str, list[str]]]:
        """Return the requirement of the OpenAPI description."""
        named: list[dict[str, list[str]]] = [{"bearer": []}]
        return named if self.required else [*named, {}]

    def challenge(self, url: str) -> str:
        """Return the value of `WWW-Authenticate`."""
        if not self.authorization_servers:
            return "Bearer"
        return f'Bearer resource_metadata="{url}{RESOURCE_PATH}"'

    def documents(self, url: str) -> tuple[Document, ...]:
        """Return the document that names the issuers, if there are any."""
        if not self.authorization_servers:
            return ()

        def make(_: DocumentContext) -> bytes:
            metadata = {
                "resource": url,
                "authorization_servers": [*self.authorization_servers],
                "bearer_methods_supported": ["header"],
                **({"scopes_supported": [*self.scopes]} if self.scopes else {}),
            }
            return orjson.dumps(metadata)

        title = "Protected resource"
        note = "Who issues the tokens that this service takes."
        return (Document(RESOURCE_PATH, JSON, title, note, make, minor=True),)


class BearerGuard:
    """Verifies a token, if one is sent, before the request is answered."""

    def __init__(self, app: ASGIApp, bearer: Bearer, audience: str, free: Collection[str]) -> None:
        """Take the application, and the paths that nobody needs a token for."""
        self._app = app
        self._bearer = bearer
        self._audience = bearer.audience or audience
        self._free = frozenset(free)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises: UnauthorizedError."""
        if scope["type"] == "http" and scope["method"] != "OPTIONS":
            scheme, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
            is_bearer, token = scheme.lower() == "bearer", token.strip()
            if is_bearer and self._bearer.verify is not None:
                scope.setdefault("state", {})[CLAIMS] = await self._claims(token)
            elif (
                self._bearer.required
                and route_path(scope) not in self._free
                and not (is_bearer and token)
            ):
                raise UnauthorizedError("This path needs a token: `Authorization: Bearer ...`.")
        await self._app(scope, receive, send)

    async def _claims(self, token: str) -> Claims:
        verify = self._bearer.verify
        found = verify(token) if verify is not None else None
        claims = await found if isawaitable(found) else found
        if claims is None:
            raise UnauthorizedError("The token is not valid: get a new one.")
        if not isinstance(claims, Mapping):
            kind = type(claims).__name__
            raise TypeError(f"verify: return the claims as a mapping, or None, not a {kind}.")
        audiences = claims.get("aud") or self._audience
        if self._audience not in ([audiences] if isinstance(audiences, str) else audiences):
            raise UnauthorizedError(
                f"The token is for another service: get one for {self._audience}."
            )
        return claims
