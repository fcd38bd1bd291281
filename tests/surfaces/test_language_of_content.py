"""A studio that is not written in English says so wherever an agent begins to read."""

from pathlib import Path

import pytest
from local_service import Ask, asking, until_it_answers
from repository import ROOT

from sdl.running.runner import Operations
from studiograph.asgi import build
from studiograph.settings import Settings

NOTE = "The content is in German (de), and quotations from it are too."


@pytest.fixture(scope="module")
def ask(operations: Operations, tmp_path_factory: pytest.TempPathFactory) -> Ask:
    data: Path = tmp_path_factory.mktemp("german")
    settings = Settings(content=ROOT / "evals/third", data=data, ai_embedder="hash", chat_limit="0")
    made = asking(build(settings, operations=operations))
    until_it_answers(made)
    return made


def test_its_language_stands_in_the_head_of_what_is_read(ask: Ask) -> None:
    for path in ("/", "/llms.txt", "/api/faq.md", "/api/projects", "/api/faq.json"):
        assert ask(path).headers["content-language"] == "de"


def test_the_index_and_the_instructions_of_mcp_say_it(ask: Ask) -> None:
    assert NOTE in ask("/llms.txt").text
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a"}}
    params["clientInfo"] |= {"version": "1"}  # type: ignore[operator]
    call = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    accepted = {"accept": "application/json, text/event-stream"}
    answer = ask("/mcp", "POST", json=call, headers=accepted).json()
    assert NOTE in answer["result"]["instructions"]


def test_a_question_in_another_language_is_told_which_one_is_read(ask: Ask) -> None:
    question = {"query": "Does she also tune church organs and pianos?"}
    answer = ask("/api/chat", "POST", json=question, headers={"accept": "application/json"}).json()
    assert answer["answer"] == "The content is in German (de). Please ask in German (de)."
    assert (answer["answered"], answer["citations"]) == ("no", [])
