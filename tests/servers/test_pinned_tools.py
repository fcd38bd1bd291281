"""A client that pinned a tool learns where and when its description was changed."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from local_service import Ask, asking
from operation_files import CONTACT, copied
from outside_reader import canonical, studio_in

from resolvers.executable_schema import public_sdl
from sdl.running.runner import Operations
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


@pytest.mark.parametrize("base_url", ["https://studio.example"])
def test_the_documents_are_statements_without_the_address_of_the_service(
    base_url: str, operations: Operations, tmp_path: Path
) -> None:
    settings = Settings(
        content=studio_in(tmp_path), data=tmp_path / "var", ai_embedder="hash", base_url=base_url
    )
    ask = asking(build(settings, operations=operations))
    paths = {"document/openapi": "/openapi.json", "document/agent.json": "/.well-known/agent.json"}
    for name, path in paths.items():
        proof = ask(f"/api/proof?name={name}").json()
        assert base_url in ask(path).text
        said = json.loads(proof["statement"])["data"]["document"]
        assert said == ask(path).text.replace(base_url, "")
        assert proof["leafHash"] in ask("/api/words").text
    sdl = json.loads(ask("/api/proof?name=document/sdl").json()["statement"])["data"]["document"]
    assert sdl == f"{public_sdl()}\n"


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
    expected = ["document/openapi", "operation/SendContact", f"tool/{TOOL}"]
    assert changes["changed"] == expected
    assert changes["added"] == changes["removed"] == []
    consistency = second(f"/api/words/consistency?from={size}").json()
    assert (consistency["fromSize"], consistency["treeSize"]) == (size, size + 1)
