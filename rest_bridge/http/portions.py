"""uvicorn's protocol, which wakes the application for portions of a body and not for each byte."""

from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

PORTION = 16 * 1024
"""For so much of a body the application is woken, and for its end.

Every limit of a body is a multiple of it, so one byte too many wakes it too. Units: bytes.
"""


class PortionedProtocol(HttpToolsProtocol):
    """Hands bodies on in portions, and drops requests whose connection is gone."""

    _body_bytes = 0
    _running: RequestResponseCycle | None = None
    """The request that the application has; `cycle` is the last one that came."""

    def connection_lost(self, exc: Exception | None) -> None:
        """Drop the requests that wait behind another, and tell that one: nobody reads answers."""
        self.pipeline.clear()
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()
        super().connection_lost(exc)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def on_headers_complete(self) -> None:
        """Begin a request."""
        self._body_bytes = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Keep what came of a body, and wake the application when there is more of it."""
        before, self._body_bytes = self._body_bytes, self._body_bytes + len(body)
        if (before - 1) // PORTION != (self._body_bytes - 1) // PORTION:
            super().on_body(body)
        elif self.cycle is not None and not self.cycle.response_complete:
            self.cycle.body += body
