"""The policy stands once in the content, and every document says it as far as it can."""

import os
import re
import shutil
import signal
from itertools import product
from pathlib import Path

import pytest
from abnf import grammar
from discovery_claims import AGENT
from local_service import Ask, asking
from outside_reader import studio_in
from policy_statements import PERMISSIONS, USES, said_by_agent, said_by_licence, said_by_robots
from relax_ng import schema, xml
from repository import SAMPLE
from running_server import eventually, running

from sdl.runner import Operations
from studiograph.app import build
from studiograph.settings import Settings

Policy = dict[str, str]

WORDS = tuple(PERMISSIONS)
MIXED = [
    {
        "crawling": WORDS[i],
        "summarization": WORDS[j],
        "training": WORDS[k],
        "redistribution": WORDS[(i + j + k) % 3],
    }
    for i, j, k in product(range(3), repeat=3)
]


def rewrite(content: Path, policy: Policy) -> None:
    """Put these permissions into a folder's file, all else as it was."""
    file = content / "licensing.toml"
    text = file.read_text()
    for name, word in policy.items():
        text, count = re.subn(rf'(?m)^{name} = ".*"$', f'{name} = "{word}"', text)
        assert count == 1
    new = file.with_suffix(".new")
    new.write_text(text)
    new.replace(file)


def served(operations: Operations, folder: Path, policy: Policy) -> Ask:
    """The service on the sample with these permissions."""
    content = folder / "content"
    content.mkdir(parents=True)
    for file in SAMPLE.glob("*.toml"):
        shutil.copy(file, content)
    rewrite(content, policy)
    settings = Settings(content=content, data=folder / "data", base_url="https://agents.example")
    return asking(build(settings, operations=operations))


@pytest.fixture(scope="module", params=MIXED, ids=lambda policy: "/".join(policy.values()))
def policy(request: pytest.FixtureRequest) -> Policy:
    found: Policy = request.param
    return found


@pytest.fixture(scope="module")
def ask(policy: Policy, operations: Operations, tmp_path_factory: pytest.TempPathFactory) -> Ask:
    return served(operations, tmp_path_factory.mktemp("policy") / "studio", policy)


def test_robots_txt_says_yes_or_no_exactly_where_there_is_no_condition(
    policy: Policy, ask: Ask
) -> None:
    content = ask("/robots.txt").content
    assert grammar("rfc3986-uri.abnf", "robots.abnf").fits("robotstxt", content)
    said = said_by_robots(content.decode())
    expected = {
        use: PERMISSIONS[policy[name]]
        for name in ("crawling", "summarization", "training")
        for use in USES[name]
        if policy[name] != "with-attribution" and use != "ai-index"
    }
    assert said == {"crawl": "yes", **expected}


def test_the_licence_grants_each_use_on_the_terms_of_the_content(policy: Policy, ask: Ask) -> None:
    data = ask("/license.xml").content
    assert schema("rsl-1.0.rng").fits(data)
    said = said_by_licence(data)
    assert said == {
        use: PERMISSIONS[policy[name]]
        for name in ("crawling", "summarization", "training")
        for use in USES[name]
        if use != "crawl"
    }


def test_no_licence_permits_what_another_prohibits(ask: Ask) -> None:
    lists: dict[str, list[str]] = {"permits": [], "prohibits": []}
    for node in xml(ask("/license.xml").content).iter():
        kind = node.tag.rpartition("}")[2]
        if kind in lists:
            lists[kind] += (node.text or "").split()
    assert set(lists["permits"]) & set(lists["prohibits"]) == set()
    assert len(lists["permits"]) == len(set(lists["permits"]))


def test_attribution_names_the_licence_that_asks_for_it(policy: Policy, ask: Ask) -> None:
    namespace = "{https://rslstandard.org/rsl}"
    licensing = ask("/api/licensing").json()
    paid = xml(ask("/license.xml").content).findall(f".//{namespace}payment[@type='attribution']")
    wanted = "with-attribution" in [policy[n] for n in ("crawling", "summarization", "training")]
    assert bool(paid) == wanted
    for payment in paid:
        assert payment.findtext(f"{namespace}standard") == licensing["licenseUrl"]


def test_the_agent_document_repeats_the_words_of_the_content(policy: Policy, ask: Ask) -> None:
    told, content = ask(AGENT).json()["licensing"], ask("/api/licensing").json()
    assert {name: told[name] for name in policy} == policy
    shared = {name: value for name, value in content.items() if name != "body"}
    assert told == {**shared, "url": "https://agents.example/api/licensing"}


def test_no_document_grants_what_another_denies_or_makes_conditional(ask: Ask) -> None:
    documents = {
        "robots.txt": said_by_robots(ask("/robots.txt").text),
        "license.xml": said_by_licence(ask("/license.xml").content),
        "agent.json": said_by_agent(ask(AGENT).json()["licensing"]),
    }
    for one, other in product(documents, repeat=2):
        for use in (documents[one].keys() & documents[other].keys()) - {"crawl"}:
            assert (one, use, documents[one][use]) == (one, use, documents[other][use])
    crawl = {said["crawl"] for said in documents.values() if "crawl" in said}
    assert crawl != {"yes", "no"}


@pytest.mark.parametrize("name", USES)
def test_who_reads_llms_txt_or_the_root_learns_each_permission(
    name: str, operations: Operations, tmp_path: Path
) -> None:
    asks = [served(operations, tmp_path / word, {name: word}) for word in WORDS]
    for path in ("/llms.txt", "/", "/index.json", AGENT):
        assert len({ask(path).content for ask in asks}) == len(WORDS), path


def test_a_reload_changes_the_policy_everywhere(tmp_path: Path) -> None:
    content = studio_in(tmp_path)
    everything_denied = dict.fromkeys(USES, "not-allowed")
    with running(content) as server:
        before = server.get("/robots.txt").headers["etag"]
        rewrite(content, everything_denied)
        os.kill(server.process.pid, signal.SIGHUP)
        eventually(lambda: server.get("/robots.txt").headers["etag"] != before)
        robots = said_by_robots(server.get("/robots.txt").body.decode())
        assert set(robots.values()) == {"no"}
        assert set(said_by_licence(server.get("/license.xml").body).values()) == {"no"}
        told = server.get(AGENT).json()["licensing"]
        assert {name: told[name] for name in USES} == everything_denied
