"""What `surfaces check --lock` calls a break, and what not."""

from pathlib import Path
from textwrap import dedent

import pytest
from graphql import build_schema

from sdl.operations.compiler import compile_operations
from surfaces.lock import Contract, breaks, contract_of, read_contract, text_of

SCHEMA = """
enum Level { LOW HIGH }
interface Item { id: ID! }
type Task implements Item { id: ID! title: String! level: Level! due: String note(of: Int): Int }
type Idea implements Item { id: ID! title: String! }
type Taken { message: String! }
union Added = Task | Taken
input NewTask { title: String! level: Level! = LOW tags: [String!] }
type Query {
  task(id: ID!, level: Level, count: Int): Task
  tasks(limit: Int, level: Level): [Task!]!
  item(id: ID!): Item
  cost(size: Float): Int
}
type Mutation { add(input: NewTask!): Added! }
"""
OPERATIONS = """
"One task."
query GetTask($id: ID!, $level: Level, $count: Int)
@rest(path: "/tasks/{id}") @mcp @resource(name: "tasks/{id}") {
  task(id: $id, level: $level, count: $count) { id title level due }
}
query ListTasks($limit: Int) @rest(path: "/tasks") @mcp { tasks(limit: $limit) { id title } }
query Some($level: Level) @prompt { tasks(level: $level) { id } }
query Cost($size: Float) @prompt { cost(size: $size) }
query GetItem($id: ID!) @rest(path: "/items/{id}") @mcp { item(id: $id) { kind: __typename id } }
query PlanDay @prompt { tasks { title } }
query All @rest(path: "/all", rel: "index") @webhook(name: "tasks.changed") { tasks { id } }
mutation AddTask($input: NewTask!) @rest(path: "/tasks") @mcp @fails(type: "Taken", status: 409) {
  add(input: $input) { kind: __typename ... on Task { id } ... on Taken { message } }
}
"""
BREAKING = {
    "an operation is gone": (
        'query ListTasks($limit: Int) @rest(path: "/tasks") @mcp { tasks(limit: $limit)'
        " { id title } }",
        "",
        "ListTasks: the operation is gone; it was route GET /tasks, tool list_tasks",
    ),
    "a path is another": (
        '"/tasks/{id}") @mcp @res',
        '"/task/{id}") @mcp @res',
        "GetTask: the route was GET /tasks/{id} and is GET /task/{id}",
    ),
    "a method is another": (
        '@rest(path: "/tasks") @mcp @fails',
        '@rest(path: "/tasks", method: PUT) @mcp @fails',
        "AddTask: the route was POST /tasks and is PUT /tasks",
    ),
    "a success has another status": (
        '@rest(path: "/tasks") @mcp @fails',
        '@rest(path: "/tasks", status: 201) @mcp @fails',
        "AddTask: the status of a success was 200 and is 201",
    ),
    "a tool has another name": (
        '@rest(path: "/tasks") @mcp {',
        '@rest(path: "/tasks") @mcp(tool: "tasks") {',
        "ListTasks: the tool was list_tasks and is tasks",
    ),
    "markdown is gone": (
        '@rest(path: "/tasks") @mcp {',
        '@rest(path: "/tasks", media: [JSON]) @mcp {',
        "ListTasks: the answer was text/markdown too and is application/json alone",
    ),
    "an argument is gone": (
        "query Some($level: Level) @prompt { tasks(level: $level)",
        "query Some @prompt { tasks",
        "Some: the argument level was one of LOW, HIGH or null and is gone",
    ),
    "an argument is needed": (
        "ListTasks($limit: Int)",
        "ListTasks($limit: Int!)",
        "ListTasks: the argument limit was integer or null and is needed integer",
    ),
    "a new argument is needed": (
        "input NewTask { title: String!",
        "input NewTask { title: String! list: String!",
        "AddTask: the argument list was not there and is needed string",
    ),
    "an argument has another type": (
        "input NewTask { title: String! level: Level! = LOW tags: [String!] }",
        "input NewTask { title: String! level: Level! = LOW tags: String }",
        "AddTask: the argument tags was list or null and is string or null",
    ),
    "a member of an answer is gone": (
        "{ id title level due }",
        "{ id title level }",
        "GetTask: the member due was string or null and is gone",
    ),
    "a member may be null": (
        "type Task implements Item { id: ID! title: String!",
        "type Task implements Item { id: ID! title: String",
        "GetTask: the member title was string and is string or null",
    ),
    "an answer has a word more": (
        "enum Level { LOW HIGH }",
        "enum Level { LOW HIGH URGENT }",
        "GetTask: the member level was one of LOW, HIGH and is one of LOW, HIGH, URGENT",
    ),
    "an argument has a word less": (
        "enum Level { LOW HIGH }",
        "enum Level { LOW }",
        "AddTask: the argument level was one of LOW, HIGH and is one of LOW",
    ),
    "a member has another type": (
        "due: String",
        "due: Int",
        "GetTask: the member due was string or null and is integer or null",
    ),
    "a failure has another status": (
        "status: 409",
        "status: 400",
        "AddTask: the status of Taken was 409 and is 400",
    ),
    "an answer that was a success is a failure": (
        '@fails(type: "Taken", status: 409)',
        '@fails(type: "Taken", status: 409) @fails(type: "Task", status: 400)',
        "AddTask: the status of Task was 200 and is 400",
    ),
    "an answer is no list": (
        "tasks(limit: Int, level: Level): [Task!]!",
        "tasks(limit: Int, level: Level): Task!",
        "ListTasks: the whole answer was list and is object",
    ),
    "a list is no longer skipped in": (
        'query All @rest(path: "/all", rel: "index") @webhook(name: "tasks.changed") { tasks {',
        'query All($limit: Int) @rest(path: "/all", rel: "index") @webhook(name: "tasks.changed")'
        " { tasks(limit: $limit) {",
        "All: the parameter offset was there and is gone",
    ),
    "an event has another name": (
        '"tasks.changed"',
        '"tasks.new"',
        "All: the webhook was tasks.changed and is tasks.new",
    ),
    "a relation is gone": (', rel: "index"', "", "All: the rel was index and is gone"),
    "a prompt is gone": (
        "query PlanDay @prompt",
        'query PlanDay @mcp(tool: "plan_day")',
        "PlanDay: the prompt was plan_day and is gone",
    ),
}
HARMLESS = {
    "an operation is new": (
        "query PlanDay",
        'query Other @rest(path: "/other") { tasks { id } }\nquery PlanDay',
    ),
    "an optional argument is new": (
        "Some($level: Level) @prompt { tasks(level: $level)",
        "Some($level: Level, $max: Int) @prompt { tasks(level: $level, limit: $max)",
    ),
    "a member of an answer is new": (
        "{ id title } }\nquery Some",
        "{ id title due } }\nquery Some",
    ),
    "a description is another": ('"One task."', '"A task, by its id."'),
    "an argument has a default": ("ListTasks($limit: Int)", "ListTasks($limit: Int = 7)"),
    "an argument has a description": (
        "ListTasks($limit: Int)",
        'ListTasks("How many." $limit: Int)',
    ),
    "an argument may be null": ("tags: [String!] }", "tags: [String] }"),
    "an argument is not needed any more": (
        "input NewTask { title: String!",
        "input NewTask { title: String",
    ),
    "a new optional argument has a needed part": (
        "tags: [String!] }",
        "tags: [String!] more: More }\ninput More { why: String! }",
    ),
    "a member is never null any more": ("due: String", "due: String!"),
    "an answer has a media type more": (
        '@rest(path: "/tasks") @mcp @fails',
        '@rest(path: "/tasks", media: [JSON, MARKDOWN]) @mcp @fails',
    ),
    "a tool has another place": ("@mcp @resource", "@mcp(order: 3) @resource"),
    "the operations have another order": (
        "query GetTask",
        "query First { tasks { id } }\nquery GetTask",
    ),
    "an example is new": ("query PlanDay @prompt", "query PlanDay @prompt @example"),
    "a type has another name": ("NewTask", "TaskInput"),
}


