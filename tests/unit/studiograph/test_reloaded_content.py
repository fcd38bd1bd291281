"""What a reload publishes, keeps and lets go, and what it looks at twice."""

import asyncio
import gc
import json
import logging
from collections.abc import Callable
from pathlib import Path
from weakref import ref

import pytest
from asgi_call import keeping
from local_service import stored_operations
from minimal_studio import write_minimal_studio

from sdl.running.runner import Snapshot
from studiograph.__main__ import main
from studiograph.application import index_entries, make_application
from studiograph.reload import LiveContent
from studiograph.settings import Settings

AGAIN, SERVED = "it is read again", "most entries are gone in what is served: faq (0 of 38)"


class Writer(logging.Handler):
    """Somebody who goes on writing once the folder is to be read again."""

    def __init__(self, write: Callable[[], object]) -> None:
        super().__init__()
        self.write = write

    def emit(self, record: logging.LogRecord) -> None:
        """Write."""
        if AGAIN in record.getMessage():
            self.write()


def reloaded(content: LiveContent, write: Callable[[], object] = lambda: None) -> list[str]:
    """The lines of the log of a reload, between whose looks somebody writes."""
    writer = Writer(write)
    with keeping("studiograph.content") as lines:
        logging.getLogger("studiograph.content").addHandler(writer)
        asyncio.run(content.reload())
        logging.getLogger("studiograph.content").removeHandler(writer)
    return lines


@pytest.fixture
def content(folder: Path, tmp_path: Path) -> LiveContent:
    settings = Settings(content=folder, data=tmp_path / "var")
    return make_application(settings, operations=stored_operations()).current


def faq_of(content: LiveContent) -> int:
    return len(content().data.faq)


@pytest.mark.parametrize("begun", ["", "[[faq]]\nq = 'Is it?'\na = 'It is.'\ntags = []\n"])
def test_a_file_that_is_just_being_written_is_not_published(
    content: LiveContent, folder: Path, begun: str
) -> None:
    file, state = folder / "faq.toml", content.state
    whole = file.read_text()
    file.write_text(begun)
    lines = reloaded(content, lambda: file.write_text(whole))
    assert [AGAIN in line for line in lines] == [True]
    assert content.state == state


def test_what_is_written_meanwhile_is_published_alone(content: LiveContent, folder: Path) -> None:
    file = folder / "faq.toml"
    whole = file.read_text().replace('"""\n', '"""\nAnew. ', 1)
    file.write_text("")
    lines = reloaded(content, lambda: file.write_text(whole))
    assert [AGAIN in lines[0], *("reloaded" in line for line in lines[1:])] == [True, True]
    assert faq_of(content) == 38


def test_what_is_broken_meanwhile_changes_nothing(content: LiveContent, folder: Path) -> None:
    file, revision = folder / "faq.toml", content.state["revision"]
    file.write_text("")
    lines = reloaded(content, lambda: file.write_text("[[faq]]\nodd = "))
    assert "the content was not reloaded" in lines[-1]
    assert content.state == {"status": "ready", "revision": revision, "content": "stale"}


def test_entries_that_stay_away_were_removed_and_the_log_says_so(
    content: LiveContent, folder: Path
) -> None:
    (folder / "faq.toml").write_text("")
    again, done, told = reloaded(content)
    assert AGAIN in again
    assert "content reloaded" in done
    assert SERVED in told
    assert "restore the file" in told
    assert faq_of(content) == 0
    assert (content.state["status"], content.state["content"]) == ("ready", "current")
    assert reloaded(content) == []


def test_a_reload_that_loses_less_does_not_wait(content: LiveContent, folder: Path) -> None:
    file = folder / "faq.toml"
    file.write_text("[[faq]]".join(file.read_text().split("[[faq]]")[:20]))
    [line] = reloaded(content)
    assert "content reloaded" in line


def test_a_publication_names_the_lists_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = write_minimal_studio(tmp_path / "content")
    settings = Settings(content=content, data=tmp_path / "var")
    entry = '[[glossary]]\nslug = "{0}"\nterm = "{0}"\ndefinition = "Low."\n'
    entries = [entry.format(word) for word in ("datum", "depth", "draft", "drift")]
    (content / "glossary.toml").write_text("".join(entries))
    make_application(settings)  # which publishes it
    for left, told in ((4, ""), (2, ""), (1, "glossary (1 of 4)"), (0, "glossary (0 of 4)")):
        (content / "glossary.toml").write_text("".join(entries[:left]))
        assert main(["diff", "--json"], settings=lambda: settings) == 0
        assert json.loads(capsys.readouterr().out)["lost"] == [told] * bool(told)
    assert main(["publish", "Fewer words", "--yes"], settings=lambda: settings) == 0
    said = capsys.readouterr().out
    assert said.index("glossary (0 of 4). Was that meant?") < said.index('title = "Fewer words"')


def test_a_mistake_that_is_taken_back_leaves_the_content_current(
    content: LiveContent, folder: Path
) -> None:
    current, file = content.state, folder / "faq.toml"
    text = file.read_text()

    async def edits() -> None:
        file.write_text(f"{text}\nodd = ")
        assert not await content.reload()
        assert content.state == {**current, "content": "stale"}
        file.write_text(text)
        assert await content.reload()
        assert content.state == current
        file.write_text(text.replace('"""\n', '"""\nAnew. ', 1))
        assert await content.reload()
        assert content.state["content"] == "current"
        assert content.state["revision"] != current["revision"]

    assert current["content"] == "current"
    asyncio.run(edits())


def test_a_replaced_snapshot_is_freed_at_once(content: LiveContent, folder: Path) -> None:
    questions = folder / "faq.toml"

    def derived(snapshot: Snapshot) -> "ref[Snapshot]":
        """Have everything made that a snapshot makes of itself."""
        assert snapshot.directory
        assert index_entries(snapshot)
        snapshot.cached("itself", lambda: snapshot)
        return ref(snapshot)

    gc.disable()
    try:
        first = derived(content())
        questions.write_text(questions.read_text().replace('"""\n', '"""\nAnew. ', 1))
        assert asyncio.run(content.reload())
        assert first() is None
        assert derived(content())() is content()
    finally:
        gc.enable()
