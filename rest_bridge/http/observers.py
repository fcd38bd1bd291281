"""Who is told of each finished request: a hook for measuring, empty unless something measures."""

from typing import Protocol


class RequestObserver(Protocol):
    """Is told of a request when it is logged."""

    def __call__(  # noqa: PLR0913 - what is known of a request
        self, *, route: str, status: int, seconds: float, agent: str, path: str, is_verified: bool
    ) -> None:
        """Note a request; `agent` is what the caller says it is, in the body or in `User-Agent`.

        `path` is what was asked for; empty for a request that is answered again. `is_verified` says
        that an agent signed it.
        """
        ...


request_observers: list[RequestObserver] = []
"""The observers of this process."""


def observe_request(  # noqa: PLR0913 - what is known of a request
    route: str, status: int, seconds: float, agent: str, path: str, *, is_verified: bool = False
) -> None:
    """Tell every observer of a request."""
    for observer in request_observers:
        observer(
            route=route,
            status=status,
            seconds=seconds,
            agent=agent,
            path=path,
            is_verified=is_verified,
        )
