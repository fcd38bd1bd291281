"""Looking never publishes: what `get` and a preview answer leaves no trace in a log."""

import json
from pathlib import Path
from typing import Any

import pytest
from changelog_edits import Changelog
from local_service import asking

from schema.site import Site
from sdl.runner import Operations
from studiograph.__main__ import main
from studiograph.asgi import build
from studiograph.settings import Settings, database_of
from studiograph.wiring.proofs import Proofs, key_store

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
        return [row for table in TABLES for row in database.execute(f"SELECT * FROM {table}")]  # noqa: S608 - names of our own


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


def test_looking_at_a_further_entry_shows_it_and_the_log_stays(
    settings: Settings, sample: Site, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proofs = Proofs(settings, sample)
    proofs.log(sample, proofs.signing_key)
    before = rows(settings)
    Changelog(folder / "changelog.toml").add("2026-11-20-more", "2026-11-20T09:00:00Z")
    assert got("/api/log", capsys)["treeSize"] == 41
    assert rows(settings) == before
    log = Changelog(folder / "changelog.toml")
    log.write(log.entries[1:])
    assert got("/api/log", capsys)["treeSize"] == 40
    proofs.log(sample, proofs.signing_key)


def test_what_a_preview_signs_verifies_with_no_published_key(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    published = {key["kid"] for key in got("/.well-known/jwks.json", capsys)["keys"]}
    signed_by = got("/api/manifest.sig", capsys)["publicJwk"]["kid"]
    assert signed_by.startswith("preview-")
    assert signed_by not in published
    assert signed_by not in key_store(settings).registry.known_keys()


@pytest.mark.parametrize("is_preview", [True, False])
def test_a_preview_says_so_in_every_answer_and_in_its_state(
    settings: Settings, operations: Operations, *, is_preview: bool
) -> None:
    ask = asking(build(settings, operations=operations, preview=is_preview))
    for path in ("/api/faq", "/nowhere", "/openapi.json", "/readyz"):
        assert ("x-preview" in ask(path).headers) == is_preview
    assert ask("/readyz").json().get("mode") == ("preview" if is_preview else None)
    assert (rows(settings) == []) == is_preview
