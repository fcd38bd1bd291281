"""How envelopes are asked of the real server: forms, validators, codings and refusals."""

from collections.abc import Iterator
from typing import Any

import brotli
import httpx
import pytest
import zstandard
from outside_reader import ENVELOPES, SECTIONS, SNAPSHOT, studio_in
from running_server import Running, running

SIGNED = ("/api/manifest.sig", "/api/changelog.sig", f"{SNAPSHOT}?section=faq")
FRESH = "public, max-age=300, stale-while-revalidate=86400"
DECODERS = {
    "br": brotli.decompress,
    "zstd": zstandard.ZstdDecompressor().decompress,
}
FAULTS = {
    f"{SNAPSHOT}": ("unknown_section", "section", "is required", SECTIONS),
    f"{SNAPSHOT}?section=": ("unknown_section", "section", "is not a signed section", SECTIONS),
    f"{SNAPSHOT}?section=studio": (
        *("unknown_section", "section", "is not a signed section"),
        SECTIONS,
    ),
    f"{SNAPSHOT}?section=FAQ": ("unknown_section", "section", "is not a signed section", SECTIONS),
    f"{SNAPSHOT}?section=faq,domains": (
        *("unknown_section", "section", "is not a signed section"),
        SECTIONS,
    ),
    f"{SNAPSHOT}?section=faq&section=faq": (
        *("validation_failed", "section", "must be given once"),
        (),
    ),
    f"{SNAPSHOT}?sections=faq": ("validation_failed", "sections", "unknown parameter", ["section"]),
    f"{SNAPSHOT}?section=faq&x=1": ("validation_failed", "x", "unknown parameter", ["section"]),
    f"{SNAPSHOT}?section=%00": (
        "validation_failed",
        "query",
        "must contain no control characters",
        (),
    ),
    f"{SNAPSHOT}?section=%ff": ("validation_failed", "query", "must be percent-encoded UTF-8", ()),
    "/api/manifest.sig?section=faq": ("validation_failed", "section", "unknown parameter", ()),
    "/api/changelog.sig?kind=added": ("validation_failed", "kind", "unknown parameter", ()),
}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(studio_in(tmp_path_factory.mktemp("manners"))) as started:
        yield started


@pytest.fixture(scope="module")
def http(web: Running) -> Iterator[httpx.Client]:
    headers = {"accept": "*/*", "accept-encoding": "identity"}
    with httpx.Client(base_url=web.address, headers=headers, timeout=60) as client:
        yield client


@pytest.mark.parametrize(("path", "said"), FAULTS.items())
def test_what_names_no_one_section_is_told_what_it_could_name(
    path: str, said: tuple[str, str, str, Any], web: Running
) -> None:
    answer = web.get(path)
    code, name, rule, allowed = said
    assert (answer.status, answer.headers["content-type"]) == (400, "application/problem+json")
    assert answer.headers["cache-control"] == "no-store"
    body = answer.json()
    assert (body["ok"], body["error"], body["status"]) == (False, code, 400)
    (field,) = body["fields"]
    assert (field["path"], field["rule"]) == (name, rule)
    assert sorted(field.get("allowed", ())) == sorted(allowed)


@pytest.mark.parametrize("path", ENVELOPES)
def test_who_has_an_envelope_already_is_told_so(path: str, http: httpx.Client) -> None:
    got, head = http.get(path), http.head(path)
    assert (head.status_code, head.content) == (200, b"")
    kept = {name: got.headers[name] for name in got.headers if name not in ("date", "x-request-id")}
    assert {name: head.headers[name] for name in kept} == kept
    assert got.headers["content-type"] == "application/json"
    assert (got.headers["cache-control"], got.headers["vary"]) == (FRESH, "Accept, Accept-Encoding")
    for known in (
        {"if-none-match": got.headers["etag"]},
        {"if-modified-since": got.headers["last-modified"]},
    ):
        again = http.get(path, headers=known)
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == got.headers["etag"]
    assert http.get(path, headers={"if-none-match": '"another"'}).content == got.content


def test_no_two_envelopes_have_one_tag(http: httpx.Client) -> None:
    assert len({http.head(path).headers["etag"] for path in ENVELOPES}) == len(ENVELOPES)


@pytest.mark.parametrize("path", SIGNED)
def test_an_envelope_is_read_from_anywhere_and_never_written(path: str, http: httpx.Client) -> None:
    options = http.options(path, headers={"origin": "https://agent.example"})
    assert (options.status_code, options.content) == (204, b"")
    assert options.headers["access-control-allow-origin"] == "*"
    assert options.headers["allow"] == "GET, HEAD, OPTIONS"
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        refused = http.request(method, path)
        assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD, OPTIONS")


@pytest.mark.parametrize("path", SIGNED)
def test_an_envelope_has_one_form(path: str, http: httpx.Client) -> None:
    for accept in ("application/json", "application/*;q=0.1", "text/html, */*;q=0.5"):
        assert http.get(path, headers={"accept": accept}).status_code == 200
    for accept in ("text/markdown", "application/json;q=0", "image/png"):
        refused = http.get(path, headers={"accept": accept})
        assert (refused.status_code, refused.json()["error"]) == (406, "not_acceptable")
        assert refused.json()["fields"][0]["allowed"] == ["application/json"]
    name, query, section = path.partition("?")
    for suffix in (".md", ".json"):
        assert http.get(f"{name}{suffix}{query}{section}").status_code == 404


@pytest.mark.parametrize("path", SIGNED)
def test_an_envelope_comes_compressed_with_a_tag_of_its_own(path: str, http: httpx.Client) -> None:
    identity = http.get(path)
    tags = {identity.headers["etag"]}
    for coding in ("br", "zstd", "gzip"):
        with http.stream("GET", path, headers={"accept-encoding": coding}) as coded:
            sent = b"".join(coded.iter_raw())
            assert coded.headers["content-encoding"] == coding
        assert len(sent) == int(coded.headers["content-length"]) < len(identity.content)
        again = http.get(path, headers={"accept-encoding": coding})
        assert again.content == identity.content
        if coding in DECODERS:
            assert DECODERS[coding](sent) == identity.content
        tags.add(coded.headers["etag"])
        known = {"accept-encoding": coding, "if-none-match": coded.headers["etag"]}
        assert http.get(path, headers=known).status_code == 304
    assert len(tags) == 4
