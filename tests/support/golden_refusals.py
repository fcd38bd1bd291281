"""Requests that are refused, and others that show the manners of HTTP, one of each kind."""

from collections.abc import Mapping
from typing import Any

from served_studio import rpc

Call = tuple[str, str, Mapping[str, Any]]
"""A method, a path, and what else `httpx` is told."""

NONE: Mapping[str, Any] = {}
_JSON = {"content-type": "application/json"}
_HOME = "https://agents.example"


def _sent(path: str, *bodies: Any) -> list[Call]:
    return [("POST", path, {"json": body}) for body in bodies]


def _raw(path: str, body: bytes, **headers: str) -> Call:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return "POST", path, {"content": body, "headers": {**_JSON, **named}}


def _with(path: str, *headers: Mapping[str, str], method: str = "GET") -> list[Call]:
    return [(method, path, {"headers": each}) for each in headers]


HTTP_REFUSALS: list[Call] = [
    # addresses
    ("GET", "/api/nothing", NONE),
    ("GET", "/api/projetcs", NONE),
    ("GET", "/api/projects/", NONE),
    ("GET", "/api/projects/tidebok", NONE),
    ("GET", "/api/projects/Not_A_Slug.md", NONE),
    ("GET", "/api/thesis?q=" + "q" * 9_000, NONE),
    # parameters
    ("GET", "/api/thesis?surprise=1", NONE),
    ("GET", "/api/projects?fields=nonsense,client.nonsense&limit=0&offset=-1&limmit=3", NONE),
    ("GET", "/api/projects?limit=201&offset=1000001&fields=", NONE),
    ("GET", "/api/projects?limit=1&limit=2", NONE),
    ("GET", "/api/changelog?kind=nothing&since=yesterday&kin=added", NONE),
    ("GET", "/api/agent-pulse?since=", NONE),
    ("GET", "/api/log/proof", NONE),
    ("GET", "/api/log/proof?index=one", NONE),
    ("GET", "/api/log/consistency?from=-1", NONE),
    ("GET", "/api/proof?name=Not%20a%20name", NONE),
    ("GET", "/api/certifications?category=%00", NONE),
    ("GET", "/api/certifications?category=%ff", NONE),
    ("GET", "/api/snapshot.sig", NONE),
    ("GET", "/api/snapshot.sig?section=nothing", NONE),
    ("GET", "/robots.txt?surprise=1", NONE),
    ("GET", "/openapi.json?surprise=1", NONE),
    ("GET", "/api/search?query=a&limit=0&kind=nothing&more=1", NONE),
    ("GET", "/api/embed?input=tides", NONE),
    # forms
    *_with("/api/projects", {"accept": "image/png"}, {"accept": "application/xml;q=0.5"}),
    *_with("/llms.txt", {"accept": "application/json"}),
    *_with("/api/thesis.md", {"accept": "application/json"}),
    *_with("/feed.xml", {"accept": "text/markdown"}),
    # methods
    ("POST", "/api/thesis", NONE),
    ("DELETE", "/api/projects/tidebook", NONE),
    ("PUT", "/api/contact", NONE),
    ("GET", "/api/subscribe/sub_0", NONE),
    # heads
    *_with("/api/thesis", {"host": "elsewhere.example"}, {"x-long": "x" * 20_000}),
    *_with("/api/thesis", {"content-length": "99999999"}, {"content-encoding": "gzip"}),
    *_with("/api/thesis", {"if-match": '"no-such-etag"'}),
    # bodies
    _raw("/api/contact", b"{"),
    _raw("/api/contact", b""),
    _raw("/api/contact", b"[]"),
    _raw("/api/contact", b'{"name": "a", "name": "b"}'),
    _raw("/api/contact", b"{}", content_type="text/plain"),
    _raw("/api/contact", b"{}", accept="image/png"),
    _raw("/api/contact", b" " * 70_000),
    _raw("/api/contact", b"{}", idempotency_key="k" * 300),
    *_sent("/api/contact", {}, {"name": 5, "email": "no address", "message": None, "more": 1}),
    *_sent(
        "/api/chat", {}, {"query": "x", "topK": 11, "more": 1}, {"query": "why", "messages": []}
    ),
    *_sent("/api/chat", {"messages": [{"role": "nobody", "content": ""}]}),
    *_sent("/api/embed", {}, {"input": []}, {"input": ["tides", 5]}, {"input": ["x"] * 21}),
    *_sent("/api/search", {}, {"query": ["tides"], "limit": "5", "kinds": ["nothing"]}),
    *_sent("/api/search", {"query": "tides", "text": "1"}),
    *_sent("/api/chat", {"query": "Who is it?", "proof": 1}),
    *_sent("/api/intent", {}, {"goal": 5, "limit": 11}),
    *_sent("/api/subscribe", {}, {"url": "http://127.0.0.1/", "kinds": ["nothing"]}),
    ("DELETE", "/api/subscribe/sub_0", NONE),
    *_with("/api/subscribe/sub_0", {"authorization": "Bearer whsec_0"}, method="DELETE"),
]

