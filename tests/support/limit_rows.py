"""Every limit with a request that is just within it and one that is just beyond.

`docs/limits.md` is written from these rows, and `servers/test_every_limit.py` sends them.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from oversized import chain
from recorded_requests import request
from repository import SAMPLE

from content.reading.reader import load

JSON_TYPE = "application/json"
GRAPHQL = "/api/graphql"
LONG = "a" * 4000
TIDES = {"query": "tides"}
LETTER = {
    "name": "Ines Ferreira",
    "email": "ines@harbour.example",
    "message": "Would you have time in March to review our tide forecasts?",
    "dryRun": True,
}
REMOVAL = ("Bearer", "Bearer whsec_AAAA", "Basic YTpi", "")


@dataclass(frozen=True)
class Row:
    """A limit, what is sent at it and beyond it, and the statuses of the two answers."""

    subject: str
    what: str
    limit: str
    at: bytes = field(repr=False)
    beyond: bytes = field(repr=False)
    status: int
    """Of what is beyond."""
    at_status: int = 200


def post(path: str, value: Any, **headers: str) -> bytes:
    """Return a POST of a JSON value; of bytes, as they are."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return request("POST", path, {"Content-Type": JSON_TYPE, **named}, data)


def get(target: str, **headers: str) -> bytes:
    """Return a GET."""
    return request("GET", target, {n.replace("_", "-"): text for n, text in headers.items()})


def padded(value: Any, size: int) -> bytes:
    """Return a JSON text of so many bytes."""
    text = json.dumps(value)
    return (text + " " * (size - len(text))).encode()


def query(document: str, **variables: Any) -> bytes:
    """Return a POST of a GraphQL document."""
    return post(GRAPHQL, {"query": document, "variables": variables})


def variables(text: str) -> bytes:
    """Return a POST of a GraphQL document with these variables, as JSON text."""
    return post(GRAPHQL, b'{"query": "{ thesis }", "variables": {"a": ' + text.encode() + b"}}")


def mcp(**message: Any) -> bytes:
    """Return a POST of an MCP message."""
    return post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping", **message})


def sized(path: str, member: str, most: int, least: int = 0, **rest: Any) -> Iterator[Row]:
    """Yield the rows of a text's length in a body."""
    name = f"`{member}` of `{path}`"
    row = ("lengths", f"longest {name}", f"{most:,} characters")
    yield Row(
        *row,
        post(path, {**rest, member: "ä" * most}),
        post(path, {**rest, member: "ä" * (most + 1)}),
        400,
    )
    if least:
        row = ("lengths", f"shortest {name}", f"{least:,} characters")
        short = " " + "ä" * (least - 1) + " "  # spaces around it do not count
        yield Row(
            *row,
            post(path, {**rest, member: "ä" * least}),
            post(path, {**rest, member: short}),
            400,
        )


def bounded(path: str, member: str, most: int, **rest: Any) -> Row:
    """Return the row of a number in a body."""
    beyond = post(path, {**rest, member: most + 1})
    return Row(
        "lengths",
        f"`{member}` of `{path}`",
        f"{most}",
        post(path, {**rest, member: most}),
        beyond,
        400,
    )


def body_sizes() -> Iterator[Row]:
    """Yield the rows of bodies."""
    cases: list[tuple[str, int, Any]] = [
        ("/api/search", 64, TIDES),
        ("/api/chat", 256, TIDES),
        ("/api/embed", 512, {"input": "tides"}),
        ("/mcp", 128, {"jsonrpc": "2.0", "id": 1, "method": "ping"}),
    ]
    for path, kibibytes, value in cases:
        size = kibibytes * 1024
        row = ("request body", f"body of `{path}`", f"{kibibytes} KiB")
        yield Row(*row, post(path, padded(value, size)), post(path, padded(value, size + 1)), 413)
    declared = {"Content-Type": JSON_TYPE, "Content-Length": str(64 * 1024 + 1)}
    text = padded(TIDES, 64 * 1024)
    yield Row(
        *("request body", "declared length", "64 KiB"),
        post("/api/search", text),
        request("POST", "/api/search", declared),
        413,
    )
    yield Row("request body", "chunks of a body", "1,000", chunked(1_000), chunked(1_001), 413)


def chunked(count: int) -> bytes:
    """Return a POST whose body comes in so many chunks."""
    text = padded(TIDES, count)
    head = request(
        "POST", "/api/search", {"Content-Type": JSON_TYPE, "Transfer-Encoding": "chunked"}
    )
    return head + b"".join(b"1\r\n%c\r\n" % byte for byte in text) + b"0\r\n\r\n"


