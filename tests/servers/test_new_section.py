"""Two new sections are found, recommended and answered from, without any other change."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from ai_service import LOADING_SECONDS, await_models
from boatyard import BOATS, SLIPWAY, write_operations
from json_pointer import at
from mcp_messages import call
from repository import ROOT, SUPPORT
from running_server import eventually, running

FOLDERS = ("schema", "content", "resolvers", "sdl", "rest_bridge", "mcp_bridge", "studiograph")
LINKED = "application/ld+json"
ADDRESSES = ["/api/boats", "/api/boats/{slug}", "/api/slipway"]
"""Of the sections, those first whose fields are marked for linked data."""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the product with the types, the words and the operations of two sections."""
    tree = tmp_path_factory.mktemp("yard")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(SUPPORT / "yard_sections.py", tree / "schema")
    with (tree / "schema" / "questions.toml").open("a") as questions:
        questions.write((SUPPORT / "questions.toml").read_text())
    site = tree / "schema" / "site.py"
    declared = site.read_text().replace("class Site(Output):", "class Site(YardSections):")
    assert "YardSections" in declared
    site.write_text(f"from schema.yard_sections import YardSections\n{declared}")
    boats = [f"[[boats]]\n{toml(boat.to_json())}" for boat in BOATS]
    (tree / "content" / "boats.toml").write_text("\n".join(boats))
    (tree / "content" / "slipway.toml").write_text(toml(SLIPWAY.to_json()))
    write_operations(tree / "sdl")
    (tree / ".env").write_text("STUDIOGRAPH_AI_EMBEDDER=hash\n")
    return tree


@pytest.fixture(scope="module")
def yard(tree: Path) -> Iterator[httpx.Client]:
    """A client of the copy, served."""
    with (
        running(tree / "content") as server,
        httpx.Client(base_url=server.address, timeout=60) as client,
    ):
        await_models(server)
        question = {"query": "who may use the slipway?"}
        eventually(
            lambda: client.post("/api/chat", json=question).status_code == 200, LOADING_SECONDS
        )
        yield client


def toml(values: dict[str, Any]) -> str:
    """An object's keys, one a line; a date is no text."""
    lines = (f"{key} = {json.dumps(value)}" for key, value in values.items())
    return "".join(
        f"{line.replace(chr(34), '') if line.startswith('launched') else line}\n" for line in lines
    )


def answer(yard: httpx.Client, *turns: str) -> dict[str, Any]:
    """What chat says to the last of these questions, seen to cite what it says."""
    messages = [{"role": "user", "content": text} for text in turns]
    body: dict[str, Any] = yard.post("/api/chat", json={"messages": messages}).json()
    assert body["answered"] == "yes"
    assert body["basis"] in {"field", "definition"}
    for citation in body["citations"]:
        assert at(yard.get(citation["url"]).json(), citation.get("pointer", "")) is not None
    return body


def test_http_and_the_documents_have_it(yard: httpx.Client) -> None:
    boats = yard.get("/api/boats").json()
    assert [boat["name"] for boat in boats] == [boat.name for boat in BOATS]
    assert yard.get("/api/manifest").json()["boats"] == boats
    assert "## Marigold" in yard.get("/api/boats.md").text
    listed = yard.get("/llms.txt").text
    assert "## Yard" in listed
    assert "/api/boats.md): Every boat in the yard." in listed
    assert "### Marigold" in yard.get("/llms-full.txt").text


