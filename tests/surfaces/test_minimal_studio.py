"""A studio of five keys is served on every surface, and nothing that it has not said is there."""

import re
from pathlib import Path

import pytest
from discovery_claims import SURFACES
from local_service import Ask, asking, bound, until_it_answers
from mcp_messages import call, result
from minimal_studio import write_minimal_studio
from offenders import offenders
from verifier_scripts import python

from resolvers.answers.fields import FactTable
from resolvers.answers.statements import statements_of
from sdl.running.runner import Operations
from studiograph.asgi import build
from studiograph.settings import Settings

SAID = {
    "name": "Saltmarsh",
    "url": "https://saltmarsh.example",
    "oneLiner": "Saltmarsh draws tide tables for small harbours",
    "founder": {"name": "Ana Silva"},
    "contact": {"email": "ana@saltmarsh.example"},
}
EMPTY = ("projects", "domains", "status", "changelog", "faq", "glossary", "practice")
GONE = ("licensing", "engagement", "thesis", "scheduling", "onchain", "faq", "practice", "journey")
ABSENT = ("certifications", "convictions", "glossary", "headline-numbers", "onchain", "scheduling")
CHANNELS = ("/api/feed.json", "/feed.xml", "/api/agent-pulse")
"""Where news will be, which is no section."""


@pytest.fixture(scope="module")
def ask(operations: Operations, tmp_path_factory: pytest.TempPathFactory) -> Ask:
    folder = tmp_path_factory.mktemp("minimal")
    settings = Settings(
        content=write_minimal_studio(folder / "content"),
        data=folder / "data",
        ai_embedder="hash",
        chat_limit="0",
    )
    made = asking(build(settings, operations=operations))
    until_it_answers(made)
    return made


def without_empty(value: object) -> object:
    """The value without lists that have nothing."""
    if isinstance(value, dict):
        return {key: without_empty(inner) for key, inner in value.items() if inner != []}
    return value


def test_the_profile_is_what_was_said(ask: Ask) -> None:
    assert without_empty(ask("/api/about").json()) == {"studio": SAID}


def test_nothing_empty_is_listed_or_recommended(ask: Ask) -> None:
    def check(document: str) -> None:
        paths = re.findall(r"/api/([a-z-]+)(?=[\s\")<`?]|\.md|$)", ask(document).text, re.MULTILINE)
        assert not {*paths} & {*EMPTY, *GONE}, document

    documents = [path for path in SURFACES if path not in {*CHANNELS, "/openapi.json"}]
    assert offenders(check, [path for path in documents if ask(path).status_code == 200]) == []


def test_its_addresses_answer_like_any_unknown_one(ask: Ask) -> None:
    def check(section: str) -> None:
        for end in ("", ".md", ".json", "/anything"):
            answer = ask(f"/api/{section}{end}")
            assert answer.status_code == 404, end
            assert answer.json()["error"] == "not_found"

    assert offenders(check, ABSENT) == []


def test_no_tool_names_or_reads_what_is_absent(ask: Ask) -> None:
    absent = ("scheduling", "glossary", "studio.scheduling", "studio.onChain", "onchain")
    tools = {each["name"]: each for each in result(ask, "tools/list")["tools"]}
    names = tools["read"]["inputSchema"]["properties"]["section"]["enum"]
    assert {*names}.isdisjoint(absent)
    for name in (*absent, *names):
        done = call(ask, "read", arguments={"section": name})
        text = done["content"][0]["text"]
        if name in absent:
            assert done["isError"] is True
            assert "about" in text, name
        else:
            assert not done["isError"] or "is required" in text, name


def test_nothing_absent_is_said_or_recommended(operations: Operations, tmp_path: Path) -> None:
    snapshot = bound(operations, write_minimal_studio(tmp_path / "content"))
    table = FactTable(snapshot)
    said = [statement.url for field in table.fields for statement in statements_of(table, field)]
    known = {o.rest.path for o in snapshot.operations if o.rest is not None}
    assert said
    assert ({*said} | known).isdisjoint(f"/api/{section}" for section in ABSENT)


