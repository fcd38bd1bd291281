"""Every tool, resource and prompt over MCP, in both eras, equal to what HTTP and GraphQL answer."""

from typing import Any
from urllib.parse import urlencode

import jsonschema
import orjson
import pytest
from graphql import execute_sync
from local_service import stored_operations
from mcp_messages import BOTH, PROMPTS, RESOURCES, TOOLS, Ask, call, error, post, result

from mcp_bridge.listing import INSTRUCTIONS_BYTES
from mcp_bridge.protocol.protocol_versions import HANDSHAKE, SERVER_INFO, STATELESS, SUPPORTED
from mcp_bridge.resources import media_type_of
from mcp_bridge.tools.schema_profile import ANSWER_BYTES, over_mcp
from sdl.arguments.projection import names
from sdl.operations.operation import INPUT, Operation, with_suffix
from sdl.running.runner import Operations, Snapshot
from sdl.types.directives import Example
from sdl.types.shape import to_plain_json
from studiograph.wiring.documents import SCHEME

LISTS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}
OPERATIONS = stored_operations()
TOOL_OPERATIONS = [own for own in OPERATIONS if own.mcp is not None and own.rest is not None]
"""Those of tools that answer over HTTP too."""
CALLS = [
    pytest.param(operation, example, id=f"{operation.name}-{example.name}")
    for operation in TOOL_OPERATIONS
    for example in operation.examples
]
GETS = [
    pytest.param(operation, example, id=f"{operation.name}-{example.name}")
    for operation in OPERATIONS
    for example in operation.examples
    if operation.prompt is not None
]
eras = pytest.mark.parametrize("revision", BOTH)


def arguments_of(reading: Snapshot, operation: Operation, example: Example) -> dict[str, Any]:
    """The arguments of an example; what it leaves out of the path comes from the first item."""
    items = reading.items_of(operation)
    given = {**(items[0].values if items else {}), **example.variables}
    return {**given.pop(INPUT, {}), **given}


def over_http(ask: Ask, operation: Operation, arguments: dict[str, Any], suffix: str) -> Any:
    """What HTTP answers to the same."""
    assert operation.rest is not None
    if operation.rest.method == "POST":
        return ask(operation.rest.path, method="POST", json=arguments)
    path = operation.rest.path
    for name in operation.path_variables:
        path = path.replace(f"{{{name}}}", arguments[name])
    query = {k: v for k, v in arguments.items() if k not in operation.path_variables}
    path = with_suffix(path, suffix) if len(operation.rest.media) > 1 else path
    return ask(f"{path}?{urlencode(query)}" if query else path)


def shaped(reading: Snapshot, operation: Operation, variables: dict[str, Any]) -> Any:
    """What the executor gives for the document, put into the operation's shape."""
    done = execute_sync(
        reading.operations.schema, operation.document, reading.data, reading.context, variables
    )
    assert done.data is not None
    whole = operation.rest is not None and operation.rest.whole
    return to_plain_json(operation.shape, done.data if whole else done.data[operation.root_key])


@eras
def test_the_tools_are_those_of_the_specification_and_one_that_only_reads_leads(
    ask: Ask, revision: str
) -> None:
    tools = result(ask, "tools/list", revision)["tools"]
    names = [tool["name"] for tool in tools]
    assert names[: len(TOOLS)] == TOOLS
    declared = [operation.mcp.tool for operation in ordered() if operation.mcp is not None]
    assert names == [*declared, "unsubscribe", "read", "fetch", "verify"]
    assert tools[0]["annotations"]["readOnlyHint"] is True
    assert "get_changes" in names


def ordered() -> list[Operation]:
    """The operations that are tools, as they are to be listed."""
    places = {o.name: (o.mcp.order, o.mcp.tool) for o in TOOL_OPERATIONS if o.mcp is not None}
    return sorted(TOOL_OPERATIONS, key=lambda operation: places[operation.name])


@eras
def test_the_resources_and_prompts_are_those_of_the_specification(ask: Ask, revision: str) -> None:
    resources = result(ask, "resources/list", revision)["resources"]
    own = [found["uri"] for found in resources if found["uri"].startswith(SCHEME)]
    assert own == [f"{SCHEME}{name}" for name in RESOURCES]
    assert all(found["title"] and found["description"] for found in resources)
    prompts = result(ask, "prompts/list", revision)["prompts"]
    assert [found["name"] for found in prompts] == PROMPTS
    assert all(found["title"] and found["description"] for found in prompts)
    described = [given for found in prompts for given in found["arguments"]]
    assert all(given["description"] for given in described)
    assert [given["name"] for given in described if given["required"]] == ["purpose", "a", "b"]


