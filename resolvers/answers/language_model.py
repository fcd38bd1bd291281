"""A language model over HTTP that writes answers: bounded in time, in number and in length.

It speaks to one address through llama-index. What it says is not judged here; a call that nobody
waits for any more is closed at once.
"""

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import httpx

from resolvers.answers.breaker import Breaker
from resolvers.answers.dialogue import Band, Ending, Question, Reason, Source, Token
from resolvers.answers.failures import LANGUAGE_MODEL, failures, fault_of
from resolvers.answers.faults import ModelFault
from resolvers.answers.phrases import REFUSAL
from resolvers.answers.prompt import Message, messages_of
from resolvers.answers.provider import PLACEHOLDER_KEY, async_client
from resolvers.answers.rehearsal import NOWHERE, Streaming, rehearse
from resolvers.importing import alone

NONCE_BYTES = 8
MOST_BYTES = 4 * 2**20
"""How much of one answer is read, with all that is around its words on the wire."""
MOST_CHARACTERS_PER_TOKEN = 10
"""A model that is asked for so many tokens and sends more than that does not count them."""
CONTEXT_TOKENS = 128_000
"""Said to llama-index, so that it need not look for it; nothing is cut by it."""
_REASONS: dict[str, Reason] = {
    "stop": "stop",
    "eos_token": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "error": "error",
}
_BUSY = "busy: the language model has as many calls as it may have; ask again soon."
_LATE = "The language model does not begin to answer in the time that is set for it."
_EMPTY = "The language model ended its answer without a word."


@dataclass(frozen=True)
class ModelChoice:
    """Which model, where, and its bounds. The whole time counts from the call, with all waiting."""

    base_url: str
    api_key: str = field(repr=False)
    model: str
    timeout_seconds: float = 20
    """How long the first word may take."""
    total_seconds: float = 60
    max_tokens: int = 600
    concurrency: int = 8
    queue: int = 32
    temperature: float = 0


@dataclass
class _Call:
    """One call: what was heard of it, and how far it is."""

    task: asyncio.Task[None] | None = None
    heard: "asyncio.Queue[Token | Ending | ModelFault]" = field(default_factory=asyncio.Queue)
    has_begun: bool = False
    is_answered: bool | None = None
    """Whether the provider did its part; nothing, as long as that does not show."""


