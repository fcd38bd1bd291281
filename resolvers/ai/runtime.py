"""Runs the models of one process: loads them in the background and follows the content.

Importing this module is cheap. Models, the vector store and their libraries are loaded in a
thread, a few seconds after the start or at the first question, whichever comes first.
"""

import asyncio
import atexit
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any

from resolvers.ai.loader import AnswerEngine, Corpus, Lane, Lazy, ModelLoader, Value
from resolvers.embeddings.errors import ModelError
from sdl.errors import AiUnavailableError

TIMEOUT_SECONDS = 5
"""How long a question waits while models are loading."""
COOLDOWN_SECONDS = 5
"""How long after the start loading begins by itself, so that the first reads are not slowed."""
RETRY_SECONDS = 5
"""How long after a failure loading is tried again."""
MAX_WAITING = 256
"""How many questions may wait at a time; a further one would wait for seconds."""
MAX_EMBEDDING = 16
"""How many requests to embed texts may wait at a time; each may take a second."""
CLOSING_SECONDS = 1
"""How long `close` waits for the running step of loading."""
LEAVING_SECONDS = 5
"""How long the end of the process waits for it: native code crashes if it is cut off."""

_MAX_WAITING: dict[Lane, int] = {"questions": MAX_WAITING, "texts": MAX_EMBEDDING}
_UNKNOWN = "the models were not loaded; they will be tried again"

log = logging.getLogger("studiograph.answers")


