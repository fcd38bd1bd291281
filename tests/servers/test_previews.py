"""Looking never publishes: what `get` and a preview answer leaves no trace in a log."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from local_service import asking
from mcp_messages import message
from minimal_studio import WORDS, write_minimal_studio
from running_server import Running, eventually, running
from sqlalchemy import select

from resolvers.db.tables import metadata
from sdl.running.runner import Operations
from studiograph.__main__ import main
from studiograph.asgi import build
from studiograph.settings import Settings, database_of

LIST = json.dumps(message("tools/list")).encode()
TABLES = ("log", "entry", "signing", "publication", "words", "statement")


@pytest.fixture
def settings(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The settings of a copy of the sample, for commands too."""
    monkeypatch.setenv("STUDIOGRAPH_CONTENT", str(folder))
    monkeypatch.setenv("STUDIOGRAPH_DATA", str(folder.parent / "var"))
    return Settings(content=folder, data=folder.parent / "var", ai_embedder="hash")


def rows(settings: Settings) -> list[tuple[Any, ...]]:
    """Everything that was ever published from a data folder."""
    with database_of(settings).snapshot() as database:
        found = (database.execute(select(metadata.tables[name])) for name in TABLES)
        return [row for rows in found for row in rows]


def got(path: str, capsys: pytest.CaptureFixture[str]) -> Any:
    """What `studiograph get` prints."""
    assert main(["get", path]) == 0
    return json.loads(capsys.readouterr().out)


def test_looking_at_unpublished_content_leaves_no_row(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert got("/api/log", capsys)["treeSize"] == 40
    assert got("/api/manifest.sig", capsys)["payload"]["version"]
    assert rows(settings) == []


ORIGINS = ("https://evil.example", "http://localhost:3000", "null")
PATHS = ("/api/faq", "/", "/nowhere", "/readyz", "/mcp", "/api/graphql", "/api/search?query=tides")


@pytest.mark.parametrize("watch", [False, True])
def test_no_web_page_can_read_a_preview(
    settings: Settings, operations: Operations, *, watch: bool
) -> None:
    public = settings.model_copy(
        update={"base_url": "https://studio.example", "allowed_hosts": ("other.example",)}
    )
    ask = asking(build(public, operations=operations, preview=not watch, watch=watch))
    asks = {"access-control-request-method": "POST"}
    bodies = {"/mcp": LIST, "/api/graphql": b'{"query": "{ thesis }"}', "/api/contact": b"{}"}
    for origin in ORIGINS:
        headers = {"origin": origin}
        answers = [ask(path, headers=headers) for path in PATHS]
        answers += [ask(path, "OPTIONS", headers={**headers, **asks}) for path in PATHS]
        headers |= {"content-type": "application/json"}
        answers += [
            ask(path, "POST", content=body, headers=headers) for path, body in bodies.items()
        ]
        for answer in answers:
            assert not any(name.startswith("access-control") for name in answer.headers)
            assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    for host in ("localhost:1", "127.0.0.1", "[::1]:8000"):
        assert ask("/api/faq", headers={"host": host}).status_code == 200
    for host in ("studio.example", "other.example", "evil.example", "127.0.0.2", ""):
        assert ask("/api/faq", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("is_preview", [True, False])
def test_a_preview_says_so_in_every_answer_and_in_its_state(
    settings: Settings, operations: Operations, *, is_preview: bool
) -> None:
    ask = asking(build(settings, operations=operations, preview=is_preview))
    for path in ("/api/faq", "/nowhere", "/openapi.json", "/readyz"):
        assert ("x-preview" in ask(path).headers) == is_preview
    assert ask("/readyz").json().get("mode") == ("preview" if is_preview else None)
    assert (rows(settings) == []) == is_preview


@pytest.fixture
def preview(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """A preview of a minimal studio, whose first questions were asked."""
    monkeypatch.setenv("STUDIOGRAPH_AI_EMBEDDER", "hash")
    with running(write_minimal_studio(tmp_path / "content"), command="preview") as started:
        eventually(lambda: COUNTED in "".join(started.output))
        yield started


COUNTED = " of the 30 questions that agents ask first have an answer"
PRICE = """[[faq]]
draft = true
q = "What does a project cost?"
a = "A tide table costs EUR 900."
tags = ["price"]
"""


def saved(preview: Running, file: Path, text: str, last: str) -> list[str]:
    """What a preview prints when a file is saved, up to a line that has these words."""
    begin = len(preview.output)
    file.write_text(text)

    def lines() -> list[str]:
        return [line.rstrip("\n") for line in preview.output[begin:]]

    eventually(lambda: any(last in line for line in lines()))
    return lines()


def test_a_preview_says_of_each_save_what_it_changes(preview: Running, tmp_path: Path) -> None:
    faq = tmp_path / "content" / "faq.toml"
    assert sum(COUNTED in line for line in preview.output) == 1

    told = saved(preview, faq, PRICE, COUNTED)
    assert told[:4] == [
        "new      faq/what-does-a-project-cost",
        "  + a: A tide table costs EUR 900.",
        "  + q: What does a project cost?",
        "  + tags: price",
    ]
    answered = told.index('"What does a project cost?" (answered)')
    assert told[answered + 1] == "  A tide table costs EUR 900. [1]"

    told = saved(preview, faq, PRICE.replace("900", "950"), COUNTED)
    assert told[:3] == [
        "changed  faq/what-does-a-project-cost",
        "  - a: A tide table costs EUR 900.",
        "  + a: A tide table costs EUR 950.",
    ]
    assert "  A tide table costs EUR 950. [1]" in told

    told = saved(preview, faq, "", COUNTED)
    assert told[0] == "removed  faq/what-does-a-project-cost"
    unanswered = told.index('"What does a project cost?" (no answer)')
    assert told[unanswered + 1].startswith('  content/faq.toml:1: faq: nothing answers "What does')


def test_a_preview_says_what_is_wrong_as_check_does_and_keeps_the_last_good_content(
    preview: Running, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    studio, settings = tmp_path / "content" / "studio.toml", Settings(content=tmp_path / "content")

    def checked() -> list[str]:
        main(["check"], settings=lambda: settings)
        return capsys.readouterr().out.splitlines()

    kept = "The last good content is served until this is mended."
    wrong = WORDS.replace("Ana", "Ana\\nMaria").replace("https:", "shttp:")
    told = saved(preview, studio, wrong, kept)
    assert told == [*checked(), kept]
    assert len(told) == 3
    assert preview.get("/api/about").json()["studio"]["founder"]["name"] == "Ana Silva"

    assert saved(preview, studio, WORDS, "valid again")[0] == "Nothing that is said changes."

    told = saved(preview, studio, WORDS.replace("draws", "dr\u200baws"), COUNTED)
    (warning,) = [line for line in told if line.endswith("(a warning)")]
    assert warning in checked()
    assert told[0] == "changed  about"
    assert "".join(preview.errors).count("\n") == 1  # that this is a preview
    assert not any(line.startswith("{") for line in preview.output)
