"""How long the descriptions of POST paths are; a caller reads them before it can ask."""

from pathlib import Path

import pytest
from local_service import Ask, asking, stored_operations
from repository import SAMPLE

from rest_bridge.openapi.description import MAX_TOKENS
from sdl.running.runner import Operations
from studiograph.asgi import build
from studiograph.settings import Settings

POSTS = [path for path, method in stored_operations().write_operations if method == "POST"]
CHARACTERS = 4
"""Of a token."""


def test_a_description_has_at_most_so_many_tokens(operations: Operations, tmp_path: Path) -> None:
    settings = Settings(content=SAMPLE, data=tmp_path, ai_embedder="hash")  # with every limit
    ask = asking(build(settings, operations=operations))
    for path in POSTS:
        for form, most in MAX_TOKENS.items():
            text = ask(path, headers={"accept": form}).text
            assert len(text) / CHARACTERS <= most, (path, form)


@pytest.mark.parametrize(("limit", "calls"), [("7/hour", "7/hour for each caller"), ("0", None)])
def test_a_description_says_the_rate_limit_where_there_is_one(
    operations: Operations, tmp_path: Path, limit: str, calls: str | None
) -> None:
    settings = Settings(content=SAMPLE, data=tmp_path, chat_limit=limit, ai_embedder="hash")
    ask = asking(build(settings, operations=operations))
    assert ask("/api/chat").json()["limits"].get("calls") == calls
    assert (f"- calls: {calls}" in ask("/api/chat.md").text) is (calls is not None)


@pytest.mark.parametrize("path", POSTS)
def test_a_description_names_every_argument_and_how_to_ask(ask: Ask, path: str) -> None:
    described, text = ask(f"{path}.json").json(), ask(f"{path}.md").text
    for name in described["request"]["properties"]:
        assert f"- `{name}` (" in text
    assert f"# POST {path}\n" in text
    assert described.get("get", "") in text
