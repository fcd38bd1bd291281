"""`surfaces draft`: what it writes for a schema passes every check, and nothing is overwritten."""
# mypy: disable-error-code="untyped-decorator"

import enum
from datetime import date
from functools import partial
from pathlib import Path

import pytest
import strawberry
from graphql import GraphQLSchema, build_schema
from strawberry.extensions import QueryDepthLimiter

from sdl.operations.compiler import compile_operations
from sdl.operations.rules import OperationError
from surfaces import Surfaces
from surfaces.drafting import Drafts, draft
from surfaces.facade import RESERVED

ODD = build_schema("""
scalar Colour
scalar JSON
scalar Upload
enum Size { SMALL LARGE }
interface Named { name: String! outer: Named }
interface Node { id: ID! }
"No type is one."
interface Nobody { name: String! }
type Tag implements Named {
  name: String! outer: Named weight: Int! old: String @deprecated(reason: "Use weight.")
  page(number: Int!): String
}
type Box implements Named & Node {
  name: String! outer: Named id: ID! weight: Float colour: Colour inner: Box!
  tags: [[Tag]!] page(number: Int = 1): JSON boxes(first: Int): BoxConnection!
}
"Nothing of it can be selected without an argument."
type Only { page(number: Int!): String }
type Hidden { only: Only! nobody: Nobody }
type PageInfo { hasNextPage: Boolean! endCursor: String }
type BoxEdge { cursor: String! node: Box! edge: BoxEdge }
type BoxConnection { pageInfo: PageInfo! edges: [BoxEdge] }
type Crowd { edges: [Box!]! crowd: Crowd! }
union Found = Tag | Box | Only
input Filter { name: String! size: Size! = SMALL also: Filter }
input By @oneOf { id: Int name: String }
type Query {
  node(id: ID!): Node
  nodes(ids: [ID!]!): [Node]!
  box(id: ID!): Box
  boxByName(name: String!, size: Size!): Box
  tags: [[Tag]!]
  named: Named!
  found: [Found!]!
  only: Only
  hidden: Hidden!
  nobody: Nobody
  crowd: Crowd
  count: Int!
  size(slug: String!): Size
  anything(value: JSON!): JSON
  colour(colour: Colour!): Colour
  filtered(filter: Filter!): [Box!]!
  filters(filters: [Filter!]!): [Box!]!
  one(by: By!): Box
  clashing(input: Filter!, name: String!): Int
  spread(input: Filter): Int
  limited(limit: Int, offset: Int, fields: [String!]): Int
  defaults(
    size: Size! = LARGE, names: [String!]! = ["a", "b\\""], filter: Filter = { name: "x" }
  ): Int
  left(now: Int, before: Int @deprecated(reason: "Use now.")): Int
  mcp: Int
  graphql(id: ID!): Int
  index: Int
  snake_case: Int
  snakeCase: Int
  snakeCaseQuery: Int
  _1st: Int
  _: Int
  _service: Int
  old: Int @deprecated(reason: "Use count.")
  aVeryLongNameOfAFieldThatIsLongerThanAnyToolOfMcpMayBeAndGoesOnAndOn: Int
  boxes(first: Int, after: String): BoxConnection!
}
type Mutation {
  box(filter: Filter!): Found
  add(first: Filter!, second: [Filter]): Int
  upload(file: Upload!): Int
  attach(file: Upload): Int
  wipe: Boolean
}
type Subscription { box(id: ID!): Named! ticks(to: Int! = 3): Int }
""")
"""About all that a schema may have."""


def check(folder: Path) -> None:
    """Compile a folder for the odd schema, and make its tools and routes."""
    compile_operations(ODD, folder, strict=False)


def schema_of(schema: strawberry.Schema) -> GraphQLSchema:
    """The schema below Strawberry's."""
    return schema._schema  # noqa: SLF001 - it has no public name


def drafted(schema: strawberry.Schema, folder: Path) -> Drafts:
    """What is drafted for a schema; the folder is then served."""
    drafts = draft(schema_of(schema), folder, partial(Surfaces, schema), RESERVED)
    Surfaces(schema, folder)
    return drafts


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Drafts]:
    """The drafts of the odd schema."""
    folder = tmp_path_factory.mktemp("odd") / "operations"
    return folder, draft(ODD, folder, check, RESERVED)


def test_each_root_field_has_a_file_or_a_reason(odd: tuple[Path, Drafts]) -> None:
    folder, drafts = odd
    assert len(drafts.written) == len([*folder.glob("*.graphql")]) == 37
    assert sorted(drafts.left) == [
        "mutation upload: its argument file is a file",
        "nobody.graphql: Nobody: no type of the schema is one; name one in `types=` of the schema",
        "query _: it is for machines alone",
        "query _service: it is for machines alone",
        "query old: it is deprecated",
    ]


