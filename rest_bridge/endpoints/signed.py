"""The endpoint of signed envelopes: of one operation, or of each section."""

from collections.abc import Mapping
from dataclasses import dataclass

import orjson
from starlette.requests import Request
from starlette.responses import Response

from rest_bridge.http.body import check_no_body
from rest_bridge.http.endpoint import Endpoint
from rest_bridge.http.negotiation import negotiate
from rest_bridge.http.query_string import plain_parameters
from rest_bridge.http.ready_answers import keepable
from rest_bridge.representations.rendering import JSON
from rest_bridge.representations.responses import Relations, Representation, cache_headers, links
from sdl.errors import FieldProblem, InvalidInputError, UnknownSectionError
from sdl.operations.operation import Operation
from sdl.running.runner import CurrentSnapshot

SECTION = "section"


@dataclass(frozen=True)
class SignedEndpoint(Endpoint):
    """The endpoint of one signed path."""

    path: str
    sections: Mapping[str | None, Operation]
    """The operation of each section; the key is None if the path has no `section` parameter."""
    current: CurrentSnapshot
    relations: Relations

    async def answer(self, request: Request) -> Response:
        """Return the signed envelope. Raises: ApiError."""
        check_no_body(request.headers)
        negotiate(request.headers, (JSON,))
        snapshot = self.current()
        operation = self.sections[self._section(request, self.sections)]
        if operation.sign is None or operation.sign.section is None:
            snapshot.check_path(operation, {})

        def build() -> Representation:
            body = orjson.dumps(snapshot.signed(operation))
            headers = cache_headers(snapshot, operation, links(self.relations))
            return Representation.build(body, JSON, headers)

        representation = snapshot.cached(("envelope", operation.name), build)
        keepable(request.scope, (JSON,))
        return representation.response(request.headers, head=request.method == "HEAD")

    @staticmethod
    def _section(request: Request, known: Mapping[str | None, Operation]) -> str | None:
        sections = [section for section in known if section is not None]
        parameters = plain_parameters(request)
        allowed = (SECTION,) if sections else ()
        problems = [
            FieldProblem(name[:64], "unknown parameter", allowed)
            for name, _ in parameters
            if name not in allowed
        ]
        if len(parameters) > 1 and not problems:
            problems = [FieldProblem(SECTION, "must be given once")]
        if problems:
            raise InvalidInputError("Some parameters are not valid here.", problems)
        section = parameters[0][1] if parameters else None
        if section not in known:
            rule = "is not a signed section" if parameters else "is required"
            raise UnknownSectionError(
                "Give the name of one signed section.",
                [FieldProblem(SECTION, rule, tuple(sections))],
            )
        return section
