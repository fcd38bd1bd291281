"""HTTP/1.1 as it arrives: what never becomes a request is answered and logged as all else is.

Source: RFC 9112 section 3.2 (an absolute target outranks Host; CONNECT names no path).
"""

import sys
from urllib.parse import urlsplit

import httptools
from starlette.responses import Response
from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from rest_bridge.guard import Exchange, Pseudonyms
from rest_bridge.methods import READS
from rest_bridge.replies import problem
from schema.errors import Fault, InvalidInput, MethodNotAllowed, StudioError

_pseudonyms = Pseudonyms()


class Wire(HttpToolsProtocol):
    """uvicorn's protocol, with answers of our own form to what its parser refuses."""

    def on_headers_complete(self) -> None:
        """Settle the target before the request begins."""
        if self.url == b"*":
            self.url = b"/"
        elif not self.url.startswith(b"/") and b"://" in self.url:
            authority = urlsplit(self.url.decode("latin-1")).netloc.encode("latin-1")
            self.headers[:] = [header for header in self.headers if header[0] != b"host"]
            self.headers.append((b"host", authority))
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """A problem document in place of the text, and the connection's end."""
        del msg
        error: StudioError = InvalidInput(
            "This is not a request of HTTP/1.1.", [Fault("request", "cannot be parsed")]
        )
        unknown = isinstance(sys.exception(), httptools.HttpParserInvalidMethodError)
        if unknown or (self.parser is not None and self.parser.get_method() == b"CONNECT"):
            error = MethodNotAllowed(
                "No path takes this method.", [Fault("method", "is not known", READS)]
            )
        scope: Scope = {"type": "http", "method": "-", "headers": [], "client": self.client}
        exchange = Exchange(scope, self._nowhere)
        response = problem(error, exchange.request_id)
        response.headers.update({"connection": "close", "x-content-type-options": "nosniff"})
        self.transport.write(_written(response))
        self.transport.close()
        exchange.status, exchange.bytes = response.status_code, len(response.body)
        exchange.log(_pseudonyms)

    async def _nowhere(self, _: object) -> None:
        """There is no application behind what is no request."""


def _written(response: Response) -> bytes:
    headers = b"".join(name + b": " + value + b"\r\n" for name, value in response.raw_headers)
    return STATUS_LINE[response.status_code] + headers + b"\r\n" + bytes(response.body)
