"""Runs the models of one process: loads them in the background and follows the content.

Importing this module is cheap. Questions are answered by words alone within a second of the first
one; models, the vector store and their libraries are loaded meanwhile in a thread.
"""

import asyncio
import atexit
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from resolvers.ai.embedding_count import Bar, Progress, no_bar, telling, unseen
from resolvers.ai.engine import AnswerEngine, Corpus, ModelConfig
from resolvers.ai.fair_queue import FairQueue
from resolvers.ai.memory import release_freed_memory
from resolvers.embeddings.config import EmbedderConfig
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.factory import make_embedder
from sdl.errors import AiUnavailableError
from sdl.tools.background import give_way, without_full_collections

if TYPE_CHECKING:
    from resolvers.ai.builder import EngineBuilder
    from resolvers.chat.language_model import LanguageModel
    from resolvers.embeddings.embedder import Embedder

THREADS = 2
"""How many questions are answered at a time; more would only slow each other down."""
ROOM = 256
"""How much may wait; a short question costs 1, about 20 ms of a core."""
TIMEOUT_SECONDS = 5
"""How long a call waits for what is still being loaded."""
COOLDOWN_SECONDS = 2
"""How long after the start loading begins by itself, so that the first reads are not slowed."""
SETTLE_SECONDS = 1
"""How long a new revision is only read, while the answers are those of the one before, or by words:
its first reads and questions, and a reload that follows at once, find the processor free."""
RETRY_SECONDS = 5
"""How long after a failure loading is tried again."""
CLOSING_SECONDS = 1
"""How long `close` waits for the running step of loading."""
LEAVING_SECONDS = 20
"""How long the end of the process waits for it: native code crashes if it is cut off."""

_UNKNOWN = "the models were not loaded; they will be tried again"

log = logging.getLogger("studiograph.answers")


