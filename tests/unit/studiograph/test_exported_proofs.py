"""An export asks for the proof of every size that either log has had."""

from pathlib import Path

from local_service import stored_operations
from minimal_studio import write_minimal_studio

from resolvers.context import RequestContext
from studiograph.application import make_application
from studiograph.settings import Settings
from studiograph.wiring.export import targets_of

ENTRY = """
[[changelog]]
id = "2026-01-02-open"
publishedAt = 2026-01-02T10:00:00Z
kind = "added"
title = "Open"
body = "It is open."
"""


def test_both_logs_are_exported_up_to_their_present_sizes(tmp_path: Path) -> None:
    content = write_minimal_studio(tmp_path / "content")
    with (content / "changelog.toml").open("a") as file:
        file.write(ENTRY)
    settings = Settings(content=content, data=tmp_path / "var")
    snapshot = make_application(settings, operations=stored_operations()).current()
    context, targets = snapshot.context, {*targets_of(snapshot)}
    assert isinstance(context, RequestContext)
    logs = [("/api/log", context.log.size), ("/api/words", context.words().size)]
    for path, size in logs:
        assert size > 0
        asked = {target for target in targets if target.startswith(f"{path}/consistency?")}
        assert asked == {f"{path}/consistency?from={earlier}" for earlier in range(1, size + 1)}
