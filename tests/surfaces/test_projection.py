"""What is wrong with `fields`, `limit` and `offset` is told, and a part has an ETag of its own."""

import httpx
import pytest
from local_service import stored_operations

from sdl.arguments.projection import names
from sdl.operations.operation import Operation
from sdl.types.shape import ListShape, ObjectShape, Shape

READ = [o for o in stored_operations() if o.rest is not None and names(o) and not o.path_variables]


def path_of(operation: Operation) -> str:
    """The operation's path."""
    assert operation.rest is not None
    return "/index.json" if operation.rest.path == "/" else operation.rest.path


def keys(shape: Shape) -> list[str]:
    """The keys of the objects of a shape."""
    inner = shape.item if isinstance(shape, ListShape) else shape
    assert isinstance(inner, ObjectShape)
    return [member.key for member in inner.fields]


@pytest.mark.parametrize("operation", READ, ids=lambda o: o.name)
def test_an_unknown_field_lists_the_known_ones(client: httpx.Client, operation: Operation) -> None:
    response = client.get(path_of(operation), params={"fields": "nonsense"})
    assert response.status_code == 400
    fault = response.json()["fields"][0]
    assert fault["path"] == "fields"
    assert fault["allowed"] == keys(operation.shape)


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=-1", "limit"),
        ("limit=ten", "limit"),
        ("limit=1.0", "limit"),
        ("limit=%D9%A1", "limit"),
        ("limit=", "limit"),
        ("limit=1&limit=2", "limit"),
        ("offset=-1", "offset"),
        ("offset=1000001", "offset"),
        ("offset=99999999999999999999999999", "offset"),
        ("fields=", "fields"),
        ("fields=q,", "fields"),
        ("fields=q.a", "fields"),
        ("fields=.q", "fields"),
    ],
)
def test_what_does_not_fit_is_told(client: httpx.Client, query: str, path: str) -> None:
    response = client.get(f"/api/faq?{query}")
    assert response.status_code == 400
    assert [fault["path"] for fault in response.json()["fields"]] == [path]


def test_faults_of_all_parameters_come_together(client: httpx.Client) -> None:
    response = client.get("/api/changelog?limit=0&fields=nope&kind=x&since=y&unknown=1")
    assert {fault["path"] for fault in response.json()["fields"]} == {
        *("limit", "fields", "kind", "since", "unknown")
    }


def test_an_object_has_no_pages_and_a_document_no_fields(client: httpx.Client) -> None:
    assert client.get("/api/status?limit=1").status_code == 400
    for path in ("/llms.txt", "/llms-full.txt", "/api/feed.json"):
        assert client.get(f"{path}?fields=name").status_code == 400


def test_a_narrowed_answer_has_a_validator_of_its_own(client: httpx.Client) -> None:
    whole, part = client.get("/api/faq"), client.get("/api/faq?limit=1")
    assert whole.headers["etag"] != part.headers["etag"]
    known = {"if-none-match": part.headers["etag"]}
    assert client.get("/api/faq?limit=1", headers=known).status_code == 304
    assert client.get("/api/faq", headers=known).status_code == 200
