"""What the owner of the reading room expects."""

import json

from foreign_expectations import MCP, Call, Caller, Probe, bearer, fails, private, rpc, says
from httpx import Response
from library_app import SESSIONS, STATEMENTS, fill

L = bearer("librarian")
EXAMPLES = {"AddBook": L}  # the headers of an example


def before() -> None:
    """Every probe finds the shelves as they were, and counts from nothing."""
    fill()
    STATEMENTS.clear()
    SESSIONS.update(opened=0, closed=0)


def ran(count: int) -> bool:
    """Whether so many SQL statements were run."""
    return len(STATEMENTS) == count


def titles(answer: Response) -> list[str]:
    return [book["title"] for book in answer.json()]


PROBES: list[Probe] = [
    Probe(
        "one row costs one statement",
        "GET /books/1",
        200,
        lambda r: ran(1) and r.json()["title"] == "Solaris",
    ),
    Probe(
        "one row costs one statement the second time, too", "GET /books/1", 200, lambda _: ran(1)
    ),
    Probe("a row that is not there costs one statement", "GET /books/999", 404, lambda _: ran(1)),
    Probe(
        "a relation costs one more",
        "GET /books/2/author",
        200,
        lambda r: ran(2) and "Le Guin" in r.text,
    ),
    Probe(
        "the session is opened once and closed",
        "GET /books/1",
        200,
        lambda _: SESSIONS == {"opened": 1, "closed": 1} or str(SESSIONS),
    ),
    Probe(
        "the session is closed after a failure",
        "GET /authors/99",
        404,
        lambda r: SESSIONS["opened"] == SESSIONS["closed"] and says(r, "No author 99."),
    ),
    Probe("llms.txt costs none", "GET /llms.txt", 200, lambda _: ran(0)),
    Probe("openapi.json costs none", "GET /openapi.json", 200, lambda _: ran(0)),
    Probe("robots.txt costs none", "GET /robots.txt", 200, lambda _: ran(0)),
    Probe("sitemap.xml costs none", "GET /sitemap.xml", 200, lambda _: ran(0)),
    Probe(
        "tools/list costs none",
        "POST /mcp",
        200,
        lambda r: ran(0) and len(r.json()["result"]["tools"]) >= 9,
        headers=MCP,
        body=rpc("tools/list"),
    ),
    Probe(
        "resources/list costs none",
        "POST /mcp",
        200,
        lambda _: ran(0),
        headers=MCP,
        body=rpc("resources/list"),
    ),
    Probe("a refused request costs none", "GET /books?limit=x", 400, lambda _: ran(0)),
    Probe(
        "own limit by the variable's default",
        "GET /books",
        200,
        lambda r: ran(1) and (len(titles(r)) == 5 and titles(r)[0] == "Ficciones"),
    ),
    Probe(
        "own limit and offset",
        "GET /books?limit=2&offset=1",
        200,
        lambda r: ran(1) and titles(r) == ["Solaris", "The Dispossessed"],
    ),
    Probe(
        "the resolver's own bound",
        "GET /books?limit=101",
        400,
        lambda r: says(r, "limit is 1 to 100."),
    ),
    Probe("an order", "GET /books?order=YEAR&limit=1&offset=2", 200, lambda r: len(titles(r)) == 1),
    Probe("an order that is none", "GET /books?order=PRICE", 400, lambda r: says(r, "order")),
    Probe(
        "a filter's field as a parameter",
        "GET /books?title=Sol",
        200,
        lambda r: titles(r) == ["Solaris"],
    ),
    Probe(
        "a filter: two fields",
        "GET /books?title=Volume&authorId=2&limit=2",
        200,
        lambda r: titles(r) == ["Volume 10", "Volume 100"],
    ),
    Probe(
        "a filter by POST, nested",
        "POST /books/find",
        200,
        lambda r: titles(r) == ["Solaris"],
        body={"filter": {"year": {"since": 1960, "until": 1961}, "title": "Sol"}},
    ),
    Probe(
        "a filter by POST is a read: 200, not 201",
        "POST /books/find",
        200,
        lambda r: len(titles(r)) == 3,
        body={"filter": {}, "limit": 3},
    ),
    Probe(
        "a filter with what it does not know",
        "POST /books/find",
        400,
        lambda r: says(r, "colour"),
        body={"filter": {"colour": "red"}},
    ),
    Probe(
        "a union: kinds and their fields",
        "GET /search?text=Le",
        200,
        lambda r: (
            {h["kind"] for h in r.json()} == {"Author", "Shelf"}
            and {h.get("name") or h.get("label") for h in r.json()}
            == {"Lem", "Le Guin", "Lemon shelf"}
        ),
    ),
    Probe(
        "a union: a book has no name and no label",
        "GET /search?text=Solaris",
        200,
        lambda r: (
            {k for k, v in r.json()[0].items() if v is not None}
            == {"kind", "card", "title", "year"}
        ),
    ),
    Probe(
        "a union: the text is required", "GET /search", 400, lambda r: says(r, "text") and ran(0)
    ),
    Probe("a union: nothing found", "GET /search?text=zzz", 200, lambda r: r.json() == []),
    Probe(
        "a union in OpenAPI is an enum of its types",
        "GET /openapi.json",
        200,
        lambda r: all(k in json.dumps(r.json()) for k in ('"Book"', '"Author"', '"Shelf"')),
    ),
    Probe(
        "an interface: a shelf",
        "GET /entries/S1",
        200,
        lambda r: r.json()["__typename"] == "Shelf" and r.json()["label"] == "Lemon shelf",
    ),
    Probe(
        "an interface: a book with its author", "GET /entries/B3", 200, lambda r: "Borges" in r.text
    ),
    Probe("an interface: nothing", "GET /entries/X1", 404),
    Probe(
        "a nested list's own limit",
        "GET /authors/1?limit=2",
        200,
        lambda r: len(r.json()["books"]) == 2,
    ),
    Probe(
        "POST: at the path of a GET",
        "POST /books",
        201,
        lambda r: r.json()["author"] in ({"name": "Lem"}, "Lem"),
        headers=L,
        body={"title": "Eden", "year": 1958, "authorId": "1"},
    ),
    Probe(
        "POST: there already",
        "POST /books",
        409,
        lambda r: says(r, "Solaris is there already.", hides=("UNIQUE",)),
        headers=L,
        body={"title": "Solaris", "year": 1961, "authorId": "1"},
    ),
    Probe(
        "POST: an author nobody knows",
        "POST /books",
        404,
        lambda r: says(r, "No author 77."),
        headers=L,
        body={"title": "Eden", "year": 1958, "authorId": "77"},
    ),
    Probe(
        "POST: the year is missing",
        "POST /books",
        400,
        lambda r: says(r, "year") and ran(0),
        headers=L,
        body={"title": "Eden", "authorId": "1"},
    ),
    Probe(
        "POST: nobody",
        "POST /books",
        401,
        lambda r: says(r, "Only the librarian may do that.") and (not STATEMENTS),
        body={"title": "Eden", "year": 1958, "authorId": "1"},
    ),
    Probe(
        "POST: a reader",
        "POST /books",
        403,
        lambda _: not STATEMENTS,
        headers=bearer("ann"),
        body={"title": "Eden", "year": 1958, "authorId": "1"},
    ),
    Probe(
        "PUT: path and body",
        "PUT /books/1",
        200,
        lambda r: r.json()["title"] == "Solaris II" and r.json()["blurb"] is None,
        headers=L,
        body={"title": "Solaris II", "year": 1962, "authorId": "1"},
    ),
    Probe(
        "PUT: no such book",
        "PUT /books/999",
        404,
        lambda r: says(r, "No book 999."),
        headers=L,
        body={"title": "x", "year": 1, "authorId": "1"},
    ),
    Probe(
        "PATCH: one field, the others stay",
        "PATCH /books/1",
        200,
        lambda r: r.json()["year"] == 1999 and r.json()["blurb"].startswith("An *ocean*"),
        headers=L,
        body={"year": 1999},
    ),
    Probe(
        "PATCH: null clears",
        "PATCH /books/1",
        200,
        lambda r: r.json()["blurb"] is None and r.json()["title"] == "Solaris",
        headers=L,
        body={"blurb": None},
    ),
    Probe(
        "PATCH: nothing at all changes nothing",
        "PATCH /books/1",
        200,
        lambda r: r.json()["year"] == 1961,
        headers=L,
        body={},
    ),
    Probe(
        "PATCH: a year that is none",
        "PATCH /books/1",
        400,
        lambda r: says(r, "year") and (not STATEMENTS),
        headers=L,
        body={"year": "old"},
    ),
    Probe(
        "DELETE",
        "DELETE /books/3",
        200,
        lambda _: any(s.startswith("DELETE") for s in STATEMENTS),
        headers=L,
    ),
    Probe(
        "DELETE: no such book",
        "DELETE /books/999",
        404,
        lambda r: says(r, "No book 999."),
        headers=L,
    ),
    Probe("DELETE: nobody", "DELETE /books/3", 401, lambda _: not STATEMENTS),
    Probe(
        "405 names all methods of the path",
        "POST /books/1",
        405,
        lambda r: (
            {"GET", "PUT", "PATCH", "DELETE"} <= {m.strip() for m in r.headers["allow"].split(",")}
        ),
        headers=L,
        body={},
    ),
    Probe(
        "markdown escapes what a table would break",
        "GET /books/1.md",
        200,
        lambda r: says(r, "Solaris", "that thinks") and ran(1),
    ),
    Probe(
        "HEAD runs no more than GET",
        "HEAD /books/1",
        200,
        lambda r: len(STATEMENTS) <= 1 and (not r.content),
    ),
    Probe(
        "the reader",
        "GET /reader",
        200,
        lambda r: r.json() == "ann" and private(r),
        headers=bearer("ann"),
    ),
]
TOOLS: list[Call] = [
    Call("book", {"id": "1"}, lambda t: ran(1) and t["structuredContent"]["title"] == "Solaris"),
    Call("book", {"id": "999"}, lambda _: ran(1)),
    Call(
        "books",
        {"limit": 2, "order": "YEAR"},
        lambda t: ran(1) and len(t["structuredContent"]["items"]) == 2,
    ),
    Call(
        "books",
        {"title": "Sol"},
        lambda t: t["structuredContent"]["items"][0]["title"] == "Solaris",
    ),
    Call(
        "find_books",
        {"filter": {"year": {"since": 1974, "until": 1974}, "title": "Disp"}},
        lambda t: t["structuredContent"]["items"][0]["year"] == 1974,
    ),
    Call(
        "search",
        {"text": "Lem"},
        lambda t: {h["kind"] for h in t["structuredContent"]["items"]} == {"Author", "Shelf"},
    ),
    Call("entry", {"card": "A3"}, lambda t: t["structuredContent"]["name"] == "Borges"),
    Call("author", {"id": "99"}, lambda t: fails(t, "No author 99.")),
    Call(
        "add_book",
        {"title": "Eden", "year": 1958, "authorId": "1"},
        lambda t: t["structuredContent"]["title"] == "Eden",
        L,
    ),
    Call(
        "add_book",
        {"title": "Eden", "year": 1958, "authorId": "1"},
        lambda t: fails(t, "Only the librarian may do that.") and (not STATEMENTS),
    ),
    Call(
        "add_book",
        {"title": "Solaris", "year": 1958, "authorId": "1"},
        lambda t: fails(t, "Solaris is there already."),
        L,
    ),
    Call(
        "replace_book",
        {"id": "2", "title": "T", "year": 3, "authorId": "2"},
        lambda t: t["structuredContent"]["title"] == "T",
        L,
    ),
    Call(  # null of what is optional is as if it were not there
        "patch_book",
        {"id": "1", "blurb": None, "year": 1962},
        lambda t: "ocean" in t["structuredContent"]["blurb"] and "1962" in json.dumps(t),
        L,
    ),
    Call(
        "remove_book",
        {"id": "3"},
        lambda t: not t.get("isError") and any(s.startswith("DELETE") for s in STATEMENTS),
        L,
    ),
    Call("books", {"limit": 0}, lambda t: fails(t, "limit is 1 to 100.")),
    Call("reader", {}, lambda t: "ann" in json.dumps(t), bearer("ann")),
]
CALLERS: list[Caller] = [
    Caller("GET /reader", bearer("ann-1"), "ann-1", "bob-2"),
    Caller("GET /reader", bearer("bob-2"), "bob-2", "ann-1"),
    Caller("GET /reader.md", bearer("ann-1"), "ann-1", "bob-2"),
    Caller(
        "POST /mcp",
        {**MCP, **bearer("bob-2")},
        "bob-2",
        "ann-1",
        rpc("tools/call", name="reader", arguments={}),
    ),
    Caller("POST /graphql", bearer("ann-1"), "ann-1", "bob-2", {"query": "{ reader }"}),
]
