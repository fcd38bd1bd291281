"""Every stored operation on every surface it has, each body against its derived schema."""

from typing import Any
from urllib.parse import urlencode

import httpx
import jsonschema
import pytest
from local_service import stored_operations

from rest_bridge.endpoints.read import SUFFIXES
from rest_bridge.http.atom import ATOM
from rest_bridge.http.rendering import LINKED_DATA, MARKDOWN, TEXT
from sdl.catalog import with_suffix
from sdl.directives import MEDIA_TYPES, Example
from sdl.operation import Operation
from sdl.runner import Operations, Snapshot
from sdl.shape import json_schema

ONE_STRING = ("GetCheckpoint", "GetWordsCheckpoint", "GetStatementTlogProof")
"""Operations whose text is no document."""
READ = [o for o in stored_operations() if o.rest is not None and o.rest.method == "GET"]
CALLS = [
    pytest.param(operation, example, media_type, id=f"{operation.name}-{example.name}-{media_type}")
    for operation in READ
    for example in operation.examples
    for media_type in (operation.rest.media if operation.rest else [])
]
ACTING = [o for o in stored_operations() if o.rest is not None and o.rest.method == "POST"]
FIRST = [next(iter(forms.values())) for forms in stored_operations().write_operations.values()]
POSTS = [
    pytest.param(operation, example, id=f"{operation.name}-{example.name}")
    for operation in ACTING
    for example in operation.examples
    if example.status != 201  # which needs a receiver that plays along
]
BRIEF = {
    "type": "object",
    "required": ["ok", "error"],
    "additionalProperties": False,
    "properties": {"ok": {"const": False}, "error": {"type": "string"}},
}
SPEC_PATHS = {
    "/",
    "/llms.txt",
    "/llms-full.txt",
    *("/api/manifest", "/api/about", "/api/thesis", "/api/practice", "/api/convictions"),
    *("/api/projects", "/api/projects/{slug}", "/api/onchain", "/api/onchain/{slug}"),
    *("/api/looking-for", "/api/scheduling", "/api/journey", "/api/headline-numbers"),
    *("/api/changelog", "/api/feed.json", "/api/agent-pulse", "/api/certifications"),
    *("/api/manifest.sig", "/api/changelog.sig", "/api/snapshot.sig", "/.well-known/jwks.json"),
    "/api/identity",
    *("/api/status", "/api/faq", "/api/glossary", "/api/engagement", "/api/domains"),
}
PROBLEM = {
    "type": "object",
    "required": ["ok", "error", "title", "status", "detail", "request_id"],
    "additionalProperties": False,
    "properties": {
        "ok": {"const": False},
        "error": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "request_id": {"type": "string"},
        "fields": {
            "type": "array",
            "maxItems": 10,
            "items": {
                "type": "object",
                "required": ["path", "rule"],
                "additionalProperties": False,
                "properties": {
                    "path": {"type": "string"},
                    "rule": {"type": "string"},
                    "allowed": {"type": "array", "items": {"type": "string"}},
                },
            },
        },
    },
}


def variables_of(reading: Snapshot, operation: Operation, example: Example) -> dict[str, Any]:
    """The variables of an example; what it leaves out of the path comes from the first item."""
    items = reading.items_of(operation)
    return {**(items[0].values if items else {}), **example.variables}


def address(operation: Operation, variables: dict[str, Any], media_type: str) -> str:
    """The path and query that ask for it."""
    assert operation.rest is not None
    path = operation.rest.path
    for name in operation.path_variables:
        path = path.replace(f"{{{name}}}", variables[name])
    if len(operation.rest.media) > 1:
        path = with_suffix(path, SUFFIXES[media_type])
    query = {k: v for k, v in variables.items() if k not in operation.path_variables}
    return f"{path}?{urlencode(query)}" if query else path


def test_the_paths_of_the_specification_are_operations() -> None:
    signed = {operation.signed_path for operation in stored_operations()}
    assert {o.rest.path for o in READ if o.rest} | signed >= SPEC_PATHS


def test_every_operation_has_an_example() -> None:
    assert not [operation.name for operation in stored_operations() if not operation.examples]


