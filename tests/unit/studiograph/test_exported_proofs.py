"""An export asks for the proof of every size that either log has had, and keeps to its folder."""

import json
from pathlib import Path

import pytest
from local_service import stored_operations
from minimal_studio import write_minimal_studio

from resolvers.context import RequestContext
from studiograph.application import make_application
from studiograph.commands.export import LIST, ExportError, check_folder, targets_of
from studiograph.settings import Settings

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


@pytest.mark.parametrize("name", ["../kept", "/../kept", "api/../../kept"])
def test_a_list_that_names_a_file_outside_the_folder_is_not_that_of_an_export(
    tmp_path: Path, name: str
) -> None:
    """The next export removes what the list names, and anybody may have written the list."""
    (tmp_path / LIST).write_text(json.dumps({"files": {"/a": "a.json", "/b": name}}))
    with pytest.raises(ExportError, match="no export"):
        check_folder(tmp_path)
