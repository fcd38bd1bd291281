"""A language model over HTTP that writes answers: bounded in time, in number and in length.

It speaks to one address through llama-index. What it says is not judged here; a call that nobody
waits for any more is closed at once.
"""

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import httpx

from resolvers.chat.circuit_breaker import CircuitBreaker
from resolvers.chat.conversation import REFUSAL, ChatRequest, Finish, Reason, Source, TextDelta
from resolvers.chat.prompt import PromptMessage, messages_of
from resolvers.chat.warmup import NOWHERE, Streaming, warm_up
from resolvers.db.database import IMPORT_LOCK
from resolvers.embeddings.bounded_http import PLACEHOLDER_KEY, async_client
from resolvers.embeddings.errors import LANGUAGE_MODEL, ModelError, map_errors, to_model_error
from resolvers.search.index import Band

NONCE_BYTES = 8
MAX_BYTES = 4 * 2**20
"""How much of one answer is read, with all that is around its words on the wire."""
MAX_CHARACTERS_PER_TOKEN = 10
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
class LanguageModelConfig:
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
class _StreamState:
    """One call: what was heard of it, and how far it is."""

    task: asyncio.Task[None] | None = None
    heard: "asyncio.Queue[TextDelta | Finish | ModelError]" = field(default_factory=asyncio.Queue)
    has_begun: bool = False
    is_answered: bool | None = None
    """Whether the provider did its part; nothing, as long as that does not show."""


class LanguageModel:
    """The Answerer that asks a provider."""

    def __init__(
        self,
        choice: LanguageModelConfig,
        random: Callable[[int], bytes] = secrets.token_bytes,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.model = choice.model
        self._choice = choice
        self._random = random
        self._breaker = CircuitBreaker(clock)
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
        self, question: ChatRequest, sources: Sequence[Source], band: Band
    ) -> AsyncGenerator[TextDelta | Finish]:
        """The answer in pieces, and exactly one Ending, last.

        Where nothing relevant was found, it is the fixed refusal, and no model is asked.
        Raises: ModelFault, before the first piece.
        """
        if band == "refuse" or not sources:
            yield TextDelta(REFUSAL)
            yield Finish("stop")
            return
        nonce = self._random(NONCE_BYTES).hex()
        permit = self._breaker.acquire()
        call = _StreamState()
        try:
            self._begin(call, messages_of(question, sources, band, nonce))
            began = asyncio.get_running_loop().time()
            last = began + self._choice.total_seconds
            first = min(began + self._choice.timeout_seconds, last)
            left = self._choice.max_tokens * MAX_CHARACTERS_PER_TOKEN
            while left > 0:
                item = await self._next(call, last if call.is_answered else first)
                if not isinstance(item, TextDelta):
                    yield _over(call, item)
                    return
                call.is_answered = True
                yield TextDelta(item.text[:left])
                left -= len(item.text)
            yield _over(call, Finish("length"))
        finally:
            self._breaker.release(permit, succeeded=call.is_answered)
            if call.task is not None:
                call.task.cancel()
                await asyncio.wait([call.task])

    def _begin(self, call: _StreamState, messages: Sequence[PromptMessage]) -> None:
        """Nothing, once the call is under way. Raises: ModelFault."""
        if len(self._calls) >= self._choice.concurrency + self._choice.queue:
            raise ModelError(_BUSY)
        # A task of its own: cancelled, it stops in the very read it waits in, which closes the
        # connection; and its slot is free when the model is done, however slowly it is read.
        call.task = asyncio.create_task(self._talk(call, messages))
        self._calls.add(call.task)
        call.task.add_done_callback(self._calls.discard)

    async def _next(self, call: _StreamState, deadline: float) -> TextDelta | Finish | ModelError:
        """What is heard next; what it means that nothing is, at the deadline."""
        try:
            async with asyncio.timeout_at(deadline):
                return await call.heard.get()
        except TimeoutError:
            if call.is_answered:
                return Finish("truncated")
            return ModelError(_LATE if call.has_begun else _BUSY)

    async def _talk(self, call: _StreamState, messages: Sequence[PromptMessage]) -> None:
        """Nothing, once all that the model says is heard."""
        async with self._slots:
            call.has_begun = True
            try:
                await _read_chunk(call, await self._opened(), messages)
            except map_errors() as error:
                call.heard.put_nowait(to_model_error(error, LANGUAGE_MODEL))
            finally:
                call.heard.put_nowait(Finish("truncated"))  # unless another end was heard

    async def _opened(self) -> Streaming:
        async with self._opening:
            if self._llm is None:
                self._client = await asyncio.to_thread(_connected, self._choice)
                self._llm = await asyncio.to_thread(_made, self._choice, self._client)
            return self._llm


async def _read_chunk(
    call: _StreamState, llm: Streaming, messages: Sequence[PromptMessage]
) -> None:
    """Nothing, once the model's words and its end are heard.

    llama-index takes a stream that breaks off for one that ends: only `finish_reason` says which
    it was.
    """
    from llama_index.core.llms import ChatMessage  # noqa: PLC0415 - loaded by now

    said = [ChatMessage(role=each.role, content=each.content) for each in messages]
    async for chunk in await llm.astream_chat(said):
        if chunk.delta:
            call.heard.put_nowait(TextDelta(chunk.delta))
        reason = _finish(chunk.raw)
        if reason is not None:
            call.heard.put_nowait(Finish(_REASONS.get(reason, "truncated")))


def _finish(raw: Any) -> str | None:
    """Why the model stopped, if a chunk says so."""
    reason = raw.choices[0].finish_reason if raw.choices else None
    return reason if reason is None else str(reason)


def _over(call: _StreamState, item: Finish | ModelError) -> Finish:
    """The Ending of an answer that was begun. Raises: ModelFault, if it was not."""
    has_spoken = call.is_answered
    has_failed = isinstance(item, ModelError) or item.reason == "error" or not has_spoken
    if has_failed and call.has_begun:
        call.is_answered = False
    if has_spoken:
        return Finish("error") if isinstance(item, ModelError) else item
    raise item if isinstance(item, ModelError) else ModelError(_EMPTY)


def _connected(choice: LanguageModelConfig) -> httpx.AsyncClient:
    return async_client(MAX_BYTES, choice.total_seconds)


def _made(choice: LanguageModelConfig, http: httpx.AsyncClient) -> Streaming:
    """The model's client, everything of it built. Asks nobody. Blocks."""
    with IMPORT_LOCK:
        warm_up(partial(_client, replace(choice, base_url=NOWHERE)))
    return _client(choice, http)


def _client(choice: LanguageModelConfig, http: httpx.AsyncClient) -> Streaming:
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
