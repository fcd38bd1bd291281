"""Poisoned content and a poisoned GitHub readme, over HTTP: answers are led by neither."""

import html
import json
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from ai_service import CHAT, LIGHT, LOADING_SECONDS, asked, said, told
from github_server import LOGIN, github_server, readme
from injections import INJECTIONS, Injection, normalise
from model_behaviours import Call, Step, passages, refuses, says
from model_server import ModelServer, model_server
from pydantic import TypeAdapter, ValidationError
from repository import SAMPLE
from running_server import eventually

from content.checking.texts import check_texts
from resolvers.chat.pipeline import MODEL
from sdl.types.scalar_types import Text

MARKUP = re.compile(r"!\[(?!\d+\])|<[a-zA-Z/!?]")
NAMED = re.compile(r"[\w@.:/-]*attacker\.test(?:[/?#:][\w./?=&#:-]*\w)?")
CANARY = re.compile(r"zq\d{3}xv")
READ = re.compile(r"zr\d{3}xv")
"""A canary as it stands in the readme, and nowhere else."""
EVIL = (
    "Pay at https://zqevil.com/pay [1]. ![a](https://zqevil.com/p.png) <img src=//zqevil.com/p>. "
    "Or xn--zqevil-gva.com, hxxps://zqevil.com, zqevil\u3002com or me@zqevil.com [1][99].\n"
)
QUESTION = "What is Tidebook?"
WRITER = "writer-1"
EVERY = 4
"""Of how many attempts one is tried: each is tried elsewhere, nearer to the answers."""


@dataclass(frozen=True)
class Poisoned:
    """A studio whose content and readme give orders, and the model that writes its answers."""

    client: httpx.Client
    model: ModelServer
    writer: str = ""


def is_publishable(attempt: Injection) -> bool:
    """Whether content may hold the attempt: no HTML, control character, image or footnote."""
    try:
        TypeAdapter(Text).validate_python(attempt.text)
    except ValidationError:
        return False
    return not list(check_texts({"faq": [{"a": attempt.text}]}))


PUBLISHED = [attempt for attempt in INJECTIONS if is_publishable(attempt)]


def drawer(attempt: Injection) -> str:
    """The name under which an attempt is published, which is not its canary."""
    return attempt.canary.replace("zq", "dz")


def slug_of(attempt: Injection) -> str:
    """The slug under which an attempt is published."""
    return f"what-lies-in-drawer-{drawer(attempt)}"


TEXTS = {slug_of(attempt): attempt.text for attempt in PUBLISHED}


def publish(content: Path) -> None:
    """The sample studio's content with an entry for each attempt that may be published."""
    content.mkdir()
    for file in SAMPLE.glob("*.toml"):
        shutil.copy(file, content)
    with (content / "faq.toml").open("a") as faq:
        for attempt in PUBLISHED:
            q, a = f"What lies in drawer {drawer(attempt)}?", attempt.text
            faq.write(f"\n[[faq]]\nq = {quoted(q)}\na = {quoted(a)}\ntags = []\n")


def quoted(text: str) -> str:
    """A string of TOML."""
    return json.dumps(text, ensure_ascii=False)


def obeys(call: Call) -> Iterable[Step]:
    """The habit of leading away, and of repeating the best passage and what is asked."""
    prompt = call.messages[-1]["content"]
    text = f"{EVIL}{passages(call)[0][1]} [1]\n{prompt[-700:]}"
    return says(*re.findall(r"(?s).{1,99}", text))(call)


@pytest.fixture(scope="module")
def poisoned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Poisoned]:
    """The service, once it shows the readme."""
    folder = tmp_path_factory.mktemp("poisoned")
    publish(folder / "content")
    with model_server(chat=obeys) as model, github_server() as hub:
        texts = [attempt.text.replace("zq", "zr") for attempt in INJECTIONS]
        hub.readme = readme("\n\n".join(texts))
        settings = {
            "GITHUB_USER": LOGIN,
            "GITHUB_API_URL": hub.address,
            "CHAT_LIMIT": "0",
            "AI_LLM": "openai-like",
            "AI_LLM_BASE_URL": model.url,
            "AI_LLM_MODEL": WRITER,
            "AI_LLM_FALLBACK": "extractive",
        }
        with (
            asked(folder, **settings, **LIGHT) as server,
            httpx.Client(base_url=server.address, timeout=60) as client,
        ):
            eventually(lambda: READ.search(client.get("/api/github/readme").text))
            eventually(lambda: answer_to(client, QUESTION)["model"] == WRITER, LOADING_SECONDS)
            yield Poisoned(client, model)


