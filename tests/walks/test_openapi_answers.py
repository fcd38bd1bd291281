"""The OpenAPI description against what answers: every path, form, value, example and refusal."""

import re
import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import SAMPLE, Ask, asking
from described import METHODS, Described, Description, asked, filled, values
from mcp_messages import headers_of, message
from starlette.routing import Route, Router

from mcp_bridge.description import PATH as MCP
from mcp_bridge.revisions import STATELESS
from rest_bridge.guard import MAX_HEADERS, MAX_URI, Guard
from rest_bridge.methods import READS
from sdl.runner import Operations
from studiograph.app import build
from studiograph.settings import Settings

GRAPHQL = "/api/graphql"
UNKNOWN = "nothing-has-this-name"
UNMET = {"500", "408"}
"""What no request brings about by itself: our own fault, and a body that does not come."""
MET_ELSEWHERE = {
    "POST /api/contact": {"429", "502", "503"},
    "POST /api/chat": {"429", "503"},
    "POST /api/search": {"503"},
    "POST /api/intent": {"503"},
    "POST /api/embed": {"429", "503"},
}
"""Refusals that need a spent budget or a broken target: they are met in tests of their own."""
REFUSED: list[dict[str, str]] = [
    {"accept": "image/png"},
    {"content-length": "99999999"},
    {"content-encoding": "gzip"},
    {"host": "elsewhere.example"},
    {"x-long": "x" * MAX_HEADERS},
    {"if-none-match": "*"},
    {"origin": "https://elsewhere.example"},
    {"accept": "text/event-stream"},
]

ANSWERED_ELSEWHERE = {"POST /api/subscribe", "DELETE /api/subscribe/{id}"}
"""What succeeds only with a receiver that plays along."""

Call = tuple[str, dict[str, Any]]
"""An address, and what else a request has."""


@pytest.fixture(scope="module")
def description(ask: Ask) -> Description:
    """The description, as it is read."""
    return Description(ask("/openapi.json").json())