_SLUG = "query Q($slug: Slug!) { project(slug: $slug) { name } }"
_DEEP = "{ projects " + "{ related " * 13 + "{ slug }" + " }" * 13 + " }"

GRAPHQL_REFUSALS: list[Call] = [
    *_sent("/api/graphql", *({"query": query} for query in (
        "", "{", "{ nothing }", "{ projects }", "{ thesis { text } }", "{ projects { prize } }",
        "query A { thesis } query B { thesis }", "mutation { contact(input: {}) { ok } }",
        "subscription { chat { token } }", "{ project(slug: 5) { name } }", "{ project { name } }",
        '{ project(slug: "no-such-project") { name } }', '{ project(slug: "Not_A_Slug") { name } }',
        "{ changes(kind: NOTHING) { id } }", '{ changes(since: "yesterday") { id } }',
        "{ ...Missing }", "{ thesis } fragment F on Query { thesis }", _DEEP,
        "{ " + " ".join(f"a{n}: thesis" for n in range(20)) + " }",
        "{ projects { domains { projects { domains { projects { domains { slug } } } } } } }",
        '{ search(input: {query: "a"}) { count } }', "{ thesis @nothing }",
        "{" + " thesis" * 1_100 + " }", "{ thesis #" + "x" * 10_000 + "\n}",
    ))),
    *_sent("/api/graphql", {"query": _SLUG}, {"query": _SLUG, "variables": {"slug": 5}}),
    *_sent("/api/graphql", {"query": _SLUG, "variables": {"slug": "tidebook", "more": 1}}),
    *_sent("/api/graphql", {"query": "{ thesis }", "operationName": "Nothing"}),
    *_sent("/api/graphql", {"query": 5}, {"query": "{ thesis }", "variables": [], "more": 1}),
    *_sent("/api/graphql", {}, []),
    _raw("/api/graphql", b"{"),
    _raw("/api/graphql", b"{ thesis }", content_type="text/plain"),
    _raw("/api/graphql", b"{ nothing }", content_type="application/graphql"),
    _raw("/api/graphql", b'{"query": "{ nothing }"}', accept="application/graphql-response+json"),
    _raw("/api/graphql", b'{"query": "{ thesis }"}', accept="image/png"),
    _raw("/api/graphql", b" " * 70_000),
    ("GET", "/api/graphql?query={", NONE),
    ("GET", "/api/graphql?query={thesis}&variables={bad", NONE),
    ("GET", "/api/graphql?query=mutation{contact(input:{}){ok}}", NONE),
    ("GET", "/api/graphql?surprise=1", NONE),
    ("GET", "/api/graphql/schema?surprise=1", NONE),
    ("PUT", "/api/graphql", NONE),
]  # fmt: skip