def test_every_tool_says_all_that_a_client_shows(ask: Ask) -> None:
    tools = result(ask, "tools/list")["tools"]
    for tool in tools:
        assert set(tool) - {"outputSchema"} == {
            *("name", "title", "description", "inputSchema", "annotations")
        }
        for schema in (tool["inputSchema"], tool.get("outputSchema", {"type": "object"})):
            assert schema["type"] == "object"
            jsonschema.Draft202012Validator.check_schema(schema)
            assert "$ref" not in str(schema)
            assert "null" not in str(schema)
        for word in ("additionalProperties", "format", "default"):  # some clients stop at them
            assert f"'{word}'" not in str(tool["inputSchema"])
        hints = tool["annotations"]
        acts = tool["name"] in ("send_contact", "subscribe", "unsubscribe")
        assert hints["readOnlyHint"] is not acts
        assert hints["openWorldHint"] is acts
        assert hints["destructiveHint"] is False


@eras
def test_the_list_of_tools_and_the_instructions_are_short(ask: Ask, revision: str) -> None:
    response = post(ask, "tools/list", revision)
    assert len(response.content) <= ANSWER_BYTES
    method = "server/discover" if revision == STATELESS else "initialize"
    told = result(ask, method, revision, protocolVersion=revision)["instructions"]
    assert len(told.encode()) <= INSTRUCTIONS_BYTES
    assert all(name in told for name in (*TOOLS, *PROMPTS))
    assert "dryRun" in told


@pytest.mark.parametrize(("operation", "example"), CALLS)
@eras
def test_a_tool_answers_what_http_and_graphql_answer(
    ask: Ask, reading: Snapshot, operation: Operation, example: Example, revision: str
) -> None:
    assert operation.mcp is not None
    arguments = arguments_of(reading, operation, example)
    found = call(ask, operation.mcp.tool, revision, arguments | whole(operation))
    response = over_http(ask, operation, arguments, ".json")
    if operation.name != "Subscribe":  # nobody answers at the example's address
        assert response.status_code == example.status
    assert found["isError"] is (response.status_code != 200)
    if response.status_code != 200:
        assert "structuredContent" not in found
        problem = found["_meta"]["studiograph/problem"]
        told = response.json()
        assert all(told[name] == problem[name] for name in {*told} & {*problem} - {"ok", "detail"})
        text = found["content"][0]["text"]
        assert all(fault["rule"] in text for fault in problem.get("fields", ()))
        return
    body = response.json()
    structured = found["structuredContent"]
    given = over_mcp(operation.shape, body, reading.directory["baseUrl"])
    assert structured == ({"items": given} if isinstance(given, list) else given)
    tools = result(ask, "tools/list", revision)["tools"]
    schema = next(t.get("outputSchema", {}) for t in tools if t["name"] == operation.mcp.tool)
    jsonschema.validate(structured, schema)
    [content] = found["content"]
    if operation.is_read:
        assert body == shaped(reading, operation, in_graphql(operation, arguments))
        _, _, text = over_http(ask, operation, arguments, ".md").text.partition("\n\n")
        assert content == {"type": "text", "text": text}
    if operation.mcp.text == "JSON":
        assert orjson.loads(content["text"]) == structured


def whole(operation: Operation) -> dict[str, Any]:
    """The arguments that ask for all of a long answer."""
    offered = names(operation) if operation.is_read else ()
    if "limit" in offered:
        return {"limit": 200}
    is_wrapped = operation.rest is not None and operation.rest.whole
    return {"fields": operation.root_key} if is_wrapped else {}


