"""What a surface says that it does not take, it refuses, naming the field: never 200, never 5xx.

What it takes is read from its own description: OpenAPI, the schema of a body or a tool, the types
of GraphQL.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import hypothesis
import pytest
from graphql_documents import public_query, with_enum_names
from hypothesis import strategies as st
from invalid_values import invalid_input, invalid_json, invalid_text
from local_service import stored_operations
from openapi_description import Description, asked, good
from repository import SAMPLE
from served_studio import Studio, address, arguments, served

OPERATIONS = stored_operations()
RESTS = [(o, o.rest) for o in OPERATIONS if o.rest is not None]
BY_GET = [o.name for o, rest in RESTS if rest.method == "GET" or rest.get_parameters]
BY_PATH = [o.name for o, _ in RESTS if o.is_read and o.path_variables]
BY_BODY = [o.name for o, rest in RESTS if rest.method == "POST"]
BY_TOOL = [o.name for o in OPERATIONS if o.mcp is not None]
BY_PROMPT = [o.name for o in OPERATIONS if o.prompt is not None]
BY_VARIABLE = [o.name for o, _ in RESTS if o.is_query and o.variables]
OTHER_TOOLS: Mapping[str, Mapping[str, Any]] = {
    "read": {"section": "projects"},
    "fetch": {"id": "thesis"},
    "verify": {"section": "projects"},
}
TRIED = hypothesis.settings(max_examples=max(3, hypothesis.settings().max_examples // 10))
"""How many values of each input are tried."""
DATA = hypothesis.given(data=st.data())
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What no line of text has."""
WORDS = st.text("xyz", min_size=1, max_size=80)
"""Names that nothing has."""


class Surfaces:
    """A studio that is served, and what it says that it takes.

    It is no dataclass, of which hypothesis would write out all that a failed test was given.
    """

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.described = Description(studio.openapi)
        self.tools = {tool["name"]: tool["inputSchema"] for tool in studio.tools}


@pytest.fixture(scope="module")
def surfaces() -> Iterator[Surfaces]:
    with served(SAMPLE) as studio:
        yield Surfaces(studio)


def refused(answer: httpx.Response, *paths: str, status: int = 400) -> None:
    """Check that an answer is the refusal of one of these fields, or of what is in it."""
    assert answer.status_code == status, answer.text[:300]
    assert {*paths} & {fault["path"].partition(".")[0] for fault in answer.json()["fields"]}


@pytest.mark.parametrize("name", BY_PATH)
@TRIED
@hypothesis.example(value="\x1f")
@hypothesis.given(value=st.text(min_size=1, max_size=70).filter(lambda text: "/" not in text))
def test_an_unknown_name_in_a_path_is_refused(surfaces: Surfaces, name: str, value: str) -> None:
    hypothesis.assume(value not in (".", ".."))  # which clients resolve
    operation = OPERATIONS.by_name[name]
    path = address(operation, dict.fromkeys(operation.path_variables, value))
    status = 400 if CONTROL.search(value) else 404
    refused(surfaces.studio.ask(path), *operation.path_variables, status=status)


@pytest.mark.parametrize("name", BY_GET)
@TRIED
@DATA
def test_an_invalid_parameter_is_refused_by_its_name(
    surfaces: Surfaces, name: str, data: st.DataObject
) -> None:
    rest, described = OPERATIONS.by_name[name].rest, surfaces.described
    assert rest is not None
    here = described.operation(rest.path)
    plain, needed = good(described, here).partition("?")[0], described.required(here)
    schemas = {n: told["schema"] for n, told in described.parameters(here, "query").items()}
    tried = {each: invalid_text(schema) for each, schema in schemas.items()}
    if rest.method == "GET" and {"application/json", "text/markdown"} <= {*rest.media}:
        tried["fields"] = st.text("019.,", max_size=20)  # no field is so named
    for each, values in {**tried, data.draw(WORDS, "unknown"): st.just("1")}.items():
        answer = surfaces.studio.ask(asked(plain, {**needed, each: data.draw(values, each)}))
        refused(answer, each[:64], "query")  # characters that none may have are the query's fault


@pytest.mark.parametrize("name", BY_BODY)
@TRIED
@DATA
def test_an_invalid_member_of_a_body_is_refused_by_its_name(
    surfaces: Surfaces, name: str, data: st.DataObject
) -> None:
    operation, studio = OPERATIONS.by_name[name], surfaces.studio
    assert operation.rest is not None
    schema = studio.ask(operation.rest.path).json()["request"]
    body = arguments(operation.examples[0].variables)
    headers = {"accept": operation.rest.media[0]}
    tried = {each: invalid_json(own) for each, own in schema["properties"].items()}
    for each, values in {**tried, data.draw(WORDS, "unknown"): st.just(1)}.items():
        sent = {**body, each: data.draw(values, each)}
        answer = studio.ask(operation.rest.path, "POST", json=sent, headers=headers)
        if operation.rest.brief:
            assert answer.status_code == 400
            assert answer.headers["detail"].startswith(each[:64])
        else:
            refused(answer, each[:64])
    for each in schema.get("required", ()):
        sent = {key: value for key, value in body.items() if key != each}
        refused(studio.ask(operation.rest.path, "POST", json=sent), each)


