"""What the owner of the atlas expects."""

import json
from typing import Any

from benchmark_app import LOADS, RAN, N
from foreign_expectations import MCP, Call, Caller, Probe, deep, fails, rpc, says


def before() -> None:
    """Every probe counts from nothing."""
    LOADS["authors"], LOADS["tags"] = [], []
    RAN.update(items=0, fields=0)


def once() -> bool:
    return len(LOADS["authors"]) == 1


def bottom(level: Any) -> int:
    """How deep an answer is."""
    return 1 + bottom(level["next"]) if "next" in level else 0


PROBES: list[Probe] = [
    Probe(
        "its own limit, by the variable's default",
        "GET /items",
        200,
        lambda r: [i["id"] for i in r.json()] == [str(i) for i in range(20)],
    ),
    Probe(
        "its own limit and offset",
        "GET /items?limit=3&offset=100",
        200,
        lambda r: [i["name"] for i in r.json()] == ["item 100", "item 101", "item 102"],
    ),
    Probe("nothing beyond the end", "GET /items?offset=5000", 200, lambda r: r.json() == []),
    Probe(
        "all 5,000 by its own limit",
        "GET /items?limit=5000",
        200,
        lambda r: len(r.json()) == N and r.json()[-1]["sizes"] == [4999, 5000, 5001],
    ),
    Probe(
        "the resolver ran once for it", "GET /items?limit=5000", 200, lambda _: RAN["items"] == 1
    ),
    Probe(
        "5,000 without any limit",
        "GET /items/all",
        200,
        lambda r: len(r.json()) == N and r.json()[7]["notes"] == [["a", "7"], []],
    ),
    Probe("no number", "GET /items?limit=x", 400, lambda r: says(r, "limit")),
    Probe(
        "a number that is too big for Int",
        "GET /items?limit=99999999999",
        400,
        lambda r: says(r, "limit"),
    ),
    Probe(
        "a loader: 100 items, one batch of authors",
        "GET /items/full",
        200,
        lambda r: len(r.json()) == 100 and once() and (len(LOADS["authors"][0]) == 50),
    ),
    Probe(
        "a loader: one batch of tags, each key once",
        "GET /items/full",
        200,
        lambda _: (
            len(LOADS["tags"]) == 1 and len(LOADS["tags"][0]) == len(set(LOADS["tags"][0])) == 11
        ),
    ),
    Probe(
        "a loader lives for one request", "GET /items/1", 200, lambda _: LOADS["authors"] == [[1]]
    ),
    Probe(
        "a loader lives for one request, again",
        "GET /items/1",
        200,
        lambda _: LOADS["authors"] == [[1]],
    ),
    Probe(
        "1,000 full items, loaded in one batch",
        "GET /items/full?limit=1000",
        200,
        lambda r: (
            len(r.json()) == 1000
            and once()
            and (r.json()[999]["tags"] == [{"word": "tag 5"}, {"word": "tag 9"}])
        ),
    ),
    Probe(
        "one item does not read the list",
        "GET /items/17",
        200,
        lambda r: (
            r.json()["author"] in ({"name": "author 17"}, "author 17")
            and RAN["items"] == 0
            and (RAN["fields"] == 1)
        ),
    ),
    Probe("no such item", "GET /items/5000", 404, lambda _: RAN["items"] == 0),
    Probe(
        "a literal path goes before a variable", "GET /items/all", 200, lambda r: len(r.json()) == N
    ),
    Probe(
        "Page[Item]",
        "GET /pages/2",
        200,
        lambda r: (
            (v := r.json())["total"] == N
            and v["hasMore"] is True
            and ([i["id"] for i in v["items"]] == [str(i) for i in range(10, 20)])
        ),
    ),
    Probe(
        "Page[Item]: loaders on two levels, two batches",
        "GET /pages/1?size=5",
        200,
        lambda r: (
            r.json()["items"][0]["author"]["rival"]["name"] == "author 1"
            and len(LOADS["authors"]) <= 2
        ),
    ),
    Probe("Page[Item]: the last", "GET /pages/500", 200, lambda r: r.json()["hasMore"] is False),
    Probe("Page[Item]: a page that is no number", "GET /pages/two", 400),
    Probe(
        "Page[str]",
        "GET /words",
        200,
        lambda r: r.json() == {"total": 100, "items": ["word 0", "word 1", "word 2"]},
    ),
    Probe(
        "Page[Edge[Author]]",
        "GET /edges",
        200,
        lambda r: deep(r.json(), "weight") == [0.5] and deep(r.json(), "name") == ["author 1"],
    ),
    Probe(
        "lists of lists",
        "GET /matrix?n=4",
        200,
        lambda r: r.json() == [[0, 0, 0, 0], [0, 1, 2, 3], [0, 2, 4, 6], [0, 3, 6, 9]],
    ),
    Probe("an empty list of lists", "GET /matrix?n=0", 200, lambda r: r.json() == []),
    Probe(
        "a list with holes",
        "GET /holes",
        200,
        lambda r: r.json() == [{"id": "0"}, None, {"id": "2"}] or r.json() == ["0", None, "2"],
    ),
    Probe("12 levels", "GET /deep", 200, lambda r: bottom(r.json()) == 11),
    Probe("64 leaves", "GET /twins", 200, lambda r: r.text.count("6") == 64),
    Probe("60 fields", "GET /wide", 200, lambda r: list(r.json().values()) == list(range(60))),
    Probe(
        "12,000 fields",
        "GET /wides",
        200,
        lambda r: len(r.json()) == 200 and r.json()[199]["field59"] == 59,
    ),
    Probe(
        "two items side by side, one batch",
        "GET /two/3/4",
        200,
        lambda r: (
            deep(r.json(), "name")
            and len(LOADS["authors"]) <= 2
            and ("item 3" in r.text)
            and ("item 4" in r.text)
        ),
    ),
    Probe(
        "two items, of which one is not there",
        "GET /two/3/9999",
        200,
        lambda r: r.status_code == 404 or deep(r.json(), "second") == [None],
    ),
    Probe("the caller", "GET /who", 200, lambda r: r.json() == "me", headers={"x-who": "me"}),
    Probe(
        "llms.txt asks nothing",
        "GET /llms.txt",
        200,
        lambda _: RAN["items"] == 0 and (not LOADS["authors"]),
    ),
    Probe("robots.txt asks nothing", "GET /robots.txt", 200, lambda _: RAN["items"] == 0),
    Probe("openapi.json asks nothing", "GET /openapi.json", 200, lambda _: RAN["items"] == 0),
    Probe("sitemap.xml asks nothing", "GET /sitemap.xml", 200, lambda _: RAN["items"] == 0),
    Probe(
        "tools/list asks nothing",
        "POST /mcp",
        200,
        lambda r: RAN["items"] == 0 and len(r.json()["result"]["tools"]) >= 11,
        headers=MCP,
        body=rpc("tools/list"),
    ),
    Probe(
        "markdown of 20 items",
        "GET /items.md",
        200,
        lambda r: says(r, "item 19", hides=("item 20",)),
    ),
    Probe(
        "query endpoint: an ordinary question",
        "POST /graphql",
        200,
        lambda r: len(r.json()["data"]["items"]) == 2,
        body={"query": "{ items(limit: 2) { id author { name } } }"},
    ),
    Probe(
        "query endpoint: too deep is refused",
        "POST /graphql",
        400,
        lambda r: "errors" in r.json(),
        body={"query": "{ level " + "{ next " * 38 + "{ depth }" + " }" * 38 + " }"},
    ),
]
TOOLS: list[Call] = [
    Call(
        "items",
        {"limit": 2, "offset": 4},
        lambda t: [i["id"] for i in t["structuredContent"]["items"]] == ["4", "5"],
    ),
    Call("items", {}, lambda t: len(t["structuredContent"]["items"]) == 20),
    Call(
        "full_items",
        {"limit": 5},
        lambda t: (
            t["structuredContent"]["items"][4]["tags"] == [{"word": "tag 4"}, {"word": "tag 4"}]
            and once()
        ),
    ),
    Call(
        "item",
        {"id": "17"},
        lambda t: t["structuredContent"]["sizes"] == [17, 18, 19] and RAN["items"] == 0,
    ),
    Call(
        "item_page",
        {"page": 3, "size": 2},
        lambda t: [i["id"] for i in deep(t["structuredContent"], "items")[0]] == ["4", "5"],
    ),
    Call(
        "word_page",
        {"size": 1},
        lambda t: "word 0" in json.dumps(t) and "word 1" not in json.dumps(t),
    ),
    Call("matrix", {"n": 2}, lambda t: t["structuredContent"]["items"] == [[0, 0], [0, 1]]),
    Call("holes", {}, lambda t: None in t["structuredContent"]["items"]),
    Call("deep", {}, lambda t: "11" in json.dumps(t)),
    Call("wide", {}, lambda t: "59" in json.dumps(t)),
    Call("all_items", {}, lambda t: not t.get("isError") and "item 0" in json.dumps(t)),
    Call("items", {"limit": "many"}, lambda t: fails(t, "limit")),
    Call("who", {}, lambda t: "me" in t["content"][0]["text"], {"x-who": "me"}),
]
CALLERS: list[Caller] = [
    Caller("GET /who", {"x-who": "one-a"}, "one-a", "two-b"),
    Caller("GET /who", {"x-who": "two-b"}, "two-b", "one-a"),
    Caller(
        "POST /mcp",
        {**MCP, "x-who": "one-a"},
        "one-a",
        "two-b",
        rpc("tools/call", name="who", arguments={}),
    ),
    Caller(
        "POST /mcp",
        {**MCP, "x-who": "two-b"},
        "two-b",
        "one-a",
        rpc("tools/call", name="who", arguments={}),
    ),
    Caller("POST /graphql", {"x-who": "two-b"}, "two-b", "one-a", {"query": "{ slow(ms: 5) }"}),
]
