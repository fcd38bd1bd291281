"""The OpenAPI description against what answers: every path, form, value, example and refusal."""

import shutil
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from local_service import Ask, asking
from mcp_messages import headers_of, message
from openapi_description import (
    ANSWERED_ELSEWHERE,
    Described,
    Description,
    asked,
    examples,
    filled,
    first_body,
    good,
    values,
)
from repository import SAMPLE

from mcp_bridge.description import PATH as MCP
from mcp_bridge.protocol.protocol_versions import STATELESS
from rest_bridge.http.middleware import MAX_HEADERS, MAX_URI
from sdl.running.runner import Operations, Snapshot
from studiograph.asgi import build
from studiograph.settings import Settings

GRAPHQL = "/api/graphql"
UNKNOWN = "nothing-has-this-name"

UNMET = {"500", "408", "default"}
"""What no request brings about by itself: our own fault, and a body that does not come."""

MET_ELSEWHERE = {
    "GET /api/onchain": {"404"},
    "GET /api/scheduling": {"404"},
    "GET /api/thesis": {"404"},
    "GET /api/engagement": {"404"},
    "GET /api/chat": {"429", "503"},
    "GET /api/search": {"503"},
    "GET /api/intent": {"503"},
    "POST /api/contact": {"429", "502", "503"},
    "POST /api/chat": {"429", "503"},
    "POST /api/search": {"503"},
    "POST /api/intent": {"503"},
    "POST /api/embed": {"429", "503"},
    "GET /api/graphql": {"503"},
    "POST /api/graphql": {"503"},
    "POST /mcp": {"503"},
}
"""Refusals that need a spent budget, a broken target or a studio without a section.

They are met in tests of their own.
"""

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


def test_every_value_that_is_named_is_taken(description: Description, ask: Ask) -> None:
    answered, posts = 0, {str(operation) for operation in description.operations}
    for operation in description.operations:
        parameters = description.parameters(operation, "query")
        # A GET of a POST path describes it, unless its first parameter says what is asked.
        first = {n: values(p)[0] for n, p in [*parameters.items()][:1]}
        asks = first if f"POST {operation.path}" in posts and operation.path != GRAPHQL else {}
        for name, parameter in parameters.items():
            for value in values(parameter):
                response = ask(good(description, operation, **{**asks, name: value}))
                assert response.status_code in (200, 404), f"{operation} {name}={value}"
                assert description.faults(operation, response) == [], f"{name}={value}"
                answered += 1
    assert answered > 80


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
    if str(operation) == f"POST {MCP}":
        unknown = message("no/such/method", STATELESS)
        yield here, {"json": []}
        yield here, {"json": {"jsonrpc": "2.0", "method": "notifications/initialized"}}
        yield here, {"json": unknown, "headers": headers_of(unknown, STATELESS)}


def test_every_refusal_is_described_and_every_described_refusal_is_met(
    description: Description,
    ask: Ask,
    others: list[Ask],
    operations: Operations,
    reading: Snapshot,
) -> None:
    shown: defaultdict[str, list[str]] = defaultdict(list)
    for stored in operations:
        if stored.rest is not None:
            shown[stored.rest.path] += [where for where, _ in examples(stored, reading)]
    for operation in description.operations:
        if str(operation) in ANSWERED_ELSEWHERE:
            continue
        calls = [*refused(description, operation)]
        calls += [(where, {}) for where in shown[operation.path] if operation.method == "get"]
        answers = [ask(where, operation.method, **given) for where, given in calls]
        here = good(description, operation)
        answers += [other(here, operation.method, **first_body(operation)) for other in others]
        for response in answers:
            assert description.faults(operation, response) == []
        met = {"200", *(str(response.status_code) for response in answers)}
        unmet = UNMET | MET_ELSEWHERE.get(str(operation), set())
        assert set(operation.item["responses"]) - met <= unmet, operation