@pytest.mark.parametrize(("operation", "example", "media_type"), CALLS)
def test_each_example_answers_as_it_says(
    reading: Snapshot, ask: Any, operation: Operation, example: Example, media_type: str
) -> None:
    response = ask(address(operation, variables_of(reading, operation, example), media_type))
    assert response.status_code == example.status
    if example.status != 200:
        jsonschema.validate(response.json(), PROBLEM)
        assert response.json()["status"] == example.status
    elif media_type == ATOM:
        assert response.headers["content-type"] == ATOM
    elif media_type in (MARKDOWN, TEXT):
        assert response.headers["content-type"] == f"{media_type}; charset=utf-8"
        assert "\n# " in f"\n{response.text}" or operation.name in ONE_STRING
        assert f"\n{response.text}".count("\n# ") <= 1
    elif media_type == LINKED_DATA:
        assert response.headers["content-type"] == media_type
        assert {"@context", "@type"} <= {*response.json()}
    else:
        assert response.headers["content-type"] == media_type
        checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
        jsonschema.validate(response.json(), json_schema(operation.shape), format_checker=checker)


@pytest.mark.parametrize(("operation", "example"), POSTS)
def test_each_example_of_what_acts_answers_as_it_says(
    ask: Any, operation: Operation, example: Example
) -> None:
    assert operation.rest is not None
    form = operation.rest.media[0]
    given = {"json": example.variables["input"], "headers": {"accept": form}}
    response = ask(operation.rest.path, "POST", **given)
    assert response.status_code == example.status
    refused = BRIEF if operation.rest.brief else PROBLEM
    if form != MEDIA_TYPES["EVENTS"]:
        schema = json_schema(operation.shape) if example.status == 200 else refused
        jsonschema.validate(response.json(), schema)


@pytest.mark.parametrize("operation", FIRST, ids=lambda o: o.name)
def test_what_acts_describes_itself_to_get(ask: Any, operation: Operation) -> None:
    assert operation.rest is not None
    if operation.rest.method == "DELETE":
        assert ask(operation.rest.path).status_code == 405
        return
    described = ask(operation.rest.path).json()
    assert described["name"] == operation.name
    assert {"description", "method", "path", "mediaTypes", "responses", "limits", "see"} <= set(
        described
    )
    for example in described["examples"]:
        fits = jsonschema.Draft202012Validator(described["request"]).is_valid(example["request"])
        assert fits == (example["status"] < 400)
        assert str(example["status"]) in described["responses"]
    for path in described["see"]:
        assert ask(path).status_code == 200
    assert ask(f"{operation.rest.path}.json").json() == described
    text = ask(operation.rest.path, headers={"accept": "text/markdown"}).text
    assert text == ask(f"{operation.rest.path}.md").text
    assert text.startswith("> The index")


@pytest.mark.parametrize("operation", READ, ids=lambda o: o.name)
def test_accept_chooses_between_the_forms(
    ask: Any, reading: Snapshot, operation: Operation
) -> None:
    assert operation.rest is not None
    variables = variables_of(reading, operation, operation.examples[0])
    path = operation.rest.path
    for name in operation.path_variables:
        path = path.replace(f"{{{name}}}", variables.pop(name))
    path += f"?{urlencode(variables)}" if variables else ""
    for media_type in operation.rest.media:
        response = ask(path, headers={"accept": media_type})
        assert response.headers["content-type"].startswith(media_type)
    assert ask(path).headers["content-type"].startswith(operation.rest.media[0])


@pytest.mark.parametrize("path", ["/api/projects", "/api/onchain"])
def test_every_item_is_reached_by_its_slug(client: httpx.Client, path: str) -> None:
    listed = client.get(path).json()
    items = listed if isinstance(listed, list) else listed["artifacts"]
    assert len(items) == 3
    for item in items:
        assert client.get(f"{path}/{item['slug']}").json() == item


def test_the_manifest_holds_every_section_as_its_own_read_gives_it(
    client: httpx.Client, operations: Operations
) -> None:
    manifest = client.get("/api/manifest").json()
    assert list(manifest)[:3] == ["studio", "domains", "projects"]
    assert manifest["studio"] == client.get("/api/about").json()["studio"]
    sections = {o.root_key: o for o in operations if o.root_key in manifest}
    assert set(manifest) - set(sections) == {"revision", "rollupHash", "version"}
    for name, operation in sections.items():
        if operation.rest is not None and not operation.rest.whole:
            assert client.get(operation.rest.path).json() == manifest[name]


def test_the_parts_of_the_profile_are_its_fields(client: httpx.Client) -> None:
    studio = client.get("/api/about").json()["studio"]
    assert client.get("/api/thesis").json() == {"thesis": studio["thesis"]}
    for path, name in (
        ("practice", "practice"),
        ("convictions", "convictions"),
        ("looking-for", "lookingFor"),
        ("scheduling", "scheduling"),
        ("journey", "journey"),
        ("onchain", "onChain"),
        ("certifications", "certifications"),
    ):
        assert client.get(f"/api/{path}").json() == studio[name]
