"""What REST can read, the tools `read`, `fetch` and `verify` can too."""

import json
import re
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import pytest
from mcp_messages import Ask, call, result
from operation_runs import runs
from verifier_scripts import python

from schema.site import Site
from sdl.running.runner import Operations, Snapshot

INDEX = "> The index of everything on this service: /llms.txt"


def evidence(sample: Site) -> set[str]:
    """The entries that the content cites, and one certificate."""
    cited = {str(own) for step in sample.studio.journey for own in step.evidence or ()}
    cited |= {own for area in sample.studio.practice for own in area.evidence if " " not in own}
    cited |= {own for entry in sample.changelog for own in entry.refs or ()}
    return cited | {f"certification/{sample.studio.certifications[0].slug}"}


def text_of(done: dict[str, Any]) -> str:
    """The one text of a result."""
    [content] = done["content"]
    assert content["type"] == "text"
    return str(content["text"])


def sections(ask: Ask, tool: str) -> list[str]:
    """The sections that a tool lists."""
    tools = {each["name"]: each for each in result(ask, "tools/list")["tools"]}
    names: list[str] = tools[tool]["inputSchema"]["properties"]["section"]["enum"]
    return names


def test_every_read_of_http_is_a_section(ask: Ask, operations: Operations) -> None:
    reads = {o.rest.path for o in operations if o.rest is not None and o.is_read}
    named = {path.partition("/{")[0].removeprefix("/api").strip("/") or "index" for path in reads}
    assert named == {*sections(ask, "read")}


def test_a_section_is_read_as_http_answers_it_in_markdown(ask: Ask, reading: Snapshot) -> None:
    for section in ("engagement", "status", "github/profile", "licensing"):
        text = text_of(call(ask, "read", arguments={"section": section}))
        assert f"{INDEX}\n\n{text}" == ask(f"/api/{section}.md").text
    slugs = [
        item.values["slug"] for item in reading.items_of(reading.operations.by_name["GetProject"])
    ]
    for slug in slugs:
        text = text_of(call(ask, "read", arguments={"section": "projects", "slug": slug}))
        assert f"{INDEX}\n\n{text}" == ask(f"/api/projects/{slug}.md").text


def test_parts_and_parameters_of_a_section_are_those_of_http(ask: Ask) -> None:
    asked = {"section": "changelog", "parameters": "kind=added", "limit": 2, "offset": 1}
    text = text_of(call(ask, "read", arguments={**asked, "fields": "title,publishedAt"}))
    query = "kind=added&limit=2&offset=1&fields=title,publishedAt"
    head, _, whole = ask(f"/api/changelog.md?{query}").text.partition("\n\n")
    assert head.startswith(f"{INDEX}\n")
    assert whole == text


def test_the_anchor_of_an_entry_is_its_slug(ask: Ask) -> None:
    for section in ("faq", "glossary", "certifications", "practice", "looking-for", "convictions"):
        text = text_of(call(ask, "read", arguments={"section": section}))
        anchors = re.findall(r"\{#([a-z0-9-]+)\}", text)
        assert anchors
        one = text_of(call(ask, "read", arguments={"section": section, "slug": anchors[-1]}))
        title = one.splitlines()[0].removeprefix("# ")
        assert re.search(rf"{re.escape(title)}\.?(\*\*)? \{{#{anchors[-1]}\}}", text)


def test_the_text_of_an_answer_says_how_its_proofs_are_read(ask: Ask) -> None:
    text = text_of(call(ask, "ask", arguments={"query": "What is Tidebook?"}))
    name, arguments = re.findall(r"proof: `(\w+) (\{.*?\})`", text)[0]
    proof = text_of(call(ask, name, arguments=json.loads(arguments)))
    assert json.loads(arguments)["parameters"].partition("=")[2] in proof
    assert "Dimensions" not in text  # how it was made is in the structured content


def test_what_a_section_needs_is_said_and_taken_as_an_argument(ask: Ask) -> None:
    tools = {each["name"]: each for each in result(ask, "tools/list")["tools"]}
    said = tools["read"]["inputSchema"]["properties"]["parameters"]["description"]
    assert "name (changes-of, proof, " in said
    named = {"section": "proof", "name": "faq/what-does-the-studio-charge"}
    query = {"section": "proof", "parameters": "name=faq/what-does-the-studio-charge"}
    assert call(ask, "read", arguments=named) == call(ask, "read", arguments=query)
    wrong = call(ask, "read", arguments={"section": "proof", "nam": "x"})
    assert "did you mean 'name'" in text_of(wrong)


