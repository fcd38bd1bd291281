"""Loads the models of one process, and keeps the engine of the newest revision.

Heavy libraries are imported only when the first model is loaded.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from resolvers.ai.engine import AnswerEngine, Corpus, ModelConfig
from resolvers.db.database import IMPORT_LOCK
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.factory import make_embedder

if TYPE_CHECKING:
    from resolvers.ai.builder import EngineBuilder
    from resolvers.chat.language_model import LanguageModel
    from resolvers.embeddings.embedder import Embedder
    from resolvers.intent.operation import RoutableOperation
    from resolvers.search.chroma import VectorStore
    from resolvers.search.index import Index

Lane = Literal["questions", "texts", "router"]
"""A kind of blocking work that has threads of its own."""

THREADS = 2
"""How many questions are answered at a time; more would only slow each other down."""
Progress = Callable[[int, int], None]

LANES: dict[Lane, int] = {"questions": THREADS, "texts": 1, "router": 1}
"""The number of threads of each lane."""


class ModelLoader:
    """The embedder, the vector store and the language model of one process.

    Which thread a line runs on: `build` and everything that it loads run on the one loading thread
    of `ModelRuntime`. Every other blocking call goes through `run_blocking`, which gives questions,
    texts to embed and waiting for the intent router threads of their own, so that a slow call of
    one kind never delays another kind. Coroutines run on the event loop and never block it.
    """

    def __init__(self, config: ModelConfig) -> None:
        self._config = config
        self._pools = {lane: ThreadPoolExecutor(threads, lane) for lane, threads in LANES.items()}
        self._embedder: Embedder | None = None
        self._store: VectorStore | None = None
        self._writer: LanguageModel | None = None
        self._builder: EngineBuilder | None = None
        self._engine: AnswerEngine | None = None
        self._stored: Index | None = None
        self._operations: tuple[RoutableOperation, ...] = ()
        self._stopped = threading.Event()
        self.progress: Progress = _unseen
        """Is told how many of how many texts are embedded, each time that some are."""

    async def run_blocking(
        self, work: Callable[..., Any], *arguments: Any, lane: Lane = "questions"
    ) -> Any:
        """Run a blocking function in a thread of the lane and return its result."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pools[lane], work, *arguments)

    def build(self, corpus: Corpus) -> AnswerEngine:
        """Return the engine for a revision. Blocks. Raises: ModelError.

        If the content is the same as at the last call, only the intent router may be replaced:
        new keys or facts from outside make a new revision with equal content.
        """
        builder = self._load_builder()
        operations, engine = corpus.operations(), self._engine
        if engine is None or engine.digest != corpus.digest:
            engine = builder.engine(corpus, operations)
        elif operations != self._operations:
            intent = builder.intent(corpus, operations, engine.facts)
            engine = replace(engine, intent=intent)
        self._operations, self._engine = operations, engine
        return engine

    def fill_store(self, engine: AnswerEngine) -> None:
        """Put an engine's vectors into the store, once. Blocks. Raises: ModelError.

        The store's library takes a second to import; until then vectors are searched in this
        process, which finds the same.
        """
        if engine.index is self._stored:
            return
        self._check_running()
        _import_chroma()
        self._check_running()
        engine.index.fill_store()
        before, self._stored = self._stored, engine.index
        if before is not None:
            before.leave_store(engine.index)

    @property
    def is_warm(self) -> bool:
        """Whether the language model can be called at once, if there is one."""
        return self._writer is None or self._writer.is_open

    async def warm(self) -> None:
        """Load what the language model's first call needs."""
        if self._writer is not None:
            await self._writer.warm()

    @property
    def is_stopped(self) -> bool:
        """Whether nothing is to be loaded any more."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Make a running `build` end at its next step, and `pause` at once."""
        self._stopped.set()

    def pause(self, seconds: float) -> None:
        """Wait, unless the loading is stopped. Raises: ModelError."""
        self._stopped.wait(seconds)
        self._check_running()

    async def close(self) -> None:
        """Close the language model, the vector store and the embedder."""
        if self._writer is not None:
            await self._writer.close()
        if self._store is not None:
            await self.run_blocking(self._store.close)
        # Only an embedder that calls a provider has connections to close.
        if (close := getattr(self._embedder, "close", None)) is not None:
            close()
        for pool in self._pools.values():
            pool.shutdown(wait=False)

    def _load_builder(self) -> "EngineBuilder":
        """Load all libraries, the models and the store, in steps that `stop` can end."""
        if self._builder is None:
            for load in (_import_numpy, _import_builder):
                self._check_running()
                load()
            self._check_running()
            self._embedder = make_embedder(self._config.embedder, self._config.data)
            self._check_running()
            self._store = self._config.store()
            if self._config.writer is not None:
                self._writer = self._config.writer()
            self._builder = _import_builder()(
                self._config,
                self._embedder,
                self._store,
                self._writer,
                self.run_blocking,
                self._on_progress,
            )
        return self._builder

    def _on_progress(self, done: int, total: int) -> None:
        self._check_running()
        self.progress(done, total)

    def _check_running(self) -> None:
        if self.is_stopped:
            raise ModelError("The service stops.")


def _unseen(_done: int, _total: int) -> None:
    """Show no progress."""


def _import_numpy() -> None:
    import numpy  # noqa: F401, ICN001, PLC0415 - heavy; later imports find it loaded


def _import_chroma() -> None:
    with IMPORT_LOCK:
        import chromadb  # noqa: F401, PLC0415 - heavy; later imports find it loaded


def _import_builder() -> "type[EngineBuilder]":
    from resolvers.ai.builder import EngineBuilder  # noqa: PLC0415 - needs numpy

    return EngineBuilder