class ModelRuntime:
    """The models of one process, and the engine that answers about the newest revision.

    All loading happens on one thread at a time, which this class starts; see `ModelLoader` for
    the threads of all other work.
    """

    def __init__(self, models: ModelLoader, clock: Callable[[], float] = time.monotonic) -> None:
        self._models = models
        self._clock = clock
        self._lock = threading.Lock()
        self._loading: Future[None] | None = None
        self._thread: threading.Thread | None = None
        self._wanted: Corpus | None = None
        self._built: Corpus | None = None
        self._engine: AnswerEngine | None = None
        self._is_started = False
        self._failed_at: float | None = None
        self._logged = ""
        self._waiting = dict.fromkeys(_MAX_WAITING, 0)

    def set_content(self, corpus: Corpus) -> None:
        """Answer from this revision as soon as it is loaded. May be called from any thread."""
        self._wanted = corpus
        if self._is_started:
            self._start_loading()

    @property
    def state(self) -> str:
        """`ready`, `loading`, or `unavailable` after loading failed."""
        if self._engine is not None:
            return "ready"
        return "loading" if self._failed_at is None else "unavailable"

    async def engine(self) -> AnswerEngine:
        """Return the engine, waiting a few seconds for it. Raises: AiUnavailableError."""
        if self._engine is None and not self._has_just_failed():
            with suppress(TimeoutError):
                await asyncio.wait_for(_wait(self._start_loading()), TIMEOUT_SECONDS)
        if self._engine is None:
            if self._failed_at is None:
                raise _still_loading()
            raise AiUnavailableError(
                "The models could not be loaded. Try again later.", retry_seconds=RETRY_SECONDS
            )
        return self._engine

    async def resolve(self, value: Lazy[Value]) -> Value:
        """Return a lazy value, waiting a few seconds for it. Raises: AiUnavailableError."""
        try:
            waiting = self._models.run_blocking(value, lane="router")
            resolved: Value = await asyncio.wait_for(waiting, TIMEOUT_SECONDS)
        except TimeoutError:
            raise _still_loading() from None
        except ModelError as error:
            raise unavailable_reason(error) from None
        return resolved

    async def run_blocking(
        self, work: Callable[..., Any], *arguments: Any, lane: Lane = "questions"
    ) -> Any:
        """Run a blocking function in a thread of the lane. Raises: AiUnavailableError."""
        with self._admit(lane):
            return await self._models.run_blocking(work, *arguments, lane=lane)

    async def run(self) -> None:
        """Load the models, and retry what failed, forever."""
        await asyncio.sleep(COOLDOWN_SECONDS)
        while True:
            await _wait(self._start_loading())
            await self._models.warm()
            await asyncio.sleep(RETRY_SECONDS)

    async def close(self) -> None:
        """Stop loading and close all models and stores."""
        self._models.stop()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, CLOSING_SECONDS)
        await self._models.close()

    @contextmanager
    def _admit(self, lane: Lane) -> Iterator[None]:
        """Count one more call of the lane while inside. Raises: AiUnavailableError."""
        if self._waiting[lane] >= _MAX_WAITING[lane]:
            raise AiUnavailableError(
                f"Too many {lane} are waiting. Try again in a second.", retry_seconds=1
            )
        self._waiting[lane] += 1
        try:
            yield
        except ModelError as error:
            raise unavailable_reason(error) from None
        finally:
            self._waiting[lane] -= 1

    def _has_just_failed(self) -> bool:
        failed_at = self._failed_at
        return failed_at is not None and self._clock() - failed_at < RETRY_SECONDS

    def _start_loading(self) -> "Future[None]":
        """Start loading unless it runs; return a future that ends with an engine or a failure."""
        with self._lock:
            self._is_started = True
            if self._loading is None:
                self._loading = Future()
                # Not a pool: at the end of the process Python joins the threads of a pool, for as
                # long as a provider that never answers is waited for.
                thread = threading.Thread(target=self._run, args=(self._loading,), daemon=True)
                self._thread = thread
                atexit.register(self._join_at_exit, thread)  # before `start`, which may end first
                thread.start()
            return self._loading

    def _join_at_exit(self, thread: threading.Thread) -> None:
        """Wait for the loading at exit: native code that is cut off crashes the process."""
        self._models.stop()
        thread.join(LEAVING_SECONDS)

    def _run(self, loading: "Future[None]") -> None:
        """Load the models, then end the future that calls wait for."""
        try:
            self._load(loading)
        finally:
            _release(loading)
            atexit.unregister(self._join_at_exit)

    def _load(self, loading: "Future[None]") -> None:
        """Build the newest revision's engine; the previous engine answers until it is ready."""
        try:
            while (corpus := self._next()) is not None:
                self._engine = self._models.build(corpus)
                self._built, self._failed_at, self._logged = corpus, None, ""
                log.info("answers from %s, by %s", corpus.digest, self._engine.embedder.model)
                _release(loading)
                self._engine.intent()
                self._engine.warm()
        except ModelError as error:
            with self._lock:
                self._failed_at, self._loading = self._clock(), None
            self._log_failure(str(error))
        except BaseException:
            with self._lock:
                self._failed_at, self._loading = self._clock(), None
            if self._logged != _UNKNOWN and not self._models.is_stopped:
                self._logged = _UNKNOWN
                log.exception(_UNKNOWN)

    def _log_failure(self, message: str) -> None:
        """Log a failure once, although it is retried every few seconds."""
        if self._logged != message and not self._models.is_stopped:
            self._logged = message
            subject = "questions are" if self._engine is None else "questions on new content are"
            log.error("%s not answered: %s", subject, message)

    def _next(self) -> Corpus | None:
        """Return the revision to load now; `None` ends the loading."""
        with self._lock:
            if self._wanted is not self._built:
                return self._wanted
            self._loading = None
            return None


async def _wait(loading: "Future[None]") -> None:
    """Wait for the loading, which continues if the caller is cancelled."""
    await asyncio.shield(asyncio.wrap_future(loading))


def _release(loading: "Future[None]") -> None:
    """End the future, so that the calls that wait for it continue."""
    if not loading.done():
        loading.set_result(None)


def _still_loading() -> AiUnavailableError:
    return AiUnavailableError(
        f"The models are still loading. Try again in {RETRY_SECONDS} seconds.",
        retry_seconds=RETRY_SECONDS,
    )


def unavailable_reason(error: ModelError) -> AiUnavailableError:
    """Log a model's error for the owner and return the error that the caller sees."""
    log.error("a question was not answered: %s", error)
    return AiUnavailableError("The model does not answer at the moment. Try again later.")
