"""A language model over HTTP, with limits on time, number of calls and length of answers.

Calls go to one configured URL, whose API is that of OpenAI. Servers send events that say nothing of
the answer: null, empty, parts, usage. A call is closed as soon as its reader leaves.
"""

import asyncio
import json
import logging
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from resolvers.chat.conversation import ChatRequest, Finish, Reason, Source, TextDelta
from resolvers.chat.prompt import PromptMessage, messages_of
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.provider import (
    FAILURES,
    LANGUAGE_MODEL,
    check_response,
    client_options,
    to_model_error,
)

NONCE_BYTES = 8
MAX_BYTES = 4 * 2**20
"""How much of one response is read, including the overhead of its format."""
MAX_FAILURES = 5
"""After how many failures in a row calls fail at once."""
PAUSE_SECONDS = 15
"""For how long, before one call may try again."""
MAX_CHARACTERS_PER_TOKEN = 10
"""An answer with more characters for each allowed token is cut off."""
_REASONS: dict[str, Reason] = {
    "stop": "stop",
    "eos_token": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "error": "error",
}
_BUSY = "busy: the language model already has the maximum number of calls. Try again soon."
_LATE = "The language model did not begin to answer within the configured time."
_EMPTY = "The language model ended its answer without any text."

log = logging.getLogger("studiograph.answers")


@dataclass(frozen=True)
class LanguageModelConfig:
    """The model, its URL and its limits."""

    base_url: str
    api_key: str = field(repr=False)
    model: str
    timeout_seconds: float = 20
    """How long the first piece of text may take."""
    total_seconds: float = 80
    """How long a call may take in all, including the time that it waits for others."""
    max_tokens: int = 600
    concurrency: int = 8
    queue: int = 32
    temperature: float = 0


@dataclass
class _StreamState:
    """One call and what was received of it."""

    task: asyncio.Task[None] | None = None
    received: "asyncio.Queue[TextDelta | Finish | ModelError]" = field(
        default_factory=asyncio.Queue
    )
    has_begun: bool = False
    is_answered: bool | None = None
    """Whether the provider answered; `None` while that is unknown."""


