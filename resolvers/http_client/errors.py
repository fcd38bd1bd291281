"""The errors of outgoing requests. Their texts contain no address and nothing of the response.

OutboundError
├── BlockedTargetError     the host, or one of its addresses, is not allowed
├── ConnectionFailedError  no address, no connection, no TLS, or a connection that broke
├── OutboundTimeoutError   no complete response in time
└── InvalidResponseError   not HTTP, or a response in a content coding
"""

from typing import ClassVar

from sdl.errors import StudiographError


class OutboundError(StudiographError):
    """A request without a usable response; `reason` says why."""

    reason: ClassVar[str] = "failed"

    def __init__(self) -> None:
        super().__init__(self.reason)


class BlockedTargetError(OutboundError):
    """The target is not allowed."""

    reason = "blocked: the host is not public"


class ConnectionFailedError(OutboundError):
    """There is no connection to the host."""

    reason = "unreachable: no address, no connection or no valid TLS"


class OutboundTimeoutError(OutboundError):
    """The response was not complete in time."""

    reason = "too slow: no complete response in time"


class InvalidResponseError(OutboundError):
    """The response cannot be read."""

    reason = "unreadable: not HTTP, or in a content coding"