def _tool(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    return rpc("tools/call", name=name, arguments=given)


_CALLS: dict[str, list[dict[str, Any]]] = {
    "no_such_tool": [{}],
    "get_project": [{}, {"slug": "tidebok"}, {"slug": 5}, {"slug": "tidebook", "more": 1}],
    "get_about": [{"fields": "nonsense"}],
    "list_projects": [{"limit": 0, "offset": -1}, {"limit": "many"}],
    "get_changes": [{"kind": "nothing", "since": "yesterday"}],
    "send_contact": [{}, {"name": 5, "email": "x", "message": "short", "more": 1}],
    "search": [{}, {"query": "a", "limit": 0, "kind": "nothing", "text": "1"}],
    "ask": [{}, {"query": "x", "topK": 11}],
    "route_intent": [{"goal": 5}],
    "subscribe": [{}, {"url": "http://127.0.0.1/", "kinds": ["nothing"]}],
    "read": [
        *({}, {"section": "project"}, {"section": "thesis", "slug": "x"}),
        *({"section": "projects", "slug": "tidebok"}, {"section": "projects", "limit": 0}),
        {"section": "changelog", "parameters": "kind=nothing"},
    ],
    "fetch": [{}, {"id": "nothing"}, {"id": "projects/tidebok"}],
    "verify": [{}, {"section": "nothing"}],
}
_PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'

MCP_REFUSALS: list[Call] = [
    *_sent("/mcp", {}, 5, [], [rpc("ping"), rpc("ping")]),
    *_sent("/mcp", {"jsonrpc": "1.0", "id": 1, "method": "ping"}),
    *_sent("/mcp", {"jsonrpc": "2.0", "id": None, "method": "ping"}),
    *_sent("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []}),
    *_sent("/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}),
    *_sent("/mcp", rpc("no/such/method"), rpc("initialize"), rpc("tools/call")),
    *_sent("/mcp", *(_tool(name, given) for name, calls in _CALLS.items() for given in calls)),
    *_sent("/mcp", *(rpc("resources/read", uri=uri) for uri in ("x", "studio://nothing", 5))),
    *_sent("/mcp", rpc("resources/read", uri="studio://projects/tidebok"), rpc("resources/read")),
    *_sent("/mcp", rpc("prompts/get"), rpc("prompts/get", name="nothing")),
    *_sent("/mcp", rpc("prompts/get", name="compare_projects", arguments={"a": "x", "c": "y"})),
    *_sent("/mcp", rpc("prompts/get", name="introduce_studio", arguments={"length": 5})),
    *_sent("/mcp", rpc("completion/complete", ref={"type": "ref/prompt", "name": "nothing"})),
    *_sent("/mcp", rpc("tools/list", cursor="x")),
    _raw("/mcp", b"{"),
    _raw("/mcp", b" " * 1_100_000),
    _raw("/mcp", _PING, content_type="text/plain"),
    _raw("/mcp", _PING, accept="image/png"),
    _raw("/mcp", _PING, origin="https://elsewhere.example"),
    _raw("/mcp", _PING, mcp_protocol_version="1999-01-01"),
    _raw("/mcp", _PING, mcp_protocol_version="2026-07-28"),
    *_with("/mcp", {"accept": "text/event-stream"}, {"accept": "image/png"}),
    ("GET", "/mcp?surprise=1", NONE),
    ("DELETE", "/mcp", NONE),
]

_OPTIONS = ("/", "/llms.txt", "/robots.txt", "/api/projects/tidebook", "/api/contact", "/mcp")
_HEADS = ("/", "/llms.txt", "/openapi.json", "/mcp", "/api/contact", "/api/nothing")
_PARTS = (
    *("/index.md", "/index.json", "/api/thesis.md", "/api/thesis.json"),
    "/api/projects?fields=slug,client.name&limit=2&offset=1",
    "/api/about?fields=studio.name,studio.founder.handles.url",
    *("/api/projects/tidebook?fields=name", "/api/faq.md?fields=q&limit=2"),
    "/api/graphql?query={thesis}",
)
_QUERY = (
    "query Q($kind: ChangeKind) { changes(kind: $kind) { __typename ...F } }"
    " fragment F on ChangelogEntry { id }"
)

MANNERS: list[Call] = [
    *_with("/", {"accept": "application/json"}, {"accept": "text/html,*/*;q=0.8"}),
    *_with("/api/thesis", {"accept": "text/markdown;q=0.4, application/json;q=0.3"}),
    *_with("/api/thesis", {"accept": "text/*"}, {"accept": "application/json;q=0"}),
    *_with("/api/thesis", {"if-none-match": "*"}, {"origin": "https://elsewhere.example"}),
    *_with("/api/thesis", {"if-modified-since": "Fri, 01 Jan 2099 00:00:00 GMT"}),
    *_with("/api/thesis", {"range": "bytes=0-9"}, {"cache-control": "no-cache"}),
    *(("HEAD", "/api/thesis", {"headers": {"accept-encoding": c}}) for c in ("br", "zstd", "gzip")),
    *(("HEAD", path, NONE) for path in _HEADS),
    *(("OPTIONS", path, {"headers": {"origin": _HOME}}) for path in (*_OPTIONS, "/api/graphql")),
    ("OPTIONS", "/mcp", {"headers": {"origin": "https://elsewhere.example"}}),
    ("OPTIONS", "/api/subscribe/sub_0", NONE),
    *(("GET", path, NONE) for path in _PARTS),
    _raw("/api/graphql", b"{ thesis }", content_type="application/graphql"),
    _raw("/api/graphql", b'{"query": "{ thesis }"}', accept="application/graphql-response+json"),
    *_sent("/api/graphql", {"query": _QUERY, "variables": {"kind": "ADDED"}}),
    _raw("/mcp", _PING, accept="text/event-stream"),
    *_sent("/mcp", _tool("get_project", {"slug": "tidebook", "fields": "name,client.name"})),
    *_sent("/mcp", _tool("list_projects", {"fields": "slug", "limit": 1, "offset": 1})),
    *_sent("/mcp", _tool("get_changes", {"kind": "", "since": None, "limit": "2"})),
    *_sent("/mcp", _tool("read", {"section": "faq", "fields": "q", "limit": 2})),
]
