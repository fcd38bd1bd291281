"""Types and values that few schemas have, answered on every surface as GraphQL answers them."""
# mypy: disable-error-code="untyped-decorator"

import enum
import json
import re
from collections.abc import AsyncGenerator
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import pytest
import strawberry
from asgi_call import Ask, asking
from graphql import GraphQLError
from mcp_messages import post, result
from openapi_spec_validator import validate
from starlette.exceptions import HTTPException
from strawberry.scalars import JSON

from sdl.operations.rules import OperationError
from surfaces import Surfaces

SECRET = "internal-dsn://user:pw@host"  # noqa: S105 - what no caller may see


@strawberry.enum
class Order(enum.Enum):
    ASC = "a"
    DESC = "d"


@strawberry.input
class By:
    price: Order = Order.ASC


@strawberry.input
class Page:
    first: int
    limit: int = 1
    text: str = "a\nb"


@strawberry.type
class Box:
    size: int
    note: str | None


@strawberry.type
class Bag:
    size: int
    colour: str | None


@strawberry.type
class Event:
    size: int
    note: str | None

    @strawberry.field
    def bad(self) -> str | None:
        if self.size == 2:
            raise ValueError(SECRET)
        return None


@strawberry.type
class Missing:
    reason: str


@strawberry.type
class Shelf:
    boxes: list[Box]
    names: list[str]


@strawberry.type
class Parts:
    good: str

    @strawberry.field
    def bad(self) -> str | None:
        raise ValueError(SECRET)


@strawberry.type
class Query:
    @strawberry.field
    def found(self, size: int) -> Annotated[Box | Missing, strawberry.union("Found")]:
        return Box(size=size, note=None) if size else Missing(reason="empty")

    @strawberry.field
    def shelf(self) -> Shelf:
        return Shelf(boxes=[], names=[""])

    @strawberry.field
    def parts(self) -> Parts:
        return Parts(good="yes")

    @strawberry.field
    def number(self, number: float) -> float:
        return number

    @strawberry.field
    def names(self, names: list[str] | None = None) -> str:
        return repr(names)

    @strawberry.field
    def numbers(self, numbers: list[int]) -> str:
        return repr(numbers)

    @strawberry.field
    def rows(self, rows: list[list[int]]) -> str:
        return repr(rows)

    @strawberry.field
    def ordered(self, by: list[By] | None = None) -> str:
        return ", ".join(own.price.name for own in by or [])

    @strawberry.field
    def paged(self, page: Page | None = None) -> list[str]:
        return [repr(page.limit if page else None)] * 3

    @strawberry.field
    def weigh(self, weight: Decimal) -> Decimal:
        return weight * 2

    @strawberry.field
    def things(self) -> list[Annotated[Box | Bag, strawberry.union("Thing")]]:
        return [Box(size=1, note=None), Bag(size=2, colour=None)]

    @strawberry.field
    def nobody(self) -> Box | None:
        return None

    @strawberry.field
    def wrong(self) -> int:
        return SECRET  # type: ignore[return-value]

    @strawberry.field
    def busy(self) -> int:
        raise HTTPException(503, SECRET)

    @strawberry.field
    def coded(self) -> int:
        raise GraphQLError("That is odd.", extensions={"code": ["x"]})

    @strawberry.field
    def big(self) -> JSON:
        return JSON({"n": 2**70, "half": "\ud800", 1: 2})


@strawberry.type
class Mutation:
    @strawberry.mutation
    def drop(self, id: str) -> str:  # noqa: A002 - the schema's word
        return id

    @strawberry.mutation
    def add(self, id: str) -> str:  # noqa: A002 - the schema's word
        return id


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def events(self) -> AsyncGenerator[Event, None]:
        for size in (1, 2, 3):
            yield Event(size=size, note=None)

    @strawberry.subscription
    async def numbers(self) -> AsyncGenerator[JSON, None]:
        for number in (1, 2**70, 3):
            yield JSON(number)


