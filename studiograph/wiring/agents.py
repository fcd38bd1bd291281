"""The verification of agents that sign their requests, where the owner has asked for it."""

from starlette.types import Scope

from resolvers.http_client.client import OutboundClient
from rest_bridge.endpoints.write import AgentOf
from sdl.caller import Agent
from studiograph.settings import Settings


def agent_verification(settings: Settings, outbound: OutboundClient) -> AgentOf | None:
    """Return what verifies the agent of a request; None if no signatures are verified."""
    if settings.agent_signatures == "off":
        return None
    from resolvers.agent_identity.key_directories import (  # noqa: PLC0415 - http_sf, 0.04 s, and by default nothing is verified
        KeyDirectories,
    )
    from resolvers.agent_identity.signed_request import RequestHead  # noqa: PLC0415 - as above
    from resolvers.agent_identity.verifier import AgentVerifier  # noqa: PLC0415 - as above

    directories = KeyDirectories(outbound, f"studiograph-agents/1 (+{settings.public_url})")
    verifier = AgentVerifier(directories, outbound.destinations)

    async def agent_of(scope: Scope) -> Agent | None:
        headers = [
            (name.decode("latin-1"), text.decode("latin-1")) for name, text in scope["headers"]
        ]
        head = RequestHead(scope["method"], settings.public_url, _target(scope), headers)
        return await verifier.agent_of(head)

    return agent_of


def _target(scope: Scope) -> str:
    """Return the path and the query, as sent."""
    path: bytes = (scope.get("raw_path") or scope["path"].encode()).partition(b"?")[0]
    query: bytes = scope["query_string"]
    return (path + b"?" + query if query else path).decode("latin-1")
