"""Who asks, as far as it matters to what is asked for. Reads no request."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class Channel(StrEnum):
    """The way on which a caller came."""

    HTTP = "http"
    MCP = "mcp"
    MAIL = "mail"


@dataclass(frozen=True)
class RateLimitStatus:
    """What a budget says after one call was counted. Units: seconds."""

    limit_name: str
    limit: int
    window_seconds: int
    remaining: int
    reset_seconds: int


class StopSignal(Protocol):
    """Something that is set once, and can be waited for."""

    async def wait(self) -> object:
        """Nothing, once it is set."""
        ...


@dataclass(frozen=True)
class Caller:
    """One caller of one operation."""

    address: str
    """The network address behind trusted proxies; empty where there is none."""
    channel: Channel
    rate_limits: list[RateLimitStatus] = field(default_factory=list)
    """What the run took from budgets."""
    stop: StopSignal | None = None
    """Set when what is not told soon is not told any more: the service stops."""
