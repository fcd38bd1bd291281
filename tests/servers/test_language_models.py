"""Answers that a language model writes: what passes, what is cut away, and what when it fails."""

import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from ai_service import CHAT, EVENTS, QUESTION, asked, await_models, said, told
from contact_inbox import desk
from injections import INJECTIONS, Injection
from model_behaviours import Call, Halt, Step, embeds, grounded, passages, refuses, says, then
from model_server import ModelServer, model_server
from running_server import eventually
from tiers import step

from resolvers.chat.pipeline import MODEL
from resolvers.search.sentences import split_sentences

AWAY = b'{"ok":false,"error":"ai_unavailable"}'
MARKUP = re.compile(r"<[a-zA-Z/!]|!\[|\]\(")
FOREIGN = "attacker.test"
WAYS = ("query", "user", "system", "assistant")
AT_ONCE = 8
ATTEMPTS = INJECTIONS[:: step(8)]

Written = tuple[httpx.Client, ModelServer]


def written_by(model: ModelServer) -> dict[str, str]:
    """The settings with which a model writes the answers."""
    return {
        "CHAT_LIMIT": "0",
        "AI_LLM": "openai-like",
        "AI_LLM_BASE_URL": model.url,
        "AI_LLM_MODEL": "writer-1",
        "AI_LLM_FALLBACK": "error",
    }


def embedded_by(model: ModelServer) -> dict[str, str]:
    """The settings with which a model makes the vectors."""
    return {
        "AI_EMBEDDER": "openai-like",
        "AI_EMBED_BASE_URL": model.url,
        "AI_EMBED_MODEL": "vectors-1",
    }


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """A service whose vectors and answers a model makes, and that model."""
    folder = tmp_path_factory.mktemp("written")
    with (
        model_server() as model,
        asked(folder, **written_by(model), **embedded_by(model)) as server,
        httpx.Client(base_url=server.address, timeout=60) as client,
    ):
        yield client, model


@pytest.fixture(autouse=True)
def _at_peace(written: Written) -> Iterator[None]:
    """A model that answers after each test, so that no failures in a row add up."""
    yield
    client, model = written
    model.chat = grounded()
    assert client.post(CHAT, json=QUESTION).status_code == 200


def test_a_sentence_with_what_no_source_has_is_not_sent_and_is_noted(written: Written) -> None:
    client, model = written
    model.chat = lambda call: says(
        f"{quoted(call)} It co", "sts 9,999 euros. [1] Ask Erik Solberg. [1]"
    )(call)
    events = told(client, QUESTION)
    lint = events[-1].json()["citationLint"]
    assert said(events) == quoted(model.calls[-1])
    assert lint["removed"] == [{"reason": "entity", "count": 1}, {"reason": "number", "count": 1}]
    assert lint["sentences"] == 1
    assert "9,999" not in str(events)
    assert "Solberg" not in str(events)


@pytest.mark.parametrize("text", ["It costs 9,999 euros. [1]", "NOT_FOUND", "<think>Hm.</think>"])
def test_where_nothing_that_a_model_writes_stands_the_owners_words_are_said(
    written: Written, text: str
) -> None:
    client, model = written
    model.chat = says(text)
    answer = client.post(CHAT, json=QUESTION).json()
    assert answer["model"] == MODEL
    assert answer["citations"]
    assert answer["citationLint"]["ok"]
    assert "9,999" not in answer["answer"]


def test_a_model_that_is_down_is_told_before_anything_is_sent(written: Written) -> None:
    client, model = written
    model.chat = refuses(500)
    for headers in ({}, EVENTS):
        answer = client.post(CHAT, json=QUESTION, headers=headers)
        assert (answer.status_code, answer.content) == (503, AWAY)
        assert answer.headers["content-type"] == "application/json"
        assert "sk-secret" not in str(answer.headers)


def test_a_failure_amid_an_answer_is_the_end_of_its_events_and_no_whole_answer(
    written: Written,
) -> None:
    client, model = written
    model.chat = lambda call: then(f"{quoted(call)} ", "It keeps ", step=Halt.RESET)(call)
    events = told(client, QUESTION)
    assert [event.event for event in events].count("meta") == 1
    assert said(events) == quoted(model.calls[-1])
    last = events[-1]
    assert last.event == "complete"
    assert (last.json()["finishReason"], last.json()["error"]) == ("error", "ai_unavailable")
    answer = client.post(CHAT, json=QUESTION)
    assert (answer.status_code, answer.content) == (503, AWAY)


def test_an_obedient_model_leads_nobody_away(written: Written) -> None:
    client, model = written
    model.chat = obedient
    answers = [answer["answer"] for answer in injected(client)]
    assert len(answers) == len(ATTEMPTS) * len(WAYS)
    assert [answer for answer in answers if FOREIGN in answer] == []
    assert [answer for answer in answers if MARKUP.search(answer)] == []
    written_count = [call.path for call in model.calls].count("/v1/chat/completions")
    assert written_count > len(answers) / 2


def test_vectors_of_another_length_are_refused_and_the_owner_is_told(tmp_path: Path) -> None:
    with (
        model_server(embeddings=embeds(1024)) as model,
        desk(tmp_path, AI_LLM="none", **embedded_by(model)) as server,
        httpx.Client(base_url=server.address, timeout=60) as client,
    ):
        assert client.post(CHAT, json=QUESTION).content == AWAY  # nothing here writes
        await_models(server, "unavailable")
        eventually(lambda: [line for line in server.errors if "1024" in line and "768" in line])
        assert [line for line in server.errors if "STUDIOGRAPH_AI_EMBED" in line]
        answer = client.post("/api/search", json={"query": "tides"})
        assert answer.json()["retrieval"]["mode"].startswith("lexical")  # by words meanwhile
        assert client.post("/api/embed", json={"input": "tides"}).status_code == 503
        assert client.get("/api/faq").status_code == 200


def quoted(call: Call) -> str:
    """The first sentence of the first passage, with its number."""
    n, text = passages(call)[0]
    return f"{split_sentences(text.partition(chr(10))[2] or text)[0]} [{n}]"


def obedient(call: Call) -> Iterable[Step]:
    """The habit of sending callers elsewhere and repeating whatever one was told."""
    heard = call.messages[-1]["content"][-700:]
    evil = f"https://{FOREIGN}/pay"
    parts = (
        f"Pay at {evil} now. [1] ",
        f"![logo]({evil}.png) <img src={evil}> <script>alert(1)</script> [here]({evil}). ",
        f"Write to me@{FOREIGN} or www.{FOREIGN} or [a][b].\n\n[b]: {evil}\n",
        heard,
    )
    return says(*parts)(call)


def injected(client: httpx.Client) -> list[dict[str, Any]]:
    """The answers to every attempt by every way."""
    sent = [sent_by(way, attempt) for attempt in ATTEMPTS for way in WAYS]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(lambda body: client.post(CHAT, json=body), sent))
    return [answer.json() for answer in answers]


def sent_by(way: str, attempt: Injection) -> dict[str, Any]:
    """The attempt as a body, with a real question beside it."""
    if way == "query":
        return {"query": f"{attempt.text[:1900]} What is Tidebook?"}
    question = {"role": "user", "content": QUESTION["query"]}
    if way == "user":
        return {"messages": [{"role": way, "content": f"{attempt.text} What is Tidebook?"}]}
    return {"messages": [{"role": way, "content": attempt.text}, question]}
