"""HTTP over the real server: methods, forms, validators and headers of every path that is read."""

from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from urllib.parse import urlencode

import httpx
import pytest
from discovery_claims import AGENT, AI_CATALOG, API_CATALOG, SECURITY
from local_service import bound, stored_operations
from offenders import offenders
from running_server import Running

from rest_bridge.http.negotiation import plain_types
from rest_bridge.representations.rendering import JSON, MARKDOWN, TEXT
from sdl.operations.operation import Operation, with_suffix

ITEMS = 4
"""How many items of one operation are asked for; one document answers all of them."""
NOT_STALE = ("/api/agent-pulse", "/.well-known/jwks.json")


def addresses(operation: Operation) -> list[str]:
    """Where an operation is read, with what it cannot be read without."""
    assert operation.rest is not None
    items = [item.path(operation.rest.path) for item in READING.items_of(operation)]
    needed = any(v.required for v in operation.variables) and not items
    query = f"?{urlencode(operation.examples[0].variables)}" if needed else ""
    return items[:ITEMS] or [f"{operation.rest.path}{query}"]


READING = bound(stored_operations())
FORMS = {
    path: operation.rest.media
    for operation in READING.operations
    if operation.rest is not None and operation.rest.method == "GET"
    for path in addresses(operation)
}
BOTH = [path for path, media in FORMS.items() if {JSON, MARKDOWN} <= set(media)]
ONE = [path for path in FORMS if path not in BOTH]
SUFFIXED = [with_suffix(path, suffix) for path in BOTH for suffix in (".json", ".md")]
EVERY = [*FORMS, *SUFFIXED]
DOCUMENTS = (
    *("/openapi.json", AGENT, API_CATALOG, AI_CATALOG, "/license.xml", "/robots.txt"),
    *("/sitemap.xml", SECURITY),
)

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
MEDIA = {".json": JSON, ".md": f"{MARKDOWN}; charset=utf-8"}
READS = ("/", "/llms.txt", "/api/projects", "/api/projects/tidebook.md", "/api/feed.json")
FRESH = "public, max-age=300, stale-while-revalidate=86400"


@pytest.fixture(scope="module")
def http(web: Running) -> Iterator[httpx.Client]:
    plain = {"accept": "*/*", "accept-encoding": "identity"}
    with httpx.Client(base_url=web.address, headers=plain, timeout=60) as client:
        yield client


def lasting(headers: httpx.Headers) -> dict[str, str]:
    """The headers that do not differ between two requests."""
    return {name: headers[name] for name in headers if name not in ("date", "x-request-id")}


def test_head_has_the_headers_of_get(http: httpx.Client) -> None:
    def check(path: str) -> None:
        for coding in ("identity", "gzip", "br", "zstd"):
            asked = {"accept-encoding": coding}
            got, head = http.get(path, headers=asked), http.head(path, headers=asked)
            assert (got.status_code, head.status_code) == (200, 200)
            assert lasting(head.headers) == lasting(got.headers)
            assert int(head.headers["content-length"]) == got.num_bytes_downloaded

    assert offenders(check, [*EVERY, *DOCUMENTS]) == []


def test_options_says_what_may_be_asked_from_anywhere(http: httpx.Client) -> None:
    def check(path: str) -> None:
        response = http.options(path, headers={"origin": "https://agent.example"})
        assert (response.status_code, response.content) == (204, b"")
        assert response.headers["allow"] == "GET, HEAD, OPTIONS"
        assert response.headers["access-control-allow-methods"] == "GET, HEAD, OPTIONS"
        assert response.headers["access-control-allow-origin"] == "*"

    assert offenders(check, EVERY) == []


@pytest.mark.parametrize("path", READS)
def test_no_origin_is_reflected_and_no_credentials_are_taken(path: str, http: httpx.Client) -> None:
    for origin in ("https://agent.example", "null", "http://localhost"):
        headers = http.get(path, headers={"origin": origin, "cookie": "a=b"}).headers
        assert headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in headers
        assert "set-cookie" not in headers
        assert {"ETag", "Link"} <= set(headers["access-control-expose-headers"].split(", "))


def test_who_has_it_already_is_told_so(http: httpx.Client) -> None:
    def check(path: str) -> None:
        got = http.get(path)
        tag, changed = got.headers["etag"], got.headers["last-modified"]
        for condition in (
            {"if-none-match": tag},
            {"if-none-match": f'"other", W/{tag}'},
            {"if-modified-since": changed},
        ):
            response = http.get(path, headers=condition)
            assert (response.status_code, response.content) == (304, b""), condition
            assert response.headers["etag"] == tag
            assert response.headers["cache-control"] == got.headers["cache-control"]
            assert response.headers["vary"] == got.headers["vary"]
        for condition in (
            {"if-none-match": '"other"', "if-modified-since": changed},
            {"if-modified-since": "Thu, 01 Jan 1970 00:00:00 GMT"},
            {"if-modified-since": "some day"},
        ):
            assert http.get(path, headers=condition).content == got.content

    assert offenders(check, [*EVERY, *DOCUMENTS]) == []


