"""What describes the service is made again when what it says has changed, and only then."""

import asyncio
from datetime import date
from shutil import copy

import pytest
from local_service import stored_operations
from repository import SAMPLE

from content.reading.revision import read_revision
from rest_bridge.discovery.documents import DocumentContext
from rest_bridge.document_list import DOCUMENTS
from rest_bridge.openapi.document import openapi
from sdl.running.runner import Snapshot
from studiograph.application import Application, build_snapshot, make_application
from studiograph.settings import Settings

CHANGES = {
    "another answer": ("faq.toml", '"""\n', '"""\nAnother beginning. '),
    "another question": ("faq.toml", "What is Quillmere?", "What is Quillmere now?"),
    "no studies": ("studio.currentlyStudying.toml", "", None),
    "another name": ("studio.toml", "Quillmere", "Quillmore"),
    "another licence": ("licensing.toml", 'license = "', 'license = "Another '),
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Application:
    folder = tmp_path_factory.mktemp("studio")
    (folder / "content").mkdir()
    for file in SAMPLE.glob("*.toml"):
        copy(file, folder / "content")
    settings = Settings(content=folder / "content", data=folder / "var")
    return make_application(settings, operations=stored_operations())


def described(snapshot: Snapshot) -> bytes:
    """The description of a snapshot, made anew only if it must be."""
    present = [document for document in DOCUMENTS if document.is_there(snapshot)]
    return openapi(DocumentContext(snapshot, present, {}, date.min))


@pytest.mark.parametrize("change", CHANGES)
def test_a_description_that_was_kept_is_the_one_that_is_made_anew(
    service: Application, change: str
) -> None:
    file, old, new = CHANGES[change]
    path = service.settings.content / file
    text = path.read_text()
    before = described(service.current())
    if new is None:
        path.unlink()
    else:
        assert old in text
        path.write_text(text.replace(old, new, 1))
    assert asyncio.run(service.current.reload())
    kept = described(service.current())
    revision = read_revision(path.parent, **service.settings.reading)
    fresh = build_snapshot(service.operations, revision, service.settings, service.services)
    assert kept == described(fresh)
    assert (kept is before) == (change == "another answer")
    path.write_text(text)
    assert asyncio.run(service.current.reload())
    assert described(service.current()) == before
