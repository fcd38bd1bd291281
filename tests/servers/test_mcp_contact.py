"""A message to the human over MCP: the same inbox, the same limit, nothing by a notification."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp_messages import BOTH, Ask, call, post_raw, result
from running_server import running

from mcp_bridge.protocol.jsonrpc import RETRY

LETTER = {
    "name": "Ines Ferreira",
    "email": "ines@harbour.example",
    "message": "Could you review our tide forecasts in March, please?",
    "agent": "harbour-assistant 1.2",
}
NOTIFICATION = b"""{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "send_contact",
"arguments": {"name": "Nobody", "email": "no@harbour.example",
"message": "This was never asked for and must not be sent."}}}"""


@pytest.fixture
def own(folder: Path) -> Iterator[Ask]:
    """Requests to a server of its own, which takes two messages an hour."""
    (folder.parent / ".env").write_text(
        "STUDIOGRAPH_CONTACT_LIMIT=2/hour\nSTUDIOGRAPH_AI_EMBEDDER=hash\n"
    )
    with running(folder) as web, httpx.Client(base_url=web.address, timeout=60) as client:

        def ask(path: str, method: str = "GET", **options: Any) -> httpx.Response:
            return client.request(method, path, **options)

        yield ask


def inbox(folder: Path) -> list[str]:
    """The letters in the inbox."""
    found = sorted((folder.parent / "var" / "inbox").rglob("*"))
    return [path.read_text() for path in found if path.is_file()]


def test_a_message_lands_in_the_inbox_once_it_is_asked_for(own: Ask, folder: Path) -> None:
    assert post_raw(own, NOTIFICATION, content_type="application/json").status_code == 202
    trial = call(own, "send_contact", BOTH[0], {**LETTER, "dryRun": True})
    assert trial["structuredContent"]["dryRun"] is True
    assert inbox(folder) == []
    for revision in BOTH:
        sent = call(own, "send_contact", revision, {**LETTER, "company": revision})
        assert sent["isError"] is False
        assert sent["structuredContent"]["ok"] is True
    letters = inbox(folder)
    assert letters
    assert all("tide forecasts" in letter for letter in letters)
    assert all("mcp" in letter.casefold() for letter in letters)
    assert all(LETTER["agent"] in letter for letter in letters)

    refused = call(own, "send_contact", BOTH[1], LETTER)
    assert refused["isError"] is True
    assert refused["_meta"]["studiograph/problem"]["error"] == "rate_limited"
    assert "try again in" in refused["content"][0]["text"]
    over_http = own("/api/contact", method="POST", json=LETTER)
    assert over_http.status_code == 429
    said = refused["_meta"]["studiograph/problem"][RETRY]
    assert said >= int(over_http.headers["retry-after"]) > said - 600
    assert refused["content"][0]["text"].endswith(f"\nRetry-After: {said}")
    assert result(own, "tools/list", BOTH[1])["tools"]
