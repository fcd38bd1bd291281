"""Tools are told in a form that every client reads, within their budgets, or the start stops."""

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import orjson
import pytest
from local_service import bound, stored_operations
from offenders import offenders
from repository import ROOT

from mcp_bridge.protocol.server import Server
from mcp_bridge.tools.schema_profile import (
    ITEMS,
    LIST_BYTES,
    OUTPUT_BUDGETS,
    output_schema,
    structured_content,
    unsupported_keywords,
)
from sdl.operations.operation import Operation
from sdl.operations.rules import OperationError
from sdl.running.runner import Operations, Snapshot
from sdl.types.shape import ListShape, ScalarShape
from studiograph.application import load_operations

READS = [operation for operation in stored_operations() if operation.is_read]


def started(folder: Path) -> Server:
    """The server of a folder of operations."""
    operations = load_operations(folder)
    reading = bound(operations)
    return Server(operations, lambda: reading, "/")


@pytest.fixture
def folder_of_operations(tmp_path: Path) -> Path:
    """A copy of the stored operations, to be changed."""
    return Path(shutil.copytree(ROOT / "sdl", tmp_path / "sdl"))


def test_an_output_schema_fits_and_holds_for_what_is_answered(reading: Snapshot) -> None:
    def check(operation: Operation) -> None:
        body = answered(reading, operation)
        for room in (*OUTPUT_BUDGETS, 0, 100_000):
            schema = output_schema(operation.shape, room)
            jsonschema.Draft202012Validator.check_schema(schema)
            assert list(unsupported_keywords(schema)) == []
            assert len(json.dumps(schema)) <= max(room, 120) * 1.2
            if body is not None and not isinstance(body, str):
                structured = {ITEMS: body} if isinstance(operation.shape, ListShape) else body
                jsonschema.validate(structured, schema)

    assert offenders(check, READS) == []


def answered(reading: Snapshot, operation: Operation) -> Any:
    """What it answers, where it can be asked without more."""
    items = reading.items_of(operation)
    if not items and any(variable.required for variable in operation.variables):
        return None
    return reading.run(operation, items[0].values if items else {})


@pytest.mark.parametrize(
    ("schema", "breach"),
    [
        ({"$ref": "#/x"}, "the top has '$ref'"),
        ({"oneOf": []}, "the top has 'oneOf'"),
        ({"type": ["string", "null"]}, "the top has several types"),
        ({"enum": ["a", None]}, "the top allows null"),
        ({"properties": {"a": {"properties": {"b": {"anyOf": []}}}}}, "a.b has 'anyOf'"),
        ({"properties": {"a": {"items": {"$ref": "x"}}}}, "a[] has '$ref'"),
        ({"items": {"properties": {"a": {"allOf": []}}}}, "[].a has 'allOf'"),
    ],
)
def test_what_some_client_cannot_read_is_found(schema: dict[str, Any], breach: str) -> None:
    assert list(unsupported_keywords(schema)) == [breach]


def test_a_member_may_have_any_name() -> None:
    properties = {"type": {"type": "string"}, "oneOf": {"type": "string"}, "enum": {}}
    assert list(unsupported_keywords({"type": "object", "properties": properties})) == []


def test_a_tool_with_too_long_a_description_stops_the_start(folder_of_operations: Path) -> None:
    path = folder_of_operations / "operations" / "get_status.graphql"
    long = '"""\n' + "Status.\n\n" + "Many words. " * 250 + '\n"""'
    path.write_text(long + path.read_text().split('"""')[2])
    with pytest.raises(OperationError) as caught:
        started(folder_of_operations)
    assert "get_status.graphql" in str(caught.value)
    assert "shorten" in str(caught.value)


def tool(number: int, words: int) -> str:
    """One more tool, with a description of some words."""
    return f'''"""
A list.

{"Some words of it. " * words}
"""
query ListMore{number}
  @rest(path: "/api/more-{number}")
  @mcp(tool: "list_more_{number}", title: "List more")
  @example(name: "all")
{{
  convictions {{ ...WholeConviction }}
}}
'''


def test_more_tools_say_less_of_their_answers(folder_of_operations: Path) -> None:
    before = started(folder_of_operations).listing.tools
    path = folder_of_operations / "operations" / "list_more1.graphql"
    path.write_text(tool(1, 8))
    tools = started(folder_of_operations).listing.tools
    assert len(tools) == len(before) + 1
    assert len(orjson.dumps(tools)) <= LIST_BYTES
    told = [len(orjson.dumps([t.get("outputSchema") for t in each])) for each in (tools, before)]
    assert told[0] < told[1]


def test_too_many_tools_stop_the_start(folder_of_operations: Path) -> None:
    for number in range(12):
        path = folder_of_operations / "operations" / f"list_more{number}.graphql"
        path.write_text(tool(number, 50))
    with pytest.raises(OperationError) as caught:
        started(folder_of_operations)
    assert f"{LIST_BYTES} are allowed" in str(caught.value)


def test_a_tool_whose_answer_is_one_text_has_it_as_result(folder_of_operations: Path) -> None:
    path = folder_of_operations / "operations" / "get_checkpoint.graphql"
    told = '  @mcp(tool: "get_checkpoint", title: "Get the checkpoint")\n  @rest'
    path.write_text(path.read_text().replace("  @rest", told, 1))
    operations = load_operations(folder_of_operations)
    operation = operations.by_name["GetCheckpoint"]
    schema = output_schema(operation.shape, 1_000)
    assert schema["required"] == ["result"]
    jsonschema.validate(structured_content(operation.shape, "a text"), schema)
    assert list(unsupported_keywords(schema)) == []


def test_what_may_be_null_in_a_list_may_be_anything() -> None:
    shape = ListShape(ScalarShape("Int"), has_null=True)
    schema = output_schema(shape, 1_000)
    jsonschema.validate(structured_content(shape, [1, None]), schema)
    assert list(unsupported_keywords(schema)) == []


def test_a_tool_that_acts_is_not_the_first(folder_of_operations: Path) -> None:
    path = folder_of_operations / "operations" / "send_contact.graphql"
    path.write_text(path.read_text().replace("order: 6", "order: 0"))
    with pytest.raises(OperationError, match="first tool must be read-only"):
        started(folder_of_operations)


def test_operations_without_any_of_it_start(operations: Operations) -> None:
    kept = [operations.by_name[name] for name in ("GetDirectory", "GetIndex")]
    bare = Operations(operations.schema, kept)
    reading = bound(bare)
    server = Server(bare, lambda: reading, "/")
    assert [tool["name"] for tool in server.listing.tools] == ["read", "fetch"]
    assert server.listing.instructions
