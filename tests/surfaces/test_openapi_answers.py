"""The OpenAPI description against what answers: every path, form, value, example and refusal."""

import re
from collections import defaultdict
from pathlib import Path

import pytest
from local_service import Ask, asking
from openapi_description import (
    ANSWERED_ELSEWHERE,
    METHODS,
    Description,
    asked,
    bodies,
    examples,
    first_body,
    good,
    suffixed,
    values,
)
from starlette.routing import Route, Router

from rest_bridge.http.endpoint import SAFE_METHODS
from rest_bridge.http.middleware import RequestGuard
from sdl.running.runner import Operations, Snapshot
from studiograph.asgi import build
from studiograph.settings import Settings

GRAPHQL = "/api/graphql"


@pytest.fixture(scope="module")
def description(ask: Ask) -> Description:
    """The description, as it is read."""
    return Description(ask("/openapi.json").json())


def test_every_route_is_described_and_nothing_else(
    description: Description, service: RequestGuard
) -> None:
    assert isinstance(service.app, Router)
    routes = [route.path for route in service.app.routes if isinstance(route, Route)]
    assert len(routes) == len(service.app.routes)
    assert sorted(routes) == sorted([*description.whole["paths"], *suffixed(description)])


def test_every_method_that_a_path_takes_is_described(description: Description, ask: Ask) -> None:
    described: dict[str, set[str]] = defaultdict(set)
    for operation in description.operations:
        described[operation.path].add(operation.method.upper())
    for path, methods in described.items():
        operation = next(o for o in description.operations if o.path == path)
        taken = ask(description.addresses(operation)[0], "OPTIONS").headers["allow"].split(", ")
        reads = {"HEAD"} if "GET" in methods else set()
        assert set(taken) == methods | reads | {"OPTIONS"}, path


def test_every_address_answers_in_every_form_as_described(
    description: Description, ask: Ask
) -> None:
    answered = 0
    for operation in description.operations:
        if str(operation) in ANSWERED_ELSEWHERE:
            continue
        for here in description.addresses(operation):
            for form in description.forms(operation):
                query = description.required(operation)
                if str(operation) == f"GET {GRAPHQL}" and "graphql" in form:
                    query = {"query": "{ thesis }"}
                if operation.method == "get" and form == "text/event-stream":
                    asks = description.parameters(operation, "query")
                    query = {name: values(parameter)[0] for name, parameter in asks.items()}
                given = {"headers": {"accept": form}, **first_body(operation)}
                response = ask(asked(here, query), operation.method, **given)
                assert response.status_code == 200, f"{operation} {form}"
                assert response.headers["content-type"].partition(";")[0] == form
                assert description.faults(operation, response) == []
                answered += 1
    assert answered > 150


def test_every_example_of_a_read_answers_as_described(
    description: Description, operations: Operations, reading: Snapshot, ask: Ask
) -> None:
    answered = 0
    for operation in operations:
        for where, status in examples(operation, reading):
            response = ask(where)
            assert response.status_code == status, where
            path = operation.rest.path if operation.rest else ""
            assert description.faults(description.operation(path), response) == []
            answered += 1
    assert answered > 40


def test_every_body_that_is_shown_is_answered(description: Description, ask: Ask) -> None:
    shown = [
        (o, body)
        for o in description.operations
        if str(o) not in ANSWERED_ELSEWHERE
        for body in bodies(o)
    ]
    assert len(shown) > 2
    for operation, body in shown:
        response = ask(operation.path, operation.method, **body)
        assert response.status_code == 200
        assert description.faults(operation, response) == []


@pytest.mark.parametrize("method", [*METHODS, "connect", "purge"])
def test_a_wrong_method_is_answered_405_with_the_right_ones(
    description: Description, ask: Ask, method: str
) -> None:
    problem, refusal = "#/components/schemas/Problem", "#/components/schemas/GraphqlRefusal"
    for operation in description.operations:
        taken = {o.method.upper() for o in description.operations if o.path == operation.path}
        reads = set(SAFE_METHODS) if "GET" in taken else {"OPTIONS", "HEAD"}
        if method.upper() not in taken | reads:
            response = ask(good(description, operation), method.upper())
            assert response.status_code == 405
            allowed = taken | {"OPTIONS"} | ({"HEAD"} if "GET" in taken else set())
            assert set(response.headers["allow"].split(", ")) == allowed
            form = refusal if operation.path == GRAPHQL else problem
            assert description.wrong(form, response.json()) == []


def test_a_path_that_is_not_described_does_not_answer(description: Description, ask: Ask) -> None:
    all_paths = (*description.whole["paths"], *suffixed(description))
    known = [re.sub(r"\{\w+\}", "[^/]+", each) for each in all_paths]
    for path in all_paths:
        for other in (f"{path}/", f"{path}/x", f"{path}.txt", path.upper()):
            if "{" in path or path == "/" or any(re.fullmatch(each, other) for each in known):
                continue
            response = ask(other)
            if other.endswith("/"):
                assert response.headers["location"] == path
                continue
            assert response.status_code == 404, other
            assert description.wrong("#/components/schemas/Problem", response.json()) == []


def test_readiness_is_described_when_the_content_is_not_sound(
    description: Description, operations: Operations, folder: Path, tmp_path: Path
) -> None:
    service = build(Settings(content=folder, data=tmp_path / "data"), operations=operations)
    response = asking(service)("/readyz")
    assert description.faults(description.operation("/readyz"), response) == []
