"""How the documents about the service answer: forms, conditions, methods, and what they refuse."""

import httpx
import pytest
from discovery_claims import AGENT, AI_CATALOG, API_CATALOG, SECURITY

PROFILE = '; profile="https://www.rfc-editor.org/info/rfc9727"'
FORMS = {
    "/openapi.json": ("application/vnd.oai.openapi+json", "; version=3.1"),
    AGENT: ("application/json", ""),
    API_CATALOG: ("application/linkset+json", PROFILE),
    AI_CATALOG: ("application/ai-catalog+json", ""),
    "/license.xml": ("application/rsl+xml", ""),
    "/robots.txt": ("text/plain", "; charset=utf-8"),
    "/sitemap.xml": ("application/xml", ""),
    SECURITY: ("text/plain", "; charset=utf-8"),
}
FEEDS = {
    "/api/feed.json": ("application/feed+json", ""),
    "/feed.xml": ("application/atom+xml", ""),
}
PLAIN = {"json": "application/json", "xml": "application/xml"}
SUFFIXED = [path for path, (kind, _) in {**FORMS, **FEEDS}.items() if "+" in kind]
FRESH = "public, max-age=300, stale-while-revalidate=86400"
ACCEPTED = ("*/*", "", "text/html,application/xhtml+xml,*/*;q=0.8", "image/png, */*;q=0.1")


@pytest.mark.parametrize("accept", ACCEPTED)
@pytest.mark.parametrize("path", FORMS)
def test_a_document_comes_in_its_own_form(path: str, accept: str, client: httpx.Client) -> None:
    response = client.get(path, headers={"accept": accept})
    kind, parameter = FORMS[path]
    assert response.status_code == 200
    assert response.headers["content-type"] == f"{kind}{parameter}"
    assert response.headers["cache-control"] == FRESH
    assert response.headers["vary"] == "Accept, Accept-Encoding"
    assert response.headers["access-control-allow-origin"] == "*"
    assert response.content == client.get(path, headers={"accept": kind}).content


@pytest.mark.parametrize("path", SUFFIXED)
def test_who_asks_for_the_plain_type_gets_the_same_under_that_name(
    path: str, client: httpx.Client
) -> None:
    kind, _ = {**FORMS, **FEEDS}[path]
    plain = PLAIN[kind.rpartition("+")[2]]
    own, generic = client.get(path), client.get(path, headers={"accept": plain})
    assert (generic.status_code, generic.headers.get("content-type")) == (200, plain)
    assert generic.content == own.content
    assert generic.headers["etag"] != own.headers["etag"]
    both = client.get(path, headers={"accept": f"{plain};q=0.5, {kind}"})
    assert both.headers["content-type"] == own.headers["content-type"]


@pytest.mark.parametrize("path", FORMS)
def test_a_form_that_is_not_made_is_refused_with_what_there_is(
    path: str, client: httpx.Client
) -> None:
    kind = FORMS[path][0]
    for accept in ("image/png", "text/html", f"{kind};q=0", "text/markdown"):
        response = client.get(path, headers={"accept": accept})
        assert (response.status_code, response.json()["error"]) == (406, "not_acceptable")
        (field,) = response.json()["fields"]
        assert field["path"] == "Accept"
        assert kind in field["allowed"]
