"""A client that pinned a tool learns where and when its description was changed."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from local_service import Ask, asking
from operation_files import CONTACT, copied
from outside_reader import canonical, studio_in

from sdl.runner import Operations
from studiograph.application import load_operations
from studiograph.asgi import build
from studiograph.settings import Settings

TOOL = "send_contact"


def served(content: Path, operations: Operations) -> Ask:
    settings = Settings(content=content, data=content.parent / "var", ai_embedder="hash")
    return asking(build(settings, operations=operations))


def pinned(ask: Ask) -> str:
    """The hash of the tool's entry in the list, as a client computes it."""
    headers = {"accept": "application/json, text/event-stream"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    tools = ask("/mcp", method="POST", json=message, headers=headers).json()["result"]["tools"]
    entry: dict[str, Any] = next(tool for tool in tools if tool["name"] == TOOL)
    statement = canonical({"name": f"tool/{TOOL}", "data": entry})
    digest = sha256(b"\x00" + statement).hexdigest()
    return f"sha256:{digest}"


def test_a_changed_description_is_told_with_index_and_time(
    operations: Operations, tmp_path: Path
) -> None:
    content = studio_in(tmp_path)
    first = served(content, operations)
    before = pinned(first)
    proof = first(f"/api/proof?name=tool/{TOOL}").json()
    assert proof["leafHash"] == before
    size = first("/api/words").json()["treeSize"]

    folder = copied(tmp_path / "changed")
    document = folder / "operations" / CONTACT
    text = document.read_text()
    assert "Send a message to the founder" in text
    document.write_text(text.replace("Send a message to the founder", "Send money to the founder"))
    second = served(content, load_operations(folder))
    after = pinned(second)
    assert after != before

    found = second(f"/api/changes-of?name=tool/{TOOL}").json()["versions"]
    assert [version["leafHash"] for version in found] == [before, after]
    assert found[1]["index"] == size
    leaf = json.loads(second("/api/words").json()["revisionLeaf"])
    assert found[1]["publishedAt"] == leaf["publishedAt"]
    assert found[1]["revision"] == leaf["revision"]
    changes = second(f"/api/changes?since={size}").json()
    assert changes["changed"] == ["operation/SendContact", f"tool/{TOOL}"]
    assert changes["added"] == changes["removed"] == []
    consistency = second(f"/api/words/consistency?from={size}").json()
    assert (consistency["fromSize"], consistency["treeSize"]) == (size, size + 1)