def test_no_heading_stands_over_nothing(ask: Ask) -> None:
    for path in ("/llms-full.txt", "/api/about.md", "/api/manifest.md", "/agents.md"):
        text = ask(path).text
        assert "none" not in text.lower().split(), path
        assert not re.search(r"(?m)^(#+) .+\n+\1 ", text.replace("## Founder: Ana Silva", "")), path


def test_no_licence_is_claimed_where_none_is_given(ask: Ask) -> None:
    assert ask("/license.xml").status_code == 404
    assert "licensing" not in ask("/.well-known/agent.json").json()
    assert "license" not in ask("/openapi.json").json()["info"]
    robots = ask("/robots.txt")
    assert "Allow: /" in robots.text
    assert not re.search("Signal|Usage|License", robots.text)
    assert "license" not in robots.headers["link"]
    assert "content-signal" not in ask("/api/about").headers


def test_it_is_verified_from_outside(ask: Ask) -> None:
    service = python().Service(lambda path, _: ask(path).content, None)
    service.run()
    assert service.heads is not None, service.lines[-1]
    assert any("0 entries" in text for _, text in service.lines)
    claims = {claim["type"] for claim in ask("/api/identity").json()["claims"]}
    assert "ens" not in claims


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is behind it?", "Ana Silva"),
        ("What is this studio?", "tide tables for small harbours"),
        ("Who are you?", "Ana Silva"),
        ("How can I reach a human?", "ana@saltmarsh.example"),
        ("How do I reach it?", "ana@saltmarsh.example"),
        ("how can I contact them", "ana@saltmarsh.example"),
        ("How do I get in touch?", "ana@saltmarsh.example"),
        ("what's the email", "ana@saltmarsh.example"),
        ("where do I write", "ana@saltmarsh.example"),
        ("Where do I send a message?", "ana@saltmarsh.example"),
    ],
)
def test_chat_answers_who_what_and_how_to_reach(question: str, answer: str, ask: Ask) -> None:
    body = ask("/api/chat", "POST", json={"query": question}).json()
    assert answer in body["answer"]
    assert body["answered"] == "yes"


@pytest.mark.parametrize(
    "question", ["What does a project cost?", "How do I reach the harbour of Porto?"]
)
def test_chat_says_that_it_does_not_know_the_rest(question: str, ask: Ask) -> None:
    body = ask("/api/chat", "POST", json={"query": question}).json()
    assert body["answered"] != "yes"


SECTIONS = (
    *("studio.identity", "studio.founder", "studio.practice", "studio.convictions"),
    *("studio.lookingFor", "studio.scheduling", "studio.journey", "studio.currentlyStudying"),
    *("studio.certifications", "studio.onChain"),
    *("projects", "domains", "engagement", "faq", "glossary"),
)


def test_every_section_is_signed_also_what_is_not_published(ask: Ask) -> None:
    objects = (
        "studio.identity",
        "studio.founder",
        "studio.onChain",
        "studio.scheduling",
        "engagement",
    )
    for section in SECTIONS:
        answer = ask(f"/api/snapshot.sig?section={section}")
        assert answer.status_code == 200
        data = answer.json()["payload"]["data"]
        assert isinstance(data, dict if section in objects else list), section
    assert ask("/api/snapshot.sig?section=studio.thesis").status_code == 400


def test_each_can_be_verified_over_mcp(ask: Ask) -> None:
    for section in SECTIONS:
        params = {"name": "verify", "arguments": {"section": section}}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        accept = {"accept": "application/json, text/event-stream"}
        result = ask("/mcp", "POST", json=call, headers=accept).json()["result"]
        assert result["isError"] is False
        assert result["structuredContent"]["section"] == section
