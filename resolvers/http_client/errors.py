"""Why something could not be sent to another host. No address and no answer stands in a text.

OutboundFault
├── Blocked      the host, or one of its addresses, is none that we connect to
├── Unreachable  no address, no connection, no TLS, or a connection that broke
├── TooSlow      no whole answer in time
└── Unreadable   no HTTP, or an answer in a coding
"""

from typing import ClassVar

from sdl.errors import StudiographError


class OutboundError(StudiographError):
    """No answer came, for a reason in words of ours."""

    reason: ClassVar[str] = "failed"

    def __init__(self) -> None:
        super().__init__(self.reason)


class BlockedTargetError(OutboundError):
    """We do not connect there."""

    reason = "blocked: the host is not public"


class ConnectionFailedError(OutboundError):
    """There is nobody to talk to."""

    reason = "unreachable: no address, no connection or no valid TLS"


class OutboundTimeoutError(OutboundError):
    """The time was over before the answer was there."""

    reason = "too slow: no whole answer in time"


class InvalidResponseError(OutboundError):
    """What came is no answer that we read."""

    reason = "unreadable: not HTTP, or in a content coding"
