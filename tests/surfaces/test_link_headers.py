"""Link on every answer, whatever its status: the way to the catalog, descriptions and terms."""

import httpx
import pytest
from abnf import grammar
from discovery_claims import AGENT, AI_CATALOG, API_CATALOG, ARD, SECURITY, pointers
from offenders import offenders

GRAMMAR = ("rfc3986-uri.abnf", "link-header.abnf")
EVERYWHERE = {
    "api-catalog": (API_CATALOG, "application/linkset+json"),
    "service-desc": ("/openapi.json", "application/vnd.oai.openapi+json"),
    "service-doc": ("/llms.txt", "text/plain"),
    "license": ("/license.xml", "application/rsl+xml"),
    "sitemap": ("/sitemap.xml", "application/xml"),
    "describedby": (AGENT, "application/json"),
    "ard": (ARD, "application/json"),
    "ai-catalog": (AI_CATALOG, "application/ai-catalog+json"),
}
READ = (
    *(
        "/",
        "/index.md",
        "/llms.txt",
        "/llms-full.txt",
        "/api/projects",
        "/api/projects/tidebook.md",
    ),
    *("/api/feed.json", "/feed.xml", "/api/manifest.sig", "/api/snapshot.sig?section=faq"),
    *("/.well-known/jwks.json", "/api/log/checkpoint", "/api/graphql", "/api/graphql/schema"),
    *("/api/graphql?query={__typename}", "/openapi.json", AGENT, API_CATALOG, SECURITY),
    *("/robots.txt", "/sitemap.xml", "/license.xml", "/healthz", "/readyz"),
)
REFUSED = {
    "an unknown parameter": (400, "GET", "/robots.txt?a=b", {}),
    "a parameter with a wrong value": (400, "GET", "/api/changelog?kind=nothing", {}),
    "an unknown section": (400, "GET", "/api/snapshot.sig?section=nothing", {}),
    "a query that does not parse": (400, "GET", "/api/graphql?query={", {}),
    "an unknown path": (404, "GET", "/nowhere", {}),
    "an unknown slug": (404, "GET", "/api/projects/nothing", {}),
    "a method not taken": (405, "POST", "/robots.txt", {}),
    "a method of proxies": (405, "TRACE", "/", {}),
    "a form not made": (406, "GET", "/license.xml", {"accept": "image/png"}),
    "an address too long": (414, "GET", f"/{'a' * 9000}", {}),
    "a body of a strange type": (415, "POST", "/api/graphql", {"content-type": "text/css"}),
    "a foreign host": (421, "GET", "/", {"host": "forged.example"}),
    "headers too large": (431, "GET", "/", {"x-large": "a" * 17_000}),
}


def told(response: httpx.Response) -> dict[str, tuple[str, str]]:
    """What a well-formed Link header points to, without other forms of the same."""
    assert grammar(*GRAMMAR).fits("Link", response.headers["link"].encode("latin-1"))
    assert len(response.headers.get_list("link")) == 1
    found = [p for p in pointers(response) if p.rel != "alternate"]
    assert len(found) == len({pointer.rel for pointer in found})
    return {pointer.rel: (pointer.target, pointer.media_type) for pointer in found}


def test_an_answer_points_to_what_describes_it(client: httpx.Client) -> None:
    def check(method: str, path: str) -> None:
        response = client.request(method, path)
        assert response.status_code == (204 if method == "OPTIONS" else 200)
        assert told(response) == EVERYWHERE

    assert offenders(check, ["GET", "HEAD", "OPTIONS"], READ) == []


@pytest.mark.parametrize("case", REFUSED)
def test_so_does_every_refusal(case: str, client: httpx.Client) -> None:
    status, method, path, headers = REFUSED[case]
    response = client.request(method, path, headers=headers)
    assert response.status_code == status
    assert told(response) == EVERYWHERE
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("path", "accept", "other"),
    [
        ("/", "text/markdown", ("/index.json", "application/json")),
        ("/", "application/json", ("/index.md", "text/markdown")),
        ("/index.md", "*/*", ("/index.json", "application/json")),
        ("/api/projects", "*/*", ("/api/projects.md", "text/markdown")),
        ("/api/projects", "text/markdown", ("/api/projects.json", "application/json")),
        ("/api/projects.json", "*/*", ("/api/projects.md", "text/markdown")),
        ("/api/projects/tidebook", "*/*", ("/api/projects/tidebook.md", "text/markdown")),
    ],
)
def test_one_form_points_to_the_other(
    path: str, accept: str, other: tuple[str, str], client: httpx.Client
) -> None:
    found = pointers(client.get(path, headers={"accept": accept}))
    alternates = {(p.target, p.media_type) for p in found if p.rel == "alternate"}
    linked = {pair for pair in alternates if pair[0].endswith(".jsonld")}
    assert alternates - linked == {other}
    assert bool(linked) == path.startswith("/api/projects")


def test_the_catalog_points_to_itself_for_who_asks_with_head(client: httpx.Client) -> None:
    assert told(client.head(API_CATALOG))["api-catalog"][0] == API_CATALOG
