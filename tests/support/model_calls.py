"""Calls of a language model on the loopback, with the question and sources they share."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from resolvers.chat.conversation import ChatRequest, Finish, Source, TextDelta
from resolvers.chat.language_model import LanguageModel, LanguageModelConfig

BASE = "https://studio.example"
QUESTION = ChatRequest("What does it cost?")
SOURCES = (
    Source(1, "faq", "price", "Price", f"{BASE}/faq", 0.6, "The price is fixed. It is so."),
    Source(2, "faq", "time", "Time", f"{BASE}/faq", 0.5, "It takes twelve weeks."),
)
NONCE = "ab" * 8
SECRET = "sk-secret"  # noqa: S105 - it opens nothing

Work = Callable[[LanguageModel], Awaitable[Any]]


def choice(url: str, **bounds: Any) -> LanguageModelConfig:
    """A model at an address, with bounds that a test can wait for."""
    given = {"model": "m", "timeout_seconds": 15, "total_seconds": 20, **bounds}
    return LanguageModelConfig(url, SECRET, **given)


def with_model(
    made: LanguageModelConfig, work: Work, clock: Callable[[], float] = lambda: 0.0
) -> Any:
    """What comes of work with a model, loaded before and closed after it; no task is left."""

    async def go() -> Any:
        model = LanguageModel(made, lambda _: bytes.fromhex(NONCE), clock)
        try:
            result = await work(model)
        finally:
            await model.close()
        assert await only_task()
        return result

    return asyncio.run(go())


async def only_task() -> bool:
    """Whether no other task goes on, once generators that were dropped are closed."""
    while others := asyncio.all_tasks() - {asyncio.current_task()}:
        _, pending = await asyncio.wait(others, timeout=60)
        if pending:
            return False
    return True


async def heard(
    model: LanguageModel,
    question: ChatRequest = QUESTION,
    sources: tuple[Source, ...] = SOURCES,
) -> tuple[str, str]:
    """The whole answer and the reason of its one Ending."""
    *tokens, ending = [piece async for piece in model.stream(question, sources)]
    assert isinstance(ending, Finish)
    texts = [token.text for token in tokens if isinstance(token, TextDelta)]
    assert len(texts) == len(tokens) > 0
    return "".join(texts), ending.reason