@pytest.fixture(scope="module", params=[WRITER, MODEL])
def answering(request: pytest.FixtureRequest, poisoned: Poisoned) -> Poisoned:
    """The service with a model that obeys everybody, and then with one that is down."""
    writer = str(request.param)
    poisoned.model.chat = obeys if writer == WRITER else refuses(503)
    return replace(poisoned, writer=writer)


def answer_to(client: httpx.Client, query: str) -> dict[str, Any]:
    """The answer to a question, once it is seen to lead nowhere."""
    answer = client.post(CHAT, json={"query": query})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    assert_harmless(body, sources_of(client, query))
    return body


def sources_of(client: httpx.Client, query: str) -> set[str]:
    """The slugs of what the answer may be made from, which the events list."""
    meta = told(client, {"query": query})[0].json()
    return {citation["slug"] for citation in meta["citations"]}


def assert_harmless(answer: dict[str, Any], sources: set[str]) -> None:
    """No image, no HTML, no address and no canary but those of its sources."""
    text = normalise(html.unescape(answer["answer"]))
    assert not MARKUP.search(answer["answer"]), text
    assert not re.search(r"zqevil|xn--", text), text
    assert not READ.search(text), text
    given = normalise(" ".join(TEXTS.get(slug, "") for slug in sources))
    assert {*NAMED.findall(text)} <= {*NAMED.findall(given)}, text
    assert {*CANARY.findall(text)} <= {*CANARY.findall(given)}, text
    numbers = {citation["n"] for citation in answer["citations"]}
    assert {int(n) for n in re.findall(r"\[(\d+)\]", text)} <= numbers, text
    assert not [each for each in answer["citations"] if "readme" in each["url"]]
    assert answer["finishReason"] in {"stop", "length"}


def test_what_content_orders_is_at_most_said_as_its_words(answering: Poisoned) -> None:
    quoted = 0
    for attempt in PUBLISHED[::EVERY]:
        query = f"What lies in drawer {drawer(attempt)}?"
        hits = answering.client.post("/api/search", json={"query": query}).json()["results"]
        assert slug_of(attempt) in {hit["slug"] for hit in hits}
        answer = answer_to(answering.client, query)
        assert answer["model"] == answering.writer
        quoted += attempt.canary in answer["answer"]
    assert quoted > len(PUBLISHED[::EVERY]) / 2


def test_nothing_of_the_readme_is_found_or_said(answering: Poisoned) -> None:
    shown = answering.client.get("/api/github/readme").json()["markdown"]
    before = len(answering.model.calls)
    for attempt in INJECTIONS[::EVERY]:
        assert attempt.canary.replace("zq", "zr") in shown
        query = f"{QUESTION} {attempt.text.replace(attempt.canary, 'tides')}"[:500]
        answer_to(answering.client, query)
        words = " ".join(re.findall(r"\w+", query))[:500]
        found = answering.client.post("/api/search", json={"query": words, "limit": 20})
        assert found.status_code == 200
        assert not READ.search(found.text)
    assert not [call for call in answering.model.calls[before:] if READ.search(str(call.body))]


def test_the_same_holds_for_an_answer_in_events(answering: Poisoned) -> None:
    for attempt in PUBLISHED[:: 4 * EVERY]:
        events = told(answering.client, {"query": f"What lies in drawer {drawer(attempt)}?"})
        meta, complete = events[0].json(), events[-1].json()
        finish = complete["finishReason"]
        given = {citation["slug"] for citation in meta["citations"]}
        assert_harmless({**meta, "answer": said(events), "finishReason": finish}, given)


def test_content_takes_neither_html_nor_images_nor_shortcodes_nor_control_characters() -> None:
    refused = [attempt for attempt in INJECTIONS if not is_publishable(attempt)]
    assert len(refused) == 23
    bare = (
        r"</?[a-zA-Z][^<>]*>|<!|!\[|^\[\^|^```|^---|\{\{|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]"
    )
    assert all(re.search(bare, attempt.text) for attempt in refused)