def in_graphql(operation: Operation, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments as GraphQL's variables: enum words by their names."""
    kinds = {variable.name: variable.type for variable in operation.variables}
    words = {name: getattr(kind, "values", {}) for name, kind in kinds.items()}
    return {
        name: next((word for word, v in words[name].items() if v.value == given), given)
        for name, given in arguments.items()
    }


@pytest.mark.parametrize("name", [*RESOURCES, "projects/tidebook"])
@eras
def test_a_resource_is_what_http_answers(
    ask: Ask, operations: Operations, name: str, revision: str
) -> None:
    [contents] = result(ask, "resources/read", revision, uri=f"{SCHEME}{name}")["contents"]
    assert contents["uri"] == f"{SCHEME}{name}"
    template = name.replace("tidebook", "{slug}")
    operation = next(o for o in operations if o.resource and o.resource.name == template)
    assert operation.rest is not None
    response = ask(operation.rest.path.replace("{slug}", "tidebook"))
    assert contents["text"] == response.text
    assert response.headers["content-type"].startswith(contents["mimeType"])
    assert contents["mimeType"] == media_type_of(operation)


@pytest.mark.parametrize(("operation", "example"), GETS)
@eras
def test_a_prompt_says_what_its_operation_holds(
    ask: Ask, reading: Snapshot, operation: Operation, example: Example, revision: str
) -> None:
    assert operation.prompt is not None
    name = operation.prompt.name
    response = post(ask, "prompts/get", revision, name=name, arguments=example.variables)
    if example.status != 200:
        assert error(response)["code"] == -32602
        assert error(response)["data"]["status"] == example.status
        return
    found = response.json()["result"]
    [said] = found["messages"]
    text = said["content"]["text"]
    assert (said["role"], said["content"]["type"]) == ("user", "text")
    variables = in_graphql(operation, example.variables)
    body = shaped(reading, operation, variables)
    assert body["instruction"] in text
    assert text.startswith("# ")
    for word in example.variables.values():
        assert word in text.casefold() or word in orjson.dumps(body).decode() or word == "page"
    assert found["description"]


@pytest.mark.parametrize(
    ("ref", "argument", "begun", "found"),
    [
        ({"type": "ref/prompt", "name": "compare_projects"}, "a", "", 3),
        ({"type": "ref/prompt", "name": "compare_projects"}, "b", "TIDE", 1),
        ({"type": "ref/prompt", "name": "compare_projects"}, "b", "x", 0),
        ({"type": "ref/prompt", "name": "introduce_studio"}, "length", "pa", 2),
        ({"type": "ref/prompt", "name": "introduce_studio"}, "audience", "", 0),
        ({"type": "ref/resource", "uri": f"{SCHEME}projects/{{slug}}"}, "slug", "f", 1),
    ],
)
@eras
def test_what_is_begun_is_completed(  # noqa: PLR0913, PLR0917 - the parts of one request
    ask: Ask, ref: dict[str, str], argument: str, begun: str, found: int, revision: str
) -> None:
    given = {"name": argument, "value": begun}
    done = result(ask, "completion/complete", revision, ref=ref, argument=given)["completion"]
    assert len(done["values"]) == done["total"] == found
    assert done["hasMore"] is False
    assert all(value.startswith(begun.casefold()) for value in done["values"])


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_handshake_agrees_on_the_revision_that_is_asked_for(ask: Ask, revision: str) -> None:
    told = result(ask, "initialize", protocolVersion=revision, capabilities={}, clientInfo={})
    assert told["protocolVersion"] == revision
    assert set(told["capabilities"]) == {"tools", "resources", "prompts", "completions"}
    assert told["serverInfo"]["name"] == "quillmere"
    assert "resultType" not in told
    assert "listChanged" not in told["capabilities"]["tools"]
    assert result(ask, "ping", revision) == {}


@pytest.mark.parametrize("revision", [STATELESS, "2099-01-01", "1"])
def test_a_handshake_offers_the_newest_for_one_that_is_not_spoken(ask: Ask, revision: str) -> None:
    assert result(ask, "initialize", protocolVersion=revision)["protocolVersion"] == HANDSHAKE[-1]


def test_discovery_says_what_is_spoken(ask: Ask) -> None:
    told = result(ask, "server/discover", STATELESS)
    assert told["supportedVersions"] == list(SUPPORTED)
    assert told["_meta"][SERVER_INFO]["version"] == "2.0.0"
    assert told["capabilities"]["tools"] == {"listChanged": True}


@pytest.mark.parametrize("method", [*LISTS, "server/discover", "resources/read"])
def test_what_may_be_kept_says_for_how_long(ask: Ask, method: str) -> None:
    params = {"uri": f"{SCHEME}status"} if method == "resources/read" else {}
    told = result(ask, method, STATELESS, **params)
    assert told["resultType"] == "complete"
    assert told["ttlMs"] == 300_000
    assert told["cacheScope"] == "public"
    if method in LISTS:
        plainly = result(ask, method)
        assert plainly[LISTS[method]] == told[LISTS[method]]
