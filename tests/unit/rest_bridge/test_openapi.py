"""The OpenAPI description by itself: it is valid, whole, and made of what we declare alone."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
import strawberry
from local_service import asking, bound
from openapi_description import Description
from openapi_spec_validator import OpenAPIV31SpecValidator

from rest_bridge.discovery.documents import DocumentContext
from rest_bridge.document_list import DOCUMENTS
from rest_bridge.http.middleware import RequestGuard
from rest_bridge.openapi.document import openapi
from rest_bridge.openapi.operations import MAX_VALUES, listed_values, read_item
from rest_bridge.openapi.responses import SharedSchemas
from rest_bridge.routes import relations_of, router
from sdl.errors import AiUnavailableError, RateLimitedError
from sdl.operations.compiler import compile_operations
from sdl.running.runner import Operations, Snapshot
from sdl.types.directives import Fails

NOBODY: Any = None
"""The context of fields that need none."""

TODAY = datetime(2026, 11, 21, tzinfo=UTC).date()


def facts(reading: Snapshot) -> DocumentContext:
    """What the description is made of."""
    return DocumentContext(reading, DOCUMENTS, relations_of(reading.operations, DOCUMENTS), TODAY)


def described(reading: Snapshot) -> Description:
    """The description of a reading."""
    return Description(json.loads(openapi(facts(reading))))


@pytest.fixture(scope="module")
def description(reading: Snapshot) -> Description:
    """The description of the sample studio."""
    return described(reading)


def test_it_is_valid_openapi_3_1(description: Description) -> None:
    assert description.whole["openapi"].startswith("3.1.")
    OpenAPIV31SpecValidator(description.whole).validate()


def test_it_is_version_2_0_0_of_the_studio_s_interface(
    description: Description, reading: Snapshot
) -> None:
    info, studio = description.whole["info"], reading.read("GetAbout")["studio"]
    assert info["version"] == "2.0.0"
    assert (info["title"], info["summary"]) == (studio["name"], studio["oneLiner"])
    assert info["contact"]["email"] == studio["contact"]["email"]
    assert description.whole["security"] == []


def test_every_operation_has_a_name_of_its_own_and_says_what_it_is(
    description: Description,
) -> None:
    names = [operation.item["operationId"] for operation in description.operations]
    assert len(set(names)) == len(names) > 60
    known = {tag["name"] for tag in description.whole["tags"]}
    for operation in description.operations:
        assert re.fullmatch("[A-Z][A-Za-z]+", operation.item["operationId"])
        assert operation.item["summary"], operation
        assert operation.item["description"], operation
        assert set(operation.item.get("tags", ())) <= known


def test_every_parameter_is_declared_once_and_says_what_it_means(
    description: Description,
) -> None:
    for operation in description.operations:
        in_path = description.parameters(operation, "path")
        in_query = description.parameters(operation, "query")
        in_header = description.parameters(operation, "header")
        named = len(in_path) + len(in_query) + len(in_header)
        assert named == len(operation.item.get("parameters", ()))
        assert set(in_path) == set(re.findall(r"\{(\w+)\}", operation.path))
        for name, parameter in {**in_path, **in_query, **in_header}.items():
            assert parameter["description"], f"{operation} {name}"
            assert parameter.get("schema") or parameter.get("content"), f"{operation} {name}"


def test_every_answer_has_a_form_and_every_form_a_schema(description: Description) -> None:
    for operation in description.operations:
        for status, response in operation.item["responses"].items():
            told, _ = description.follow(response)
            assert told["description"]
            assert bool(told.get("content")) is (status != "304"), f"{operation} {status}"
            for media in told.get("content", {}).values():
                assert media["schema"], f"{operation} {status}"


SAID: dict[str, tuple[int, dict[str, str], str]] = {
    "status": (203, {"etag": '"x"', "content-type": "application/json"}, "[]"),
    "body": (200, {"etag": '"x"', "content-type": "application/json"}, '[{"q": 1}]'),
    "none": (200, {"etag": '"x"', "content-type": "application/json"}, ""),
    "a body": (304, {"etag": '"x"', "content-type": "application/json"}, "[]"),
    "type": (200, {"etag": '"x"', "content-type": "text/html"}, "[]"),
    "header": (304, {"content-type": ""}, ""),
    "odd header": (304, {"etag": "x", "content-type": ""}, ""),
    "problem": (400, {"content-type": "application/problem+json"}, '{"ok": false}'),
    "code": (404, {"content-type": "application/problem+json"}, "{}"),
}


@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
def test_an_answer_that_is_not_as_described_is_found_out(
    description: Description, said: tuple[int, dict[str, str], str]
) -> None:
    status, headers, body = said
    response = httpx.Response(status, headers=headers, text=body)
    response.headers["content-type"] = headers["content-type"]
    assert description.faults(description.operation("/api/faq"), response)


def test_no_component_is_unused_and_none_is_missing(description: Description) -> None:
    used, waiting = (
        set[str](),
        [*references([description.whole["paths"], description.whole["webhooks"]])],
    )
    while waiting:
        pointer = waiting.pop()
        if pointer not in used:
            used.add(pointer)
            waiting += references(description.at(pointer))
    components = description.whole["components"]
    named = {f"#/components/{kind}/{name}" for kind in components for name in components[kind]}
    assert used == named


def references(value: Any) -> Iterator[str]:
    """Every reference in a part of the description."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for requirement in value.get("security", ()):
            yield from (f"#/components/securitySchemes/{name}" for name in requirement)
        for member in value.values():
            yield from references(member)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def test_every_example_of_a_parameter_fits_its_schema(description: Description) -> None:
    shown = 0
    for operation in description.operations:
        for number, told in enumerate(operation.item.get("parameters", [])):
            where = f"{operation.pointer}/parameters/{number}"
            parameter, where = description.follow(told, where)
            for example in parameter.get("examples", {}).values():
                assert description.wrong(f"{where}/schema", example["value"]) == []
                shown += 1
    assert shown > 5


