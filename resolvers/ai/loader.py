"""Loads the models of one process and builds what answers questions about a revision.

Heavy libraries are imported only when the first model is loaded.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from resolvers.embeddings.config import EmbedderConfig
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.factory import make_embedder

if TYPE_CHECKING:
    from resolvers.chat.language_model import LanguageModel
    from resolvers.chat.pipeline import ChatPipeline
    from resolvers.embeddings.embedder import Embedder
    from resolvers.intent.operation import RoutableOperation
    from resolvers.intent.router import IntentRouter
    from resolvers.search.chroma import VectorStore
    from resolvers.search.index import Index
    from schema.site import Site
    from schema.studio import Studio

Value = TypeVar("Value")

Lane = Literal["questions", "texts", "router"]
"""A kind of blocking work that has threads of its own."""

THREADS = 2
"""How many questions are answered at a time; more would only slow each other down."""
LEXICAL = "lexical"
_LANES: dict[Lane, int] = {"questions": THREADS, "texts": 1, "router": 1}
"""The number of threads of each lane."""


class Lazy(Generic[Value]):
    """A value that is made at the first call; if that call fails, the next one tries again."""

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make = make
        self._values: list[Value] = []
        self._lock = threading.Lock()

    def __call__(self) -> Value:
        """Return the value. Blocks while it is made; raises what `make` raises."""
        with self._lock:
            if not self._values:
                self._values.append(self._make())
            return self._values[0]


@dataclass(frozen=True)
class Corpus:
    """The parts of one revision that are needed to answer questions about it."""

    digest: str
    site: "Site"
    url: Callable[[str, str], str]
    """Returns the path of an entry, given its kind and slug."""
    operations: "Callable[[], tuple[RoutableOperation, ...]]"
    """Returns the operations that the intent router may recommend."""


@dataclass(frozen=True)
class AnswerEngine:
    """Everything that answers questions about one revision."""

    digest: str
    embedder: "Embedder"
    index: "Index"
    intent: "Lazy[IntentRouter]"
    """Made after the index, because hundreds of example goals are embedded for it."""
    chat: "ChatPipeline"
    warm: Callable[[], None]
    """Embeds the sentences that chat quotes. Blocks. Raises: ModelError."""


@dataclass(frozen=True)
class ModelConfig:
    """The configured models and where they keep their data."""

    data: Path
    embedder: EmbedderConfig
    store: "Callable[[], VectorStore]"
    writer: "Callable[[], LanguageModel] | None"
    """Makes the language model, if one is configured."""
    base_url: str
    """The only URL that a model's answer may name besides those of its sources."""
    falls_back: bool
    """Whether quotes replace the language model's answer while it fails."""