def contract(folder: Path, change: tuple[str, str] = ("", "")) -> Contract:
    """The contract of the operations, as they are or with a text for another."""
    schema, operations = (
        own.replace(*change) if change[0] else own for own in (SCHEMA, OPERATIONS)
    )
    (folder / "all.graphql").write_text(dedent(operations))
    return contract_of(compile_operations(build_schema(schema), folder, strict=False))


@pytest.mark.parametrize("name", BREAKING)
def test_a_change_that_breaks_callers_is_said(name: str, tmp_path: Path) -> None:
    was, own, sentence = BREAKING[name]
    assert was in SCHEMA + OPERATIONS
    found = breaks(contract(tmp_path), contract(tmp_path, (was, own)))
    assert sentence in [f"{operation}: {text}" for operation, text in found]


@pytest.mark.parametrize("name", HARMLESS)
def test_a_change_that_breaks_nobody_passes(name: str, tmp_path: Path) -> None:
    was, own = HARMLESS[name]
    assert was in SCHEMA + OPERATIONS
    assert [*breaks(contract(tmp_path), contract(tmp_path, (was, own)))] == []


def test_an_argument_may_take_more(tmp_path: Path) -> None:
    old, new = contract(tmp_path), contract(tmp_path)
    old["operations"]["Cost"]["arguments"]["size"] = "integer or null"
    old["operations"]["Some"]["arguments"]["level"] = "one of LOW"
    assert [*breaks(old, new)] == []
    assert [text for _, text in breaks(new, old)] == [
        "the argument size was number or null and is integer or null",
        "the argument level was one of LOW, HIGH or null and is one of LOW",
    ]


