"""What tells others that this is here: every address answers, and every document keeps its form."""

import re
from collections.abc import Iterator

import httpx
import pytest
from discovery_claims import (
    AGENT,
    AI_CATALOG,
    API_CATALOG,
    SURFACES,
    below,
    named_by,
)
from outside_reader import studio_in
from running_server import Running, running

ELSEWHERE = "https://agents.quillmere.example:8443"
FORGED = (
    "X-Forwarded-Host: forged.example",
    "X-Forwarded-Proto: gopher",
    "X-Forwarded-Port: 4711",
    "X-Forwarded-Prefix: /forged",
    "Forwarded: host=forged.example;proto=gopher",
    "X-Host: forged.example",
    "X-Original-URL: /forged",
    "X-Rewrite-URL: /forged",
    "Origin: https://forged.example",
    "Referer: https://forged.example/",
)


@pytest.fixture(scope="module")
def base(client: httpx.Client) -> str:
    return str(client.base_url).rstrip("/")


@pytest.fixture(scope="module")
def named(client: httpx.Client, base: str) -> dict[str, set[str]]:
    """The paths that each surface names."""
    return {
        path: below(base, [address for address, _ in named_by(path, client.get, base)])
        for path in SURFACES
    }


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server whose callers know it under another address."""
    with running(studio_in(tmp_path_factory.mktemp("elsewhere"), BASE_URL=ELSEWHERE)) as started:
        yield started


def test_every_list_of_addresses_names_the_same(named: dict[str, set[str]]) -> None:
    own = {"/", "/llms.txt"}
    listed = named["/index.json"] - own
    for path in ("/", "/llms.txt", "/agents.md"):
        assert named[path] - own == listed
    assert listed < named["/sitemap.xml"]
    everything, catalogued = (
        {address.removesuffix(".md") for address in named[at]}
        for at in ("/sitemap.xml", API_CATALOG)
    )
    assert everything - own <= catalogued


def test_names_in_the_catalogs_are_unique(client: httpx.Client) -> None:
    ids = [skill["id"] for skill in client.get(AGENT).json()["skills"]]
    assert len(ids) == len(set(ids)) > 5
    entries = client.get(AI_CATALOG).json()["entries"]
    assert len(entries) == len({entry["identifier"] for entry in entries}) > 0


def test_the_catalog_says_of_an_entry_what_the_entry_says_of_itself(client: httpx.Client) -> None:
    for entry in client.get(AI_CATALOG).json()["entries"]:
        if not entry["type"].endswith("json"):
            continue
        artifact = client.get(entry["url"]).json()
        version = artifact.get("info", artifact)["version"]
        assert entry.get("version", version) == version


@pytest.mark.parametrize("path", SURFACES)
def test_no_address_comes_from_anything_that_the_caller_sent(
    path: str, elsewhere: Running, named: dict[str, set[str]]
) -> None:
    def get(path: str, *headers: str) -> httpx.Response:
        raw = elsewhere.get(path, *headers)
        return httpx.Response(raw.status, headers=raw.headers, content=raw.body)

    plain, forged = get(path), get(path, *FORGED)
    assert (plain.status_code, forged.status_code) == (200, 200)
    assert forged.content == plain.content
    assert {**forged.headers, "date": "", "x-request-id": ""} == {
        **plain.headers,
        "date": "",
        "x-request-id": "",
    }
    addresses = [address for address, _ in named_by(path, get, ELSEWHERE)]
    assert below(ELSEWHERE, addresses) == named[path]
    assert not re.search(rf"127\.0\.0\.1|//localhost|:{elsewhere.place[1]}\b", plain.text)


def test_a_foreign_host_is_refused_and_not_repeated(elsewhere: Running) -> None:
    for path in SURFACES:
        request = f"GET {path} HTTP/1.1\r\nHost: forged.example\r\nConnection: close\r\n\r\n"
        answer = elsewhere.send(request.encode())
        assert answer.status == 421
        assert b"forged" not in answer.body
        assert not [value for value in answer.headers.values() if "forged" in value]
