"""What tells others that this is here: every address answers, and every document keeps its form."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import httpx
import jsonschema
import pytest
from abnf import grammar
from discovery_claims import (
    AGENT,
    AI_CATALOG,
    API_CATALOG,
    ARD,
    POINTING,
    SECURITY,
    SKILLS,
    SURFACES,
    Described,
    below,
    essence,
    named_by,
    pointed_at,
)
from outside_reader import studio_in
from relax_ng import schema
from repository import VECTORS
from running_server import Running, running

ELSEWHERE = "https://agents.quillmere.example:8443"
FOR_WHO_RUNS_IT = {"/healthz", "/readyz"}
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
UNBUILT = ("/mcp", "/mcp/server-card", "/.well-known/mcp.json", "/.well-known/agent-card.json")


@pytest.fixture(scope="module")
def base(client: httpx.Client) -> str:
    return str(client.base_url).rstrip("/")


@pytest.fixture(scope="module")
def described(client: httpx.Client) -> Described:
    return Described(client.get("/openapi.json").text)


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


@pytest.mark.parametrize("path", SURFACES)
def test_every_address_that_a_surface_names_answers_in_the_promised_form(
    path: str, client: httpx.Client, base: str, described: Described
) -> None:
    promised = named_by(path, client.get, base)
    assert promised
    for address, media_type in promised:
        assert address.startswith(base)
        response = client.get(address)
        assert (response.status_code, address) == (200, address)
        assert essence(response) in described.media_types(address), address
        assert (address, media_type or essence(response)) == (address, essence(response))


@pytest.mark.parametrize("path", POINTING)
def test_every_address_in_a_link_header_answers_in_the_promised_form(
    path: str, client: httpx.Client, base: str
) -> None:
    promised = pointed_at(path, client.get, base)
    assert promised
    for address, media_type in promised:
        response = client.get(address)
        assert (response.status_code, essence(response)) == (200, media_type), address


@pytest.mark.parametrize("path", ["/", "/index.json"])
def test_the_root_and_the_catalog_that_it_names_link_everything_that_can_be_read(
    path: str, named: dict[str, set[str]], described: Described
) -> None:
    assert API_CATALOG in named[path]
    linked = {described.plain(address) for address in named[path] | named[API_CATALOG]}
    assert described.readable() - FOR_WHO_RUNS_IT <= linked


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


def test_the_root_answers_the_first_questions_itself(client: httpx.Client) -> None:
    told, text = client.get("/index.json").json(), client.get("/").text
    about = client.get("/api/about").json()["studio"]
    assert told["name"] == about["name"]
    assert told["summary"] == about["oneLiner"]
    assert about["contact"]["programmaticEmail"] in told["contact"]
    for answer in ("name", "summary", "about", "licensing", "contact"):
        assert told[answer]
        assert told[answer] in text


@pytest.mark.parametrize("path", UNBUILT)
def test_what_does_not_answer_is_named_nowhere(
    path: str, client: httpx.Client, base: str, named: dict[str, set[str]], described: Described
) -> None:
    pointed = [address for at in POINTING for address, _ in pointed_at(at, client.get, base)]
    all_named = set().union(*named.values(), below(base, pointed), described.paths)
    answers = client.get(path).status_code == 200
    assert answers or path not in all_named
    if path == "/mcp" and not answers:
        for catalog in (AGENT, AI_CATALOG, API_CATALOG, "/sitemap.xml", "/robots.txt"):
            assert "mcp" not in client.get(catalog).text.lower()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (AGENT, "agent.schema.json"),
        (AI_CATALOG, "ai-catalog-1.0.schema.json"),
        (ARD, "ai-catalog-1.0.schema.json"),
        (SKILLS, "agent-skills-0.2.0.schema.json"),
        (API_CATALOG, "api-catalog.schema.json"),
    ],
)
def test_a_document_in_json_keeps_its_schema(path: str, name: str, client: httpx.Client) -> None:
    rules = json.loads((VECTORS / name).read_text())
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    jsonschema.validate(client.get(path).json(), rules, format_checker=checker)


@pytest.mark.parametrize(
    ("path", "name"),
    [("/sitemap.xml", "sitemap-0.9.rng"), ("/license.xml", "rsl-1.0.rng")],
)
def test_a_document_in_xml_keeps_its_schema(path: str, name: str, client: httpx.Client) -> None:
    assert schema(name).fits(client.get(path).content)


@pytest.mark.parametrize(
    ("path", "names", "rule"),
    [
        ("/robots.txt", ("rfc3986-uri.abnf", "robots.abnf"), "robotstxt"),
        (SECURITY, ("rfc3986-uri.abnf", "security-txt.abnf"), "unsigned"),
        ("/llms.txt", ("llms-txt.abnf",), "llms-txt"),
    ],
)
def test_a_document_in_text_keeps_its_grammar(
    path: str, names: tuple[str, ...], rule: str, client: httpx.Client
) -> None:
    assert grammar(*names).fits(rule, client.get(path).content)


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


def test_the_security_contact_is_valid_for_months_and_less_than_a_year(
    client: httpx.Client,
) -> None:
    lines = dict(line.split(": ", 1) for line in client.get(SECURITY).text.splitlines())
    expires = datetime.fromisoformat(lines["Expires"])
    now = datetime.now(UTC)
    assert now + timedelta(days=30) < expires < now + timedelta(days=365)
    email = client.get("/api/about").json()["studio"]["contact"]["email"]
    assert lines["Contact"] == f"mailto:{email}"


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


def test_its_own_host_is_answered_as_any_other(elsewhere: Running) -> None:
    request = b"GET /robots.txt HTTP/1.1\r\nHost: agents.quillmere.example:8443\r\n"
    answer = elsewhere.send(request + b"Connection: close\r\n\r\n")
    assert answer.status == 200
    assert answer.body == elsewhere.get("/robots.txt").body
    assert f"Sitemap: {ELSEWHERE}/sitemap.xml\n".encode() in answer.body