class LanguageModel:
    """The Answerer that asks a provider."""

    def __init__(
        self,
        choice: ModelChoice,
        random: Callable[[int], bytes] = secrets.token_bytes,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.model = choice.model
        self._choice = choice
        self._random = random
        self._breaker = Breaker(clock)
        self._slots = asyncio.Semaphore(choice.concurrency)
        self._calls: set[asyncio.Task[None]] = set()
        self._opening = asyncio.Lock()
        self._client: httpx.AsyncClient | None = None
        self._llm: Streaming | None = None

    async def warm(self) -> None:
        """Nothing, once the first call will find everything loaded. Asks nobody."""
        await self._opened()

    async def close(self) -> None:
        """Nothing, once no call and no connection is open."""
        for task in self._calls:
            task.cancel()
        if self._calls:
            await asyncio.wait(self._calls)
        if self._client is not None:
            await self._client.aclose()

    async def stream(
        self, question: Question, sources: Sequence[Source], band: Band
    ) -> AsyncGenerator[Token | Ending]:
        """The answer in pieces, and exactly one Ending, last.

        Where nothing relevant was found, it is the fixed refusal, and no model is asked.
        Raises: ModelFault, before the first piece.
        """
        if band == "refuse" or not sources:
            yield Token(REFUSAL)
            yield Ending("stop")
            return
        nonce = self._random(NONCE_BYTES).hex()
        admission = self._breaker.admit()
        call = _Call()
        try:
            self._begin(call, messages_of(question, sources, band, nonce))
            async with aclosing(self._listen(call)) as pieces:
                async for piece in pieces:
                    yield piece
        finally:
            self._breaker.end(admission, succeeded=call.is_answered)
            if call.task is not None:
                call.task.cancel()
                await asyncio.wait([call.task])

    def _begin(self, call: _Call, messages: Sequence[Message]) -> None:
        """Nothing, once the call is under way. Raises: ModelFault."""
        if len(self._calls) >= self._choice.concurrency + self._choice.queue:
            raise ModelFault(_BUSY)
        # A task of its own: cancelled, it stops in the very read it waits in, which closes the
        # connection; and its slot is free when the model is done, however slowly it is read.
        call.task = asyncio.create_task(self._talk(call, messages))
        self._calls.add(call.task)
        call.task.add_done_callback(self._calls.discard)

    async def _listen(self, call: _Call) -> AsyncGenerator[Token | Ending]:
        """What is heard, within the bounds. Raises: ModelFault."""
        began = asyncio.get_running_loop().time()
        last = began + self._choice.total_seconds
        first = min(began + self._choice.timeout_seconds, last)
        left = self._choice.max_tokens * MOST_CHARACTERS_PER_TOKEN
        while True:
            item = await self._next(call, last if call.is_answered else first)
            if isinstance(item, Token):
                call.is_answered = True
                yield Token(item.text[:left])
                left -= len(item.text)
                if left > 0:
                    continue
                item = Ending("length")
            yield _over(call, item)
            return

    async def _next(self, call: _Call, deadline: float) -> Token | Ending | ModelFault:
        """What is heard next; what it means that nothing is, at the deadline."""
        try:
            async with asyncio.timeout_at(deadline):
                return await call.heard.get()
        except TimeoutError:
            if call.is_answered:
                return Ending("truncated")
            return ModelFault(_LATE if call.has_begun else _BUSY)

    async def _talk(self, call: _Call, messages: Sequence[Message]) -> None:
        """Nothing, once all that the model says is heard."""
        async with self._slots:
            call.has_begun = True
            try:
                await _hear(call, await self._opened(), messages)
            except failures() as error:
                call.heard.put_nowait(fault_of(error, LANGUAGE_MODEL))
            finally:
                call.heard.put_nowait(Ending("truncated"))  # unless another end was heard

    async def _opened(self) -> Streaming:
        async with self._opening:
            if self._llm is None:
                self._client = await asyncio.to_thread(_connected, self._choice)
                self._llm = await asyncio.to_thread(_made, self._choice, self._client)
            return self._llm


async def _hear(call: _Call, llm: Streaming, messages: Sequence[Message]) -> None:
    """Nothing, once the model's words and its end are heard.

    llama-index takes a stream that breaks off for one that ends: only `finish_reason` says which
    it was.
    """
    from llama_index.core.llms import ChatMessage  # noqa: PLC0415 - loaded by now

    said = [ChatMessage(role=each.role, content=each.content) for each in messages]
    async for chunk in await llm.astream_chat(said):
        if chunk.delta:
            call.heard.put_nowait(Token(chunk.delta))
        reason = _finish(chunk.raw)
        if reason is not None:
            call.heard.put_nowait(Ending(_REASONS.get(reason, "truncated")))


def _finish(raw: Any) -> str | None:
    """Why the model stopped, if a chunk says so."""
    reason = raw.choices[0].finish_reason if raw.choices else None
    return reason if reason is None else str(reason)


def _over(call: _Call, item: Ending | ModelFault) -> Ending:
    """The Ending of an answer that was begun. Raises: ModelFault, if it was not."""
    has_spoken = call.is_answered
    has_failed = isinstance(item, ModelFault) or item.reason == "error" or not has_spoken
    if has_failed and call.has_begun:
        call.is_answered = False
    if has_spoken:
        return Ending("error") if isinstance(item, ModelFault) else item
    raise item if isinstance(item, ModelFault) else ModelFault(_EMPTY)


def _connected(choice: ModelChoice) -> httpx.AsyncClient:
    return async_client(MOST_BYTES, choice.total_seconds)


def _made(choice: ModelChoice, http: httpx.AsyncClient) -> Streaming:
    """The model's client, everything of it built. Asks nobody. Blocks."""
    with alone():
        rehearse(partial(_client, replace(choice, base_url=NOWHERE)))
    return _client(choice, http)


def _client(choice: ModelChoice, http: httpx.AsyncClient) -> Streaming:
    from llama_index.llms.openai_like import OpenAILike  # type: ignore[import-untyped]  # noqa: PLC0415 - heavy

    options = {
        "model": choice.model,
        "api_base": choice.base_url,
        "api_key": choice.api_key or PLACEHOLDER_KEY,
        "is_chat_model": True,
        "is_function_calling_model": False,
        "context_window": CONTEXT_TOKENS,
        "max_tokens": choice.max_tokens,
        "temperature": choice.temperature,
        "max_retries": 0,
        "timeout": choice.total_seconds,
        "async_http_client": http,
    }
    client: Streaming = OpenAILike(**options)
    return client