class ModelRuntime:
    """The models of one process, and the engine that answers about the newest revision.

    All loading happens on one thread at a time, which this class starts. Every other blocking call
    goes through `run_blocking`, in which addresses take turns. Coroutines run on the event loop and
    never block it.
    """

    def __init__(self, config: ModelConfig, clock: Callable[[], float] = time.monotonic) -> None:
        self.bar: Bar = no_bar
        """Shows how many texts are embedded beside the service."""
        self._config = config
        self._clock = clock
        self._threads = ThreadPoolExecutor(THREADS, "questions")
        self._queue = FairQueue("questions", THREADS, ROOM)
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._loading: Future[None] | None = None
        self._thread: threading.Thread | None = None
        self._wanted: Corpus | None = None
        self._built: Corpus | None = None
        self._engine: AnswerEngine | None = None
        self._builder: EngineBuilder | None = None
        self._embedder: Embedder | None = None
        self._writer: LanguageModel | None = None
        self._progress: Progress = unseen
        self._is_started = False
        self._failed_at: float | None = None
        self._logged = ""
        self._has_worked = False

    def set_content(self, corpus: Corpus) -> None:
        """Answer from this revision as soon as it is loaded. May be called from any thread."""
        self._wanted = corpus
        if self._is_started:
            self._start_loading()

    @property
    def state(self) -> str:
        """`ready` if the models answer, `loading`, or `unavailable` after loading them failed.

        Until they are ready, questions are answered by words alone.
        """
        if self._has_models:
            return "ready"
        return "loading" if self._failed_at is None else "unavailable"

    @property
    def _has_models(self) -> bool:
        return self._engine is not None and self._engine.embedder is self._embedder

    def load(self, progress: Progress) -> AnswerEngine:
        """Load all for the content, however long it takes, in a process without a server.

        Blocks. `progress` is told how many of how many texts are embedded. Raises: ModelError.
        """
        self._progress = progress
        if self._wanted is None:
            raise TypeError("there is no content yet")
        engine = self._load_builder().engine(self._wanted, self._wanted.operations())
        self._engine, self._built = engine, self._wanted
        return engine

    async def engine(self) -> AnswerEngine:
        """Return the engine, waiting a few seconds for one. Raises: AiUnavailableError."""
        await self._wait_until(lambda: self._engine is not None)
        assert self._engine is not None  # noqa: S101 - for the types
        return self._engine

    def engine_of(self, digest: str) -> AnswerEngine | None:
        """Return the engine of a revision; None while it or the models are being loaded."""
        engine = self._engine
        is_it = engine is not None and engine.digest == digest and self.state != "loading"
        return engine if is_it else None

    async def models(self) -> AnswerEngine:
        """Return the engine once its embedder is loaded. Raises: AiUnavailableError."""
        await self._wait_until(lambda: self._has_models)
        return await self.engine()

    async def chat_engine(self) -> AnswerEngine:
        """Return the engine for chat: with the language model, if there is one to be.

        Raises: AiUnavailableError.
        """
        return await (self.engine() if self._config.writer is None else self.models())

    @contextmanager
    def admit(self, caller: str, cost: int) -> Iterator[None]:
        """Take the room for what a caller's call costs. Raises: AiUnavailableError."""
        with self._queue.admit(caller, cost):
            yield

    async def run_in_turn(self, work: Callable[..., Any], *arguments: Any, caller: str = "") -> Any:
        """Run a blocking step of an admitted call when it is its caller's turn.

        Raises: AiUnavailableError.
        """
        async with self._queue.turn(caller):
            self._has_worked = True
            loop = asyncio.get_running_loop()
            try:
                return await loop.run_in_executor(self._threads, work, *arguments)
            except ModelError as error:
                raise unavailable_reason(error) from None

    async def run_blocking(
        self, work: Callable[..., Any], *arguments: Any, caller: str = "", cost: int = 1
    ) -> Any:
        """Run a blocking function in its caller's turn. Raises: AiUnavailableError."""
        with self.admit(caller, cost):
            return await self.run_in_turn(work, *arguments, caller=caller)

    @property
    def waiting(self) -> int:
        """How many calls wait for their turn."""
        return self._queue.length

    async def run(self) -> None:
        """Load the models, retry what failed and give freed memory back, forever."""
        await asyncio.sleep(COOLDOWN_SECONDS)
        while True:
            await _wait(self._start_loading())
            if self._has_worked:  # each answer leaves pieces that glibc would keep
                self._has_worked = False
                await asyncio.to_thread(release_freed_memory)
            await asyncio.sleep(RETRY_SECONDS)

    async def close(self) -> None:
        """Stop loading and close all models and stores."""
        self._stopped.set()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, CLOSING_SECONDS)
        if self._writer is not None:
            await self._writer.close()
        # Only an embedder that calls a provider has connections to close.
        if (close := getattr(self._embedder, "close", None)) is not None:
            close()
        self._threads.shutdown(wait=False)

    async def _wait_until(self, is_there: Callable[[], bool]) -> None:
        """Wait a few seconds for what is being loaded. Raises: AiUnavailableError."""
        ends_at = self._clock() + TIMEOUT_SECONDS
        while not is_there():
            if self._failed_at is not None and self._clock() - self._failed_at < RETRY_SECONDS:
                raise AiUnavailableError(
                    "The models could not be loaded. Try again later.", retry_seconds=RETRY_SECONDS
                )
            with suppress(TimeoutError):
                left = max(0.0, ends_at - self._clock())
                await asyncio.wait_for(_wait(self._start_loading()), left)
            if not is_there() and self._clock() >= ends_at:
                raise _still_loading()

    def _start_loading(self) -> "Future[None]":
        """Start loading unless it runs; return a future that ends with an engine or a failure."""
        with self._lock:
            self._is_started = True
            if self._loading is None:
                self._loading = Future()
                # Not a pool: at the end of the process Python joins the threads of a pool, for as
                # long as a provider that never answers is waited for.
                self._thread = threading.Thread(
                    target=self._run, args=(self._loading,), daemon=True
                )
                self._thread.start()
            return self._loading

    def _join_at_exit(self, thread: threading.Thread) -> None:
        """Wait for the loading at exit: native code that is cut off crashes the process."""
        self._stopped.set()
        thread.join(LEAVING_SECONDS)

    def _run(self, loading: "Future[None]") -> None:
        """Load the models, then release the calls that wait."""
        # One of its own for each thread: `unregister` removes all that are equal.
        join = atexit.register(partial(self._join_at_exit, threading.current_thread()))
        if self._engine is not None:  # which answers meanwhile, however long it takes
            give_way()
        try:
            self._load(loading)
        finally:
            _release(loading)
            atexit.unregister(join)

    def _load(self, loading: "Future[None]") -> None:
        """Build the newest revision's engine; the previous engine answers until it is ready."""
        try:
            while (corpus := self._next()) is not None:
                if self._has_models:
                    self._stopped.wait(SETTLE_SECONDS)
                    self._check_running()
                    corpus = self._wanted or corpus  # what has come meanwhile
                self._answer_on(corpus, loading)
                self._built, self._logged, self._failed_at = corpus, "", None
                release_freed_memory()
        except ModelError as error:
            with self._lock:
                self._failed_at, self._loading = self._clock(), None
            self._log_failure(str(error))
        except BaseException:
            with self._lock:
                self._failed_at, self._loading = self._clock(), None
            if self._logged != _UNKNOWN and not self._stopped.is_set():
                self._logged = _UNKNOWN
                log.exception(_UNKNOWN)

    @without_full_collections()
    def _answer_on(self, corpus: Corpus, loading: "Future[None]") -> None:
        operations = corpus.operations()
        is_answered = self._engine is not None and self._engine.digest == corpus.digest
        if not (self._has_models or is_answered or self._config.embedder.kind == "hash"):
            words = EmbedderConfig(kind="hash")
            by_words = self._new_builder(make_embedder(words, self._config.data), None)
            self._answer_from(by_words.engine(corpus, operations), loading)
            give_way()
            self._stopped.wait(SETTLE_SECONDS)
        builder = self._load_builder()
        engine = self._engine
        with self._telling():
            if self._has_models and engine is not None and engine.digest == corpus.digest:
                engine = builder.with_operations(engine, corpus, operations)
            else:
                engine = builder.engine(corpus, operations)
        self._answer_from(engine, loading)

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Tell how many texts are embedded in the block."""
        try:
            with telling(self.bar) as self._progress:
                yield
        finally:
            self._progress = unseen

    def _answer_from(self, engine: AnswerEngine, loading: "Future[None]") -> None:
        """Answer from this engine from now on, also the calls that wait for one."""
        self._engine = engine
        log.info("answers from %s, by %s", engine.digest, engine.embedder.model)
        _release(loading)

    def _load_builder(self) -> "EngineBuilder":
        """Return the engine builder; load the models first, in steps that `close` can end."""
        if self._builder is None:
            self._check_running()
            embedder = make_embedder(self._config.embedder, self._config.data)
            self._check_running()
            if self._config.writer is not None and self._writer is None:
                self._writer = self._config.writer()
            self._builder = self._new_builder(embedder, self._writer)
            self._embedder = embedder
        return self._builder

    def _new_builder(self, embedder: "Embedder", writer: "LanguageModel | None") -> "EngineBuilder":
        from resolvers.ai.builder import EngineBuilder  # noqa: PLC0415 - needs numpy

        return EngineBuilder(self._config, embedder, writer, self.run_blocking, self._on_progress)

    def _log_failure(self, message: str) -> None:
        """Log a failure once, although it is retried every few seconds."""
        if self._logged != message and not self._stopped.is_set():
            self._logged = message
            subject = "questions on new content are" if self._has_models else "questions are"
            is_answered = self._engine is not None and not self._has_models
            how = "answered by words alone" if is_answered else "not answered"
            log.error("%s %s: %s", subject, how, message)

    def _next(self) -> Corpus | None:
        """Return the revision to load now; `None` ends the loading."""
        with self._lock:
            if self._wanted is not self._built:
                return self._wanted
            self._loading = None
            return None

    def _on_progress(self, done: int, total: int) -> None:
        self._check_running()
        self._progress(done, total)

    def _check_running(self) -> None:
        if self._stopped.is_set():
            raise ModelError("The service stops.")


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
