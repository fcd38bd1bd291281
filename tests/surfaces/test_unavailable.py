"""Every 503 says when to try again, whatever answers it and in whatever form."""

import ast
from pathlib import Path

import pytest
from local_service import Ask
from openapi_description import Description
from repository import ROOT
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router

from mcp_bridge.protocol.jsonrpc import RETRY, error_text, problem_document
from rest_bridge.http.endpoint import Endpoint
from rest_bridge.http.middleware import RequestGuard
from rest_bridge.representations.responses import error_headers, problem
from sdl.caller import RateLimitStatus
from sdl.errors import ApiError, FieldProblem, RateLimitedError, all_errors

UNAVAILABLE = [error for error in all_errors() if error.status == 503]
SOURCES = ("mcp_bridge", "rest_bridge", "resolvers", "schema", "sdl", "studiograph")
ACCEPTED = ("*/*", "application/json", "text/event-stream", "application/problem+json")
NUMBERED = {"sdl/errors.py", "resolvers/webhooks/retry_policy.py"}
"""Where the number stands: the errors, and the judgement of what receivers answer to us."""


def answered(endpoint: Endpoint, error: ApiError, method: str, accept: str) -> Response:
    """The response of an endpoint whose operation raises this error."""
    headers = [(b"host", b"localhost"), (b"accept", accept.encode())]
    request = Request({"type": "http", "method": method, "path": "/", "headers": headers})
    try:
        response = endpoint.error_response(error, request)
    except ApiError as raised:
        response = problem(raised, "0123456789abcdef")
    assert isinstance(response, Response)
    return response


@pytest.mark.parametrize("error", UNAVAILABLE)
def test_every_endpoint_says_when_to_try_again(
    error: type[ApiError], service: RequestGuard
) -> None:
    assert isinstance(service.app, Router)
    endpoints = {
        route.path: route.endpoint
        for route in service.app.routes
        if isinstance(route, Route) and isinstance(route.endpoint, Endpoint)
    }
    assert {"/api/contact", "/api/chat", "/api/graphql", "/mcp", "/healthz"} <= set(endpoints)
    wrong = []
    for path, endpoint in endpoints.items():
        for method in endpoint.methods:
            for accept in ACCEPTED:
                response = answered(endpoint, error("Not now."), method, accept)
                assert response.status_code == 503
                if response.headers.get("retry-after") != "5":
                    wrong.append((path, method, accept))
    assert wrong == []


def test_mcp_says_as_data_and_as_text_what_the_header_says() -> None:
    spent = RateLimitedError("Enough.", spent=RateLimitStatus("contact", 20, 3600, 0, 3580))
    said = {}
    problems = [FieldProblem("method", "is not known", ("GET",))]
    for error in [*(kind("Not now.", problems) for kind in all_errors()), spent]:
        header = error_headers(error).get("Retry-After", "")
        assert problem_document(error).get(RETRY) == (int(header) if header else None)
        assert error_text(error).partition("\nRetry-After: ")[2] == header
        said[error.status] = header
    assert {status: header for status, header in said.items() if header} == {429: "3580", 503: "5"}


def test_no_answer_is_given_that_number_by_other_means() -> None:
    files = [file for name in SOURCES for file in (ROOT / name).rglob("*.py")]

    def numbers(file: Path) -> list[int]:
        tree = ast.walk(ast.parse(file.read_text()))
        return [one.lineno for one in tree if isinstance(one, ast.Constant) and one.value == 503]

    found = {str(file.relative_to(ROOT)) for file in files if numbers(file)}
    assert found == NUMBERED


def test_every_503_is_described_with_the_time(ask: Ask) -> None:
    description = Description(ask("/openapi.json").json())
    described = [
        (str(operation), response)
        for operation in description.operations
        for status, response in operation.item["responses"].items()
        if status == "503"
    ]
    assert len(described) > 10
    for name, response in described:
        assert "Retry-After" in description.follow(response)[0]["headers"], name
