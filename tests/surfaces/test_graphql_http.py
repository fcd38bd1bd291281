"""The GraphQL endpoint keeps the manners of every other path."""

import json

import httpx
import pytest
from graphql import get_introspection_query

PATH = "/api/graphql"
RESPONSE = "application/graphql-response+json"


def test_the_standard_introspection_may_stand_in_a_fragment(client: httpx.Client) -> None:
    query = get_introspection_query().replace(
        "query IntrospectionQuery {", "query Q { ...F } fragment F on Query {"
    )
    response = client.post(PATH, json={"query": query})
    assert response.status_code == 200, response.text


def test_a_body_too_large_closes_the_connection(client: httpx.Client) -> None:
    response = client.post(PATH, content=b"{" + b" " * 70_000)
    assert response.status_code in (413, 415)
    headers = {"content-type": "application/json"}
    response = client.post(PATH, content=b"{" + b" " * 70_000, headers=headers)
    assert response.status_code == 413
    assert response.headers["connection"] == "close"


@pytest.mark.parametrize(
    ("method", "body", "status"),
    [("POST", b"{", 400), ("POST", b'{"query": 1}', 400), ("PUT", b"", 405)],
)
def test_a_refusal_comes_in_the_form_asked_for(
    client: httpx.Client, method: str, body: bytes, status: int
) -> None:
    headers = {"accept": RESPONSE, "content-type": "application/json"}
    response = client.request(method, PATH, content=body, headers=headers)
    assert response.status_code == status
    assert response.headers["content-type"] == f"{RESPONSE}; charset=utf-8"
    assert set(response.json()) == {"errors"}


def test_the_documentation_tells_the_limits(client: httpx.Client) -> None:
    limits = client.get(f"{PATH}.json").json()["limits"]
    assert (limits["aliases"], limits["levels"], limits["root fields"]) == (15, 12, 30)
    text = client.get(f"{PATH}.md").text
    assert "- At most 15 aliases\n" in text
    assert f"]({client.base_url}".rstrip("/") + f"{PATH}.md)" in client.get("/llms.txt").text


def test_a_variable_is_refused_by_the_rule_of_its_type(client: httpx.Client) -> None:
    query = "query Q($s: Slug!) { project(slug: $s) { name } }"
    response = client.post(PATH, json={"query": query, "variables": {"s": 5}})
    assert response.status_code == 400
    assert "must be lower-case letters" in response.json()["errors"][0]["message"]


def test_bad_variables_in_a_get_are_named(client: httpx.Client) -> None:
    response = client.get(PATH, params={"query": "{ thesis }", "variables": "{bad"})
    assert json.loads(response.content)["errors"][0]["message"].startswith(
        "variables: must be JSON; line 1, "
    )
