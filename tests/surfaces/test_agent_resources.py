"""What registries and agents install: the catalog by the rules of ARD v0.91, and the skill."""

import hashlib
import json
import re
from urllib.parse import urlsplit

import pytest
from discovery_claims import AI_CATALOG, ARD, SKILLS
from local_service import Ask
from mcp_messages import BOTH, post, result

from mcp_bridge.protocol.protocol_versions import STATELESS
from rest_bridge.discovery.agents import MAX_QUERIES, representative_goals
from sdl.running.runner import Operations

URN = re.compile(r"urn:air:([a-zA-Z0-9.-]+):[a-zA-Z0-9._:-]+:[a-zA-Z0-9._-]+")
FILE = "skill://work-with-this-studio/SKILL.md"


def head_of(text: str) -> dict[str, str]:
    """The members of a YAML head whose values are strings in JSON's form."""
    lines = text.split("---\n")[1].splitlines()
    return {key: json.loads(value) for key, value in (line.split(": ", 1) for line in lines)}


def test_an_entry_keeps_the_rules_of_ard(ask: Ask, operations: Operations) -> None:
    """Source: ARD v0.91, sections 4.2, 4.3, 4.5.1 and D.2, as its conformance tester reads them."""
    catalog = ask(ARD).json()
    goals = {goal for o in operations if o.intent is not None for goal in o.intent.goals}
    publisher = urlsplit(catalog["host"]["trustManifest"]["identity"]).hostname
    identifiers = [entry["identifier"] for entry in catalog["entries"]]
    assert len(set(identifiers)) == len(identifiers) == 3
    for entry in catalog["entries"]:
        named = URN.fullmatch(entry["identifier"])
        assert named is not None
        assert named[1] == publisher
        assert entry["displayName"]
        assert entry["description"]
        assert re.fullmatch(r'[a-z]+/[a-z0-9.+-]+(; [a-z]+="[^"]+")?', entry["type"])
        assert ("url" in entry) != ("data" in entry)
        queries = entry["representativeQueries"]
        assert 2 <= len(queries) <= 5
        assert len(set(queries)) == len(queries)
        assert set(queries) <= goals


def test_both_paths_hold_the_same_catalog(ask: Ask) -> None:
    assert ask(ARD).content == ask(AI_CATALOG).content
    assert ask(AI_CATALOG).headers["content-type"] == "application/ai-catalog+json"


def test_an_entry_names_what_can_be_done_there(ask: Ask) -> None:
    entries = {e["identifier"].rpartition(":")[2]: e for e in ask(ARD).json()["entries"]}
    tools = [tool["name"] for tool in result(ask, "tools/list")["tools"]]
    assert sorted(entries["mcp"]["capabilities"]) == sorted(tools)
    assert "SendContact" in entries["rest"]["capabilities"]
    assert "working-together" in entries["rest"]["tags"]


def test_the_queries_are_of_different_operations_and_least_alike() -> None:
    prices = ["what does a review cost here", "what does an audit cost here"]
    boats = ["where is the old boat moored", "where is the new boat moored today"]
    chosen = representative_goals([prices, boats, ["prices"]])
    assert len(chosen) == 4
    assert {chosen[0] in prices, chosen[1] in prices} == {True, False}
    many = [[f"goal number {n} of some {n} operations"] for n in range(20)]
    assert len(representative_goals(many)) == MAX_QUERIES
    assert representative_goals([["feed.json", "short one"], []]) == []


def test_the_index_of_skills_has_the_digest_of_the_file_as_it_is_served(ask: Ask) -> None:
    [skill] = ask(SKILLS).json()["skills"]
    path = urlsplit(skill["url"]).path
    assert path == f"/.well-known/agent-skills/{skill['name']}/SKILL.md"
    served = ask(path)
    assert served.headers["content-type"] == "text/markdown; charset=utf-8"
    assert skill["digest"] == f"sha256:{hashlib.sha256(served.content).hexdigest()}"


def test_a_skill_begins_with_its_yaml_head(ask: Ask) -> None:
    [skill] = ask(SKILLS).json()["skills"]
    text = ask(urlsplit(skill["url"]).path).text
    assert text.startswith("---\n")
    assert head_of(text) == {key: skill[key] for key in ("name", "description")}
    for step in ("Find", "Read", "Verify", "Ask", "Write", "Subscribe"):
        assert f"\n## {step}\n" in text


def test_every_address_of_the_skill_answers(ask: Ask) -> None:
    base = ask("/index.json").json()["sections"][0]["links"][0]["url"].partition("/api/")[0]
    text = ask("/.well-known/agent-skills/work-with-this-studio/SKILL.md").text
    addresses = set(re.findall(rf"{re.escape(base)}(/[^\s`]*[\w/])", text))
    assert len(addresses) > 12
    assert {path for path in addresses if ask(path).status_code != 200} == set()


def test_the_guide_has_the_rules_of_acting(ask: Ask) -> None:
    guide, skill = ask("/agents.md").text, ask("/.well-known/agent-skills/index.json")
    text = ask(urlsplit(skill.json()["skills"][0]["url"]).path).text
    rules = re.findall(r"(?m)^  - .*$", text)
    assert len(rules) > 4
    assert all(rule in guide for rule in rules)


@pytest.mark.parametrize("revision", BOTH)
def test_the_skill_is_a_resource_with_the_bytes_of_its_file(ask: Ask, revision: str) -> None:
    listed = result(ask, "resources/list", revision)["resources"]
    entry = next(found for found in listed if found["uri"] == FILE)
    assert entry["mimeType"] == "text/markdown"
    assert entry["name"] == "work-with-this-studio"
    [content] = result(ask, "resources/read", revision, uri=FILE)["contents"]
    served = ask("/.well-known/agent-skills/work-with-this-studio/SKILL.md")
    assert content["text"] == served.text


def test_the_extension_for_skills_lists_a_complete_manifest(ask: Ask) -> None:
    """Source: MCP's extension io.modelcontextprotocol/skills (SEP-2640), Skill Entries."""
    capabilities = result(ask, "server/discover", STATELESS)["capabilities"]
    assert capabilities["extensions"] == {"io.modelcontextprotocol/skills": {}}
    listed = result(ask, "skills/list", STATELESS)
    assert {"ttlMs", "cacheScope"} <= set(listed)
    assert listed["resultType"] == "complete"
    [skill] = listed["skills"]
    assert result(ask, "skills/get", STATELESS, uri=skill["uri"])["skill"] == skill
    [content] = result(ask, "resources/read", STATELESS, uri=skill["uri"])["contents"]
    data = content["text"].encode()
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert skill["resources"] == [{"uri": skill["uri"], "digest": digest, "size": len(data)}]
    assert skill["frontmatter"] == head_of(content["text"])
    assert skill["uri"].split("/")[-2] == skill["frontmatter"]["name"]


def test_a_skill_that_is_not_served_is_an_invalid_parameter(ask: Ask) -> None:
    refused = post(ask, "skills/get", STATELESS, uri="skill://other/SKILL.md").json()["error"]
    assert refused["code"] == -32602
    assert refused["data"]["skills"] == [FILE]
    assert post(ask, "skills/list").json()["error"]["code"] == -32601
