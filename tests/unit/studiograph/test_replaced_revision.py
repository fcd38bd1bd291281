"""A revision that was replaced goes with its last holder, and waits for no garbage collection."""

import asyncio
import gc
from pathlib import Path
from shutil import copytree, ignore_patterns
from weakref import ref

from local_service import stored_operations
from repository import SAMPLE

from sdl.running.runner import Snapshot
from studiograph.application import index_entries, make_application
from studiograph.settings import Settings


def test_a_replaced_snapshot_is_freed_at_once(tmp_path: Path) -> None:
    copytree(SAMPLE, tmp_path / "content", ignore=ignore_patterns("*.py", "__pycache__"))
    settings = Settings(content=tmp_path / "content", data=tmp_path / "var")
    app = make_application(settings, operations=stored_operations())
    questions = tmp_path / "content" / "faq.toml"

    def derived(snapshot: Snapshot) -> "ref[Snapshot]":
        """Have everything made that a snapshot makes of itself."""
        assert snapshot.directory
        assert index_entries(snapshot)
        snapshot.cached("itself", lambda: snapshot)
        return ref(snapshot)

    gc.disable()
    try:
        first = derived(app.current())
        questions.write_text(questions.read_text().replace('"""\n', '"""\nAnew. ', 1))
        assert asyncio.run(app.current.reload())
        assert first() is None
        assert derived(app.current())() is app.current()
    finally:
        gc.enable()
