"""The OpenAPI description by itself: it is valid, whole, and made of what we declare alone."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
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
from rest_bridge.openapi.reads import SharedSchemas, operation_items
from rest_bridge.routes import relations_of, router
from sdl.compiler import compile_operations
from sdl.directives import Fails
from sdl.errors import AiUnavailableError, ApiError, RateLimitedError, all_errors
from sdl.runner import Operations, Snapshot

NOBODY: Any = None
"""The context of fields that need none."""

TODAY = datetime(2026, 11, 21, tzinfo=UTC).date()
ERRORS = [error for error in all_errors() if error.status != 405]


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


def test_the_same_content_gives_the_same_bytes(reading: Snapshot) -> None:
    assert openapi(facts(reading)) == openapi(facts(reading))


def test_every_operation_has_a_name_of_its_own_and_says_what_it_is(
    description: Description,
) -> None:
    names = [operation.item["operationId"] for operation in description.operations]
    assert len(set(names)) == len(names) > 100
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
    "header": (200, {"content-type": "application/json"}, "[]"),
    "odd header": (200, {"etag": "x", "content-type": "application/json"}, "[]"),
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
    used, waiting = set[str](), [*references(description.whole["paths"])]
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
        for member in value.values():
            yield from references(member)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def test_shared_selections_are_components(description: Description, operations: Operations) -> None:
    schemas = description.whole["components"]["schemas"]
    for name in ("Project", "Artifact", "ChangelogEntry", "FaqEntry", "GithubRepo"):
        assert name in operations.fragments
        assert set(schemas[name]["properties"]) == set(schemas[f"{name}Part"]["properties"])
        assert schemas[name]["required"]
        assert schemas[f"{name}Part"]["required"] == []


def test_every_example_of_a_stored_operation_is_shown(
    description: Description, operations: Operations
) -> None:
    for operation in operations:
        if operation.rest is not None and operation.is_read:
            responses = description.operation(operation.rest.path).item["responses"]
            for example in operation.examples:
                told, _ = description.follow(responses[str(example.status)])
                shown = [media.get("examples", {}) for media in told["content"].values()]
                assert any(example.name in found for found in shown), operation.name


def test_every_example_of_a_parameter_fits_its_schema(description: Description) -> None:
    shown = 0
    for name, parameter in description.whole["components"]["parameters"].items():
        for example in parameter.get("examples", {}).values():
            pointer = f"#/components/parameters/{name}/schema"
            assert description.wrong(pointer, example["value"]) == []
            shown += 1
    assert shown > 5


@pytest.mark.parametrize("form", ["", ".json", ".md"])
def test_the_slugs_are_those_of_the_content(
    folder: Path, form: str, operations: Operations
) -> None:
    for file in folder.glob("*.toml"):
        file.write_text(re.sub(r'(?<=["/])fathom(?=")', "fathom-two", file.read_text()))
    found = described(bound(operations, folder))
    operation = found.operation(f"/api/projects/{{slug}}{form}")
    slug = found.parameters(operation, "path")["slug"]
    assert slug["schema"]["enum"] == ["tidebook", "harborlight", "fathom-two"]
    assert slug["examples"]["one project"]["value"] == "tidebook"


def test_without_items_a_path_names_no_slug_and_shows_no_answer(
    folder: Path, operations: Operations
) -> None:
    told = folder / "studio.onChain.toml"
    told.write_text(f"artifacts = []\n{told.read_text().partition('[[artifacts]]')[0]}")
    for file in folder.glob("*.toml"):
        file.write_text(re.sub(r'"onchain/[^"]+",?\s*', "", file.read_text()))
    found = described(bound(operations, folder))
    OpenAPIV31SpecValidator(found.whole).validate()
    operation = found.operation("/api/onchain/{slug}")
    slug = found.parameters(operation, "path")["slug"]
    assert "enum" not in slug["schema"]
    assert "examples" not in slug
    assert "examples" not in operation.item["responses"]["200"]["content"]["application/json"]


def test_the_words_of_an_enum_are_the_wire_s(description: Description) -> None:
    section = description.parameters(description.operation("/api/snapshot.sig"), "query")
    assert "studio.lookingFor" in section["section"]["schema"]["enum"]
    assert len(section["section"]["schema"]["enum"]) == 15
    status = description.at("#/components/schemas/Project/properties/status")
    assert status["enum"] == ["in-production", "in-development"]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_an_error_that_an_operation_can_meet_is_described(
    reading: Snapshot, error: type[ApiError]
) -> None:
    operation = replace(reading.operations.by_name["ListFaq"], errors=(error.code,))
    items = dict(operation_items(operation, facts(reading), SharedSchemas({})))
    for item in items.values():
        told = json.dumps(item["get"]["responses"][str(error.status)])
        assert f'"{error.code}"' in told or told.endswith(
            f'/{error.__name__.removesuffix("Error")}"}}'
        )


def test_a_path_with_a_variable_can_be_a_path_to_nothing(reading: Snapshot) -> None:
    operation = replace(reading.operations.by_name["GetProject"], errors=())
    for item in dict(operation_items(operation, facts(reading), SharedSchemas({}))).values():
        assert "404" in item["get"]["responses"]


def test_errors_of_one_status_are_described_together(reading: Snapshot) -> None:
    codes = ("unavailable", "ai_unavailable")
    operation = replace(reading.operations.by_name["ListFaq"], errors=codes)
    item = dict(operation_items(operation, facts(reading), SharedSchemas({})))["/api/faq"]
    answer = item["get"]["responses"]["503"]["content"]["application/problem+json"]["schema"]
    assert answer["allOf"][1]["properties"]["error"]["enum"] == sorted(codes)
    assert answer["allOf"][1]["properties"]["status"] == {"const": 503}


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
    items = dict(
        operation_items(
            known.by_name["Weather"], DocumentContext(reading, (), {}, TODAY), SharedSchemas({})
        )
    )
    assert list(items) == ["/weather", "/weather.json", "/weather.md"]
    for item in items.values():
        assert {"200", "400", "429", "503"} <= set(item["get"]["responses"])
        assert "404" not in item["get"]["responses"]
    ask = asking(RequestGuard(router(known, lambda: reading, {}), ["localhost"]))
    assert ask("/weather.json?place=here").status_code == 429