@pytest.fixture(scope="module")
def others(operations: Operations, tmp_path_factory: pytest.TempPathFactory) -> list[Ask]:
    """The service on studios that have no GitHub account, and an account without a readme."""
    made: list[Ask] = []
    for name in ("none", "no readme"):
        root = tmp_path_factory.mktemp("other")
        content = root / "content"
        shutil.copytree(SAMPLE, content, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
        github = content / "github.toml"
        if name == "none":
            github.unlink()
        else:
            github.write_text(github.read_text().partition("\n[readme]\n")[0])
        settings = Settings(content=content, data=root / "data", chat_limit="0", embed_limit="0")
        made.append(asking(build(settings, operations=operations)))
    return made


def good(description: Description, operation: Described, **query: Any) -> str:
    """An address that answers, with what must be asked for."""
    here = description.addresses(operation)[0]
    return asked(here, {**description.required(operation), **query})


def bodies(operation: Described) -> Iterator[dict[str, Any]]:
    """Bodies that are shown, as arguments of a client; none, where none is taken."""
    for form, media in operation.item.get("requestBody", {"content": {}})["content"].items():
        for example in media["examples"].values():
            if form == "application/json":
                yield {"json": example["value"]}
            else:
                yield {"content": example["value"], "headers": {"content-type": form}}


def first_body(operation: Described) -> dict[str, Any]:
    """The first of them."""
    return next(bodies(operation), {})


def examples(description: Description, operation: Described) -> Iterator[tuple[str, str, str]]:
    """The addresses of an operation's examples, each with its status and media type."""
    base = description.whole["servers"][0]["url"]
    for status, response in operation.item["responses"].items():
        for form, media in description.follow(response)[0].get("content", {}).items():
            for example in media.get("examples", {}).values():
                assert example["externalValue"].startswith(f"{base}/")
                yield example["externalValue"].removeprefix(base), status, form


def test_every_route_is_described_and_nothing_else(
    description: Description, service: Guard
) -> None:
    assert isinstance(service.app, Router)
    routes = [route.path for route in service.app.routes if isinstance(route, Route)]
    assert len(routes) == len(service.app.routes)
    assert sorted(routes) == sorted(description.whole["paths"])


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
                given = {"headers": {"accept": form}, **first_body(operation)}
                response = ask(asked(here, query), operation.method, **given)
                assert response.status_code == 200, f"{operation} {form}"
                assert response.headers["content-type"].partition(";")[0] == form
                assert description.faults(operation, response) == []
                answered += 1
    assert answered > 200


def test_every_value_that_is_named_is_taken(description: Description, ask: Ask) -> None:
    answered = 0
    for operation in description.operations:
        if operation.path.endswith((".md", ".json")):
            continue
        for name, parameter in description.parameters(operation, "query").items():
            for value in values(parameter):
                response = ask(good(description, operation, **{name: value}))
                assert response.status_code in (200, 404), f"{operation} {name}={value}"
                assert description.faults(operation, response) == [], f"{name}={value}"
                answered += 1
    assert answered > 500


def test_every_example_answers_as_it_stands(description: Description, ask: Ask) -> None:
    answered = 0
    for operation in description.operations:
        for where, status, form in examples(description, operation):
            response = ask(where)
            assert str(response.status_code) == status, where
            assert response.headers["content-type"].partition(";")[0] == form
            assert description.faults(operation, response) == []
            answered += 1
    assert answered > 100


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


def refused(description: Description, operation: Described) -> Iterator[Call]:
    """Requests that are refused, or told that nothing has changed."""
    here, body = good(description, operation), first_body(operation)
    yield good(description, operation, nonsense=1), body
    yield good(description, operation, nonsense="x" * MAX_URI), body
    for headers in REFUSED:
        yield here, {**body, "headers": headers}
    in_path = description.parameters(operation, "path")
    if in_path:
        yield filled(operation.path, dict.fromkeys(in_path, UNKNOWN)), body
    for name in description.required(operation):
        yield asked(here.partition("?")[0], {name: UNKNOWN}), body
    for where, _, _ in examples(description, operation):
        yield where, body
    if str(operation) == f"POST {MCP}":
        unknown = message("no/such/method", STATELESS)
        yield here, {"json": []}
        yield here, {"json": {"jsonrpc": "2.0", "method": "notifications/initialized"}}
        yield here, {"json": unknown, "headers": headers_of(unknown, STATELESS)}


def test_every_refusal_is_described_and_every_described_refusal_is_met(
    description: Description, ask: Ask, others: list[Ask]
) -> None:
    for operation in description.operations:
        if str(operation) in ANSWERED_ELSEWHERE:
            continue
        calls = [*refused(description, operation)]
        answers = [ask(where, operation.method, **given) for where, given in calls]
        here = good(description, operation)
        answers += [other(here, operation.method, **first_body(operation)) for other in others]
        for response in answers:
            assert description.faults(operation, response) == []
        met = {"200", *(str(response.status_code) for response in answers)}
        unmet = UNMET | MET_ELSEWHERE.get(str(operation), set())
        assert set(operation.item["responses"]) - met <= unmet, operation


def test_head_answers_as_get_does_without_a_body(description: Description, ask: Ask) -> None:
    for operation in description.operations:
        if operation.method == "get":
            here = good(description, operation)
            full, head = ask(here), ask(here, "HEAD")
            assert head.content == b""
            assert head.status_code == 200
            assert alike(head) == alike(full), here


def alike(response: httpx.Response) -> dict[str, str]:
    """The headers that do not tell one answer from the next."""
    return {k: v for k, v in response.headers.items() if k not in ("x-request-id", "date")}


@pytest.mark.parametrize("method", [*METHODS, "connect", "purge"])
def test_a_wrong_method_is_answered_405_with_the_right_ones(
    description: Description, ask: Ask, method: str
) -> None:
    problem, refusal = "#/components/schemas/Problem", "#/components/schemas/GraphqlRefusal"
    for operation in description.operations:
        taken = {o.method.upper() for o in description.operations if o.path == operation.path}
        reads = set(READS) if "GET" in taken else {"OPTIONS", "HEAD"}
        if method.upper() not in taken | reads:
            response = ask(good(description, operation), method.upper())
            assert response.status_code == 405
            allowed = taken | {"OPTIONS"} | ({"HEAD"} if "GET" in taken else set())
            assert set(response.headers["allow"].split(", ")) == allowed
            form = refusal if operation.path == GRAPHQL else problem
            assert description.wrong(form, response.json()) == []


def test_a_path_that_is_not_described_does_not_answer(description: Description, ask: Ask) -> None:
    for path in description.whole["paths"]:
        for other in (f"{path}/", f"{path}/x", f"{path}.txt", path.upper()):
            known = [re.sub(r"\{\w+\}", "[^/]+", each) for each in description.whole["paths"]]
            if "{" in path or path == "/" or any(re.fullmatch(each, other) for each in known):
                continue
            response = ask(other)
            assert response.status_code == 404, other
            assert description.wrong("#/components/schemas/Problem", response.json()) == []


def test_readiness_is_described_when_the_content_is_not_sound(
    description: Description, operations: Operations, folder: Path, tmp_path: Path
) -> None:
    service = build(Settings(content=folder, data=tmp_path / "data"), operations=operations)
    response = asking(service)("/readyz")
    assert description.faults(description.operation("/readyz"), response) == []
