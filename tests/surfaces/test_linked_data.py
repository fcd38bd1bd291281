"""JSON-LD of a read is valid, in terms of schema.org, and says nothing that JSON does not."""

from collections.abc import Iterator
from typing import Any

import pytest
from local_service import Ask
from pyld import jsonld
from vectors import vectors

from sdl.running.runner import Operations

LINKED = "application/ld+json"
CONTEXT = "https://schema.org"
TERMS: dict[str, list[str]] = vectors("schema-org-terms")["types"]
TYPES = {
    "/api/about": {"ProfessionalService", "Person"},
    "/api/projects": {"ItemList", "CreativeWork"},
    "/api/projects/tidebook": {"CreativeWork"},
    "/api/faq": {"FAQPage", "Question", "Answer"},
    "/api/engagement": {"Service", "Offer"},
}


def read(ask: Ask, path: str, media: str = LINKED) -> Any:
    answer = ask(path, headers={"accept": media})
    assert answer.headers["content-type"] == media
    return answer.json()


def nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a JSON value."""
    if isinstance(value, list):
        for item in value:
            yield from nodes(item)
    elif isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from nodes(inner)


def leaves(value: Any) -> Iterator[Any]:
    """Every scalar in a JSON value, without the words of JSON-LD."""
    if isinstance(value, list):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner) if not name.startswith("@") else ()
    else:
        yield value


def loader(url: str, _options: Any) -> dict[str, Any]:
    """Schema.org's context without a network: all that is used of it is its vocabulary."""
    assert url == CONTEXT
    context = {"@context": {"@vocab": f"{CONTEXT}/"}}
    return {"contentType": LINKED, "contextUrl": None, "documentUrl": url, "document": context}


@pytest.mark.parametrize("path", TYPES)
def test_it_expands_to_nodes_of_the_types_of_the_resource(ask: Ask, path: str) -> None:
    options: Any = {"documentLoader": loader}
    (root,) = jsonld.expand(read(ask, path), options)
    types = {kind for node in nodes(root) for kind in node.get("@type", ())}
    assert types >= {f"{CONTEXT}/{kind}" for kind in TYPES[path]}


@pytest.mark.parametrize("path", TYPES)
def test_each_property_is_one_of_its_type(ask: Ask, path: str) -> None:
    body = read(ask, path)
    assert body.pop("@context") == CONTEXT
    for node in nodes(body):
        assert {*node} - {"@type", "@id"} <= {*TERMS[node["@type"]]}


@pytest.mark.parametrize("path", TYPES)
def test_each_value_stands_in_the_json_body(ask: Ask, path: str) -> None:
    said = [*leaves(read(ask, path))]
    assert said
    assert {*said} <= {*leaves(read(ask, path, "application/json"))}


def test_it_is_announced_where_it_answers_and_nowhere_else(
    ask: Ask, operations: Operations
) -> None:
    paths = ask("/openapi.json").json()["paths"]
    for operation in operations:
        rest = operation.rest
        if rest is None or not operation.is_read:
            continue
        content = paths[rest.path]["get"]["responses"]["200"]["content"]
        assert (LINKED in content) == (LINKED in rest.media), rest.path
        if operation.path_variables or operation.variables:
            continue
        linked = ask(rest.path, headers={"accept": LINKED})
        links = ask(rest.path, headers={"accept": "application/json, */*;q=0.1"}).headers["link"]
        is_linked = linked.headers["content-type"] == LINKED
        assert is_linked == (LINKED in rest.media) == (f'type="{LINKED}"' in links), rest.path


def test_the_fields_of_a_projection_are_those_of_json_ld(ask: Ask) -> None:
    body = read(ask, "/api/faq?fields=q&limit=1")
    (question,) = body["mainEntity"]
    assert {*question} == {"@id", "@type", "name"}


@pytest.mark.parametrize("query", ["", "?limit=2&offset=3", "?fields=q&offset=5"])
def test_the_id_of_an_entry_is_where_it_is_read(query: str, ask: Ask) -> None:
    nodes_there = read(ask, f"/api/faq{query}")["mainEntity"]
    for node in nodes_there:
        path = node["@id"].partition("://")[2].partition("/")[2]
        assert read(ask, f"/{path}", "application/json")["q"] == node["name"]
    project = read(ask, "/api/projects/tidebook")
    assert project["@id"].endswith("/api/projects/tidebook")