@pytest.mark.parametrize("section", ["llms-full.txt", "feed.json"])
def test_a_long_text_is_cut_at_a_paragraph_and_says_where_the_whole_is(
    ask: Ask, section: str
) -> None:
    note, _, text = text_of(call(ask, "read", arguments={"section": section})).partition("\n\n")
    assert note.startswith("> Shortened to 3000 tokens")
    whole = urlsplit(note.rstrip(".").rpartition(" ")[2]).path
    assert whole == ("/llms-full.txt" if section == "llms-full.txt" else "/api/feed.json")
    assert len(text) < 12_000
    if section == "llms-full.txt":
        assert ask(whole).text.startswith(f"{INDEX}\n\n{text}\n\n")


@pytest.mark.parametrize(
    ("arguments", "faults"),
    [
        ({}, ["section: is required"]),
        ({"section": "project"}, ["section: unknown section; did you mean 'projects'?", "faq"]),
        ({"section": "pricing"}, ["section: unknown section; did you mean 'prices'?", "faq"]),
        ({"section": "projects", "slug": "tidebok"}, ["slug: is not known", "tidebook"]),
        ({"section": "thesis", "slug": "x"}, ["slug: has no meaning here"]),
        ({"section": "projects", "fields": "nome"}, ["did you mean 'name'?"]),
        ({"section": "projects", "limit": 0}, ["limit: must be a whole number from 1"]),
        ({"section": "projects", "limit": [1]}, ["limit: must be a whole number"]),
        ({"section": "projects", "more": 1, "fields": {}}, ["more: unknown", "fields: must be"]),
        ({"section": "thesis", "limit": 1}, ["limit: unknown parameter"]),
        ({"section": "changelog", "parameters": "kind=x"}, ["kind: must be one of", "added"]),
        ({"section": "faq", "parameters": "&".join("abc" * 17)}, ["query: must have at most 50"]),
        ({"section": "faq", "parameters": "tag=%ff"}, ["query: must be percent-encoded UTF-8"]),
        ({"section": "faq", "parameters": "tag=%00"}, ["must contain no control characters"]),
    ],
)
def test_what_cannot_be_read_is_told_with_what_can(
    ask: Ask, arguments: dict[str, Any], faults: list[str]
) -> None:
    done = call(ask, "read", arguments=arguments)
    assert done["isError"] is True
    assert all(fault in text_of(done) for fault in faults)
    assert done["_meta"]["studiograph/problem"]["status"] in (400, 404)


def test_no_text_of_a_tool_points_to_the_index(ask: Ask) -> None:
    calls = {
        "list_projects": {},
        "get_status": {},
        "get_project": {"slug": "tidebook"},
        "read": {"section": "faq"},
        "search": {"query": "tides"},
        "ask": {"query": "What does the studio charge?"},
        "verify": {"section": "engagement"},
        "fetch": {"id": "thesis"},
    }
    for name, arguments in calls.items():
        assert INDEX not in text_of(call(ask, name, arguments=arguments)), name


def test_what_search_finds_is_fetched_by_its_id(ask: Ask) -> None:
    done = call(ask, "search", arguments={"query": "which project reconciles a ledger"})
    found = json.loads(text_of(done))
    assert found == done["structuredContent"]
    for hit in found["results"]:
        assert {"id", "title", "url"} <= {*hit}
        address = urlsplit(hit["url"])
        assert address.scheme
        assert ask(address.path).status_code == 200
        document = call(ask, "fetch", arguments={"id": hit["id"]})
        fetched = json.loads(text_of(document))
        assert fetched == document["structuredContent"]
        assert {*fetched} == {"id", "title", "text", "url", "metadata"}
        assert (fetched["id"], fetched["url"]) == (hit["id"], hit["url"])
        assert f"{INDEX}\n\n{fetched['text']}" == ask(f"{address.path}.md").text


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read", {"section": "manifest"}),
        ("read", {"section": "projects", "slug": "tidebook"}),
        ("fetch", {"id": "faq/price"}),
    ],
)
def test_what_was_read_is_not_run_again(ask: Ask, tool: str, arguments: dict[str, Any]) -> None:
    first = call(ask, tool, arguments=arguments)
    with runs() as ran:
        assert call(ask, tool, arguments=arguments) == first
    assert ran == []