SCHEMA = strawberry.Schema(Query, Mutation, Subscription)
OPERATIONS = r"""
# A folder may have fragments that nothing uses yet.
fragment Unused on Box { size }
query Names($names: [String!]) @rest(path: "/names") @mcp { names(names: $names) }
query Path($names: [String!]!) @rest(path: "/by/{names}") { names(names: $names) }
query Numbers($numbers: [Int!]!) @rest(path: "/numbers") { numbers(numbers: $numbers) }
query Rows($rows: [[Int!]!]!) @rest(path: "/rows") @mcp { rows(rows: $rows) }
query Ordered($by: [By!]) @rest(path: "/ordered") @mcp { ordered(by: $by) }
query Paged($input: Page) @rest(path: "/paged") @mcp { paged(page: $input) }
query Needed($input: Page!) @rest(path: "/needed") { paged(page: $input) }
query Ask($input: Page) @rest(path: "/ask", method: POST) { paged(page: $input) }
query Default($t: String = "a\nb") @rest(path: "/d") { names(names: [$t]) }
query Weigh($weight: Decimal!) @rest(path: "/weigh", method: POST) @mcp { weigh(weight: $weight) }
query Things @rest(path: "/things") @mcp {
  things { __typename ... on Box { size note } ... on Bag { colour } }
}
query Found($size: Int!) @rest(path: "/found/{size}") @mcp @fails(type: "Missing", status: 409) {
  found(size: $size) { __typename ... on Box { size } ... on Missing { reason } }
}
query Shelf @rest(path: "/shelf") { shelf { boxes { size } names } }
query Parts @rest(path: "/parts", partial: true) @mcp { parts { good bad } }
query Float($number: Float!) @rest(path: "/float") { number(number: $number) }
query Sizes($numbers: [Int!]! @from(header: "x-sizes"), $names: [String!])
  @rest(path: "/sizes", method: POST, getParameters: ["names"]) {
  numbers(numbers: $numbers) names(names: $names)
}
query Wrapped($size: Int!) @rest(path: "/wrapped/{size}", whole: true) { found(size: $size) {
  ... on Box { size } } }
query Page @rest(path: "/page", media: [TEXT, JSON, MARKDOWN]) { shelf { names } }
query Plain @rest(path: "/plain", media: [TEXT, JSON]) { shelf { names } }
query ReadDoc($id: String!) @rest(path: "/notes/{id}") { names(names: [$id]) }
mutation PutDoc($id: String!) @rest(path: "/notes/{id}", method: PUT) { drop(id: $id) }
query Whole @rest(path: "/whole", whole: true) @mcp { nobody { size } }
query Wrong @rest(path: "/wrong") @mcp { wrong }
query Busy @rest(path: "/busy") { busy }
query Coded @rest(path: "/coded") { coded }
query Big @rest(path: "/big") @mcp { big }
query Doc($name: String!) @rest(path: "/docs/{name}") @resource { names(names: [$name]) }
mutation Drop($id: String!) @rest(path: "/boxes/{id}", method: DELETE) @mcp(order: 200) {
  drop(id: $id)
}
mutation Add($id: String!) @rest(path: "/boxes") @mcp(order: 201, destructive: false) {
  add(id: $id)
}
subscription Events @rest(path: "/events") { events { size note bad } }
subscription Big2 @rest(path: "/big-events") { numbers }
"""


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    folder = tmp_path_factory.mktemp("odd")
    (folder / "all.graphql").write_text(OPERATIONS)
    (folder / "empty.graphql").write_text("# Nothing is here yet.\n")
    return asking(Surfaces(SCHEMA, folder, name="Odd", url="http://localhost"))


@pytest.mark.parametrize(
    ("path", "read"),
    [
        ("/names?names=Smith%2C%20J", ["Smith, J"]),
        ("/names?names=a,b&names=c", ["a,b", "c"]),
        ("/names", None),
        ("/by/a,b", ["a", "b"]),
        ("/numbers?numbers=1,2&numbers=3", [1, 2, 3]),
        ("/rows?rows=[[1,2],[3]]", [[1, 2], [3]]),
        ("/rows?rows=[1,2]&rows=[3]", [[1, 2], [3]]),
        ("/rows?rows=[]", []),
    ],
)
def test_a_list_is_read_as_it_is_described(ask: Ask, path: str, read: Any) -> None:
    assert ask(path).json() == repr(read)


