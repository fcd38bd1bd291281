"""The addresses that a service writes lead to what they say they do, whatever the values are."""
# mypy: disable-error-code="untyped-decorator"

from pathlib import Path
from typing import Any

import strawberry
from asgi_call import Ask, asking

from surfaces import Surfaces


@strawberry.type
class Named:
    id: str


@strawberry.type
class Query:
    @strawberry.field
    def thing(self, id: str) -> Named:  # noqa: A002 - the name on the wire
        return Named(id=id)


@strawberry.type
class Mutation:
    @strawberry.mutation
    def add(self, id: str) -> Named:  # noqa: A002 - the name on the wire
        return Named(id=id)


SCHEMA = strawberry.Schema(Query, Mutation)


def service(folder: Path, text: str, schema: strawberry.Schema = SCHEMA, **options: Any) -> Ask:
    """The operations of a text, served."""
    (folder / "all.graphql").write_text(text)
    return asking(Surfaces(schema, folder, url="http://localhost", **options))


def test_the_location_of_what_was_made_is_its_own_path(tmp_path: Path) -> None:
    ask = service(
        tmp_path,
        'query Thing($id: String!) @rest(path: "/a/{id}") { thing(id: $id) { id } }\n'
        'mutation Add($id: String!) @rest(path: "/a", status: 201, location: "/a/{id}")'
        " { add(id: $id) { id } }",
    )
    for name in ("x", "日本", "a b", "7/8 ü", "?q=1#f", "../../evil", "..", ".", "{id}", "50%"):
        made = ask("/a", "POST", json={"id": name})
        location = made.headers["location"]
        assert (made.status_code, location.count("/")) == (201, 2)
        assert location not in {"/a/.", "/a/.."}  # which clients take for other paths
        assert ask(location).json() == {"id": name}
    made = ask("/a", "POST", json={"id": "a\r\nset-cookie: x=1"})
    assert made.headers["location"] == "/a/a%0D%0Aset-cookie%3A%20x%3D1"
    assert "set-cookie" not in made.headers