def test_the_slugs_are_those_of_the_content(folder: Path, operations: Operations) -> None:
    for file in folder.glob("*.toml"):
        file.write_text(re.sub(r'(?<=["/])fathom(?=")', "fathom-two", file.read_text()))
    found = described(bound(operations, folder))
    operation = found.operation("/api/projects/{slug}")
    slug = found.parameters(operation, "path")["slug"]
    assert slug["schema"]["enum"] == ["tidebook", "harborlight", "fathom-two"]
    assert slug["examples"]["one project"]["value"] == "tidebook"


def test_one_item_more_in_a_long_list_changes_nothing_that_is_told(reading: Snapshot) -> None:
    entry, project = (reading.operations.by_name[name] for name in ("GetFaqEntry", "GetProject"))
    entries, projects = reading.items_of(entry), reading.items_of(project)
    assert len(entries) > MAX_VALUES + 1 > len(projects)
    assert listed_values(entry, entries) == listed_values(entry, entries[:-1])
    assert listed_values(project, projects) != listed_values(project, projects[:-1])


def test_a_path_without_items_is_not_described(folder: Path, operations: Operations) -> None:
    told = folder / "studio.onChain.toml"
    told.write_text(f"artifacts = []\n{told.read_text().partition('[[artifacts]]')[0]}")
    for file in folder.glob("*.toml"):
        file.write_text(re.sub(r'"onchain/[^"]+",?\s*', "", file.read_text()))
    found = described(bound(operations, folder))
    OpenAPIV31SpecValidator(found.whole).validate()
    assert "/api/onchain/{slug}" not in {operation.path for operation in found.operations}
    assert "/api/onchain" in {operation.path for operation in found.operations}


WEATHER = """"Asks."
query Weather("Where." $place: String!) @rest(path: "/weather") { weather(place: $place) }
"""


@strawberry.type
class Root:
    """A root whose one field says what it can meet."""

    @strawberry.field(directives=[Fails(codes=[RateLimitedError.code, AiUnavailableError.code])])  # type: ignore[untyped-decorator]
    def weather(self, place: str) -> str:
        """How it is outside."""
        raise RateLimitedError(f"That was enough for today: {len(place)}.")


def test_what_a_field_of_the_schema_can_fail_with_is_described_and_arrives(tmp_path: Path) -> None:
    for name in ("operations", "fragments"):
        (tmp_path / name).mkdir()
    (tmp_path / "operations" / "weather.graphql").write_text(WEATHER)
    schema = strawberry.Schema(Root)._schema  # noqa: SLF001 - no public name for it
    known = Operations(schema, compile_operations(schema, tmp_path))
    reading = Snapshot(known, None, NOBODY, 0.0)
    item = read_item(known.by_name["Weather"], {}, SharedSchemas({}))
    assert {"200", "400", "429", "503"} <= set(item["get"]["responses"])
    assert "404" not in item["get"]["responses"]
    ask = asking(RequestGuard(router(known, lambda: reading, {}), ["localhost"]))
    assert ask("/weather.json?place=here").status_code == 429