class LanguageModel:
    """An `Answerer` that calls a provider."""

    def __init__(
        self,
        config: LanguageModelConfig,
        random: Callable[[int], bytes] = secrets.token_bytes,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.model = config.model
        self._config = config
        self._random = random
        self._clock = clock
        self._failures = 0
        self._paused_at = 0.0
        self._probe: _StreamState | None = None
        """The call that tries again after a pause."""
        self._slots = asyncio.Semaphore(config.concurrency)
        self._calls: set[asyncio.Task[None]] = set()
        self._client = httpx.AsyncClient(
            **client_options(config.api_key, config.total_seconds),
            limits=httpx.Limits(),  # the slots count calls
        )

    async def close(self) -> None:
        """Cancel all calls and close all connections."""
        for task in self._calls:
            task.cancel()
        if self._calls:
            await asyncio.wait(self._calls)
        await self._client.aclose()

    async def stream(
        self, question: ChatRequest, sources: Sequence[Source]
    ) -> AsyncGenerator[TextDelta | Finish]:
        """Yield the answer in pieces, then exactly one `Finish`.

        Raises: ModelError before the first piece.
        """
        nonce = self._random(NONCE_BYTES).hex()
        call = _StreamState()
        self._begin(call)
        try:
            self._start_call(call, messages_of(question, sources, nonce))
            began = asyncio.get_running_loop().time()
            last = began + self._config.total_seconds
            first = min(began + self._config.timeout_seconds, last)
            characters_left = self._config.max_tokens * MAX_CHARACTERS_PER_TOKEN
            while characters_left > 0:
                item = await self._next(call, last if call.is_answered else first)
                if not isinstance(item, TextDelta):
                    yield _checked_finish(call, item)
                    return
                call.is_answered = True
                yield TextDelta(item.text[:characters_left])
                characters_left -= len(item.text)
            yield _checked_finish(call, Finish("length"))
        finally:
            self._end(call)
            if call.task is not None:
                call.task.cancel()
                await asyncio.wait([call.task])

    def _begin(self, call: _StreamState) -> None:
        """Let a call begin. Raises: ModelError after several failures in a row."""
        if self._failures < MAX_FAILURES:
            return
        wait = self._paused_at + PAUSE_SECONDS - self._clock()
        if self._probe is not None or wait > 0:
            raise ModelError(
                "The model provider failed several times in a row; it will be tried again in"
                f" {max(1, round(wait))} seconds."
            )
        self._probe = call

    def _end(self, call: _StreamState) -> None:
        """Count how a call ended, if that says anything about the provider.

        One that began before a pause and fails during it does not make the pause longer.
        """
        is_paused = self._failures == MAX_FAILURES and self._probe is not call
        self._probe = None if self._probe is call else self._probe
        if call.is_answered:
            self._failures = 0
        elif call.is_answered is False and not is_paused:
            self._failures = min(self._failures + 1, MAX_FAILURES)
            if self._failures == MAX_FAILURES:
                self._paused_at = self._clock()
                log.error(
                    "the language model failed %d times in a row; it is tried again in %d seconds",
                    *(MAX_FAILURES, PAUSE_SECONDS),
                )

    def _start_call(self, call: _StreamState, messages: Sequence[PromptMessage]) -> None:
        """Start the call. Raises: ModelError if too many are running."""
        if len(self._calls) >= self._config.concurrency + self._config.queue:
            raise ModelError(_BUSY)
        # The call is a task of its own for two reasons. If it is cancelled, it stops inside the
        # read that it waits in, which closes the connection. And its slot is free as soon as the
        # model has finished, however slowly the caller reads.
        call.task = asyncio.create_task(self._receive(call, messages))
        self._calls.add(call.task)
        call.task.add_done_callback(self._calls.discard)

    async def _next(self, call: _StreamState, deadline: float) -> TextDelta | Finish | ModelError:
        """Return the next item; at the deadline, `Finish` if there was text, else a ModelError."""
        try:
            async with asyncio.timeout_at(deadline):
                return await call.received.get()
        except TimeoutError:
            if call.is_answered:
                return Finish("truncated")
            return ModelError(_LATE if call.has_begun else _BUSY)

    async def _receive(self, call: _StreamState, messages: Sequence[PromptMessage]) -> None:
        """Receive everything that the model sends."""
        async with self._slots:
            call.has_begun = True
            try:
                await self._read(call, messages)
            except FAILURES as error:
                call.received.put_nowait(to_model_error(error, LANGUAGE_MODEL))
            finally:
                call.received.put_nowait(Finish("truncated"))  # ignored after another Finish

    async def _read(self, call: _StreamState, messages: Sequence[PromptMessage]) -> None:
        """Receive the model's text, and why it stopped."""
        body = {
            "model": self._config.model,
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            "max_tokens": self._config.max_tokens,
            "temperature": self._config.temperature,
            "stream": True,
        }
        url = f"{self._config.base_url.rstrip('/')}/chat/completions"
        request = self._client.build_request("POST", url, json=body)
        response = await self._client.send(request, stream=True)
        try:
            async for line in _lines(response):
                for choice in _choices(line):
                    if text := _text(choice.get("delta")):
                        call.received.put_nowait(TextDelta(text))
                    if isinstance(reason := choice.get("finish_reason"), str):
                        call.received.put_nowait(Finish(_REASONS.get(reason, "truncated")))
                        return
        finally:
            # If closing were cancelled, the connection would stay in httpcore's pool forever.
            await asyncio.shield(asyncio.ensure_future(response.aclose()))


async def _lines(response: httpx.Response) -> AsyncIterator[str]:
    count, parts = check_response(response, MAX_BYTES), list[bytes]()
    async for piece in response.aiter_raw():
        *lines, rest = count(piece).split(b"\n")
        for line in lines:
            yield b"".join([*parts, line]).decode()
            parts.clear()
        parts.append(rest)
    yield b"".join(parts).decode()


def _choices(line: str) -> list[Mapping[str, Any]]:
    """Return the choices of an event; none of one that has no text to tell.

    Raises: ValueError, if it is neither JSON nor empty, or tells of an error.
    """
    data = line.removeprefix("data:").strip()
    if not line.startswith("data:") or data in {"", "[DONE]"}:
        return []
    event = json.loads(data)
    if isinstance(event, dict) and event.get("error"):
        raise ValueError("the provider tells of an error")
    choices = event.get("choices") if isinstance(event, dict) else None
    return [choice for choice in choices or () if isinstance(choice, dict)]


def _text(delta: Any) -> str:
    """Return what a delta has of the answer; what a model reasons stands in other members."""
    content = delta.get("content") if isinstance(delta, dict) else None
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _checked_finish(call: _StreamState, item: Finish | ModelError) -> Finish:
    """Return the `Finish` of an answer that has text. Raises: ModelError if it has none."""
    has_text = call.is_answered
    has_failed = isinstance(item, ModelError) or item.reason == "error" or not has_text
    if has_failed and call.has_begun:
        call.is_answered = False
    if has_text:
        return Finish("error") if isinstance(item, ModelError) else item
    raise item if isinstance(item, ModelError) else ModelError(_EMPTY)
