"""Requests to hosts and their responses."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from resolvers.http_client.targets import TargetUrl


@dataclass(frozen=True)
class OutboundRequest:
    """A request to a host."""

    method: str
    target: TargetUrl
    headers: Mapping[str, str]
    body: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True)
class OutboundResponse:
    """The response of a host, cut at the byte limit."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    """By lower-case name; values of a repeated header are joined by commas."""
    body: bytes = field(repr=False)
    is_complete: bool = True
