"""The policy stands once in the content, and every document says it as far as it can."""

import re
import shutil
import tomllib
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import pytest
from abnf import grammar
from discovery_claims import AGENT
from local_service import Ask, asking
from offenders import offenders
from policy_statements import (
    PERMISSIONS,
    RSL,
    USES,
    assert_no_use_both_permitted_and_prohibited,
    expected_of_licence,
    expected_of_robots,
    said_by_agent,
    said_by_licence,
    said_by_robots,
)
from relax_ng import schema, xml
from repository import SAMPLE

from sdl.running.runner import Operations
from studiograph.asgi import build
from studiograph.settings import Settings

Policy = dict[str, str]
BASE = "https://agents.example"

WORDS = tuple(PERMISSIONS)
MIXED = [
    dict(zip(USES, (WORDS[(first + place) % 3] for place in range(len(USES))), strict=True))
    for first in range(3)
]
"""Each use with each word; each document with every word of three is a unit test."""


@dataclass
class Services:
    """Services on the sample, each with other permissions, made when they are first asked for."""

    operations: Operations
    folder: Path
    made: dict[tuple[str, ...], Ask] = field(default_factory=dict)

    def of(self, policy: Policy) -> Ask:
        """Return the service with these permissions, and the sample's where none is given."""
        permissions = {**sample_policy(), **policy}
        key = tuple(permissions[name] for name in USES)
        if key not in self.made:
            self.made[key] = self._build(self.folder / str(len(self.made)), permissions)
        return self.made[key]

    def _build(self, folder: Path, policy: Policy) -> Ask:
        content = folder / "content"
        content.mkdir(parents=True)
        for file in SAMPLE.glob("*.toml"):
            shutil.copy(file, content)
        rewrite(content, policy)
        settings = Settings(content=content, data=folder / "data", base_url=BASE)
        return asking(build(settings, operations=self.operations))


def sample_policy() -> Policy:
    """Return the permissions of the sample studio."""
    licensing = tomllib.loads((SAMPLE / "licensing.toml").read_text())
    return {name: licensing[name] for name in USES}


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


@pytest.fixture(scope="module")
def services(operations: Operations, tmp_path_factory: pytest.TempPathFactory) -> Services:
    return Services(operations, tmp_path_factory.mktemp("policies"))


def robots_txt_says_yes_or_no_exactly_where_there_is_no_condition(policy: Policy, ask: Ask) -> None:
    content = ask("/robots.txt").content
    assert grammar("rfc3986-uri.abnf", "robots.abnf").fits("robotstxt", content)
    assert said_by_robots(content.decode()) == expected_of_robots(policy)


def the_licence_grants_each_use_on_the_terms_of_the_content(policy: Policy, ask: Ask) -> None:
    data = ask("/license.xml").content
    assert schema("rsl-1.0.rng").fits(data)
    assert said_by_licence(data) == expected_of_licence(policy)
    assert_no_use_both_permitted_and_prohibited(data)


def attribution_names_the_licence_that_asks_for_it(policy: Policy, ask: Ask) -> None:
    licensing = ask("/api/licensing").json()
    paid = xml(ask("/license.xml").content).findall(f".//{RSL}payment[@type='attribution']")
    wanted = "with-attribution" in [policy[n] for n in ("crawling", "summarization", "training")]
    assert bool(paid) == wanted
    for payment in paid:
        assert payment.findtext(f"{RSL}standard") == licensing["licenseUrl"]


def the_agent_document_repeats_the_words_of_the_content(policy: Policy, ask: Ask) -> None:
    told, content = ask(AGENT).json()["licensing"], ask("/api/licensing").json()
    assert {name: told[name] for name in policy} == policy
    shared = {name: value for name, value in content.items() if name != "body"}
    assert told == {**shared, "url": f"{BASE}/api/licensing"}


def no_document_grants_what_another_denies_or_makes_conditional(_: Policy, ask: Ask) -> None:
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


CLAIMS = (
    robots_txt_says_yes_or_no_exactly_where_there_is_no_condition,
    the_licence_grants_each_use_on_the_terms_of_the_content,
    attribution_names_the_licence_that_asks_for_it,
    the_agent_document_repeats_the_words_of_the_content,
    no_document_grants_what_another_denies_or_makes_conditional,
)


@pytest.mark.parametrize("policy", MIXED, ids=lambda policy: "/".join(policy.values()))
def test_every_document_says_the_policy_as_far_as_it_can(
    policy: Policy, services: Services
) -> None:
    assert offenders(lambda claim: claim(policy, services.of(policy)), CLAIMS) == []


@pytest.mark.parametrize("name", USES)
def test_who_reads_llms_txt_or_the_root_learns_each_permission(
    name: str, services: Services
) -> None:
    other = next(word for word in WORDS if word != sample_policy()[name])
    asks = [services.of({}), services.of({name: other})]
    for path in ("/llms.txt", "/", "/index.json", AGENT):
        assert len({ask(path).content for ask in asks}) == 2, path