def test_lists_of_lists_and_of_objects_are_json_in_one_text(ask: Ask) -> None:
    assert ask('/ordered?by=[{"price":"DESC"},{}]').json() == "DESC, ASC"
    assert ask('/ordered?by={"price":"DESC"}&by={}').json() == "DESC, ASC"
    assert ask("/rows?rows=5").json()["fields"] == [{"path": "rows", "rule": "must be a list"}]
    paths = ask("/openapi.json").json()["paths"]
    for name in ("ordered", "rows"):
        [own, *_] = paths[f"/{name}"]["get"]["parameters"]
        assert [*own["content"]] == ["application/json"]
    called = result(ask, "tools/call", name="rows", arguments={"rows": [[1]]})
    assert called["structuredContent"] == {"result": "[[1]]"}


def test_the_description_is_valid_with_every_default(ask: Ask) -> None:
    document = ask("/openapi.json").json()
    validate(document)
    names = [own.get("name") for own in document["paths"]["/paged"]["get"]["parameters"]]
    assert names.count("limit") == 1


def test_what_is_optional_needs_none_of_its_members(ask: Ask) -> None:
    document = ask("/openapi.json").json()
    parameters = document["paths"]["/paged"]["get"]["parameters"]
    assert not [own for own in parameters if own.get("required")]
    assert document["paths"]["/ask"]["post"]["requestBody"]["required"] is False
    [tool] = [t for t in result(ask, "tools/list")["tools"] if t["name"] == "paged"]
    assert "required" not in tool["inputSchema"]
    assert ask("/paged").json() == ask("/ask", "POST").json() == ["None"] * 3
    assert ask("/paged?first=1&limit=2").json() == ["2"] * 3
    assert ask("/paged?limit=2").json()["fields"] == [{"path": "first", "rule": "is required"}]


def test_an_address_has_what_its_call_needs(ask: Ask) -> None:
    assert "/needed?first={first}`" in ask("/llms.txt").text
    assert ask("/needed?first=1").status_code == 200


def test_fields_never_cut_off_that_an_answer_is_a_failure(ask: Ask) -> None:
    failed = ask("/found/0?fields=reason")
    assert (failed.status_code, failed.json()["reason"]) == (409, "empty")
    called = result(ask, "tools/call", name="found", arguments={"size": 0, "fields": "reason"})
    assert called["isError"] is True
    [told] = ask("/parts?fields=good").json()["errors"]
    assert told["path"] == ["parts", "bad"]
    called = result(ask, "tools/call", name="parts", arguments={"fields": "good"})
    assert [own["path"] for own in called["structuredContent"]["errors"]] == [["parts", "bad"]]


def test_an_empty_list_is_told(ask: Ask) -> None:
    said = ask("/shelf.md").text
    assert "## Boxes\n\nThere are none." in said or "- Boxes: none" in said
    assert '- Names: ""' in said


def test_an_id_that_ends_as_a_form_is_written_at_its_path(ask: Ask) -> None:
    for name in ("readme.md", "a.json", "plain"):
        assert ask(f"/notes/{name}", "PUT").json() == name
    assert ask("/notes/readme.md.json").json() == "['readme.md']"
    refused = ask("/shelf.md", "PUT")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD, OPTIONS")


def test_a_get_with_parameters_has_the_headers_of_the_post(ask: Ask) -> None:
    headers = {"x-sizes": "1, 2"}
    posted = ask("/sizes", "POST", json={"names": ["a"]}, headers=headers)
    asked = ask("/sizes?names=a", headers=headers)
    assert asked.json() == posted.json() == {"numbers": "[1, 2]", "names": "['a']"}
    described = ask("/openapi.json").json()["paths"]["/sizes"]["get"]["parameters"]
    assert {(own["name"], own["in"]) for own in described} >= {("x-sizes", "header")}


def test_a_number_in_a_query_is_as_in_a_body(ask: Ask) -> None:
    for number in (1e300, 1e-300, 123456789012345678901.5):
        assert ask(f"/float?number={quote(repr(number))}").json() == number
    assert ask("/float?number=1e999").json()["fields"][0]["rule"] == "must be a number"


def test_every_form_of_an_answer_is_described_and_linked_where_it_is(ask: Ask) -> None:
    document = ask("/openapi.json").json()
    for path in ("/page", "/plain"):
        answer = ask(path)
        assert answer.headers["content-type"].startswith("text/plain")
        assert "text/plain" in document["paths"][path]["get"]["responses"]["200"]["content"]
        for link in re.findall(r'<([^>]+)>; rel="alternate"', answer.headers["link"]):
            assert ask(link).status_code == 200
    again = ask("/page", headers={"if-none-match": ask("/page").headers["etag"]})
    assert (again.status_code, again.headers["vary"]) == (304, ask("/page").headers["vary"])
    assert "no-store" not in again.headers["cache-control"]


