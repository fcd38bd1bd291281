"""A message to the human over HTTP: what is taken, what is refused, what the human finds."""

from collections.abc import Iterator
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any

import httpx
import pytest
from contact_inbox import LETTER, delivered, desk

VALID = {**LETTER, "company": "Harbour Office", "agent": "harbour-assistant 1.2"}
"""A message with everything in it."""


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a running service without a limit."""
    return tmp_path_factory.mktemp("studio")


@pytest.fixture(scope="module")
def client(studio: Path) -> Iterator[httpx.Client]:
    """A client of that service."""
    with (
        desk(studio, CONTACT_LIMIT="0") as server,
        httpx.Client(base_url=server.address, timeout=60) as made,
    ):
        yield made


def post(client: httpx.Client, body: Any, **headers: str) -> httpx.Response:
    """The answer to a message."""
    return client.post("/api/contact", json=body, headers=headers)


def fields(response: httpx.Response) -> set[str]:
    """What is wrong with a message."""
    assert response.status_code == 400
    assert response.headers["content-type"] == "application/problem+json"
    return {fault["path"] for fault in response.json()["fields"]}


def test_a_message_is_delivered_and_the_receipt_says_so(client: httpx.Client, studio: Path) -> None:
    response = post(client, VALID)
    receipt = response.json()
    assert response.status_code == 200
    assert set(receipt) == {"ok", "id", "deliveredAt", "responseWithin"}
    assert (receipt["ok"], receipt["responseWithin"]) == (True, "24h")
    assert response.headers["cache-control"] == "no-store"
    assert "etag" not in response.headers
    found = message_from_bytes(delivered(studio)[-1], policy=default)
    assert found["from"] == "agents@quillmere.example"
    assert found["reply-to"] == VALID["email"]
    assert found["x-studiograph-channel"] == "http"
    assert found["x-studiograph-agent"] == VALID["agent"]
    assert receipt["id"] in found["message-id"]
    text = found.get_content()
    for value in VALID.values():
        assert value in text


def test_the_same_message_of_a_day_is_in_the_inbox_once(client: httpx.Client, studio: Path) -> None:
    message = {**LETTER, "message": "The same words, sent twice by a nervous agent."}
    before = len(delivered(studio))
    first, second = post(client, message).json(), post(client, message).json()
    assert first["id"] == second["id"]
    assert len(delivered(studio)) == before + 1


def test_a_dry_run_checks_everything_and_sends_nothing(client: httpx.Client, studio: Path) -> None:
    message = {**LETTER, "message": "Words that nobody ever gets to read.", "dryRun": True}
    before = len(delivered(studio))
    receipt = post(client, message).json()
    assert (receipt["dryRun"], "deliveredAt" in receipt) == (True, False)
    assert len(delivered(studio)) == before
    assert fields(post(client, {**message, "name": "I"})) == {"name"}


def test_a_named_call_is_made_once(client: httpx.Client, studio: Path) -> None:
    one = {**LETTER, "message": "A call with a name of its own, first."}
    before = len(delivered(studio))
    first = post(client, one, **{"Idempotency-Key": "name-1"})
    again = post(client, one, **{"Idempotency-Key": "name-1"})
    assert first.json() == again.json()
    assert len(delivered(studio)) == before + 1
    other = post(
        client,
        {**one, "message": "Other words under the same name."},
        **{"Idempotency-Key": "name-1"},
    )
    assert fields(other) == {"Idempotency-Key"}
    assert fields(post(client, one, **{"Idempotency-Key": "two words"})) == {"Idempotency-Key"}


def test_all_faults_come_together_and_none_repeats_what_was_sent(client: httpx.Client) -> None:
    response = post(client, {"name": "I", "email": "zebra", "masage": "zebra", "agent": 7})
    assert fields(response) == {"name", "email", "message", "masage", "agent"}
    assert "zebra" not in response.text
    assert "did you mean 'message'" in response.text


def test_a_page_of_another_origin_may_read_how_and_may_not_post(client: httpx.Client) -> None:
    options = client.options("/api/contact", headers={"origin": "https://elsewhere.example"})
    assert options.headers["allow"] == "GET, HEAD, POST, OPTIONS"
    assert "POST" not in options.headers["access-control-allow-methods"]
    sent = post(client, {**VALID, "dryRun": True}, origin="https://elsewhere.example")
    assert "access-control-allow-origin" not in sent.headers
    assert client.get("/api/contact").headers["access-control-allow-origin"] == "*"


def test_no_mutation_is_reached_through_graphql(client: httpx.Client) -> None:
    query = 'mutation { contact(input: {name: "Ada", email: "a@b.example", message: "x"}) { ok } }'
    assert client.post("/api/graphql", json={"query": query}).status_code == 400
    schema = client.get("/api/graphql/schema").text
    assert "Mutation" not in schema
    assert "ContactInput" not in schema


def test_messages_that_differ_in_anything_are_both_delivered(
    client: httpx.Client, studio: Path
) -> None:
    before = len(delivered(studio))
    letter = {**LETTER, "message": "The same words of the same person, for two companies."}
    for company in ("Harbour Office", "Harbour Works"):
        assert post(client, {**letter, "company": company}).status_code == 200
    assert len(delivered(studio)) == before + 2
