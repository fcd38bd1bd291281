"""What a studio does not have is on no surface: not listed, not described, not answered."""

from itertools import pairwise
from pathlib import Path

import pytest
from bare_studio import PATHS, write_bare_studio
from discovery_claims import SURFACES
from local_service import Ask, asking, bound
from mcp_messages import call, result
from offenders import offenders

from resolvers.answers.fields import FactTable
from resolvers.answers.statements import statements_of
from sdl.running.runner import Operations
from studiograph.asgi import build
from studiograph.settings import Settings

OPTIONAL = ("ens", "onChain", "scheduling")
DOCUMENTS = tuple(path for path in SURFACES if "feed" not in path and "pulse" not in path)
"""Those that list addresses; the others hold the words of the owner, who may name any."""


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bare_studio(tmp_path_factory.mktemp("bare") / "content")


@pytest.fixture(scope="module")
def bare(content: Path, operations: Operations, tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """The service of a studio that has nothing that it may be without."""
    settings = Settings(content=content, data=tmp_path_factory.mktemp("data"))
    return asking(build(settings, operations=operations))


def test_no_document_names_what_is_absent(bare: Ask, ask: Ask) -> None:
    def check(document: str) -> None:
        text = bare(document).text
        assert [path for path in PATHS if path in text] == []

    assert offenders(check, DOCUMENTS) == []
    assert {path for path in PATHS if path in ask("/llms.txt").text} == PATHS


def test_its_addresses_answer_like_any_unknown_one(bare: Ask) -> None:
    def check(path: str) -> None:
        for address in (path, f"{path}.md", f"{path}.json", f"{path}/anything"):
            answer = bare(address)
            assert answer.status_code == 404, address
            assert answer.json()["error"] == "not_found"

    assert offenders(check, PATHS) == []


def test_every_section_is_signed_also_one_that_is_not_there(bare: Ask) -> None:
    known = bare("/api/snapshot.sig").json()["fields"][0]["allowed"]
    assert {"studio.scheduling", "studio.onChain", "glossary", "faq"} <= {*known}
    for section in known:
        assert bare(f"/api/snapshot.sig?section={section}").status_code == 200
    answer = bare("/api/snapshot.sig?section=studio.onChain")
    assert answer.json()["payload"]["data"] == {}
    assert bare("/api/snapshot.sig?section=onchain").status_code == 400


def test_no_tool_names_or_reads_what_is_absent(bare: Ask) -> None:
    absent = ("scheduling", "glossary", "studio.scheduling", "studio.onChain", "onchain")
    tools = {each["name"]: each for each in result(bare, "tools/list")["tools"]}
    names = tools["read"]["inputSchema"]["properties"]["section"]["enum"]
    assert "faq" in names
    assert {*names}.isdisjoint(absent)
    for name in (*absent, *names):
        done = call(bare, "read", arguments={"section": name})
        text = done["content"][0]["text"]
        if name in absent:
            assert done["isError"] is True
            assert "faq" in text, name
        else:
            assert not done["isError"] or "is required" in text, name


def test_no_answer_holds_an_empty_part(bare: Ask) -> None:
    studio = bare("/api/about").json()["studio"]
    assert {*OPTIONAL}.isdisjoint({*studio, *studio["founder"]})
    assert [*studio["contact"]] == ["email"]
    assert "personality" not in studio["founder"]
    for document in ("/api/about.md", "/llms-full.txt", "/index.md"):
        lines = [line for line in bare(document).text.splitlines() if line.strip()]
        headings = [line for line in lines if line.startswith("#")]
        assert "## On chain" not in headings
        for line, following in pairwise(lines):
            is_empty = line.startswith("## ") and following.startswith("## ")
            assert not is_empty, (document, line)


def test_no_name_is_claimed(bare: Ask) -> None:
    claims = bare("/api/identity").json()["claims"]
    assert claims
    assert "ens" not in {claim["type"] for claim in claims}


def test_agents_write_to_the_one_address_there_is(bare: Ask) -> None:
    email = bare("/api/about").json()["studio"]["contact"]["email"]
    assert bare("/index.json").json()["contact"] == email


def test_nothing_absent_is_said_or_recommended(content: Path, operations: Operations) -> None:
    snapshot = bound(operations, content)
    table = FactTable(snapshot)
    said = [statement.url for field in table.fields for statement in statements_of(table, field)]
    assert said
    assert {*said}.isdisjoint(PATHS)
    known = {o.rest.path for o in snapshot.operations if o.rest is not None}
    assert known.isdisjoint(PATHS)
