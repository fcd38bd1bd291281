"""The caller of an operation: address, channel, rate limits, stop signal."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol


class Channel(StrEnum):
    """The interface that a caller uses."""

    HTTP = "http"
    MCP = "mcp"
    MAIL = "mail"


@dataclass(frozen=True)
class RateLimitStatus:
    """The state of one rate limit after a call was counted. Units: seconds."""

    limit_name: str
    limit: int
    window_seconds: int
    remaining: int
    reset_seconds: int


class StopSignal(Protocol):
    """An event that is set once, when the service stops."""

    async def wait(self) -> object:
        """Wait until it is set."""
        ...


@dataclass(frozen=True)
class Agent:
    """An agent that has signed its request, and whose key was found where it publishes it."""

    host: str
    domain: str
    """The registered domain of the host, by which its calls are counted."""


@dataclass(frozen=True)
class Caller:
    """One caller of one operation."""

    address: str
    """The network address behind trusted proxies; empty if there is none."""
    channel: Channel
    rate_limits: list[RateLimitStatus] = field(default_factory=list)
    """The state of each rate limit that the call counted for."""
    names: list[str] = field(default_factory=list)
    """The names that it gives itself in its calls, for the log of requests."""
    tools: list[str] = field(default_factory=list)
    """The MCP tools that it calls, for the log of requests."""
    identity: str = ""
    """Who calls, where the address does not say it: a digest of the sender of a mail."""
    agent: Agent | None = None
    """The agent that signed the request; None if none did, or that is not known."""
    stop: StopSignal | None = None
    """Set when the service stops, so that a long answer can end early."""
    request: Any = field(default=None, repr=False, compare=False)
    """The HTTP request that brought the call; None on stdio. Live resolvers find it in `info`."""
    response: Any = field(default=None, repr=False, compare=False)
    """Where live resolvers set a status and headers, as in Strawberry's own views."""