def json_rules() -> Iterator[Row]:
    """Yield the rows of JSON."""
    yield Row(
        "JSON", "depth", "32", variables("[" * 30 + "]" * 30), variables("[" * 31 + "]" * 31), 400
    )
    yield Row(
        "JSON",
        "values",
        "10,000",
        variables(values(10_000 - 4)),
        variables(values(10_000 - 3)),
        400,
    )
    key, longer = ('{"' + "k" * count + '": 1}' for count in (256, 257))
    yield Row("JSON", "characters of a key", "256", variables(key), variables(longer), 400)
    for sign in ("", "-"):
        yield Row(
            *("JSON", "an integer", f"{sign}(2^53-1)"),
            variables(f"{sign}{2**53 - 1}"),
            variables(f"{sign}{2**53}"),
            400,
        )
    yield Row(
        "JSON",
        "characters of a float",
        "40",
        variables("0." + "1" * 38),
        variables("0." + "1" * 39),
        400,
    )
    odd = {"a key twice": '{"a": 1, "a": 1}', "NaN": "NaN", "infinity": "1e400"}
    odd |= {"a lone surrogate": r'"\ud800"', "U+0000": r'"\u0000"'}
    for what, text in odd.items():
        yield Row("JSON", what, "none", variables("1"), variables(text), 400)
    broken = post(GRAPHQL, b'{"query": "\xff"}')
    yield Row("JSON", "what is no UTF-8", "none", variables("1"), broken, 400)


def values(count: int) -> str:
    """Return a list of so many numbers, as JSON text."""
    return "[" + ",".join("1" * count) + "]"


def lengths() -> Iterator[Row]:
    """Yield the rows of the members of bodies."""
    yield from sized("/api/chat", "query", 2_000, 2)
    yield from sized("/api/chat", "agent", 120, query="tides")
    yield bounded("/api/chat", "topK", 10, query="tides")
    said = [[{"role": "user", "content": "a" * count}] for count in (4_000, 4_001)]
    at, beyond = (post("/api/chat", {"messages": messages}) for messages in said)
    yield Row(
        "lengths", "`content` of a message to `/api/chat`", "4,000 characters", at, beyond, 400
    )
    yield from sized("/api/search", "query", 500, 2)
    yield bounded("/api/search", "limit", 20, **TIDES)
    yield from sized("/api/intent", "goal", 500, 4)
    yield bounded("/api/intent", "limit", 10, goal="list projects")
    yield from sized("/api/intent", "agent", 120, goal="list projects")
    yield from sized("/api/embed", "input", 2_000, 1)
    at, beyond = (post("/api/embed", {"input": ["tides"] * count}) for count in (20, 21))
    yield Row("lengths", "texts of `/api/embed`", "20", at, beyond, 400)
    for member, most, least in (("name", 120, 2), ("company", 120, 0), ("message", 4_000, 20)):
        yield from sized(
            "/api/contact", member, most, least, **{k: v for k, v in LETTER.items() if k != member}
        )
    odd = {"control characters": "\x85", "line separators": "\u2028"}
    for what, character in odd.items():
        name = f"Ines{character}Ferreira"
        yield Row(
            *("lengths", f"{what} in a one-line field", "none"),
            post("/api/contact", LETTER),
            post("/api/contact", {**LETTER, "name": name}),
            400,
        )


def documents() -> Iterator[Row]:
    """Yield the rows of GraphQL documents."""
    cases: dict[tuple[str, int], Callable[[int], str]] = {
        ("characters", 10_000): lambda n: "{ thesis }" + " " * (n - 10),
        ("tokens", 1_000): lambda n: "{ " + "thesis " * 20 + "}" + "#\n" * (n - 22),
        ("depth", 12): lambda n: (
            "{ projects" + " { related" * (n - 2) + " { slug }" + " }" * (n - 1)
        ),
        ("aliases", 15): lambda n: "{ " + many(n, "a%: thesis") + " }",
        ("root fields", 30): lambda n: "{ " + "thesis " * n + "}",
        ("directives", 50): lambda n: (
            "{ "
            + "thesis @skip(if: false) @include(if: true) " * 25
            + "thesis @skip(if: false) " * (n - 50)
            + "}"
        ),
        ("operations", 10): lambda n: many(n, "query Q% { thesis }"),
        ("fragments", 50): lambda n: "{ ...F0 } " + chain(n - 1, "thesis"),
        ("variables", 50): with_variables,
        ("cost", 5_000): of_cost,
        ("depth of introspection", 20): lambda n: (
            '{ __type(name: "Query") { fields { type { ' + "ofType { " * (n - 4) + "name" + " }" * n
        ),
        ("computed fields", 2): lambda n: (
            "{ " + many(n, 'a%: search(input: {query: "tides"}) { count }') + " }"
        ),
    }
    for (what, most), make in cases.items():
        named = {"operationName": "Q0"} if what == "operations" else {}
        at, beyond = (post(GRAPHQL, {"query": make(count), **named}) for count in (most, most + 1))
        yield Row("GraphQL", what, f"{most:,}", at, beyond, 400)
    room = 4 * 1024
    at, beyond = (
        get(f"{GRAPHQL}?query=%7Bthesis%7D" + "%20" * 0 + "+" * (n - 8)) for n in (room, room + 1)
    )
    yield Row("GraphQL", "a document in an address", "4 KiB", at, beyond, 400)
    good = query("{ thesis }")
    yield Row(
        "GraphQL", "documents in a body", "1", good, post(GRAPHQL, [{"query": "{ thesis }"}]), 400
    )
    for kind in ("mutation", "subscription"):
        yield Row("GraphQL", f"a {kind}", "none", good, query(f"{kind} {{ thesis }}"), 400)
    for directive in ("@defer", "@stream"):
        yield Row(
            "GraphQL", directive, "none", good, query(f"{{ ... {directive} {{ thesis }} }}"), 400
        )
    yield Row("GraphQL", "an empty selection", "none", good, query("{ }"), 400)


