"""uvicorn's protocol, which wakes the application for portions of a body and not for each byte."""

from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from rest_bridge.http.response_cache import Key, key_of

PORTION = 16 * 1024
"""For so much of a body the application is woken, and for its end.

Every limit of a body is a multiple of it, so one byte too many wakes it too. Units: bytes.
"""


class PortionedProtocol(HttpToolsProtocol):
    """Hands bodies on in portions, knows what is open, and drops what nobody reads any more."""

    _body_bytes = 0
    _running: RequestResponseCycle | None = None
    """The request that the application has; `cycle` is the last one that came."""
    _previous: RequestResponseCycle | None = None
    """The request before the one that is being read, if it was not answered by then."""

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

    def _is_free(self) -> bool:
        """Whether an answer can be sent now: nothing is being sent, and the peer reads."""
        return not (
            self.flow.write_paused
            or self.transport.is_closing()
            or (self.cycle is not None and not self.cycle.response_complete)
        )

    def _key(self) -> Key | None:
        """Return the key of the request; None if no ready answer may be sent to it now."""
        parser = self.parser
        if (
            parser is None
            or parser.get_http_version() != "1.1"
            or not parser.should_keep_alive()
            or not self._is_free()
        ):
            return None
        return key_of(parser.get_method(), self.url, self.headers)

    def _waiting(self) -> RequestResponseCycle | None:
        """Return the last request that came whole and has no whole answer; None if there is none.

        What is incomplete behind it will not be answered.
        """
        if self.pipeline and self.pipeline[0][0].more_body:
            self.pipeline.popleft()
        for cycle in (self.cycle, self._previous):
            if cycle is not None and not cycle.more_body and not cycle.response_complete:
                return cycle
        return None

    def _is_response_open(self) -> bool:
        """Whether a response is being sent, so that no other may be written."""
        cycle = self.cycle
        return cycle is not None and bool(cycle.response_started) and not cycle.response_complete
