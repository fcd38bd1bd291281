"""What the owner of the help desk expects."""

import json

from foreign_expectations import (
    EVENTS,
    MARKDOWN,
    MCP,
    Call,
    Caller,
    Probe,
    bearer,
    deep,
    events,
    fails,
    private,
    rpc,
    says,
)
from httpx import Response
from views_app import STATE

FRESH = dict(STATE)
U = "6f1c1d1e-0000-4000-8000-000000000001"
UNDECLARED = {418}  # a resolver sets it, which nobody can know before


def before() -> None:
    """Every probe finds the note as it was, and counts from nothing."""
    STATE.update(FRESH)


def ids(answer: Response) -> list[str]:
    return [ticket["id"] for ticket in answer.json()]


def hidden(answer: Response) -> bool:
    return says(answer, hides=("hunter2", "RuntimeError", "Traceback"))


PROBES: list[Probe] = [
    Probe(
        "root_value and a default",
        "GET /greeting",
        200,
        lambda r: "Good morning" in r.text and deep(r.json(), "version") == [3],
    ),
    Probe(
        "synchronous, the argument's own default",
        "GET /hello",
        200,
        lambda r: r.json() == "Hello world",
    ),
    Probe(
        "synchronous, an argument",
        "GET /hello?name=Ada%20L%C3%B8v",
        200,
        lambda r: r.json() == "Hello Ada Løv",
    ),
    Probe(
        "the variable's default goes before",
        "GET /hello/default",
        200,
        lambda r: r.json() == "Hello you",
    ),
    Probe("asynchronous", "GET /hello/later?name=Ada", 200, lambda r: r.json() == "Hello Ada"),
    Probe(
        "two root fields, aliased",
        "GET /hello/both/Ada",
        200,
        lambda r: (
            deep(r.json(), "sync") == ["Hello Ada"] and deep(r.json(), "later") == ["Hello Ada"]
        ),
    ),
    Probe(
        "a path value with a slash, escaped",
        "GET /loud/a%2Fb",
        200,
        lambda r: r.json() == "A/B",
    ),
    Probe(
        "a field asked for under two names",
        "GET /thread",
        200,
        lambda r: set(r.json().get("data", r.json())) >= {"thread", "thread2"},
    ),
    Probe("a field extension, asynchronous", "GET /loud/hey", 200, lambda r: r.json() == "HEY"),
    Probe(
        "a SchemaExtension runs",
        "GET /opened",
        200,
        lambda r: r.json() == "open" and STATE["opened"] == 1 and (STATE["closed"] == 1),
    ),
    Probe(
        "a SchemaExtension closes after a failure, too",
        "GET /boom",
        500,
        lambda _: STATE["closed"] == 1,
    ),
    Probe("a parameter that nobody knows", "GET /hello?nmae=Ada", 400),
    Probe(
        "scalars: UUID, Decimal, dates, JSON",
        "GET /receipt",
        200,
        lambda r: (
            (v := r.json())["id"] == "00000000-0000-0000-0000-000000000007"
            and v["amount"] == "12.50"
            and (v["day"] == "2026-02-28")
            and v["at"].startswith("2026-02-28T08:30:00")
            and v["time"].startswith("08:30")
            and (v["extra"] == {"paid": False, "lines": [1, None, {"a": "ü"}]})
            and (v["share"] == 0.25)
            and (v["big"] == 2147483647)
        ),
    ),
    Probe(
        "scalars as parameters",
        f"GET /receipt?id={U}&amount=0.10&day=2026-05-01&share=1&paid=true"
        "&at=2026-05-01T10:00:00%2B02:00",
        200,
        lambda r: (
            (v := r.json())["id"] == U
            and v["amount"] == "0.10"
            and (v["day"] == "2026-05-01")
            and (v["at"] == "2026-05-01T10:00:00+02:00")
            and (v["share"] == 1)
            and (v["extra"]["paid"] is True)
        ),
    ),
    Probe("a bad UUID", "GET /receipt?id=zz", 400, lambda r: says(r, "id")),
    Probe("a bad Decimal", "GET /receipt?amount=dear", 400, lambda r: says(r, "amount")),
    Probe("a bad date", "GET /receipt?day=2026-02-30", 400, lambda r: says(r, "day")),
    Probe("a bad boolean", "GET /receipt?paid=perhaps", 400, lambda r: says(r, "paid")),
    Probe(
        "JSON as an argument",
        "POST /receipt/extra",
        200,
        lambda r: (
            deep(r.json(), "extra")[:1] == [{"a": None, "b": [1, "x"]}]
            or r.json() == {"a": None, "b": [1, "x"]}
        ),
        body={"extra": {"a": None, "b": [1, "x"]}},
    ),
    Probe(
        "JSON may be a list or a number",
        "POST /receipt/extra",
        200,
        lambda r: deep(r.json(), "extra") == [[3]] or r.json() == [3],
        body={"extra": [3]},
    ),
    Probe(
        "enum with int values, by its name",
        "GET /tickets?level=URGENT",
        200,
        lambda r: ids(r) == ["2"] and r.json()[0]["level"] == "URGENT",
    ),
    Probe("enum, what is none", "GET /tickets?level=MEDIUM", 400, lambda r: says(r, "level")),
    Probe("list of enums", "GET /tickets?levels=LOW,HIGH", 200, lambda r: ids(r) == ["1", "3"]),
    Probe(
        "list of enums, repeated",
        "GET /tickets?levels=LOW&levels=HIGH",
        200,
        lambda r: ids(r) == ["1", "3"],
    ),
    Probe("an enum written in the document", "GET /urgent", 200, lambda r: ids(r) == ["2"]),
    Probe(
        "an enum with values of its own and a deprecated member",
        "GET /tickets?mood=BAD",
        200,
        lambda r: len(ids(r)) == 3,
    ),
    Probe(
        "null fields stay null",
        "GET /tickets/1",
        200,
        lambda r: r.json()["title"] == "Printer" and r.json()["mood"] is None,
    ),
    Probe("a nullable root that is null", "GET /tickets/99", 404),
    Probe(
        "errors=: a subclass of LookupError",
        "GET /strict-tickets/99",
        404,
        lambda r: says(r, "There is no ticket 99."),
    ),
    Probe(
        "errors=: PermissionError", "GET /refused", 403, lambda r: says(r, "The file is locked.")
    ),
    Probe("oneOf by its title", "GET /find?title=Door", 200, lambda r: r.json()["id"] == "3"),
    Probe("oneOf by its id", "GET /find?id=1", 200, lambda r: r.json()["title"] == "Printer"),
    Probe("oneOf with both", "GET /find?id=1&title=Door", 400),
    Probe("oneOf with none", "GET /find", 400),
    Probe(
        "GraphQLError with BAD_USER_INPUT",
        "GET /said?code=BAD_USER_INPUT",
        400,
        lambda r: says(r, "That is not how it works."),
    ),
    Probe(
        "GraphQLError with NOT_FOUND",
        "GET /said?code=NOT_FOUND",
        404,
        lambda r: says(r, "That is not how it works."),
    ),
    Probe(
        "GraphQLError with UNAUTHENTICATED",
        "GET /said?code=UNAUTHENTICATED",
        401,
        lambda r: "www-authenticate" in r.headers or says(r, "That is not how it works."),
    ),
    Probe(
        "GraphQLError with FORBIDDEN",
        "GET /said?code=FORBIDDEN",
        403,
        lambda r: says(r, "That is not how it works."),
    ),
    Probe("an exception is masked", "GET /boom", 500, hidden),
    Probe("partial data is a failure by default", "GET /tickets/2/history", 500, hidden),
    Probe(
        "no failure where nothing failed",
        "GET /tickets/1/history",
        200,
        lambda r: r.json()["history"] == ["opened"],
    ),
    Probe(
        "partial: true gives what there is, and errors",
        "GET /tickets/2/history-partly",
        200,
        lambda r: (
            deep(r.json(), "title") == ["Network"]
            and deep(r.json(), "history") == [None]
            and (len(deep(r.json(), "errors")[0]) == 1)
            and hidden(r)
        ),
    ),
    Probe(
        "a permission without credentials", "GET /secret", 401, lambda r: says(r, "Sign in first.")
    ),
    Probe(
        "a permission without credentials, nullable",
        "GET /secret-or-null",
        401,
        lambda r: says(r, "Sign in first."),
    ),
    Probe(
        "a permission granted",
        "GET /secret",
        200,
        lambda r: says(r, "swordfish") and private(r),
        headers=bearer("ann"),
    ),
    Probe(
        "an asynchronous permission: signed in, not allowed",
        "GET /salary",
        403,
        lambda r: says(r, "Only agents may do that."),
        headers=bearer("ann"),
    ),
    Probe(
        "an asynchronous permission: allowed",
        "GET /salary",
        200,
        lambda r: r.json() == 4100,
        headers=bearer("agent"),
    ),
    Probe(
        "a permission without a code, no credentials",
        "GET /plain",
        401,
        lambda r: says(r, "Not for you."),
    ),
    Probe(
        "a permission without a code, credentials of another",
        "GET /plain",
        403,
        lambda r: says(r, "Not for you."),
        headers=bearer("ann"),
    ),
    Probe("nobody is null, not an error", "GET /me", 200, lambda r: r.json() is None),
    Probe(
        "the user of a cookie",
        "GET /me",
        200,
        lambda r: says(r, "ann") and private(r),
        headers={"cookie": "user=ann"},
    ),
    Probe("a header as a variable", "GET /me/by-header", 200, headers={"x-name": "Zoë".encode()}),
    Probe(
        "a header as a variable, plain",
        "GET /me/by-header",
        200,
        lambda r: r.json() == "Hello Zoe",
        headers={"x-name": "Zoe"},
    ),
    Probe(
        "response in the context: cookie and header",
        "GET /visits",
        200,
        lambda r: (
            "visits=5" in r.headers["set-cookie"]
            and r.headers["x-visits"] == "5"
            and (r.json() == 5)
        ),
        headers={"cookie": "visits=4"},
    ),
    Probe(
        "response in the context: status", "GET /teapot", 418, lambda r: says(r, "short and stout")
    ),
    Probe(
        "a mutation sets a cookie",
        "POST /login",
        200,
        lambda r: "user=ann" in r.headers["set-cookie"],
        body={"name": "ann"},
    ),
    Probe(
        "nested input with defaults",
        "POST /tickets",
        200,
        lambda r: r.json()["level"] == "LOW" and r.json()["assignee"] == "5 tags",
        body={
            "title": "Lamp",
            "tags": [{"name": "a"}, {"name": "b", "weight": 4}],
            "due": "2026-12-24",
        },
    ),
    Probe(
        "input: enum, and null where it is allowed",
        "POST /tickets",
        200,
        lambda r: r.json()["level"] == "HIGH" and r.json()["assignee"] is None,
        body={"title": "Lamp", "level": "HIGH", "assignee": None},
    ),
    Probe(
        "input: a bad leaf deep within",
        "POST /tickets",
        400,
        lambda r: says(r, "weight"),
        body={"title": "Lamp", "tags": [{"name": "a", "weight": "heavy"}]},
    ),
    Probe(
        "input: null where it is not allowed",
        "POST /tickets",
        400,
        lambda r: says(r, "title"),
        body={"title": None},
    ),
    Probe(
        "input: the resolver refuses",
        "POST /tickets",
        400,
        lambda r: says(r, "A ticket needs a title."),
        body={"title": " "},
    ),
    Probe(
        "input: no JSON at all",
        "POST /tickets",
        400,
        headers={"content-type": "application/json"},
        body="{",
    ),
    Probe(
        "input: a form is not JSON",
        "POST /tickets",
        415,
        headers={"content-type": "application/x-www-form-urlencoded"},
        body="title=Lamp",
    ),
    Probe(
        "two inputs",
        "POST /merge",
        200,
        lambda r: r.json() == "a+b",
        body={"first": {"title": "a"}, "second": {"title": "b"}},
    ),
    Probe(
        "a nullable argument left out is unchanged",
        "PUT /note",
        200,
        lambda r: r.json() == "unchanged" and STATE["note"] == "hello",
        body={},
    ),
    Probe(
        "a nullable argument given as null is cleared",
        "PUT /note",
        200,
        lambda r: r.json() == "cleared" and STATE["note"] is None,
        body={"note": None},
    ),
    Probe(
        "a nullable argument with a value",
        "PUT /note",
        200,
        lambda r: r.json() == "set to x",
        body={"note": "x"},
    ),
    Probe(
        "PATCH: path and body, signed in",
        "PATCH /tickets/1",
        200,
        lambda r: "closed: fixed" in r.text,
        headers=bearer("ann"),
        body={"reason": "fixed"},
    ),
    Probe(
        "PATCH: the default of a variable",
        "PATCH /tickets/1",
        200,
        lambda r: "closed: done" in r.text,
        headers=bearer("ann"),
        body={},
    ),
    Probe(
        "PATCH: not signed in",
        "PATCH /tickets/1",
        401,
        lambda r: says(r, "Sign in first."),
        body={},
    ),
    Probe(
        "PATCH: no such ticket",
        "PATCH /tickets/9",
        404,
        lambda r: says(r, "There is no ticket 9."),
        headers=bearer("ann"),
        body={},
    ),
    Probe(
        "PATCH by a cookie from another origin",
        "PATCH /tickets/1",
        403,
        headers={"cookie": "user=ann", "origin": "https://evil.example"},
        body={},
    ),
    Probe(
        "PATCH by a cookie from its own origin",
        "PATCH /tickets/1",
        200,
        headers={"cookie": "user=ann", "origin": "http://localhost"},
        body={},
    ),
    Probe("deprecated fields still answer", "GET /hi", 200, lambda r: r.json() == "hi"),
    Probe(
        "deprecated fields are said to be so",
        "GET /openapi.json",
        200,
        lambda r: (
            r.json()["paths"]["/hi"]["get"].get("deprecated") is True or "Use hello." in r.text
        ),
    ),
    Probe(
        "subscription by GET",
        "GET /ticks?upto=2",
        200,
        lambda r: (
            r.headers["content-type"].startswith("text/event-stream")
            and deep(events(r), "n") == [1, 2]
            and (deep(events(r), "by") == ["ann", "ann"])
        ),
        headers={**EVENTS, **bearer("ann")},
    ),
    Probe(
        "subscription by POST",
        "POST /ticks",
        200,
        lambda r: deep(events(r), "n") == [1],
        headers=EVENTS,
        body={"upto": 1},
    ),
    Probe(
        "subscription of numbers",
        "GET /counts",
        200,
        lambda r: r.text.count("data:") >= 2 and "1" in r.text and ("2" in r.text),
        headers=EVENTS,
    ),
    Probe(
        "subscription that breaks: masked",
        "GET /breaks",
        200,
        lambda r: says(r, hides=("hunter2",)) and "error" in r.text,
        headers=EVENTS,
    ),
    Probe("subscription: a bad variable", "GET /ticks?upto=x", 400, headers=EVENTS),
    Probe(
        "markdown",
        "GET /tickets.md",
        200,
        lambda r: (
            r.headers["content-type"].startswith("text/markdown") and says(r, "Printer", "Network")
        ),
    ),
    Probe(
        "markdown by accept",
        "GET /tickets/1",
        200,
        lambda r: r.headers["content-type"].startswith("text/markdown") and says(r, "Printer"),
        headers=MARKDOWN,
    ),
    Probe(
        "query endpoint by POST",
        "POST /graphql",
        200,
        lambda r: r.json()["data"] == {"hello": "Hello Q"},
        body={"query": "query H($n: String!) { hello(name: $n) }", "variables": {"n": "Q"}},
    ),
    Probe(
        "query endpoint: a mutation by GET",
        "GET /graphql?query=mutation%7BsetNote(note:%22z%22)%7D",
        400,
        lambda _: STATE["note"] == "hello",
    ),
    Probe("query endpoint: masked, too", "POST /graphql", 200, hidden, body={"query": "{ boom }"}),
]
TOOLS: list[Call] = [
    Call("greeting", {}, lambda t: t["structuredContent"]["greeting"] == "Good morning"),
    Call("hello", {"name": "Ada"}, lambda t: "Hello Ada" in json.dumps(t)),
    Call("hello_default", {}, lambda t: "Hello you" in json.dumps(t)),
    Call("hello_later", {}, lambda t: "Hello world" in json.dumps(t)),
    Call(
        "receipt",
        {"amount": "7.00", "day": "2026-01-02", "paid": True, "share": 0.75},
        lambda t: (
            (v := t["structuredContent"])["amount"] == "7.00"
            and v["share"] == 0.75
            and (v["extra"]["paid"] is True)
        ),
    ),
    Call("receipt", {"id": "zz"}, lambda t: fails(t, "id")),
    Call(
        "receipt_extra",
        {"extra": {"a": 1}},
        lambda t: deep(t.get("structuredContent", t), "a")[:1] == [1],
    ),
    Call(
        "tickets",
        {"levels": ["LOW", "URGENT"]},
        lambda t: [x["id"] for x in t["structuredContent"]["items"]] == ["1", "2"],
    ),
    Call("tickets", {"level": 2}, lambda t: fails(t, "level")),
    Call("find", {"title": "Door"}, lambda t: t["structuredContent"]["id"] == "3"),
    Call("ticket_or_error", {"id": "99"}, lambda t: fails(t, "There is no ticket 99.")),
    Call(
        "open_ticket",
        {"title": "Lamp", "level": "HIGH"},
        lambda t: t["structuredContent"]["level"] == "HIGH",
    ),
    Call("open_ticket", {"title": ""}, lambda t: fails(t, "A ticket needs a title.")),
    Call("set_note", {"note": None}, lambda t: "unchanged" in json.dumps(t)),  # as if not there
    Call("set_note", {}, lambda t: "unchanged" in json.dumps(t)),
    Call(
        "merge",
        {"first": {"title": "a"}, "second": {"title": "b", "level": "LOW"}},
        lambda t: "a+b" in json.dumps(t),
    ),
    Call("secret", {}, lambda t: fails(t, "Sign in first.", hides=("swordfish",))),
    Call("secret", {}, lambda t: "swordfish" in json.dumps(t), bearer("ann")),
    Call(
        "salary", {}, lambda t: fails(t, "Only agents may do that.", hides=("4100",)), bearer("ann")
    ),
    Call("salary", {}, lambda t: "4100" in json.dumps(t), bearer("agent")),
    Call("boom", {}, lambda t: fails(t, hides=("hunter2", "RuntimeError"))),
    Call("history", {"id": "2"}, lambda t: fails(t, hides=("hunter2",))),
    Call("me", {}, lambda t: "ann" in json.dumps(t), bearer("ann")),
    Call("opened", {}, lambda t: "open" in json.dumps(t) and STATE["closed"] == 1),
    Call("teapot", {}, lambda t: "short and stout" in json.dumps(t)),
    Call(
        "close_ticket",
        {"id": "1", "reason": "x"},
        lambda t: "closed: x" in json.dumps(t),
        bearer("ann"),
    ),
]
CALLERS: list[Caller] = [
    Caller("GET /me", bearer("ann-1"), "ann-1", "bob-2"),
    Caller("GET /me", bearer("bob-2"), "bob-2", "ann-1"),
    Caller("GET /me", {"cookie": "user=ann-1"}, "ann-1", "bob-2"),
    Caller("GET /me.md", bearer("bob-2"), "bob-2", "ann-1"),
    Caller(
        "POST /mcp",
        {**MCP, **bearer("ann-1")},
        "ann-1",
        "bob-2",
        rpc("tools/call", name="me", arguments={}),
    ),
    Caller(
        "POST /mcp",
        {**MCP, **bearer("bob-2")},
        "bob-2",
        "ann-1",
        rpc("tools/call", name="me", arguments={}),
    ),
    Caller("POST /graphql", bearer("ann-1"), "ann-1", "bob-2", {"query": "{ me }"}),
    Caller("GET /ticks", {**EVENTS, **bearer("bob-2")}, "bob-2", "ann-1"),
]
