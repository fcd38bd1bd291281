"""Tokens of OAuth: verified before a resolver runs, asked for where they are needed.

Source: RFC 6750; RFC 9728; MCP, "Authorization".
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from inspect import isawaitable
from typing import Any

import orjson
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mcp_bridge.description import PATH as MCP
from rest_bridge.discovery.documents import Document, DocumentContext
from rest_bridge.http.query_string import route_path
from rest_bridge.representations.rendering import JSON
from sdl.running.live_errors import ResolverError

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
    audience: str | Sequence[str] | None = None
    """What `aud` must have one of, if the claims have it; by default the address of the service,
    or that of its MCP server."""
    authorization_servers: Sequence[str] = ()
    """The issuers of tokens, which clients find by RFC 9728."""
    scopes: Sequence[str] = ()
    required: bool = False
    """Whether every call of an operation needs a token, not only what its permissions ask."""

    def __post_init__(self) -> None:
        """Raise `TypeError` for an argument that would only fail when it is used."""
        for name in ("authorization_servers", "scopes"):
            if isinstance(value := getattr(self, name), str):
                raise TypeError(f"{name}: give a list, such as [{value!r}].")
        if self.verify is not None and not callable(self.verify):
            raise TypeError("verify: give a function of the token that returns its claims.")

    def security(self) -> list[dict[str, list[str]]]:
        """Return the requirement of the OpenAPI description."""
        named: list[dict[str, list[str]]] = [{"bearer": []}]
        return named if self.required else [*named, {}]

    def challenge(self, url: str, path: str = "", error: str = "") -> str:
        """Return the value of `WWW-Authenticate` for a path."""
        metadata = f"{url}{RESOURCE_PATH}{MCP if path == MCP else ''}"
        said = {
            "resource_metadata": metadata if self.authorization_servers else "",
            "scope": " ".join(self.scopes),
            "error": error,
        }
        parts = (f'{name}="{value}"' for name, value in said.items() if value)
        return f"Bearer {', '.join(parts)}".rstrip()

    def documents(self, url: str) -> tuple[Document, ...]:
        """Return the documents that name the issuers, if there are any.

        Clients of MCP refuse one whose resource is not the address that they call.
        """
        if not self.authorization_servers:
            return ()
        note = "Who issues the tokens that this service takes."
        titles = {"": "Protected resource", MCP: "Protected MCP server"}
        return tuple(
            Document(
                f"{RESOURCE_PATH}{path}",
                JSON,
                title,
                note,
                partial(self._metadata, f"{url}{path}"),
                minor=True,
            )
            for path, title in titles.items()
        )

    def _metadata(self, resource: str, _: DocumentContext) -> bytes:
        metadata = {
            "resource": resource,
            "authorization_servers": [*self.authorization_servers],
            "bearer_methods_supported": ["header"],
            **({"scopes_supported": [*self.scopes]} if self.scopes else {}),
        }
        return orjson.dumps(metadata)


class BearerGuard:
    """Verifies a token, if one is sent, before the request is answered."""

    def __init__(self, app: ASGIApp, bearer: Bearer, url: str, free: Collection[str]) -> None:
        """Take the application, its address, and the paths that nobody needs a token for."""
        self._app = app
        self._bearer = bearer
        self._url = url
        own = bearer.audience or (url, f"{url}{MCP}")
        self._audiences = (own,) if isinstance(own, str) else tuple(own)
        self._free = frozenset(free)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises: ResolverError."""
        if scope["type"] == "http":
            claims: Claims | None = None
            if scope["method"] != "OPTIONS" and route_path(scope) not in self._free:
                claims = await self._checked(scope)
                send = partial(_send_private, send) if self._bearer.required else send
            scope.setdefault("state", {})[CLAIMS] = claims
        await self._app(scope, receive, send)

    async def _checked(self, scope: Scope) -> Claims | None:
        """Return the claims of the token; None if there is none, or nothing verifies it."""
        scheme, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
        is_bearer, token = scheme.lower() == "bearer", token.strip()
        if is_bearer and self._bearer.verify is not None:
            return await self._claims(token, scope)
        if self._bearer.required and not (is_bearer and token):
            raise self._refusal("This path needs a token: `Authorization: Bearer ...`.", scope, "")
        return None

    async def _claims(self, token: str, scope: Scope) -> Claims:
        verify = self._bearer.verify
        found = verify(token) if verify is not None else None
        claims = await found if isawaitable(found) else found
        if claims is None:
            raise self._refusal("The token is not valid: get a new one.", scope)
        if not isinstance(claims, Mapping):
            kind = type(claims).__name__
            raise TypeError(f"verify: return the claims as a mapping, or None, not a {kind}.")
        named = claims.get("aud", self._audiences[0])
        audiences = named if isinstance(named, list | tuple) else [named]
        if not any(own in audiences for own in self._audiences):
            text = f"The token is for another service: get one for {self._audiences[0]}."
            raise self._refusal(text, scope)
        return claims

    def _refusal(self, text: str, scope: Scope, error: str = "invalid_token") -> ResolverError:
        challenge = self._bearer.challenge(self._url, route_path(scope), error)
        return ResolverError(HTTPStatus.UNAUTHORIZED, text, {"www-authenticate": challenge})


async def _send_private(send: Send, message: Message) -> None:
    """Send a message; let no shared cache keep what needed a token. Source: RFC 9111 3.5."""
    if message["type"] == "http.response.start":
        headers = MutableHeaders(raw=[*message["headers"]])
        own = headers.get("cache-control", "private")
        headers["cache-control"] = own.replace("public", "private")
        headers.add_vary_header("Authorization")
        message = {**message, "headers": headers.raw}
    await send(message)
