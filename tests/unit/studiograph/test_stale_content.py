"""Content is stale while the folder cannot be read, and current again when it can be."""

import asyncio
from pathlib import Path

from local_service import stored_operations

from studiograph.application import make_application
from studiograph.settings import Settings


def test_a_mistake_that_is_taken_back_leaves_the_content_current(
    folder: Path, tmp_path: Path
) -> None:
    settings = Settings(content=folder, data=tmp_path / "var")
    content = make_application(settings, operations=stored_operations()).current
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