def with_variables(count: int) -> str:
    """Return a document with so many variables, two for each field."""
    declared = many(count, "$v%: Boolean = true")
    pairs = range(0, count - 1, 2)
    fields = " ".join(f"thesis @skip(if: $v{n}) @include(if: $v{n + 1})" for n in pairs)
    return f"query ({declared}) {{ {fields} }}"


def of_cost(cost: int) -> str:
    """Return a document of a cost: a field costs 1, and in a list as often as there are items."""
    items = len(load(SAMPLE).faq)
    each, more = divmod(cost - 1, items)
    return "{ faq { " + "slug " * each + "} " + "thesis " * more + "}"


def many(count: int, text: str) -> str:
    """Return the text so many times, `%` being the number."""
    return " ".join(text.replace("%", str(number)) for number in range(count))


def messages() -> Iterator[Row]:
    """Yield the rows of MCP."""
    one = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    yield Row("MCP", "messages in a POST", "1", mcp(), post("/mcp", [one, one]), 400)
    yield Row("MCP", "characters of an id", "256", mcp(id="i" * 256), mcp(id="i" * 257), 400)
    yield Row(
        *("MCP", "characters of a method", "128"),
        mcp(method="m" * 128),
        mcp(method="m" * 129),
        400,  # a method that does not exist, if well-formed, is an error in an answer of 200
    )
    yield Row("MCP", "an id that is a number", "2^53-1", mcp(id=2**53 - 1), mcp(id=2**53), 400)
    foreign = post("/mcp", one, Origin="https://evil.example")
    yield Row("MCP", "the origin of a page", "this machine", mcp(), foreign, 403)


def addresses() -> Iterator[Row]:
    """Yield the rows of the head of a request."""
    target = "/api/status?utm_source="
    at, beyond = (get(target + "a" * (8 * 1024 - len(target) + more)) for more in (0, 1))
    yield Row("addresses", "path and query", "8 KiB", at, beyond, 414)
    fixed = len("Host" + "localhost" + "Connection" + "close" + "X-A") + 3 * 4
    at, beyond = (get("/api/faq", X_A="a" * (16 * 1024 - fixed + more)) for more in (0, 1))
    yield Row("addresses", "all headers", "16 KiB", at, beyond, 431)
    good = get("/api/faq")
    other = good.replace(b"Host: localhost", b"Host: evil.example")
    yield Row("addresses", "the name of the service", "known names", good, other, 421)
    unknown = get("/api/snapshot.sig?section=nothing")
    known = get("/api/snapshot.sig?section=projects")
    yield Row("addresses", "the section of a signed form", "15 names", known, unknown, 400)
    yield Row(
        "addresses",
        "a project",
        "known slugs",
        get("/api/projects/tidebook"),
        get("/api/projects/no"),
        404,
    )
    chain = get("/api/onchain/founder-attestation")
    yield Row("addresses", "an artifact", "known slugs", chain, get("/api/onchain/no"), 404)
    yield Row("addresses", "a path", "known paths", good, get("/api/nothing"), 404)
    since = get("/api/agent-pulse?since=2026-01-01T00:00:00Z")
    yield Row(
        "addresses", "`since`", "an instant", since, get("/api/agent-pulse?since=2026-02-30"), 400
    )
    for method in ("POST", "TRACE", "CONNECT"):
        yield Row(
            "addresses", f"{method} of a read", "GET, HEAD", good, request(method, "/api/faq"), 405
        )
    for coding in ("gzip", "br"):
        beyond = post("/api/search", TIDES, Content_Encoding=coding)
        yield Row(
            "media types",
            f"a body coded in {coding}",
            "none",
            post("/api/search", TIDES),
            beyond,
            415,
        )
    plain = post("/api/search", TIDES, Content_Type="text/plain")
    yield Row(
        "media types", "a body of another type", "JSON", post("/api/search", TIDES), plain, 415
    )


ROWS = [*addresses(), *body_sizes(), *json_rules(), *lengths(), *documents(), *messages()]
