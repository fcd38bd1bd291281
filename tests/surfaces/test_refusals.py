"""What the real server refuses, with which status and which words; and that nothing breaks it."""

import json
import re
from typing import Any

import pytest
from hostile_requests import BROKEN, CONTROLS, NASTY, PLACES, UNREADABLE
from offenders import offenders
from repository import SAMPLE
from running_server import Raw, Running, eventually

from content.reading.reader import load

READS = ("/", "/llms.txt", "/api/projects", "/api/projects/tidebook.md", "/api/feed.json")
SITE = load(SAMPLE)
CHAIN = SITE.studio.on_chain
assert CHAIN is not None
SLUGS = {
    "/api/projects/": [project.slug for project in SITE.projects],
    "/api/onchain/": [artifact.slug for artifact in CHAIN.artifacts],
}
CANARY = "c4n4ry-9b1d"


def refused(answer: Raw, status: int, code: str) -> dict[str, Any]:
    """The problem that an answer is."""
    assert answer.status == status, answer.body[:300]
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    problem: dict[str, Any] = answer.json()
    known = {"ok", "error", "title", "status", "detail", "request_id", "fields", "didYouMean"}
    assert known - {"fields", "didYouMean"} <= problem.keys() <= known
    assert (problem["ok"], problem["status"], problem["error"]) == (False, status, code)
    assert problem["request_id"] == answer.headers["x-request-id"]
    assert 1 <= len(problem.get("fields", "-")) <= 10
    return problem


def by_path(problem: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {field["path"]: field for field in problem["fields"]}


@pytest.mark.parametrize("prefix", SLUGS)
@pytest.mark.parametrize("name", ["no-such-thing", "no-such-thing.json", "no-such-thing.md"])
def test_an_unknown_slug_is_told_the_known_ones(prefix: str, name: str, web: Running) -> None:
    problem = refused(web.get(prefix + name), 404, "not_found")
    assert by_path(problem)["slug"]["allowed"] == SLUGS[prefix]
    assert "no-such" not in json.dumps(problem)


def test_all_faults_of_a_query_come_together(web: Running) -> None:
    target = f"/api/changelog?kind={CANARY}&since={CANARY}&limmit=3&kin=added&q="
    problem = refused(web.get(target), 400, "validation_failed")
    fields = by_path(problem)
    assert list(fields) == ["kind", "since", "limmit", "kin", "q"]
    assert fields["kind"]["allowed"] == ["added", "changed", "fixed", "removed", "announced"]
    assert "RFC 3339" in fields["since"]["rule"]
    assert "did you mean 'kind'" in fields["kin"]["rule"]
    assert "did you mean 'limit'" in fields["limmit"]["rule"]
    assert fields["q"]["allowed"] == ["kind", "since", "fields", "limit", "offset"]
    assert CANARY not in json.dumps(problem)


@pytest.mark.parametrize("path", READS)
def test_an_unknown_key_is_refused_everywhere(path: str, web: Running) -> None:
    problem = refused(web.get(f"{path}?surprise={CANARY}"), 400, "validation_failed")
    assert by_path(problem)["surprise"]["rule"].startswith("unknown parameter")
    assert CANARY not in json.dumps(problem)


@pytest.mark.parametrize("query", ["", "&", "&&&"])
def test_a_query_without_a_key_is_none(query: str, web: Running) -> None:
    described = web.get("/openapi.json").json()["paths"]
    for path, item in described.items():
        for method in item:
            plain = web.get(path, method=method.upper())
            assert web.get(f"{path}?{query}", method=method.upper()).status == plain.status, path


@pytest.mark.parametrize(
    "query",
    ["since=2026-01-01T00:00:00Z&since=2026-01-01T00:00:00Z", "since=&since=", "since&since"],
)
def test_a_key_is_given_once(query: str, web: Running) -> None:
    problem = refused(web.get(f"/api/agent-pulse?{query}"), 400, "validation_failed")
    assert by_path(problem)["since"]["rule"] == "must be given once"


def test_of_many_faults_ten_are_named(web: Running) -> None:
    target = "/api/thesis?" + "&".join(f"k{number}=1" for number in range(40))
    assert len(refused(web.get(target), 400, "validation_failed")["fields"]) == 10


@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "QUERY"])
def test_a_read_takes_no_other_method(path: str, method: str, web: Running) -> None:
    answer = web.get(path, method=method)
    problem = refused(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS"
    assert by_path(problem)["method"]["allowed"] == ["GET", "HEAD", "OPTIONS"]


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        (["Content-Length: 65537"], 413, "too_large"),
        (["Content-Length: 1000000000000"], 413, "too_large"),
        (["Content-Encoding: gzip"], 415, "unsupported_media_type"),
        (["Content-Encoding: br, identity"], 415, "unsupported_media_type"),
        (["Host: localhost"], 421, "misdirected"),
        ([f"X-Long: {'a' * 16_384}"], 431, "headers_too_large"),
        (["X: a"] * 3_000, 431, "headers_too_large"),
    ],
)
def test_a_read_refuses_what_no_read_needs(
    headers: list[str], status: int, code: str, web: Running
) -> None:
    answer = web.get("/api/thesis", *headers)
    refused(answer, status, code)
    assert answer.headers["connection"] == "close"


QUERY = b'{"query": "tides"}'
CHUNKS = b"%x\r\n%b\r\n0\r\n\r\n" % (len(QUERY), QUERY)


def posted(web: Running, path: str, headers: list[str], body: bytes) -> Raw:
    """The answer to a body behind these headers."""
    lines = ("Host: localhost", "Connection: close", "Content-Type: application/json", *headers)
    block = "".join(f"{line}\r\n" for line in lines).encode()
    return web.send(b"POST %s HTTP/1.1\r\n%s\r\n%s" % (path.encode(), block, body))


