"""The GraphQL endpoint keeps the manners of every other path."""

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
