"""The documents that other people's readers must accept: llms.txt and the feed."""

import json
from typing import Any

import httpx
import jsonschema
from llms_txt.core import parse_llms_file
from llms_txt.miniparse import parse_llms_txt
from repository import VECTORS

from rest_bridge.document_list import DOCUMENTS
from studiograph.wiring.documents import MCP_DOCUMENTS


def test_the_reference_parser_reads_llms_txt(client: httpx.Client) -> None:
    response = client.get("/llms.txt")
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert len(response.text) < 50_000
    read = parse_llms_file(response.text)
    assert read.title == client.get("/api/about").json()["studio"]["name"]
    assert read.summary == client.get("/api/about").json()["studio"]["oneLiner"]
    assert read.info
    assert list(read.sections)[:2] == ["Studio", "Projects"]
    assert list(parse_llms_txt(response.text)["sections"]) == list(read.sections)


OTHER_KINDS = {
    "/api/feed.json": "application/feed+json",
    "/.well-known/jwks.json": "application/json",
    "/api/log/checkpoint": "text/plain",
    "/api/words/checkpoint": "text/plain",
    "/feed.xml": "application/atom+xml",
    "/llms.txt": "text/plain",
    "/api/graphql/schema": "text/plain",
    **{d.path: d.media_type for d in (*DOCUMENTS, *MCP_DOCUMENTS)},
}


def test_every_link_of_llms_txt_answers_in_markdown_or_as_it_says(client: httpx.Client) -> None:
    sections: Any = parse_llms_txt(client.get("/llms.txt").text)["sections"]
    links = [link for links in sections.values() for link in links]
    assert len(links) == len({link["url"] for link in links}) > 25
    for link in links:
        assert link["url"].startswith(str(client.base_url).rstrip("/"))
        assert link["desc"]
        response = client.get(link["url"])
        assert response.status_code == 200
        path = link["url"].removeprefix(str(client.base_url).rstrip("/"))
        kind = OTHER_KINDS.get(path, "application/json" if ".sig" in path else "text/markdown")
        assert response.headers["content-type"].startswith(kind)


def test_every_project_stands_in_llms_txt(client: httpx.Client) -> None:
    text = client.get("/llms.txt").text
    for project in client.get("/api/projects").json():
        assert f"[{project['name']}]" in text
        assert f"/api/projects/{project['slug']}.md)" in text


def test_the_feed_is_json_feed_1_1(client: httpx.Client) -> None:
    response = client.get("/api/feed.json")
    assert response.headers["content-type"] == "application/feed+json"
    feed = response.json()
    schema = json.loads((VECTORS / "json-feed-1.1.schema.json").read_text())
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    jsonschema.validate(feed, schema, format_checker=checker)
    assert feed["feed_url"] == f"{client.base_url}".rstrip("/") + "/api/feed.json"
    entries = client.get("/api/changelog").json()
    assert [item["id"] for item in feed["items"]] == [entry["id"] for entry in entries]


def test_the_whole_site_holds_every_section(client: httpx.Client) -> None:
    text = client.get("/llms-full.txt").text
    assert text.startswith("> The index of everything on this service: /llms.txt\n\n# ")
    for path, key in (("faq", "a"), ("glossary", "definition"), ("changelog", "body")):
        for entry in client.get(f"/api/{path}").json():
            assert entry[key] in text