@pytest.mark.parametrize("path", ["/api/search", "/api/graphql", "/mcp"])
@pytest.mark.parametrize(
    "codings",
    [
        *(["gzip, chunked"], ["identity, chunked"], ["chunked, gzip"], ["gzip"], ["identity"]),
        *(["gzip", "chunked"], ["chunked", "gzip"], ["chunked", "chunked"], ["x, chunked"]),
        *(["gzip,chunked"], ["deflate\t, \tCHUNKED"], ["chunked;q=1"], ["\x0bchunked"], [""]),
    ],
)
def test_a_transfer_coding_that_is_not_decoded_is_refused(
    codings: list[str], path: str, web: Running
) -> None:
    headers = [f"Transfer-Encoding: {coding}" for coding in codings]
    assert posted(web, path, headers, CHUNKS).status == 400


@pytest.mark.parametrize("blanks", ["", " ", "\t", " \t  "])
def test_blanks_around_the_value_of_a_header_are_no_part_of_it(blanks: str, web: Running) -> None:
    for length in (str(len(QUERY)), f"{len(QUERY):030}", f"{len(QUERY):05000}"):
        headers = [f"Content-Length:{blanks}{length}{blanks}"]
        assert posted(web, "/api/search", headers, QUERY).status == 200
    headers = [f"Content-Encoding:{blanks}identity{blanks}", "Content-Length: 0"]
    assert web.get("/api/thesis", *headers, f"Accept:{blanks}text/markdown{blanks}").status == 200
    key = [f"Idempotency-Key:{blanks}k{blanks}", "Content-Length: 2"]
    problem = posted(web, "/api/contact", key, b"{}").json()
    assert "Idempotency-Key" not in by_path(problem)
    origin = [f"Origin:{blanks}http://localhost{blanks}", "Content-Length: 2"]
    assert posted(web, "/mcp", origin, b"{}").status == 400


@pytest.mark.parametrize(
    ("length", "status"),
    [
        *(("+19", 400), ("-1", 400), ("0x13", 400), ("19,19", 400), ("1 9", 400), ("19a", 400)),
        *(("65537", 413), (f"{65537:040}", 413), ("9" * 30, 400), ("\u0661", 400)),
    ],
)
def test_a_length_that_is_none_or_too_large_is_refused(
    length: str, status: int, web: Running
) -> None:
    assert posted(web, "/api/search", [f"Content-Length: {length}"], QUERY).status == status


@pytest.mark.parametrize(
    "host", ["", "evil.example", "localhost@evil.example", "localhost:80:evil"]
)
def test_another_host_is_misdirected(host: str, web: Running) -> None:
    request = f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    refused(web.send(request.encode()), 421, "misdirected")


def test_nasty_addresses_are_answered_or_refused_calmly(web: Running) -> None:
    def check(place: str, nasty: str) -> None:
        answer = web.get(place.replace("@", nasty))
        assert "x-sent" not in answer.headers
        if answer.status == 200:
            assert answer.headers["etag"]
        elif answer.status == 308:
            assert re.match("/(?!/)", answer.headers["location"])
        else:
            codes = {400: "validation_failed", 404: "not_found", 414: "uri_too_long"}
            refused(answer, answer.status, codes[answer.status])

    assert offenders(check, PLACES, NASTY) == []


@pytest.mark.parametrize("text", [*CONTROLS, *BROKEN])
@pytest.mark.parametrize("query", ["category=@", "category=a@b", "@=a", "category=a&issuer=@"])
def test_a_query_holds_neither_control_characters_nor_broken_text(
    text: str, query: str, web: Running
) -> None:
    answer = web.get(f"/api/certifications?{query.replace('@', text)}")
    assert list(by_path(refused(answer, 400, "validation_failed"))) == ["query"]


@pytest.mark.parametrize("data", UNREADABLE, ids=range(len(UNREADABLE)))
def test_what_is_no_request_is_refused_and_the_connection_closed(data: bytes, web: Running) -> None:
    answer = web.send(data)
    assert 400 <= answer.status < 500
    assert answer.headers["connection"] == "close"
    assert web.get("/api/thesis").status == 200


def test_a_refusal_does_not_spoil_the_connection(web: Running) -> None:
    lines = "HTTP/1.1\r\nHost: localhost\r\n"
    first = f"GET /api/nothing {lines}\r\nPOST /api/thesis {lines}Content-Length: 2\r\n\r\n{{}}"
    last = f"GET /api/thesis.json {lines}Connection: close\r\n\r\n"
    answers = web.send((first + last).encode()).body
    assert answers.count(b"HTTP/1.1 ") == 2
    assert b"HTTP/1.1 405 " in answers
    assert web.get("/api/thesis.json").body == answers.rpartition(b"\r\n\r\n")[2]


def test_the_log_has_a_json_line_for_each_request_and_nothing_that_was_sent(web: Running) -> None:
    sent = [f"X-{CANARY}: {CANARY}", f"Authorization: Bearer {CANARY}", f"Accept: {CANARY}/x"]
    targets = (f"/{CANARY}", f"/api/projects/{CANARY}", f"/api/thesis?{CANARY}={CANARY}")
    ids = [web.get(target, *sent).headers["x-request-id"] for target in targets]
    eventually(lambda: any(ids[-1] in line for line in list(web.output)))
    lines = [json.loads(line) for line in list(web.output)]
    assert [line["route"] for line in lines if line["request_id"] in ids] == [
        "-",
        "/api/projects/{slug}",
        "/api/thesis",
    ]
    assert not any(CANARY in line for line in [*web.output, *web.errors])
