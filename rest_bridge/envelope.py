"""Signed forms of what stored operations say: one envelope a path, or one a section."""

from collections.abc import Mapping
from dataclasses import dataclass

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from rest_bridge.body import refuse_body
from rest_bridge.methods import check_method, options
from rest_bridge.negotiation import negotiate
from rest_bridge.parameters import plain_parameters
from rest_bridge.replies import Relations, Representation, links
from rest_bridge.resource import JSON, reading_headers
from schema.errors import Fault, InvalidInput, UnknownSection
from sdl.operation import Operation
from sdl.runner import Now, Reading

SECTION = "section"


@dataclass(frozen=True)
class Envelopes:
    """The ASGI application of one path: the envelope of its one operation, or of each section's."""

    path: str
    sections: Mapping[str | None, Operation]
    """The operation behind each section; behind none, where the path itself names the operation."""
    now: Now
    relations: Relations

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises: StudioError."""
        scope["studiograph.route"] = self.path
        response = self._answer(Request(scope))
        await response(scope, receive, send)

    def _answer(self, request: Request) -> Response:
        check_method(request)
        if request.method == "OPTIONS":
            return options()
        refuse_body(request.headers)
        negotiate(request.headers, [JSON])
        operation = self.sections[self._section(request)]
        representation = self._keep(self.now(), operation)
        return representation.reply(request.headers, head=request.method == "HEAD")

    def _section(self, request: Request) -> str | None:
        known = [section for section in self.sections if section is not None]
        given = plain_parameters(request)
        allowed = (SECTION,) if known else ()
        wrong = [
            Fault(name[:64], "unknown parameter", allowed)
            for name, _ in given
            if name not in allowed
        ]
        if len(given) > 1 and not wrong:
            wrong = [Fault(SECTION, "must be given once")]
        if wrong:
            raise InvalidInput("The request's parameters do not fit this path.", wrong)
        section = given[0][1] if given else None
        if section not in self.sections:
            rule = "is not a signed section" if given else "is required"
            raise UnknownSection("Name one signed section.", [Fault(SECTION, rule, tuple(known))])
        return section

    def _keep(self, reading: Reading, operation: Operation) -> Representation:
        key = ("envelope", operation.name)
        kept: Representation | None = reading.kept.get(key)
        if kept is None:
            body = orjson.dumps(reading.signed(operation))
            headers = reading_headers(reading, operation, links(self.relations))
            kept = reading.kept[key] = Representation.of(body, JSON, headers)
        return kept
