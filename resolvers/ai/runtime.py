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
from functools import partial
from typing import TYPE_CHECKING, Any

from resolvers.ai.engine import AnswerEngine, Corpus, Lazy, Value
from resolvers.ai.fair_queue import FairQueue
from resolvers.ai.loader import LANES, Lane, ModelLoader, Progress
from resolvers.ai.loading_time import LoadingTime
from resolvers.ai.memory import release_freed_memory
from resolvers.embeddings.errors import ModelError
from sdl.background import give_way, without_full_collections
from sdl.errors import AiUnavailableError

if TYPE_CHECKING:
    from resolvers.embeddings.embedder import Embedder

TIMEOUT_SECONDS = 5
"""How long a question waits while models are loading."""
COOLDOWN_SECONDS = 2
"""How long after the start loading begins by itself, so that the first reads are not slowed."""
SETTLE_SECONDS = 1
"""How long a new revision is only read, while the answers are those of the one before: the first
reads of it, and a reload that follows at once, find the processor free."""
RETRY_SECONDS = 5
"""How long after a failure loading is tried again."""
MAX_QUESTIONS = 256
"""The room for questions; a short one costs 1, about 20 ms of a core."""
MAX_CHARACTERS = 400_000
"""The room for texts to embed: about fifteen seconds of one core."""
CLOSING_SECONDS = 1
"""How long `close` waits for the running step of loading."""
LEAVING_SECONDS = 20
"""How long the end of the process waits for it: native code crashes if it is cut off."""