class ModelLoader:
    """The embedder, the vector store and the language model of one process.

    Which thread a line runs on: `build` and everything that it loads run on the one loading thread
    of `ModelRuntime`. Every other blocking call goes through `run_blocking`, which gives questions,
    texts to embed and waiting for the intent router threads of their own, so that a slow call of
    one kind never delays another kind. Coroutines run on the event loop and never block it.
    """

    def __init__(self, config: ModelConfig) -> None:
        self._config = config
        self._pools = {lane: ThreadPoolExecutor(threads, lane) for lane, threads in _LANES.items()}
        self._embedder: Embedder | None = None
        self._store: VectorStore | None = None
        self._writer: LanguageModel | None = None
        self._engine: AnswerEngine | None = None
        self._operations: tuple[RoutableOperation, ...] = ()
        self.is_stopped = False

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
        embedder = self._load_embedder()
        if self._config.writer is not None and self._writer is None:
            self._writer = self._config.writer()
        operations, engine = corpus.operations(), self._engine
        if engine is None or engine.digest != corpus.digest:
            router = self._lazy_router(corpus, operations, embedder)
            engine = self._make_engine(corpus, embedder, router)
        elif operations != self._operations:
            engine = replace(engine, intent=self._lazy_router(corpus, operations, embedder))
        self._operations, self._engine = operations, engine
        return engine

    async def warm(self) -> None:
        """Load what the language model's first call needs."""
        if self._writer is not None:
            await self._writer.warm()

    def stop(self) -> None:
        """Make a running `build` end at its next step."""
        self.is_stopped = True

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

    def _load_embedder(self) -> "Embedder":
        """Load all libraries, the embedder and the store, in steps that `stop` can end."""
        if self._embedder is None:
            for load in (_import_numpy, _import_chroma, _import_resolvers):
                self._check_running()
                load()
            self._check_running()
            embedder = make_embedder(self._config.embedder, self._config.data)
            self._check_running()
            self._store = self._config.store()
            self._embedder = embedder
        return self._embedder

    def _on_progress(self, _done: int, _total: int) -> None:
        self._check_running()

    def _check_running(self) -> None:
        if self.is_stopped:
            raise ModelError("The service stops.")

    def _lazy_router(
        self,
        corpus: Corpus,
        operations: "tuple[RoutableOperation, ...]",
        embedder: "Embedder",
    ) -> "Lazy[IntentRouter]":
        return Lazy(partial(self._make_router, operations, embedder, _roles(corpus.site.studio)))

    def _make_router(
        self,
        operations: "tuple[RoutableOperation, ...]",
        embedder: "Embedder",
        roles: Mapping[str, str],
    ) -> "IntentRouter":
        from resolvers.embeddings.disk_cache import (  # noqa: PLC0415 - imported by now
            DiskVectorCache,
            vectors_folder,
        )
        from resolvers.intent.router import IntentRouter  # noqa: PLC0415 - imported by now

        cache = DiskVectorCache(vectors_folder(self._config.data) / "goals", embedder)
        embed = partial(cache.get_or_embed, progress=self._on_progress)
        return IntentRouter(operations, embedder, embed, roles)

    def _make_engine(
        self, corpus: Corpus, embedder: "Embedder", router: "Lazy[IntentRouter]"
    ) -> AnswerEngine:
        from resolvers.chat.extractive import Extractive  # noqa: PLC0415 - imported by now
        from resolvers.chat.pipeline import (  # noqa: PLC0415 - imported by now
            ChatPipeline,
            CitationCheckFn,
            source_of,
        )
        from resolvers.embeddings.disk_cache import (  # noqa: PLC0415 - imported by now
            DiskVectorCache,
            vectors_folder,
        )
        from resolvers.embeddings.tokenizer import tokenize  # noqa: PLC0415 - imported by now
        from resolvers.search.documents import documents_of  # noqa: PLC0415 - imported by now
        from resolvers.search.index import Index  # noqa: PLC0415 - imported by now

        if self._store is None:
            raise TypeError(self._store)
        folder = vectors_folder(self._config.data)
        documents = documents_of(corpus.site, corpus.url)
        cache = DiskVectorCache(folder, embedder)
        index = Index.build(
            documents, embedder, cache, self._store, corpus.digest, self._on_progress
        )
        quoting = Extractive(embedder, index.idf)
        embed = quoting.vectors if embedder.mode != LEXICAL else None
        own = frozenset(tokenize(corpus.site.studio.name))
        chat = ChatPipeline(
            digest=corpus.digest,
            index=index,
            quoting=quoting,
            writing=self._writer,
            base_url=self._config.base_url,
            falls_back=self._config.falls_back,
            run=self.run_blocking,
            check=CitationCheckFn(index.idf, embed, own),
        )
        sentences = DiskVectorCache(folder / "sentences", embedder)
        embed_sentences = partial(sentences.get_or_embed, progress=self._on_progress)
        sources = [source_of(0, document) for document in documents]
        warm = partial(quoting.warm, sources, embed_sentences)
        return AnswerEngine(corpus.digest, embedder, index, router, chat, warm)


def _roles(studio: "Studio") -> dict[str, str]:
    """Return what the names of the studio and its founder stand for, full names first."""
    from resolvers.embeddings.tokenizer import STOP_WORDS  # noqa: PLC0415 - imported by now

    name = studio.founder.name
    parts = [part for part in name.split() if part.isalpha() and part.lower() not in STOP_WORDS]
    return {studio.name: "the studio"} | dict.fromkeys([name, *parts], "the human")


def _import_numpy() -> None:
    import numpy  # noqa: F401, ICN001, PLC0415 - heavy; later imports find it loaded


def _import_chroma() -> None:
    import chromadb  # noqa: F401, PLC0415 - heavy; later imports find it loaded


def _import_resolvers() -> None:
    import resolvers.chat.pipeline  # noqa: PLC0415 - needs numpy
    import resolvers.intent.router  # noqa: F401, PLC0415 - needs numpy