def test_a_decimal_is_a_number_or_a_text(ask: Ask) -> None:
    for weight in ("1.5", 1.5):
        assert ask("/weigh", "POST", json={"weight": weight}).json() == "3.0"
        called = result(ask, "tools/call", name="weigh", arguments={"weight": weight})
        assert called["structuredContent"] == {"result": "3.0"}
    lossy = '{"weight": 12345678901234567890.12}'
    refused = ask("/weigh", "POST", content=lossy, headers={"content-type": "application/json"})
    assert refused.json()["fields"] == [{"path": "weight", "rule": "must be a string"}]


def test_null_is_there_where_the_type_of_the_object_has_the_member(ask: Ask) -> None:
    box, bag = ask("/things").json()
    assert box == {"__typename": "Box", "size": 1, "note": None}
    assert bag == {"__typename": "Bag", "colour": None}
    items = result(ask, "tools/call", name="things", arguments={})["structuredContent"]["items"]
    assert items == [{"__typename": "Box", "size": 1}, {"__typename": "Bag"}]


def test_a_whole_answer_keeps_its_key_around_null(ask: Ask) -> None:
    assert ask("/whole").json() == {"nobody": None}
    assert ask("/whole.md").status_code == 200
    assert result(ask, "tools/call", name="whole", arguments={})["structuredContent"] == {}


def test_a_wrong_value_of_a_resolver_is_no_fault_of_the_caller(ask: Ask) -> None:
    for path, status in (("/wrong", 500), ("/busy", 503)):
        refused = ask(path)
        assert refused.status_code == refused.json()["status"] == status
        assert SECRET not in refused.text
    assert post(ask, "tools/call", name="wrong", arguments={}).json()["error"]["code"] == -32603
    refused = ask("/coded")
    assert (refused.status_code, refused.json()["detail"]) == (400, "That is odd.")


def test_values_that_are_no_plain_json_are_sent_as_json(ask: Ask) -> None:
    value = {"n": 2**70, "half": "?", "1": 2}
    assert json.loads(ask("/big").content) == value
    called = post(ask, "tools/call", name="big", arguments={}).content
    assert json.loads(called)["result"]["structuredContent"]["result"] == value
    events = ask("/big-events").text
    assert [line for line in events.split("\n") if "data" in line] == [
        f"data: {number}" for number in (1, 2**70, 3)
    ]


def test_a_field_that_fails_in_an_event_is_told_and_the_others_come(ask: Ask) -> None:
    frames = [
        dict(line.split(": ", 1) for line in own.split("\n"))
        for own in ask("/events").text.strip().split("\n\n")
    ]
    assert [own["event"] for own in frames] == ["next", "error", "next"]
    first, failed, last = (json.loads(own["data"]) for own in frames)
    assert (first, last) == tuple({"size": n, "note": None, "bad": None} for n in (1, 3))
    assert (failed["status"], SECRET in str(failed)) == (500, False)


def test_a_resource_has_what_its_address_encodes(ask: Ask) -> None:
    for text, encoded in (("a b", "a%20b"), ("a/b", "a%2Fb")):
        [read] = result(ask, "resources/read", uri=f"resource://docs/{encoded}")["contents"]
        assert json.loads(read["text"]) == ask(f"/docs/{encoded}").json() == repr([text])


def test_a_write_may_destroy_unless_it_says_otherwise(ask: Ask) -> None:
    tools = result(ask, "tools/list")["tools"]
    hints = {own["name"]: own["annotations"]["destructiveHint"] for own in tools}
    assert (hints["drop"], hints["add"], hints["names"]) == (True, False, False)


def test_a_subscription_has_no_parts(tmp_path: Path) -> None:
    (tmp_path / "a.graphql").write_text(
        'subscription E @rest(path: "/e", partial: true) { events { size } }'
    )
    with pytest.raises(OperationError, match="partial: an event has no member for its errors"):
        Surfaces(SCHEMA, tmp_path)
