"""The GraphQL endpoint over HTTP, asked by other people's clients and by hand."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from gql import Client, gql
from gql.transport.exceptions import TransportQueryError
from gql.transport.httpx import HTTPXAsyncTransport, HTTPXTransport
from graphql import (
    build_client_schema,
    build_schema,
    get_introspection_query,
    lexicographic_sort_schema,
    print_schema,
)

PATH = "/api/graphql"
RESPONSE = "application/graphql-response+json"
WALK = """
query Walk($slug: Slug!) {
  project(slug: $slug) {
    name
    domains { name projects { slug } }
    related { slug related { slug } }
  }
  journey {
    headline
    convictions { headline }
    evidenceItems {
      __typename
      ... on Project { slug domains { slug } }
      ... on Artifact { slug type }
      ... on Certification { title }
      ... on PracticeArea { area }
    }
  }
  glossary { term relatedTerms { term } }
}
"""


def post(client: httpx.Client, body: Any, **headers: str) -> httpx.Response:
    """A request with a JSON body."""
    headers = {"content-type": "application/json", **headers}
    return client.post(PATH, content=json.dumps(body), headers=headers)


def test_gql_asks_it_asynchronously(server: str) -> None:
    async def ask() -> Any:
        transport = HTTPXAsyncTransport(f"{server}{PATH}")
        async with Client(transport=transport, fetch_schema_from_transport=True) as session:
            return await asyncio.gather(
                *(
                    session.execute(gql(f"{{ {name} {{ slug }} }}"))
                    for name in ("projects", "domains")
                )
            )

    projects, domains = asyncio.run(ask())
    assert {item["slug"] for item in projects["projects"]} == {"tidebook", "harborlight", "fathom"}
    assert len(domains["domains"]) == 4


def test_gql_is_told_what_is_wrong(server: str) -> None:
    with (
        Client(transport=HTTPXTransport(f"{server}{PATH}")) as c,
        pytest.raises(TransportQueryError, match="Cannot query field 'prize'"),
    ):
        c.execute(gql("{ projects { prize } }"))


def test_one_query_walks_the_graph(client: httpx.Client) -> None:
    body = post(client, {"query": WALK, "variables": {"slug": "tidebook"}}).json()
    assert "errors" not in body
    project, journey = body["data"]["project"], body["data"]["journey"]
    assert [d["name"] for d in project["domains"]] == ["Ledgers and reconciliation", "Market data"]
    for domain in project["domains"]:
        assert "tidebook" in [found["slug"] for found in domain["projects"]]
    assert [found["slug"] for found in project["related"]] == ["fathom"]
    assert {"slug": "tidebook"} in project["related"][0]["related"]
    read = client.get("/api/journey").json()
    for step, entry in zip(journey, read, strict=True):
        assert len(step["evidenceItems"]) == len(entry.get("evidence", []))
        headlines = {found["headline"] for found in step["convictions"]}
        assert headlines == set(entry["reinforces"])
    kinds = {item["__typename"] for step in journey for item in step["evidenceItems"]}
    assert kinds == {"Project", "Artifact", "Certification", "PracticeArea"}
    terms = {e["slug"]: e["term"] for e in client.get("/api/glossary").json()}
    for term, entry in zip(
        body["data"]["glossary"], client.get("/api/glossary").json(), strict=True
    ):
        named = [terms[slug] for slug in entry.get("related", [])]
        assert [found["term"] for found in term["relatedTerms"]] == named


OPTION_NAMES = (
    *("descriptions", "specified_by_url", "directive_is_repeatable", "schema_description"),
    *("input_value_deprecation", "experimental_directive_deprecation", "one_of"),
)
OPTIONS = [dict.fromkeys(OPTION_NAMES, chosen) for chosen in (True, False)]
OPTIONS += [{**OPTIONS[0], name: False} for name in OPTION_NAMES]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: "".join(str(int(v)) for v in o.values()))
def test_introspection_with_every_option_builds_a_schema(
    client: httpx.Client, options: dict[str, bool]
) -> None:
    response = post(client, {"query": get_introspection_query(**options)})
    assert response.status_code == 200
    assert build_client_schema(response.json()["data"]).query_type


def test_the_text_of_the_schema_is_what_introspection_says(client: httpx.Client) -> None:
    text = client.get(f"{PATH}/schema")
    assert text.headers["content-type"] == "text/plain; charset=utf-8"
    query = get_introspection_query(
        specified_by_url=True,
        directive_is_repeatable=True,
        schema_description=True,
        input_value_deprecation=True,
        one_of=True,
    )
    told = build_client_schema(post(client, {"query": query}).json()["data"])
    written = build_schema(text.text)
    assert print_schema(lexicographic_sort_schema(told)) == print_schema(
        lexicographic_sort_schema(written)
    )
    assert told.mutation_type is None
    assert told.subscription_type is None


@pytest.mark.parametrize("accept", ["application/json", RESPONSE, "*/*", ""])
@pytest.mark.parametrize("method", ["GET", "POST", "POST text"])
def test_a_good_request_is_200_in_the_form_asked_for(
    client: httpx.Client, method: str, accept: str
) -> None:
    headers = {"accept": accept}
    if method == "GET":
        response = client.get(PATH, params={"query": "{ thesis }"}, headers=headers)
    elif method == "POST":
        response = post(client, {"query": "{ thesis }"}, **headers)
    else:
        headers["content-type"] = "application/graphql"
        response = client.post(PATH, content="{ thesis }", headers=headers)
    assert response.status_code == 200
    wanted = RESPONSE if accept == RESPONSE else "application/json"
    assert response.headers["content-type"].split(";")[0] == wanted
    assert response.json() == {"data": {"thesis": client.get("/api/thesis").json()["thesis"]}}
    assert response.headers["access-control-allow-origin"] == "*"


BAD: list[tuple[str, Any]] = [
    ("no query", {}),
    ("null query", {"query": None}),
    ("number for a query", {"query": 3}),
    ("list for variables", {"query": "{ thesis }", "variables": []}),
    ("text for variables", {"query": "{ thesis }", "variables": "{}"}),
    ("list for extensions", {"query": "{ thesis }", "extensions": []}),
    ("number for a name", {"query": "{ thesis }", "operationName": 3}),
    ("unknown member", {"query": "{ thesis }", "querry": "x"}),
    ("array", [{"query": "{ thesis }"}]),
    ("string", "{ thesis }"),
    ("null", None),
    ("syntax", {"query": "{ thesis"}),
    ("unknown field", {"query": "{ thesus }"}),
    ("mutation", {"query": "mutation { thesis }"}),
    ("subscription", {"query": "subscription { thesis }"}),
    ("unknown operation", {"query": "query A { thesis }", "operationName": "B"}),
    ("no operation chosen", {"query": "query A { thesis } query B { thesis }"}),
    ("missing variable", {"query": "query A($s: Slug!) { project(slug: $s) { name } }"}),
    (
        "variable against its rule",
        {"query": "query A($s: Slug!) { project(slug: $s) { name } }", "variables": {"s": "A B"}},
    ),
    ("argument against its rule", {"query": '{ project(slug: "A B") { name } }'}),
]


@pytest.mark.parametrize("accept", ["application/json", RESPONSE])
@pytest.mark.parametrize(("name", "body"), BAD, ids=[name for name, _ in BAD])
def test_a_bad_request_is_400_without_data(
    client: httpx.Client, name: str, body: Any, accept: str
) -> None:
    response = post(client, body, accept=accept)
    assert response.status_code == 400, name
    assert set(response.json()) == {"errors"}
    assert all(error["message"] for error in response.json()["errors"])
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b'{"query": "{ thesis }"}', "text/plain", 415),
        (b'{"query": "{ thesis }"}', "", 415),
        (b"query=%7Bthesis%7D", "application/x-www-form-urlencoded", 415),
        (b"--x\r\n\r\n--x--", "multipart/form-data; boundary=x", 415),
        (b'{"query": "{ thesis }"}', "application/json; charset=latin-1", 415),
        (b'{"query": "{ thesis }"', "application/json", 400),
        (b'{"query": "{ thesis }", "query": "{ a }"}', "application/json", 400),
        (b'{"query": "\xff"}', "application/json", 400),
        (b"\xff", "application/graphql", 400),
        (b"[" * 5_000, "application/json", 400),
        (b'{"query": "' + b"x" * 70_000 + b'"}', "application/json", 413),
    ],
)
def test_other_bodies_are_refused(
    client: httpx.Client, body: bytes, content_type: str, status: int
) -> None:
    response = client.post(PATH, content=body, headers={"content-type": content_type})
    assert response.status_code == status
    assert set(response.json()) == {"errors"}


@pytest.mark.parametrize(
    "params",
    [
        {"query": "mutation { thesis }"},
        {"query": "{ thesus }"},
        {"query": "{ thesis }", "variables": "[]"},
        {"query": "{ thesis }", "variables": "{"},
        {"query": "{ thesis }", "unknown": "1"},
        {"extensions": "{}"},
        {"query": ""},
        {"query": "#" + "x" * 4_100 + "\n{ thesis }"},
        [("query", "{ thesis }"), ("query", "{ thesis }")],
    ],
)
def test_a_bad_get_is_400(client: httpx.Client, params: Any) -> None:
    response = client.get(PATH, params=params)
    assert response.status_code == 400
    assert set(response.json()) == {"errors"}


def test_a_get_takes_variables_and_a_name_and_can_be_reused(client: httpx.Client) -> None:
    params = {
        "query": "query A($s: Slug!) { project(slug: $s) { name } } query B { thesis }",
        "variables": json.dumps({"s": "fathom"}),
        "operationName": "A",
    }
    first = client.get(PATH, params=params)
    assert first.json() == {"data": {"project": {"name": "Fathom"}}}
    known = {"if-none-match": first.headers["etag"]}
    assert client.get(PATH, params=params, headers=known).status_code == 304
    head = client.head(PATH, params=params)
    assert head.headers["etag"] == first.headers["etag"]
    assert head.content == b""


def test_without_a_query_the_documentation_answers(client: httpx.Client) -> None:
    document = client.get(PATH).json()
    assert {"name", "description", "queries", "types", "schema"} <= set(document)
    queries = {query["name"]: query for query in document["queries"]}
    assert queries["project"]["arguments"][0]["type"] == "Slug!"
    assert all(query["description"] for query in document["queries"])
    text = client.get(PATH, headers={"accept": "text/markdown"})
    assert text.headers["content-type"] == "text/markdown; charset=utf-8"
    for kind in document["types"]:
        assert f"### {kind['name']}\n" in text.text
    assert client.get(PATH, headers={"accept": "image/png"}).status_code == 406
