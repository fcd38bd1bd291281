"""Answers to the evaluation's questions, all at full size, and entries found are proven offline.

The questions alone are read, and none is printed: what fails is named by its half and number.
"""

import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import httpx
import pytest
from outside_reader import KEY_SET
from running_server import eventually, running
from verifier_scripts import NODE, both
from webhook_server import SCALE

from evals.material import HALVES, STUDIOS, Chat, materials

OK, SERVICE_UNAVAILABLE = 200, 503
STEP = max(1, 10 // SCALE)
"""Every how many questions one is asked."""


def chats(studio: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the body of each question for chat."""
    for half in HALVES:
        questions = [chat for material in materials(half, studio) for chat in material.chats]
        for number, chat in [*enumerate(questions)][::STEP]:
            yield f"{half} chat {number}", {**asked_in(chat), "proof": True}


def asked_in(chat: Chat) -> dict[str, Any]:
    if not chat.history:
        return {"query": chat.text}
    turns = (*chat.history, ("user", chat.text))
    return {"messages": [{"role": role, "content": text} for role, text in turns]}


def searches(studio: str) -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each question for search."""
    for half in HALVES:
        texts = [each.text for material in materials(half, studio) for each in material.searches]
        for number, text in [*enumerate(texts)][::STEP]:
            yield f"{half} search {number}", text


@pytest.mark.parametrize("studio", STUDIOS)
def test_every_citation_of_every_question_is_proven_by_both_verifiers(
    studio: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copytree(STUDIOS[studio], tmp_path / "content", ignore=ignore_patterns("*.py", "__pycache__"))
    (tmp_path / ".env").write_text("STUDIOGRAPH_CHAT_LIMIT=0\n")
    keys, file = tmp_path / "jwks.json", tmp_path / "saved.json"
    failed: list[str] = []
    answers = cited = found = composed = 0
    with (
        running(tmp_path / "content") as web,
        httpx.Client(base_url=web.address, timeout=120) as client,
    ):
        keys.write_bytes(client.get(KEY_SET).content)

        def answered(path: str, body: dict[str, Any]) -> Any:
            """The body, once the models are loaded."""
            said: list[httpx.Response] = []

            def is_there() -> bool:
                said.append(client.post(path, json=body))
                return said[-1].status_code != SERVICE_UNAVAILABLE

            eventually(is_there, 300)
            assert said[-1].status_code == OK, said[-1].status_code
            return said[-1].json()

        def holds(place: str, document: dict[str, Any]) -> None:
            """Check a saved proof by both verifiers."""
            file.write_text(json.dumps(document))
            if both(file, keys)[0] != 0:
                failed.append(place)

        def is_sound(answer: dict[str, Any]) -> bool:
            """Whether each sentence holds, on which both verifiers agree."""
            file.write_text(json.dumps(answer))
            code, lines = both(file, keys)
            return code != 1 or "is not in what it cites: " not in lines[-1]

        @cache
        def proof_at(path: str) -> bool:
            holds(path, client.get(path).json())
            return True

        for place, body in chats(studio):
            answer = answered("/api/chat", body)
            names = {json.loads(text)["name"] for text in answer["proofs"]}
            urls = {citation["url"].removeprefix("/api/") for citation in answer["citations"]}
            no_statements = {url for url in urls if url.startswith("github")}  # somebody else's
            if names != urls - no_statements:
                failed.append(f"{place}: {sorted(names ^ urls)} cited or proven alone")
            composed += not is_sound(answer)
            answers, cited = answers + 1, cited + len(answer["citations"])
        for place, text in searches(studio):
            results = answered("/api/search", {"query": text})["results"]
            failed += [f"{place}: {hit['url']}" for hit in results if not proof_at(hit["proof"])]
            found += len(results)
    counted = f"{answers} answers with {cited} citations, {found} entries found"
    counted += f", {composed} answers with a sentence that is not in what it cites"
    with capsys.disabled():
        sys.stdout.write(f"\n{studio}: {counted}, {2 if NODE else 1} verifiers, {failed} failed\n")
    assert failed == []
    assert answers > 200 // STEP
