"""How long the documents may be that an agent reads first, on both studios."""

import re
from pathlib import Path

import pytest
from local_service import asking
from repository import ROOT, SAMPLE

from sdl.running.runner import Operations
from studiograph.asgi import build
from studiograph.settings import Settings

TOKENS = {
    "/": 2_200,
    "/llms.txt": 2_200,
    "/openapi.json": 43_000,
    "/.well-known/agent.json": 1_800,
}
"""The most tokens of each document, at four characters a token."""


@pytest.mark.parametrize("content", [SAMPLE, ROOT / "evals" / "second"], ids=["sample", "second"])
def test_no_document_is_longer_than_agents_read(
    content: Path, operations: Operations, tmp_path: Path
) -> None:
    settings = Settings(content=content, data=tmp_path, ai_embedder="hash")
    ask = asking(build(settings, operations=operations))
    for path, most in TOKENS.items():
        assert len(ask(path).text) / 4 <= most, path


def test_a_link_says_how_long_its_document_is(operations: Operations, tmp_path: Path) -> None:
    ask = asking(build(Settings(content=SAMPLE, data=tmp_path), operations=operations))
    sizes = re.findall(r"\]\(https?://[^/]+(/\S*)\): .* ~(\d+) tokens\n", ask("/llms.txt").text)
    assert len(sizes) > 25
    for path, tokens in sizes:
        assert len(ask(path).text) / 4 == pytest.approx(int(tokens), rel=0.06, abs=30), path


def test_what_a_skill_shows_is_a_question_and_its_sentences_end(
    operations: Operations, tmp_path: Path
) -> None:
    ask = asking(build(Settings(content=SAMPLE, data=tmp_path), operations=operations))
    goals = {goal for o in operations if o.intent for goal in o.intent.goals}
    skills = ask("/.well-known/agent.json").json()["skills"]
    assert len(skills) > 5
    for skill in skills:
        assert set(skill["examples"]) <= goals
        assert skill["examples"]
        assert skill["description"].endswith((".", "!", "?"))
