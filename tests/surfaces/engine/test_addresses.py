"""The addresses that a service writes lead to what they say they do, whatever the values are."""
# mypy: disable-error-code="untyped-decorator"

import asyncio
import re
from enum import Enum
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import strawberry
from asgi_call import Ask, asking
from mcp_messages import result
from strawberry.scalars import JSON

from surfaces import Surfaces
from surfaces.trying import try_examples


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


@strawberry.enum
class Direction(Enum):
    ASC = "asc"
    DESC = "desc"


@strawberry.input
class Order:
    price: Direction


@strawberry.type
class Told:
    @strawberry.field
    def told(  # noqa: PLR0913, PLR0917 - one of each kind
        self,
        ids: list[int] | None = None,
        texts: list[str] | None = None,
        ordering: list[Order] | None = None,
        value: JSON | None = None,
        is_open: bool | None = None,  # noqa: FBT001 - callers name it
        language: str | None = None,
    ) -> str:
        return repr((ids, texts, ordering, value, is_open, language))


LINKED = """
query By($ids: [Int!]!) @rest(path: "/by/{ids}") @example(variables: {ids: [1, 2]})
  { told(ids: $ids) }
query Open($isOpen: Boolean!) @rest(path: "/open/{isOpen}") @example(variables: {isOpen: true})
  { told(isOpen: $isOpen) }
query Texts($texts: [String!]!) @rest(path: "/texts") @example(variables: {texts: ["a", "b&c"]})
  { told(texts: $texts) }
query Ordered($ordering: [Order!]!, $language: String @from(header: "accept-language"))
  @rest(path: "/ordered")
  @example(variables: {ordering: [{price: DESC}], language: "de"})
  { told(ordering: $ordering, language: $language) }
query Json($value: JSON!) @rest(path: "/json") @example(variables: {value: "a b"})
  { told(value: $value) }
query Some($value: JSON, $isOpen: Boolean) @rest(path: "/some")
  @example(variables: {value: [1, null], isOpen: null})
  { told(value: $value, isOpen: $isOpen) }
"""


def test_the_address_of_an_example_is_that_example(tmp_path: Path) -> None:
    (tmp_path / "all.graphql").write_text(LINKED)
    told = Surfaces(strawberry.Schema(Told), tmp_path, url="http://localhost")
    ask = asking(told)
    links = re.findall(r"\]\((http[^)]*)\): ", ask("/llms.txt").text)
    paths = sorted(link.removeprefix("http://localhost") for link in links)
    expected = [
        "/by/1,2",
        "/json?value=%22a+b%22",
        "/mcp/server-card",
        "/open/true",
        "/ordered?ordering=%5B%7B%22price%22%3A%22DESC%22%7D%5D",
        "/some?value=%5B1%2Cnull%5D",
        "/texts?texts=a&texts=b%26c",
    ]
    assert [path for path in paths if path.split("?")[0].strip("/") and "." not in path] == expected
    for document in ("/sitemap.xml", "/.well-known/api-catalog"):
        listed = unescape(ask(document).text)
        assert [path for path in expected if f"http://localhost{path}" not in listed] == []
    assert [path for path in expected if ask(path).status_code != 200] == []
    tried = asyncio.run(try_examples(told, {}, writes=False))
    assert (tried.problems, tried.examples) == ([], 6)


@strawberry.type
class PageInfo:
    has_next_page: bool
    end_cursor: str


@strawberry.type
class Page:
    nodes: list[Named]
    page_info: PageInfo


@strawberry.type
class Pages:
    @strawberry.field
    def named(
        self, ids: list[int], first: int, after: str = "", q: list[str] | None = None
    ) -> Page:
        end = int(after or 0) + first
        nodes = [Named(id=f"{ids} {q} {number}") for number in range(end - first, min(end, 5))]
        return Page(nodes=nodes, page_info=PageInfo(has_next_page=end < 5, end_cursor=str(end)))


PAGES = """
query Named($ids: [Int!]!, $first: Int!, $after: String! = "", $q: [String!])
  @rest(path: "/c/{ids}") @mcp
  { named(ids: $ids, first: $first, after: $after, q: $q) {
    nodes { id } pageInfo { hasNextPage endCursor } } }
"""


def test_the_next_page_is_the_same_call_further_on(tmp_path: Path) -> None:
    ask = service(tmp_path, PAGES, strawberry.Schema(Pages))
    query = "first=2&fields=nodes.id&q=a&q=b%26c"
    for path, accept, said in (
        ("/c/1,2.md", "*/*", True),
        ("/c/1,2.json", "*/*", False),
        ("/c/1,2", "*/*", False),
        ("/c/1,2", "text/markdown", True),
    ):
        headers, seen, address = {"accept": accept}, "", f"{path}?{query}"
        for number in (0, 2, 4):
            answer = ask(address, headers=headers)
            assert f"[1, 2] ['a', 'b&c'] {number}" in answer.text
            assert "Page info" not in answer.text
            following = re.search(r'<([^>]+)>; rel="next"', answer.headers["link"])
            if following is None:
                break
            page, _, after = following[1].partition("&after=")
            assert page == f"{path.replace(',', '%2C')}?{query}"
            assert (f"\nNext page: {following[1]}\n" in answer.text) == said
            assert after != seen
            address, seen = following[1], after
        assert following is None
        assert number == 4
    called = result(ask, "tools/call", name="named", arguments={"ids": [1], "first": 2})
    assert called["structuredContent"]["more"].startswith("The next page: the same call with after")


ROOT = 'query Root @rest(path: "/") { thing(id: "x") { id } }'


@pytest.mark.parametrize(
    ("text", "root"),
    [
        (ROOT, "application/json"),
        (ROOT.replace('"/"', '"/", media: [MARKDOWN, JSON]'), "text/markdown"),
        (ROOT.replace('"/"', '"/x"'), "text/plain"),
    ],
)
def test_an_endpoint_of_the_agent_document_answers_in_its_type(
    tmp_path: Path, text: str, root: str
) -> None:
    ask = service(tmp_path, text)
    endpoints = ask("/.well-known/agent.json").json()["endpoints"]
    assert [own["type"] for own in endpoints if own["url"] == "http://localhost/"] == [root]
    for own in endpoints:
        answer = ask(own["url"], headers={"accept": own["type"]})
        assert (answer.status_code, own["type"] in answer.headers["content-type"]) == (200, True)