def test_what_is_below_a_change_is_not_said_again(tmp_path: Path) -> None:
    old, new = contract(tmp_path), contract(tmp_path)
    old["operations"]["ListTasks"]["answer"] |= {"[].owner": "object", "[].owner.name": "string"}
    new["operations"]["ListTasks"]["answer"] |= {"[].owner": "string"}
    assert [*breaks(old, new)] == [
        ("ListTasks", "the member [].owner was object and is string"),
    ]


def test_a_contract_is_read_as_it_was_written(tmp_path: Path) -> None:
    own = contract(tmp_path)
    assert read_contract(text_of(own)) == own
    assert text_of(contract(tmp_path)) == text_of(own)
    assert own["operations"]["AddTask"] == {
        "route": "POST /tasks",
        "status": 200,
        "media": ["application/json"],
        "failures": {"Taken": 409},
        "tool": "add_task",
        "arguments": {
            "title": "needed string",
            "level": "one of LOW, HIGH",
            "tags": "list or null",
            "tags[]": "string",
        },
        "answer": {
            "": "object",
            "kind": "one of Task, Taken",
            "id": "string or null",
            "message": "string or null",
        },
    }


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 0, "operations": {}}'])
def test_what_is_no_contract_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_contract(text)


def test_a_schema_for_queries_is_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "all.graphql").write_text(OPERATIONS)
    operations = compile_operations(build_schema(SCHEMA), tmp_path, strict=False)
    old = contract_of(operations, SCHEMA)
    new = contract_of(operations, SCHEMA.replace("note(of: Int): Int", ""))
    assert [*breaks(old, new)] == [("", "the schema: Field Task.note was removed.")]
    assert [*breaks(new, old)] == []
    gone = contract_of(operations)
    assert [*breaks(old, gone)] == [("", "the GraphQL endpoint was there and is gone")]
