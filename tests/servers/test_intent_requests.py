"""What intent recommends as ready to be sent is sent, and is served: over HTTP and over MCP."""

import tomllib
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from ai_service import asked, asks
from jsonschema import Draft202012Validator
from mcp_messages import call, result
from openapi_description import Description
from repository import ROOT

TOP = 3
CONTACT, SUBSCRIBE = "/api/contact", "/api/subscribe"
HOUSE = ROOT / "evals/questions/tune/house-sample.toml"
GOALS = [goal["text"] for goal in tomllib.loads(HOUSE.read_text())["goal"]]

Item = dict[str, Any]


YOUNG_LOG = "/api/words/consistency"
"""The log of words begins with this service, so it never had the sizes that goals name."""


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a service without limits."""
    limits = {"CHAT_LIMIT": "0", "EMBED_LIMIT": "0", "CONTACT_LIMIT": "0"}
    with (
        asked(tmp_path_factory.mktemp("routed"), **limits) as server,
        httpx.Client(base_url=server.address, timeout=60) as made,
    ):
        yield made


@pytest.fixture(scope="module")
def ready(studio: httpx.Client) -> list[tuple[str, Item]]:
    """The recommendations that require nothing more, each with its goal."""
    found: list[tuple[str, Item]] = []
    for goal in GOALS:
        body = {"goal": goal, "limit": TOP}
        route = studio.post("/api/intent", json=body).json()
        found += [(goal, each) for each in route["recommendations"] if not each["requires"]]
    return found


def sent(item: Item) -> Item:
    """The request's body; a message is only tried."""
    body = item.get("body") or {}
    return {**body, "dryRun": True} if item["path"] == CONTACT else body


def described_path(description: Description, path: str, method: str) -> str:
    """The path under which a request's is described."""
    bare = path.partition("?")[0].split("/")
    for operation in description.operations:
        parts = operation.path.split("/")
        if operation.method == method and len(parts) == len(bare) and fits(parts, bare):
            return operation.path
    raise AssertionError(path)


def fits(described: list[str], asked_for: list[str]) -> bool:
    """Whether the steps of a path are those that are described, or fill them."""
    pairs = zip(described, asked_for, strict=True)
    return all(step == given or step.startswith("{") for step, given in pairs)


def test_goals_lead_to_many_requests_that_are_ready(ready: list[tuple[str, Item]]) -> None:
    assert len(GOALS) >= 60
    assert len({goal for goal, _ in ready}) >= len(GOALS) * 0.8
    assert len({each["operation"] for _, each in ready}) >= 30


def test_every_request_that_is_ready_is_served(
    studio: httpx.Client, ready: list[tuple[str, Item]]
) -> None:
    refused: list[str] = []
    description = Description(studio.get("/openapi.json").json())
    seen: set[str] = set()
    for goal, each in ready:
        request = each["request"]
        method = request["method"]
        if str(request) in seen or method == "DELETE" or request["path"] == SUBSCRIBE:
            continue
        if request["path"].startswith(YOUNG_LOG):
            continue
        seen.add(str(request))
        body = sent(request) if method == "POST" else None
        if method == "POST":
            pointer = (
                f"{description.operation(request['path'], 'post').pointer}/requestBody/content"
            )
            faults = description.wrong(f"{pointer}/application~1json/schema", sent(request))
            refused += [f"{goal!r}: {request}: {fault}" for fault in faults]
        answer = studio.request(method, request["path"], headers=request.get("headers"), json=body)
        if answer.status_code >= 400:
            refused.append(f"{goal!r}: {request}: {answer.status_code}")
        elif "text/event-stream" not in str(request.get("headers")):
            path = described_path(description, request["path"], method.lower())
            refused += description.faults(description.operation(path, method.lower()), answer)
    assert refused == []
    assert len(seen) > 30


def test_every_call_that_is_ready_fits_its_tool_and_succeeds(
    studio: httpx.Client, ready: list[tuple[str, Item]]
) -> None:
    tools = {tool["name"]: tool for tool in result(asks(studio), "tools/list")["tools"]}
    seen: set[str] = set()
    failed: list[str] = []
    for goal, each in ready:
        asked_for = each.get("mcp")
        if asked_for is None or str(asked_for) in seen:
            continue
        if each["request"]["path"].startswith(YOUNG_LOG):
            continue
        seen.add(str(asked_for))
        name, arguments = asked_for["name"], dict(asked_for["arguments"])
        if name == "send_contact":
            arguments["dryRun"] = True
        schema = Draft202012Validator(tools[name]["inputSchema"])
        failed += [f"{goal!r}: {name}: {e.message}" for e in schema.iter_errors(arguments)]
        if each["request"]["path"] == SUBSCRIBE:
            continue
        if call(asks(studio), name, arguments=arguments)["isError"]:
            failed.append(f"{goal!r}: {name} {arguments}")
    assert failed == []
    assert len(seen) > 8
