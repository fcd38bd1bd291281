"""What query parameters ask for: what is new, what is of a kind, what is of an issuer."""

from collections.abc import Callable

import httpx
import pytest


def test_next_of_the_pulse_leads_on(client: httpx.Client) -> None:
    first = client.get("/api/agent-pulse").json()
    assert first["count"] == len(first["changes"]) == first["treeSize"]
    assert "since" not in first
    later = client.get(first["next"]).json()
    assert (later["count"], later["changes"], later["next"]) == (0, [], first["next"])
    assert first["next"].endswith(f"?since={later['since']}")
    for same in ("asOf", "revision", "rollupHash", "treeSize", "status"):
        assert later[same] == first[same]


@pytest.mark.parametrize("path", ["/api/agent-pulse", "/api/changelog"])
def test_since_is_exclusive(path: str, client: httpx.Client) -> None:
    entries = client.get("/api/changelog").json()
    for number, entry in enumerate(entries):
        body = client.get(path, params={"since": entry["publishedAt"]}).json()
        assert (body if isinstance(body, list) else body["changes"]) == entries[:number]


@pytest.mark.parametrize(
    "since", ["2026-10-26T00:00:00Z", "2026-10-26t01:00:00+01:00", "2026-10-25T20:30:00.0-03:30"]
)
def test_an_instant_may_be_written_with_any_offset(since: str, client: httpx.Client) -> None:
    body = client.get("/api/agent-pulse", params={"since": since}).json()
    assert body["since"] == "2026-10-26T00:00:00Z"
    later = [e for e in client.get("/api/changelog").json() if e["publishedAt"] > body["since"]]
    assert body["changes"] == later
    assert body["next"] == f"/api/agent-pulse?since={later[0]['publishedAt']}"


def test_the_changelog_is_narrowed_by_kind_and_since_together(client: httpx.Client) -> None:
    entries = client.get("/api/changelog").json()
    since = entries[len(entries) // 2]["publishedAt"]
    for kind in ("added", "changed", "fixed", "removed", "announced"):
        alike = [entry for entry in entries if entry["kind"] == kind]
        assert client.get("/api/changelog", params={"kind": kind}).json() == alike != []
        both = client.get("/api/changelog", params={"kind": kind, "since": since}).json()
        assert both == [entry for entry in alike if entry["publishedAt"] > since]
    assert [e["publishedAt"] for e in entries] == sorted(e["publishedAt"] for e in entries)[::-1]


@pytest.mark.parametrize("case", [str, str.upper, str.title])
def test_certifications_are_narrowed_whatever_the_case(
    case: Callable[[str], str], client: httpx.Client
) -> None:
    held = client.get("/api/certifications").json()
    for name in ("category", "issuer"):
        for value in {certificate[name] for certificate in held}:
            body = client.get("/api/certifications", params={name: case(value)}).json()
            assert body == [found for found in held if found[name] == value]
    one = held[0]
    both = {"category": case(one["category"]), "issuer": case(one["issuer"])}
    assert one in client.get("/api/certifications", params=both).json()


def test_no_match_is_an_empty_list(client: httpx.Client) -> None:
    held = client.get("/api/certifications").json()
    ai = next(each for each in held if each["category"] == "ai")
    other = next(
        each for each in held if each["issuer"] != ai["issuer"] and each["category"] != "ai"
    )
    query = {"category": "ai", "issuer": other["issuer"]}
    apart = all(each["category"] != "ai" or each["issuer"] != other["issuer"] for each in held)
    assert apart
    response = client.get("/api/certifications", params=query)
    assert (response.status_code, response.json()) == (200, [])


@pytest.mark.parametrize("query", ["category=alchemy", "issuer=%20", "category=", "category=a%25"])
def test_an_unknown_filter_is_told_which_there_are(query: str, client: httpx.Client) -> None:
    name = query.partition("=")[0]
    response = client.get(f"/api/certifications?{query}")
    held = {each[name] for each in client.get("/api/certifications").json()}
    assert response.status_code == 400
    assert response.json()["fields"] == [
        {"path": name, "rule": "is not known", "allowed": sorted(held)}
    ]
