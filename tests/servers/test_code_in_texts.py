"""Code in a text stands as its own block everywhere, and nobody quotes it as a sentence."""

import re

import pytest
from local_service import Ask, asking, until_it_answers
from minimal_studio import write_minimal_studio

from sdl.running.runner import Operations
from studiograph.asgi import build
from studiograph.settings import Settings

CODE = """```rust
// Every harbour has its own `Vec<Tide>`. Nobody may call it without a lock.

let tides: Vec<Tide> = read("porto.tides");
```"""
BODY = f"""Tides are read from a file of the harbour.

{CODE}

The file is written once a year by the harbour office."""
FAQ = f'''[[faq]]
q = "How is a `Vec<Tide>` read?"
a = """
{BODY}
"""
tags = ["tides"]

[[faq]]
q = "Which program draws the tables?"
a = """
{CODE}
"""
tags = []
'''
CHANGELOG = f'''[[changelog]]
id = "2026-01-02-files"
publishedAt = 2026-01-02T10:00:00Z
kind = "added"
title = "Tides as files"
body = """
{CODE}

Now every harbour has a file."""
'''
CODE_WORDS = ("porto.tides", "without a lock", "```")


@pytest.fixture(scope="module")
def ask(operations: Operations, tmp_path_factory: pytest.TempPathFactory) -> Ask:
    folder = tmp_path_factory.mktemp("code")
    content = write_minimal_studio(folder / "content")
    (content / "faq.toml").write_text(FAQ, encoding="utf-8")
    (content / "changelog.toml").write_text(CHANGELOG, encoding="utf-8")
    settings = Settings(content=content, data=folder / "data", ai_embedder="hash", chat_limit="0")
    made = asking(build(settings, operations=operations))
    until_it_answers(made)
    return made


@pytest.mark.parametrize("path", ["/api/faq.md", "/llms-full.txt", "/api/changelog.md"])
def test_markdown_has_it_as_a_block_of_its_own(ask: Ask, path: str) -> None:
    text = ask(path).text
    assert f"\n\n{CODE}\n\n" in text
    fences = re.findall(r"(?m)^.*```.*$", text)
    assert fences == ["```rust", "```"] * (len(fences) // 2)  # nothing stands before one


def test_json_linked_data_and_feeds_have_it_as_it_stands(ask: Ask) -> None:
    assert ask("/api/faq").json()[0]["a"].strip() == BODY
    linked = ask("/api/faq", headers={"accept": "application/ld+json"})
    assert BODY in str(linked.json()).replace("\\n", "\n")
    assert CODE in ask("/api/feed.json").json()["items"][0]["content_text"]
    assert CODE.replace("<", "&lt;").replace(">", "&gt;") in ask("/feed.xml").text


def test_mcp_has_it_as_a_block_of_its_own(ask: Ask) -> None:
    call = {"name": "read", "arguments": {"section": "faq"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    said = ask("/mcp", "POST", json=message).json()["result"]
    assert f"\n\n{CODE}\n\n" in said["content"][0]["text"]


def test_search_finds_its_words_and_shows_prose(ask: Ask) -> None:
    found = ask("/api/search", "POST", json={"query": "porto.tides"}).json()["results"]
    assert {"How is a `Vec<Tide>` read?", "Which program draws the tables?"} <= {
        hit["title"] for hit in found
    }
    assert "```" not in str(found)


@pytest.mark.parametrize(
    "question",
    [
        "How is a Vec<Tide> read?",
        "Which program draws the tables?",
        "May somebody call it without a lock?",
        "What changed with tides as files?",
        "Who writes the file of a harbour?",
    ],
)
def test_no_answer_quotes_code(ask: Ask, question: str) -> None:
    body = ask("/api/chat", "POST", json={"query": question}).json()
    assert [words for words in CODE_WORDS if words in str(body)] == []


def test_prose_around_it_is_still_quoted(ask: Ask) -> None:
    asked = {"query": "Is the file written by the harbour office once a year?"}
    body = ask("/api/chat", "POST", json=asked).json()
    assert "The file is written once a year by the harbour office." in body["answer"]