def test_evidence_is_fetched_as_it_is_cited(ask: Ask, sample: Site) -> None:
    fetched = {cited: call(ask, "fetch", arguments={"id": cited}) for cited in evidence(sample)}
    assert {cited.partition("/")[0] for cited in fetched} >= {"project", "practice", "onchain"}
    for cited, done in fetched.items():
        assert done["isError"] is False, cited
        assert done["structuredContent"]["id"].endswith(cited.partition("/")[2])


def test_citations_of_an_answer_are_absolute_and_can_be_fetched(ask: Ask) -> None:
    arguments = {"query": "What does the studio charge?"}
    body = call(ask, "ask", arguments=arguments)["structuredContent"]
    assert body["citations"]
    text = text_of(call(ask, "ask", arguments=arguments))
    for citation in body["citations"]:
        assert f"id: {citation['id']}" in text
        assert urlsplit(citation["url"]).scheme
        assert call(ask, "fetch", arguments={"id": citation["id"]})["isError"] is False


def test_every_signed_form_is_verified_with_its_key_and_in_words(
    ask: Ask, operations: Operations
) -> None:
    names = sections(ask, "verify")
    assert len(names) == len([o for o in operations if o.sign is not None])
    keys = python().read_keys(ask("/.well-known/jwks.json").json())
    for name in names:
        done = call(ask, "verify", arguments={"section": name, "payload": True})
        found = done["structuredContent"]
        python().check_envelope(found["envelope"], keys)
        address = urlsplit(found["url"])
        assert ask(f"{address.path}?{address.query}").json() == found["envelope"]
        assert found["key"] == found["envelope"]["publicJwk"]
        text = text_of(done)
        assert all(line in text for line in (*found["checked"], *found["toCheck"]))
        assert "proves nothing" in text
        assert "does not prove that the payload is true" in text


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({}, "section: is required"),
        ({"section": "prices"}, "section: is not a signed section"),
        ({"section": "faq", "payload": "yes"}, "payload: must be true or false"),
        ({"section": "faq", "all": True}, "all: unknown member"),
    ],
)
def test_what_cannot_be_verified_is_told(ask: Ask, arguments: dict[str, Any], fault: str) -> None:
    done = call(ask, "verify", arguments=arguments)
    assert done["isError"] is True
    assert fault in text_of(done)


@pytest.mark.parametrize(
    ("goal", "name", "arguments"),
    [
        ("read the glossary", "read", {"section": "glossary"}),
        ("list all projects", "list_projects", {}),
        ("subscribe to updates of the studio", "subscribe", None),
        ("signed identity snapshot", "verify", {"section": "studio.identity"}),
    ],
)
def test_a_goal_is_answered_with_a_tool(
    ask: Ask, goal: str, name: str, arguments: dict[str, Any] | None
) -> None:
    body = call(ask, "route_intent", arguments={"goal": goal})["structuredContent"]
    first = body["recommendations"][0]
    assert first["mcp"]["name"] == first["tool"] == name
    assert arguments is None or first["mcp"]["arguments"] == arguments
    assert not {"request", "path", "method"} & {*first}


def test_a_result_names_the_revision_that_it_was_made_from(ask: Ask) -> None:
    revision = ask("/api/manifest?fields=revision").json()["revision"]
    for method, params in (
        ("tools/call", {"name": "get_status"}),
        ("tools/list", {}),
        ("resources/read", {"uri": "studio://status"}),
        ("prompts/get", {"name": "introduce_studio"}),
    ):
        assert result(ask, method, **params)["_meta"]["studiograph/revision"] == revision


def test_a_shortened_answer_holds_for_its_schema(ask: Ask) -> None:
    for tool in result(ask, "tools/list")["tools"]:
        if tool["name"] in ("list_projects", "get_about", "get_changes"):
            body = call(ask, tool["name"], arguments={})["structuredContent"]
            assert "Shortened" in body["more"]
            jsonschema.validate(body, tool.get("outputSchema", {}))