def test_without_its_operation_the_start_says_what_is_missing(tree: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(tree, tmp_path / "copy", ignore=shutil.ignore_patterns("var")))
    (copy / "sdl" / "operations" / "list_boats.graphql").unlink()
    done = subprocess.run(
        [sys.executable, "-m", "studiograph", "check"],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "no operation reads the section 'boats'" in done.stdout


@pytest.mark.parametrize(
    ("question", "said", "place"),
    [
        ("who may use the slipway?", SLIPWAY.rule.partition(". ")[0], "/api/slipway /rule"),
        ("how deep is the water at the slipway", "up to 2.4 metres", "/api/slipway /draught"),
        ("where is Saltwind moored", "Saltwind is ashore.", "/api/boats/saltwind /berth"),
        (
            "how is old spindrift rigged?",
            "The Grey Heron is rigged as a",
            "/api/boats/the-grey-heron /rig",
        ),
        ("is the boat Heron insured", "Heron is not insured.", "/api/boats/heron /insured"),
        ("how many boats are there", "4.", "/api/boats "),
        ("which boats are ashore", "Saltwind (ashore)", "/api/boats "),
    ],
)
def test_chat_answers_from_it(yard: httpx.Client, question: str, said: str, place: str) -> None:
    body = answer(yard, question)
    first = body["citations"][0]
    assert said in body["answer"]
    assert f"{first['url']} {first.get('pointer') or ''}" == place


@pytest.mark.parametrize(
    ("query", "entry"),
    [
        ("Marigold", "boat/marigold"),
        ("a boat that pupils of the harbour school sail", "boat/the-grey-heron"),
        ("visitors ask the harbour master a day before", "slipway/slipway"),
    ],
)
def test_search_finds_it(yard: httpx.Client, query: str, entry: str) -> None:
    first = yard.post("/api/search", json={"query": query}).json()["results"][0]
    assert f"{first['kind']}/{first['slug']}" == entry


@pytest.mark.parametrize(
    ("goal", "path"),
    [
        ("list the boats in the yard", "/api/boats"),
        ("haul my boat out of the water", "/api/slipway"),
        ("read /api/slipway", "/api/slipway"),
    ],
)
def test_intent_recommends_it(yard: httpx.Client, goal: str, path: str) -> None:
    body = yard.post("/api/intent", json={"goal": goal}).json()
    assert path in json.dumps(body["recommendations"][0])


def test_an_entry_has_an_address_that_search_names(yard: httpx.Client) -> None:
    first = yard.post("/api/search", json={"query": "Marigold"}).json()["results"][0]
    assert first["url"] == "/api/boats/marigold"
    assert yard.get(first["url"]).json()["name"] == "Marigold"
    unknown = yard.get("/api/boats/no-such-boat")
    assert unknown.status_code == 404
    assert "marigold" in unknown.json()["fields"][0]["allowed"]


def test_what_is_marked_is_in_json_ld(yard: httpx.Client) -> None:
    fleet = yard.get("/api/boats", headers={"accept": LINKED}).json()
    boats = yard.get("/api/boats").json()
    ids = [node.pop("@id") for node in fleet["itemListElement"]]
    assert [yard.get(own).json() for own in ids] == boats
    assert fleet == {
        "@context": "https://schema.org",
        "@type": "ItemList",
        "itemListElement": [
            {"@type": "Product", "name": boat["name"], "description": boat["story"]}
            for boat in boats
        ],
    }
    assert yard.get("/api/boats/heron.jsonld").json()["@type"] == "Product"
    unmarked = yard.get("/api/slipway", headers={"accept": LINKED})
    assert unmarked.status_code == 406
    paths = yard.get("/openapi.json").json()["paths"]
    forms = {path: paths[path]["get"]["responses"]["200"]["content"] for path in ADDRESSES}
    assert [path for path in ADDRESSES if LINKED in forms[path]] == ADDRESSES[:2]


@pytest.mark.parametrize(("section", "said"), [("boats", "## Marigold"), ("slipway", "2.4 metres")])
def test_the_tools_read_and_verify_have_it(yard: httpx.Client, section: str, said: str) -> None:
    def ask(path: str, method: str = "GET", **options: Any) -> httpx.Response:
        return yard.request(method, path, **options)

    done = call(ask, "read", arguments={"section": section})
    assert said in done["content"][0]["text"]
    one = call(ask, "read", arguments={"section": "boats", "slug": "marigold"})
    assert one["content"][0]["text"].startswith("# Marigold\n")
    proof = call(ask, "verify", arguments={"section": section})["structuredContent"]
    assert proof["envelope"]["payload"]["data"] == yard.get(f"/api/{section}").json()
    found = call(ask, "search", arguments={"query": "Marigold"})["structuredContent"]["results"][0]
    fetched = call(ask, "fetch", arguments={"id": found["id"]})["structuredContent"]
    assert "Marigold" in fetched["text"]