def _is_header(text: str) -> bool:
    """Say whether a header arrives as it was written: blanks around it do not."""
    return text.isascii() and text.isprintable() and text == text.strip()


@TRIED
@DATA
def test_an_invalid_header_is_refused_by_its_name(surfaces: Surfaces, data: st.DataObject) -> None:
    for here in surfaces.described.operations:
        for name, told in surfaces.described.parameters(here, "header").items():
            values = invalid_text(told["schema"]).filter(_is_header)
            content = here.item["requestBody"]["content"]["application/json"]
            body = next(iter(content["examples"].values()))["value"]
            headers = {name: data.draw(values, name)}
            refused(surfaces.studio.ask(here.path, "POST", json=body, headers=headers), name)


@pytest.mark.parametrize("name", [*BY_TOOL, *OTHER_TOOLS])
@TRIED
@DATA
def test_an_invalid_argument_of_a_tool_is_refused_by_its_name(
    surfaces: Surfaces, name: str, data: st.DataObject
) -> None:
    operation, studio = OPERATIONS.by_name.get(name), surfaces.studio
    given, tool = OTHER_TOOLS.get(name, {}), name
    if operation is not None and operation.mcp is not None:
        tool = operation.mcp.tool
        given = arguments(next(studio.examples(operation), operation.examples[0].variables))
    schema = surfaces.tools[tool]
    for each, own in schema["properties"].items():
        value = data.draw(invalid_json(own), each)
        if not is_read(own, value):
            refused_over_mcp(studio, tool, {**given, each: value}, each)
    unknown = data.draw(WORDS, "unknown")
    refused_over_mcp(studio, tool, {**given, unknown: 1}, unknown[:64])
    for each in schema.get("required", ()):
        rest = {key: value for key, value in given.items() if key != each}
        refused_over_mcp(studio, tool, rest, each)


def is_read(schema: Mapping[str, Any], value: Any) -> bool:
    """Whether a tool may take a value as absent, a number as a text, or a text as other JSON."""
    if value in (None, "", []):
        return True
    if schema.get("type") == "string":
        return type(value) in (int, float)
    try:
        return isinstance(value, str) and json.loads(value) is not None
    except ValueError:
        return False


def refused_over_mcp(studio: Studio, tool: str, given: Mapping[str, Any], path: str) -> None:
    """Check that a call is refused for one argument."""
    result = studio.call(tool, given)
    assert result["isError"] is True
    problem = result["_meta"]["studiograph/problem"]
    assert problem["status"] in (400, 404)
    assert path in {fault["path"].partition(".")[0] for fault in problem["fields"]}
    assert f"- {path}" in result["content"][0]["text"]


@pytest.mark.parametrize("name", BY_PROMPT)
@TRIED
@DATA
def test_an_invalid_argument_of_a_prompt_is_refused(
    surfaces: Surfaces, name: str, data: st.DataObject
) -> None:
    operation = OPERATIONS.by_name[name]
    assert operation.prompt is not None
    for variable in operation.variables:
        value = data.draw(invalid_input(variable.type), variable.name)
        given = {**operation.examples[0].variables, variable.name: value}
        params = {"name": operation.prompt.name, "arguments": given}
        if value != "":  # which is absent
            error = surfaces.studio.mcp("prompts/get", params).body["error"]
            assert error["code"] == -32602
            assert variable.name in error["message"] or not isinstance(value, str)


@pytest.mark.parametrize("name", BY_VARIABLE)
@TRIED
@DATA
def test_an_invalid_variable_of_graphql_is_refused_by_its_name(
    surfaces: Surfaces, name: str, data: st.DataObject
) -> None:
    operation, studio = OPERATIONS.by_name[name], surfaces.studio
    values = with_enum_names(operation, next(studio.examples(operation)))
    is_public = operation.root.name.value in studio.public_fields
    for variable in operation.variables if is_public else ():
        value = data.draw(invalid_input(variable.type), variable.name)
        sent = {"query": public_query(operation), "variables": {**values, variable.name: value}}
        answer = studio.ask("/api/graphql", "POST", json=sent)
        assert answer.status_code == 400
        assert [*answer.json()] == ["errors"]
        for error in answer.json()["errors"]:
            assert error["extensions"] == {"code": "validation_failed"}
            assert f"'${variable.name}'" in error["message"]
