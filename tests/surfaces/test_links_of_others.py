"""Links that others have changed, and clients of old, still lead to what was meant."""

import pytest
from local_service import Ask

PATHS = ("/api/projects", "/llms.txt", "/api/projects/tidebook.md", "/api/manifest.sig", "/")
TRACKED = ("utm_source=chatgpt.com", "fbclid=1&gclid=2", "ref=a", "_=1700000000", "utm_x")
JAVA = "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"


@pytest.mark.parametrize("query", TRACKED)
def test_what_was_put_behind_a_link_is_ignored_and_the_address_told(ask: Ask, query: str) -> None:
    for path in PATHS:
        plain, tracked = ask(path), ask(f"{path}?{query}")
        assert (tracked.status_code, tracked.content) == (200, plain.content)
        assert f'<{path}>; rel="canonical"' in tracked.headers["link"]
        assert tracked.headers["etag"] == plain.headers["etag"]


def test_it_is_ignored_beside_what_was_asked(ask: Ask) -> None:
    answer = ask("/api/projects?utm_source=a&limit=1&fields=slug,name")
    assert answer.content == ask("/api/projects?limit=1&fields=slug,name").content
    canonical = '</api/projects?limit=1&fields=slug%2Cname>; rel="canonical"'
    assert canonical in answer.headers["link"]
    assert ask("/api/projects?utm_source=a&color=red").status_code == 400
    assert ask("/api/projects?Utm_source=a").status_code == 400


@pytest.mark.parametrize("path", ["/api/projects/", "/api/projects/tidebook/", "/llms.txt/"])
def test_a_read_with_a_slash_behind_is_led_to_its_path(ask: Ask, path: str) -> None:
    for method in ("GET", "HEAD"):
        answer = ask(f"{path}?limit=1", method)
        assert (answer.status_code, answer.content) == (308, b"")
        assert answer.headers["location"] == f"{path[:-1]}?limit=1"


@pytest.mark.parametrize("path", ["//evil.example/", "/evil.example/", "/none/"])
def test_no_slash_leads_out_of_the_service(ask: Ask, path: str) -> None:
    assert "location" not in ask(f"http://localhost{path}").headers


def test_mcp_is_served_with_a_slash_behind(ask: Ask) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    accept = {"accept": "application/json, text/event-stream"}
    plain, slashed = (ask(path, "POST", json=call, headers=accept) for path in ("/mcp", "/mcp/"))
    assert (slashed.status_code, slashed.content) == (200, plain.content)


def test_a_star_is_any_media_type(ask: Ask) -> None:
    for path in PATHS:
        assert ask(path, headers={"accept": JAVA}).status_code == 200
        assert ask(path, headers={"accept": "*"}).status_code == 200


def test_probes_are_answered_whatever_name_they_know(ask: Ask) -> None:
    for path in ("/healthz", "/readyz"):
        assert ask(path, headers={"host": "10.0.0.7:8000"}).status_code == 200
    assert ask("/api/faq", headers={"host": "10.0.0.7:8000"}).status_code == 421
