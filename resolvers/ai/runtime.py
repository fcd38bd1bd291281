"""The wing of answers: loads its models behind the first reads, and follows the content.

Importing it costs nothing: models, the vector store and their libraries are loaded in a thread, a
moment after the start or at the first question, whichever comes first.
"""

import asyncio
import atexit
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any

from resolvers.ai.loader import AnswerEngine, Corpus, Lazy, ModelLoader, Value
from resolvers.embeddings.errors import ModelError
from sdl.errors import AiUnavailableError

TIMEOUT_SECONDS = 5
"""How long a question waits for models that are being loaded."""
COOLDOWN_SECONDS = 5
"""How long a start is left to reads before the models are loaded unasked."""
RETRY_SECONDS = 5
"""After how long what could not be loaded is tried again."""
MAX_WAITING = 256
"""How many questions wait at a time: one more would wait for seconds."""
MAX_EMBEDDING = 16
"""The same of texts to embed, which may take a second each."""
CLOSING_SECONDS = 1
"""How long a stop waits for the step of a loading that is under way."""
LEAVING_SECONDS = 5
"""How much longer the end of the process waits for it: native code does not survive that."""

_UNKNOWN = "the models were not loaded; they will be tried again"

log = logging.getLogger("studiograph.answers")


class ModelRuntime:
    """The models of one process, and what answers questions about the newest revision."""

    def __init__(self, models: ModelLoader, clock: Callable[[], float] = time.monotonic) -> None:
        self._models = models
        self._clock = clock
        self._changing = threading.Lock()
        self._loading: Future[None] | None = None
        self._thread: threading.Thread | None = None
        self._wanted: Corpus | None = None
        self._built: Corpus | None = None
        self._loaded: AnswerEngine | None = None
        self._is_awake = False
        self._failed_at: float | None = None
        self._told = ""
        self._waiting = {"questions": 0, "texts": 0}

    def set_content(self, content: Corpus) -> None:
        """Let this revision be answered from, as soon as it is loaded; any thread may say so."""
        self._wanted = content
        if self._is_awake:
            self._begin()

    @property
    def state(self) -> str:
        """`ready`, `loading`, or `unavailable` where loading has failed."""
        if self._loaded is not None:
            return "ready"
        return "loading" if self._failed_at is None else "unavailable"

    async def engine(self) -> AnswerEngine:
        """What answers, once it is loaded. Raises: AiUnavailable."""
        if self._loaded is None and not self._has_just_failed():
            with suppress(TimeoutError):
                await asyncio.wait_for(_ended(self._begin()), TIMEOUT_SECONDS)
        if self._loaded is None:
            said = "are still being loaded" if self._failed_at is None else "cannot be loaded"
            raise AiUnavailableError(
                f"The models {said}; ask again soon.", retry_seconds=RETRY_SECONDS
            )
        return self._loaded

    async def is_loaded(self, later: Lazy[Value]) -> Value:
        """What is made after the rest, once it is; no search waits. Raises: AiUnavailable."""
        try:
            return await asyncio.wait_for(self._models.is_loaded(later), TIMEOUT_SECONDS)
        except TimeoutError:
            told = "The models are still being loaded; ask again soon."
            raise AiUnavailableError(told, retry_seconds=RETRY_SECONDS) from None
        except ModelError as fault:
            raise unavailable_reason(fault) from None

    async def run_blocking(self, work: Callable[..., Any], *given: Any) -> Any:
        """What blocking work gives, done in one of the wing's threads. Raises: AiUnavailable."""
        with self._admitted("questions", MAX_WAITING):
            return await self._models.run_blocking(work, *given)

    async def embed(self, texts: Sequence[str]) -> Any:
        """The texts' vectors. Raises: AiUnavailable."""
        with self._admitted("texts", MAX_EMBEDDING):
            return await self._models.embed(texts)

    async def run(self) -> None:
        """Load the models, and again what could not be loaded, for ever."""
        await asyncio.sleep(COOLDOWN_SECONDS)
        while True:
            await _ended(self._begin())
            await self._models.warm()
            await asyncio.sleep(RETRY_SECONDS)

    async def close(self) -> None:
        """Nothing, once no model and no store is open any more."""
        self._models.stop()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, CLOSING_SECONDS)
        await self._models.close()

    @contextmanager
    def _admitted(self, what: str, most: int) -> Iterator[None]:
        """While inside, one more is worked on or waits. Raises: AiUnavailable."""
        if self._waiting[what] >= most:
            raise AiUnavailableError(
                f"Too many {what} wait already; ask again soon.", retry_seconds=1
            )
        self._waiting[what] += 1
        try:
            yield
        except ModelError as fault:
            raise unavailable_reason(fault) from None
        finally:
            self._waiting[what] -= 1

    def _has_just_failed(self) -> bool:
        failed = self._failed_at
        return failed is not None and self._clock() - failed < RETRY_SECONDS

    def _begin(self) -> "Future[None]":
        """The loading of what is wanted, over once something answers; one at a time."""
        with self._changing:
            self._is_awake = True
            if self._loading is None:
                self._loading = Future()
                # No pool: its threads would hold up the end of the process for as long as a
                # provider that says nothing is waited for.
                load = threading.Thread(target=self._shut_down, args=(self._loading,), daemon=True)
                self._thread = load
                atexit.register(self._hand_over, load)  # first: it may be over at once
                load.start()
            return self._loading

    def _hand_over(self, load: threading.Thread) -> None:
        """Hold the end of the process up while native code runs, which would not survive it."""
        self._models.stop()
        load.join(LEAVING_SECONDS)

    def _shut_down(self, loading: "Future[None]") -> None:
        """The loading, and its end for all who wait for it."""
        try:
            self._load(loading)
        finally:
            _let_go(loading)
            atexit.unregister(self._hand_over)

    def _load(self, loading: "Future[None]") -> None:
        """What is wanted becomes what answers; until then, what answered before does."""
        try:
            while (content := self._next()) is not None:
                self._loaded = self._models.build(content)
                self._built, self._failed_at, self._told = content, None, ""
                log.info("answers from %s, by %s", content.digest, self._loaded.embedder.model)
                _let_go(loading)
                self._loaded.intent()
                self._loaded.warm()
        except ModelError as fault:
            with self._changing:
                self._failed_at, self._loading = self._clock(), None
            self._log_state(str(fault))
        except BaseException:
            with self._changing:
                self._failed_at, self._loading = self._clock(), None
            if self._told != _UNKNOWN and not self._models.is_stopped:
                self._told = _UNKNOWN
                log.exception(_UNKNOWN)

    def _log_state(self, fault: str) -> None:
        """Tells the owner once what is tried again every few seconds."""
        if self._told != fault and not self._models.is_stopped:
            self._told = fault
            meant = "questions are" if self._loaded is None else "what was changed last is"
            log.error("%s not answered: %s", meant, fault)

    def _next(self) -> Corpus | None:
        """What is to be loaded now; with nothing left, the loading is over."""
        with self._changing:
            if self._wanted is not self._built:
                return self._wanted
            self._loading = None
            return None


async def _ended(loading: "Future[None]") -> None:
    """Nothing, once it is over; it goes on if nobody waits any more."""
    await asyncio.shield(asyncio.wrap_future(loading))


def _let_go(loading: "Future[None]") -> None:
    """Let all go on who wait for it."""
    if not loading.done():
        loading.set_result(None)


def unavailable_reason(fault: ModelError) -> AiUnavailableError:
    """What a caller is told of a model's fault; the owner reads what it was."""
    log.error("a question was not answered: %s", fault)
    return AiUnavailableError("The model does not answer now; ask again soon.")