def test_two_levels_are_selected_through_connections(odd: tuple[Path, Drafts]) -> None:
    text = (odd[0] / "boxes.graphql").read_text()
    words = " ".join(text.split())
    assert "edges { cursor node { name outer {" in words
    assert "inner { name id weight colour page }" in words
    assert "hasNextPage" in words
    assert "old" not in words


def test_a_key_with_two_meanings_has_an_alias(odd: tuple[Path, Drafts]) -> None:
    words = " ".join((odd[0] / "found.graphql").read_text().split())
    assert "found { __typename ... on Tag { name outer {" in words
    assert "boxWeight: weight" in words


def test_what_names_one_thing_is_in_the_path(odd: tuple[Path, Drafts]) -> None:
    heads = {path.stem: path.read_text().splitlines()[:2] for path in odd[1].written}
    assert heads["box"] == ["query Box($id: ID!)", '  @rest(path: "/box/{id}") @mcp']
    assert heads["size"][1] == '  @rest(path: "/size/{slug}") @mcp'
    assert heads["box_by_name"][1] == '  @rest(path: "/box-by-name") @mcp'
    assert heads["filtered"][1] == '  @rest(path: "/filtered", method: POST) @mcp'
    assert heads["box_mutation"][1] == '  @rest(path: "/box-mutation") @mcp(order: 200)'
    assert heads["box_subscription"][1] == '  @rest(path: "/box-subscription")'
    assert heads["mcp_query"][1] == '  @rest(path: "/mcp-query") @mcp'
    assert heads["clashing"][0] == "query Clashing($object: Filter!, $name: String!)"
    assert heads["left"][0] == "query Left($now: Int)"
    assert heads["defaults"][0].startswith(
        'query Defaults($size: Size! = LARGE, $names: [String!]! = ["a", "b\\""], $filter: Filter ='
    )


def test_a_second_draft_adds_what_is_new_alone(tmp_path: Path) -> None:
    folder = tmp_path / "operations"
    folder.mkdir()
    own = folder / "own.graphql"
    own.write_text('query Count @rest(path: "/boxes") @mcp { count }')
    (folder / "size.graphql").write_text("fragment Short on Box { name }")
    drafts = draft(ODD, folder, check, RESERVED)
    assert own.read_text().startswith("query Count")
    assert "query count: own.graphql has it" in drafts.left
    assert "size.graphql: it is there already" in drafts.left
    assert '"/boxes-query"' in (folder / "boxes_query.graphql").read_text()
    again = draft(ODD, folder, check, RESERVED)
    assert again.written == []


def test_a_file_that_cannot_be_parsed_is_told(tmp_path: Path) -> None:
    (tmp_path / "bad.graphql").write_text("query {")
    (tmp_path / "worse.graphql").write_bytes(b"\xff")
    with pytest.raises(OperationError) as raised:
        draft(ODD, tmp_path, check, RESERVED)
    assert [(Path(p.file).name, p.line) for p in raised.value.problems] == [
        ("bad.graphql", 1),
        ("worse.graphql", 1),
    ]


@strawberry.enum
class Shade(enum.Enum):
    LIGHT = 1
    DARK = 2


@strawberry.input
class Paint:
    shade: Shade = Shade.DARK
    day: date = date(2026, 1, 2)


@strawberry.type
class Wall:
    shade: Shade

    @strawberry.field
    def behind(self) -> "Wall | None":
        return None


@strawberry.type
class Query:
    @strawberry.field
    def wall(
        self,
        shade: Shade = Shade.LIGHT,
        paint: Paint = Paint(),  # noqa: B008 - as owners write it
        day: date = date(2026, 1, 2),
        none: int | None = None,
    ) -> Wall:
        return Wall(shade=paint.shade if day.year and none else shade)


def test_defaults_that_are_values_of_python_are_written(tmp_path: Path) -> None:
    drafts = drafted(strawberry.Schema(Query), tmp_path / "operations")
    assert [path.read_text().splitlines()[0] for path in drafts.written] == [
        "query Wall($shade: Shade! = LIGHT, $paint: Paint! = { shade: DARK, day:"
        ' "2026-01-02" }, $day: Date! = "2026-01-02", $none: Int)'
    ]


def test_what_the_schema_itself_refuses_is_drafted_smaller(tmp_path: Path) -> None:
    schema = strawberry.Schema(Query, extensions=[lambda: QueryDepthLimiter(max_depth=1)])
    assert "behind" not in drafted(schema, tmp_path / "operations").written[0].read_text()