@pytest.mark.parametrize("path", BOTH)
def test_the_tag_of_one_form_is_not_the_tag_of_another(path: str, http: httpx.Client) -> None:
    tags = {
        accept: http.get(path, headers={"accept": accept}).headers["etag"]
        for accept in (JSON, MARKDOWN, TEXT)
    }
    assert len(set(tags.values())) == 3
    wrong = {"accept": MARKDOWN, "if-none-match": tags[JSON]}
    assert http.get(path, headers=wrong).status_code == 200


def test_a_suffix_outweighs_the_accept_header(http: httpx.Client) -> None:
    def check(path: str, suffix: str, accept: str) -> None:
        named = http.get(with_suffix(path, suffix), headers={"accept": accept})
        assert named.headers["content-type"] == MEDIA[suffix]
        chosen = http.get(path, headers={"accept": MEDIA[suffix].partition(";")[0]})
        assert named.content == chosen.content
        assert named.headers["etag"] == chosen.headers["etag"]

    assert offenders(check, BOTH, [(".json", MARKDOWN), (".md", JSON), (".md", "a/b")]) == []


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        (BROWSER, "text/plain; charset=utf-8"),
        ("text/html, */*", "text/plain; charset=utf-8"),
        ("text/plain", "text/plain; charset=utf-8"),
        ("text/markdown, text/html, */*", "text/markdown; charset=utf-8"),
        ("text/markdown, text/plain;q=0.9, */*;q=0.8", "text/markdown; charset=utf-8"),
        ("text/html;q=0, */*", "text/markdown; charset=utf-8"),
        ("text/html, */*, text/plain;q=0", "text/markdown; charset=utf-8"),
        ("*/*", "text/markdown; charset=utf-8"),
        ("", "text/markdown; charset=utf-8"),
        ("application/json", "application/json"),
        ("application/json;q=0.9, text/markdown;q=0.8", "application/json"),
    ],
)
def test_the_root_is_markdown_and_plain_text_in_a_browser(
    accept: str, content_type: str, http: httpx.Client
) -> None:
    response = http.get("/", headers={"accept": accept})
    assert response.headers["content-type"] == content_type
    if content_type != JSON:
        assert response.content == http.get("/index.md").content
    assert b"<html" not in response.content


def test_accept_in_several_lines_is_one_list(web: Running) -> None:
    answer = web.get("/api/thesis", "Accept: image/png", "Accept: text/markdown")
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"


@pytest.mark.parametrize("path", BOTH)
def test_under_api_the_default_is_json(path: str, http: httpx.Client) -> None:
    default = f"{MARKDOWN}; charset=utf-8" if path == "/" else JSON
    for accept in ("", "*/*"):
        assert http.get(path, headers={"accept": accept}).headers["content-type"] == default


@pytest.mark.parametrize("path", [*BOTH, *ONE])
def test_an_impossible_wish_is_told_what_there_is(path: str, http: httpx.Client) -> None:
    response = http.get(path, headers={"accept": "image/png"})
    assert response.status_code == 406
    [field] = response.json()["fields"]
    made = [*FORMS[path], TEXT] if MARKDOWN in FORMS[path] else [*FORMS[path]]
    made += [MARKDOWN] if path == "/llms.txt" else []
    made += [name for form in FORMS[path] for name in plain_types(form)]
    assert field["path"] == "Accept"
    assert field["allowed"] == list(dict.fromkeys(made))
    for media_type in field["allowed"]:
        again = http.get(path, headers={"accept": media_type})
        assert again.headers["content-type"].partition(";")[0] == media_type


def test_every_read_says_how_it_may_be_kept(http: httpx.Client) -> None:
    def check(path: str) -> None:
        headers = http.get(path).headers
        kept = headers["cache-control"]
        if path.startswith(NOT_STALE):
            assert kept in (
                "public, max-age=0, must-revalidate",
                "public, max-age=300, must-revalidate",
            )
        else:
            assert kept == FRESH
        assert headers["vary"] == "Accept, Accept-Encoding"
        assert headers["etag"].strip('"')
        assert headers["last-modified"].endswith(" GMT")
        assert parsedate_to_datetime(headers["last-modified"]).year >= 2026
        assert "server" not in headers

    assert offenders(check, EVERY) == []


ONE_STRING = {
    *("/api/log/checkpoint", "/api/words/checkpoint", "/api/statement.tlog-proof?name=thesis"),
}
"""Texts that are no documents."""


def test_markdown_says_about_how_many_tokens_it_has(http: httpx.Client) -> None:
    def check(path: str) -> None:
        response = http.get(path)
        tokens = response.headers.get("x-markdown-tokens")
        if response.headers["content-type"].startswith("text/") and path not in ONE_STRING:
            assert 0.15 < int(tokens or 0) / len(response.text) < 0.35
        else:
            assert tokens is None

    assert offenders(check, EVERY) == []


def test_this_walk_sees_them_all() -> None:
    assert len(BOTH) > 25
    assert len(ONE) >= 3