_ROOM: dict[Lane, int] = {"questions": MAX_QUESTIONS, "texts": MAX_CHARACTERS}
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
        self._time = LoadingTime(clock)
        models.progress = self._time.note
        self._lock = threading.Lock()
        self._loading: Future[None] | None = None
        self._thread: threading.Thread | None = None
        self._wanted: Corpus | None = None
        self._built: Corpus | None = None
        self._engine: AnswerEngine | None = None
        self._is_started = False
        self._failed_at: float | None = None
        self._logged = ""
        self._queues = {lane: FairQueue(lane, LANES[lane], room) for lane, room in _ROOM.items()}
        self._has_worked = False
        self._warming: asyncio.Future[None] | None = None

    def set_content(self, corpus: Corpus) -> None:
        """Answer from this revision as soon as it is loaded. May be called from any thread."""
        self._wanted = corpus
        if self._is_started:
            self._start_loading()

    @property
    def state(self) -> str:
        """`ready` if every question is answered, `loading`, or `unavailable` after it failed."""
        if self._engine is not None and self._engine.chat.is_made and self._models.is_warm:
            return "ready"
        return "loading" if self._failed_at is None else "unavailable"

    def load(self, progress: Progress) -> "Embedder":
        """Load all for the content, however long it takes, in a process without a server.

        Blocks. `progress` is told how many of how many texts are embedded. Returns the embedder.
        Raises: ModelError.
        """
        self._models.progress = progress
        if self._wanted is None:
            raise TypeError("there is no content yet")
        self._engine, self._built = self._models.build(self._wanted), self._wanted
        self._engine.intent()
        self._engine.chat()
        self._models.fill_store(self._engine)
        return self._engine.embedder

    async def engine(self) -> AnswerEngine:
        """Return the engine, waiting a few seconds for it. Raises: AiUnavailableError."""
        if self._engine is None and not self._has_just_failed():
            with suppress(TimeoutError):
                await asyncio.wait_for(_wait(self._start_loading()), TIMEOUT_SECONDS)
        if self._engine is None:
            if self._failed_at is None:
                raise self._still_loading()
            raise AiUnavailableError(
                "The models could not be loaded. Try again later.", retry_seconds=RETRY_SECONDS
            )
        return self._engine

    async def resolve(self, value: Lazy[Value]) -> Value:
        """Return a lazy value, waiting a few seconds for it. Raises: AiUnavailableError."""
        if value.is_made:  # or it would wait behind calls for values that are being made
            return value()
        try:
            waiting = self._models.run_blocking(value, lane="router")
            resolved: Value = await asyncio.wait_for(waiting, TIMEOUT_SECONDS)
        except TimeoutError:
            raise self._still_loading() from None
        except ModelError as error:
            raise unavailable_reason(error) from None
        return resolved

    async def warm(self) -> None:
        """Wait a few seconds for the language model's client. Raises: AiUnavailableError.

        Its libraries take seconds to import, which must not count as the model's own silence.
        """
        if self._models.is_warm:
            return
        if self._warming is None or self._warming.done():
            self._warming = asyncio.ensure_future(self._models.warm())
        done, _ = await asyncio.wait({self._warming}, timeout=TIMEOUT_SECONDS)
        if not done:
            raise self._still_loading()
        self._warming.result()

    async def run_blocking(
        self,
        work: Callable[..., Any],
        *arguments: Any,
        lane: Lane = "questions",
        caller: str = "",
        cost: int = 1,
    ) -> Any:
        """Run a blocking function in a thread of the lane. Raises: AiUnavailableError."""
        with self.admit(lane, caller, cost):
            return await self.run_in_turn(work, *arguments, lane=lane, caller=caller)

    @contextmanager
    def admit(self, lane: Lane, caller: str, cost: int) -> Iterator[None]:
        """Take the room for what a caller's call costs in a lane. Raises: AiUnavailableError."""
        with self._queues[lane].admit(caller, cost):
            yield

    async def run_in_turn(
        self, work: Callable[..., Any], *arguments: Any, lane: Lane, caller: str
    ) -> Any:
        """Run a step of an admitted call when it is its caller's turn.

        Raises: AiUnavailableError.
        """
        async with self._queues[lane].turn(caller):
            self._has_worked = True
            try:
                return await self._models.run_blocking(work, *arguments, lane=lane)
            except ModelError as error:
                raise unavailable_reason(error) from None

    @property
    def queue_lengths(self) -> dict[str, int]:
        """How many calls wait in each lane."""
        return {lane: queue.length for lane, queue in self._queues.items()}

    async def run(self) -> None:
        """Load the models, retry what failed and give freed memory back, forever."""
        await asyncio.sleep(COOLDOWN_SECONDS)
        while True:
            await _wait(self._start_loading())
            await self._models.warm()
            if self._has_worked:  # each answer leaves pieces that glibc would keep
                self._has_worked = False
                await self._models.run_blocking(release_freed_memory, lane="texts")
            await asyncio.sleep(RETRY_SECONDS)

    async def close(self) -> None:
        """Stop loading and close all models and stores."""
        self._models.stop()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, CLOSING_SECONDS)
        await self._models.close()

    def _still_loading(self) -> AiUnavailableError:
        seconds = self._time.seconds_left()
        return AiUnavailableError(
            f"The models are still loading. Try again in {seconds} seconds.",
            retry_seconds=seconds,
        )

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
                self._thread = threading.Thread(
                    target=self._run, args=(self._loading,), daemon=True
                )
                self._thread.start()
            return self._loading

    def _join_at_exit(self, thread: threading.Thread) -> None:
        """Wait for the loading at exit: native code that is cut off crashes the process."""
        self._models.stop()
        thread.join(LEAVING_SECONDS)

    def _run(self, loading: "Future[None]") -> None:
        """Load the models, then end the future that calls wait for."""
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
                if self._engine is not None:
                    self._models.pause(SETTLE_SECONDS)
                    corpus = self._wanted or corpus  # what has come meanwhile
                self._time.begin()
                self._answer_on(corpus, loading)
                self._built, self._logged = corpus, ""
                release_freed_memory()
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

    @without_full_collections()
    def _answer_on(self, corpus: Corpus, loading: "Future[None]") -> None:
        engine = self._models.build(corpus)
        self._failed_at = None
        if self._engine is None:  # it can search already
            self._answer_from(engine, loading)
        engine.intent()
        engine.chat()
        if self._engine is not engine:
            self._answer_from(engine, loading)
        self._models.fill_store(engine)

    def _answer_from(self, engine: AnswerEngine, loading: "Future[None]") -> None:
        """Answer from this engine from now on, also the calls that wait for one."""
        self._engine = engine
        log.info("answers from %s, by %s", engine.digest, engine.embedder.model)
        _release(loading)

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


def unavailable_reason(error: ModelError) -> AiUnavailableError:
    """Log a model's error for the owner and return the error that the caller sees."""
    log.error("a question was not answered: %s", error)
    return AiUnavailableError("The model does not answer at the moment. Try again later.")
